"""Adam-mini by name, and LOMO, which keeps nothing: 0 bytes from the real ones."""

from __future__ import annotations

import warnings
from importlib.metadata import version

import pytest
import torch

from optmem_gui.core.dtypes import F32
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ParameterTensor, Role, Shape
from optmem_gui.core.optimizers.libraries.memory_light import ADALOMO, ADAM_MINI, LOMO
from optmem_gui.core.optimizers.state import optimizer_state
from optmem_gui.core.scenario import Options
from tests.core.optimizers.handed import handed, layout_of_tensors
from tests.core.optimizers.package_runs import declared, held, load, parameters_of, stepped
from tests.core.optimizers.real import layout_of

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
LAYER = "model.layers.0."
TENSORS = tuple(
    ParameterTensor(name, shape, F32, role)
    for name, shape, role in (
        ("model.embed_tokens.weight", (100, 64), Role.EMBEDDING),
        (f"{LAYER}self_attn.q_proj.weight", (64, 64), Role.ATTENTION),
        (f"{LAYER}self_attn.q_proj.bias", (64,), Role.BIAS),
        (f"{LAYER}self_attn.k_proj.weight", (16, 64), Role.ATTENTION),
        (f"{LAYER}self_attn.v_proj.weight", (16, 64), Role.ATTENTION),
        (f"{LAYER}self_attn.o_proj.weight", (64, 64), Role.ATTENTION),
        (f"{LAYER}mlp.up_proj.weight", (128, 64), Role.MLP),
        (f"{LAYER}input_layernorm.weight", (64,), Role.NORM),
        (f"{LAYER}conv.weight", (8, 4, 3, 3), Role.CONVOLUTION),
        ("scale", (), Role.OTHER),
        ("lm_head.weight", (100, 64), Role.HEAD),
    )
)
MODEL: Options = (("dim", 64), ("n_heads", 4))


@pytest.mark.parametrize("precision", list(DTYPES))
@pytest.mark.parametrize("options", [MODEL, (("dim", 64), ("n_heads", 8))], ids=["4 heads", "8 heads"])
def test_adam_mini_is_the_real_one(options: Options, precision: str) -> None:
    parameters = parameters_of([tensor.shape for tensor in TENSORS], DTYPES[precision])
    optimizer = stepped(ADAM_MINI, options, parameters, first=handed(ADAM_MINI, options, TENSORS, parameters))
    estimated = optimizer_state(ADAM_MINI, options, layout_of_tensors(TENSORS, precision), "cuda")
    assert declared(estimated) == held(optimizer)


def test_adam_mini_stops_where_heads_do_not_fit() -> None:
    parameters = parameters_of([tensor.shape for tensor in TENSORS], torch.float32)
    with pytest.raises(RuntimeError, match="shape"):
        stepped(ADAM_MINI, (), parameters, first=handed(ADAM_MINI, (), TENSORS, parameters))
    with pytest.raises(UserError, match=r"q_proj\.weight.*2,048 x 2,048 / 32"):
        optimizer_state(ADAM_MINI, (), layout_of_tensors(TENSORS, "fp32"), "cuda")


def test_adam_mini_stops_at_vectors_with_a_matrix_name() -> None:
    tensors = (ParameterTensor("attention.output.weight", (64,), F32, Role.NORM),)
    parameters = parameters_of([(64,)], torch.float32)
    with pytest.raises(IndexError):
        stepped(ADAM_MINI, MODEL, parameters, first=handed(ADAM_MINI, MODEL, tensors, parameters))
    with pytest.raises(UserError, match=r"output\.weight"):
        optimizer_state(ADAM_MINI, MODEL, layout_of_tensors(tensors, "fp32"), "cuda")


def test_adam_mini_proven_with_what_is_installed() -> None:
    assert ADAM_MINI.proven == f"adam-mini {version('adam-mini')}"
    assert LOMO.proven == f"lomo-optim {version('lomo-optim')}"


def test_lomo_keeps_nothing() -> None:
    """Its update runs in backward, from hooks on the model's parameters."""
    model = torch.nn.Linear(16, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of another library, whatever they are
        optimizer = load(LOMO.path)(model, lr=0.1)
        before = model.weight.detach().clone()
        for _ in range(3):
            optimizer.fused_backward(model(torch.randn(2, 16)).sum(), 0.1)
    assert not torch.equal(before, model.weight)
    assert held(optimizer) == {}
    estimated = optimizer_state(LOMO, (), layout_of(((8, 16), (8,)), "fp32"), "cuda")
    assert estimated.bytes == 0


def test_adalomo_by_hand() -> None:
    """4 x (8 + 16) for the matrix, 4 x (4 + 2) for a convolution's first two axes, 4 x 8 for the vector."""
    shapes: tuple[Shape, ...] = ((8, 16), (4, 2, 3, 3), (8,))
    estimated = optimizer_state(ADALOMO, (), layout_of(shapes, "bf16"), "cuda")
    assert estimated.bytes == 4 * (8 + 16) + 4 * (4 + 2) + 4 * 8
    assert ADALOMO.proven == ""
