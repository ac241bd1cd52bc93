"""Adapters against real PEFT on a real (tiny) Llama: counts, types, and what their step keeps."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

from optmem_gui.core.activations import estimate_activations
from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import Layout, place
from optmem_gui.core.model import Role
from optmem_gui.core.scenario import BaseDType, Lora, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.transformer import TransformerShape
from tests.core.activation_oracle import autocast, estimated, saved_bytes, scenario_of

SHAPE = TransformerShape(128, 64, 3, 4, 2, 16, 96, norm="rms")
TARGETS = [("q_proj", "v_proj"), ("all-linear",), ("down_proj",), ("q_proj", "k_proj", "v_proj", "o_proj")]


def llama(attention: str = "sdpa") -> Any:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    config = transformers.LlamaConfig(
        vocab_size=SHAPE.vocab,
        hidden_size=SHAPE.hidden,
        num_hidden_layers=SHAPE.layers,
        num_attention_heads=SHAPE.heads,
        num_key_value_heads=SHAPE.kv_heads,
        head_dim=SHAPE.head_dim,
        intermediate_size=SHAPE.ffn,
        max_position_embeddings=64,
        use_cache=False,
        attn_implementation=attention,
    )
    return transformers.LlamaForCausalLM(config)


def adapted(lora: Lora, base: torch.dtype) -> Any:
    """A Llama in ``base`` with PEFT's adapters, everything else at PEFT's defaults."""
    peft = pytest.importorskip("peft", reason="peft is not installed")
    targets = "all-linear" if lora.targets == ("all-linear",) else list(lora.targets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PEFT warns about a model without a name on the hub
        config = peft.LoraConfig(r=lora.rank, target_modules=targets)
        return peft.get_peft_model(llama().to(base), config, autocast_adapter_dtype=lora.adapter_fp32)


def held(layout: Layout) -> dict[tuple[tuple[int, ...], str, bool], int]:
    """How many tensors of each shape, type and kind a layout holds."""
    found: dict[tuple[tuple[int, ...], str, bool], int] = {}
    for placed in layout.placed:
        key = (placed.group.shape, placed.weights.id, placed.trainable)
        found[key] = found.get(key, 0) + placed.group.count
    return found


NAMES = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16"}
BASES: dict[BaseDType, torch.dtype] = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


@pytest.mark.parametrize("fp32", [True, False], ids=["fp32-adapters", "base-adapters"])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("targets", TARGETS, ids="-".join)
def test_parameters_are_those_of_peft(targets: tuple[str, ...], base: BaseDType, fp32: bool) -> None:
    lora = Lora(4, targets, base, adapter_fp32=fp32)
    real: dict[tuple[tuple[int, ...], str, bool], int] = {}
    for parameter in adapted(lora, BASES[base]).parameters():
        key = (tuple(parameter.shape), NAMES[parameter.dtype], parameter.requires_grad)
        real[key] = real.get(key, 0) + 1
    assert held(place(scenario_of(SHAPE, precision=base, lora=lora))) == real


def test_adapters_are_fp32_on_a_bf16_base_by_default() -> None:
    kinds = {p.dtype for p in adapted(Lora(4), torch.bfloat16).parameters() if p.requires_grad}
    assert kinds == {torch.float32}
    layout = place(scenario_of(SHAPE, precision="bf16", lora=Lora(4)))
    assert {p.weights.id for p in layout.trained} == {"fp32"}
    assert {p.gradients.id for p in layout.trained if p.gradients is not None} == {"fp32"}


def hugging_face_saves(model: Any, scenario: Scenario) -> int:
    assert scenario.batch is not None
    assert scenario.sequence is not None
    tokens = torch.randint(0, SHAPE.vocab, (scenario.batch, scenario.sequence))
    labels = tokens.clone()
    with autocast(scenario):
        return saved_bytes(model, lambda: model(input_ids=tokens, labels=labels).loss, (tokens, labels))


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("precision", ["fp32", "bf16", "amp-bf16"])
def test_step_keeps_what_that_of_hugging_face_keeps(precision: str, attention: str) -> None:
    """The closed form against transformers' own Llama; it copies the shifted labels once more."""
    scenario = scenario_of(SHAPE, precision=precision, attention="eager" if attention == "eager" else "auto")
    base = torch.bfloat16 if precision == "bf16" else torch.float32
    real = hugging_face_saves(llama(attention).to(base).train(), scenario)
    found = estimated(scenario)
    assert real - found.saved_bytes - found.autocast_bytes == 2 * 32 * 8


@pytest.mark.parametrize("precision", ["bf16", "bf16-autocast"])
@pytest.mark.parametrize("targets", TARGETS, ids="-".join)
def test_adapters_keep_what_those_of_peft_keep(targets: tuple[str, ...], precision: str) -> None:
    """Inputs cast to the adapters' type, the rank-wide intermediate, and nothing for frozen weights."""
    lora = Lora(4, targets)
    scenario = scenario_of(SHAPE, precision=precision, lora=lora)
    real = hugging_face_saves(adapted(lora, torch.bfloat16).train(), scenario)
    found = estimated(scenario)
    assert real - found.saved_bytes - found.autocast_bytes == 2 * 32 * 8


def packed_llama(base: str) -> Any:
    """A Llama whose layers are bitsandbytes', prepared and adapted by PEFT at its defaults."""
    bnb = pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")
    peft = pytest.importorskip("peft", reason="peft is not installed")
    model = llama().to(torch.bfloat16)
    for name, module in list(model.named_modules()):
        if isinstance(module, torch.nn.Linear) and name != "lm_head":
            parent, _, leaf = name.rpartition(".")
            setattr(model.get_submodule(parent), leaf, _packed(bnb.nn, module, base))
    setattr(model, "is_loaded_in_4bit" if base == "nf4" else "is_loaded_in_8bit", True)
    model = peft.prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PEFT warns about a model without a name on the hub
        return peft.get_peft_model(model, peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"]))


def _packed(layers: Any, module: torch.nn.Linear, base: str) -> Any:
    size = module.in_features, module.out_features
    if base == "nf4":
        options = {"quant_type": "nf4", "compress_statistics": False}
        layer = layers.Linear4bit(*size, bias=False, compute_dtype=torch.bfloat16, **options)
        layer.weight = layers.Params4bit(module.weight.data, requires_grad=False, **options)
    else:
        layer = layers.Linear8bitLt(*size, bias=False, has_fp16_weights=False)
        layer.weight = layers.Int8Params(module.weight.data, requires_grad=False, has_fp16_weights=False)
    return layer.to("cpu")


@pytest.mark.parametrize("precision", ["bf16", "bf16-autocast"])
def test_four_bit_base_keeps_what_that_of_bitsandbytes_keeps(precision: str) -> None:
    """The unquantized rest is fp32, so what layers return is fp32 too, as PEFT prepares it."""
    scenario = scenario_of(SHAPE, precision=precision, lora=Lora(4, base_dtype="nf4"))
    real = hugging_face_saves(packed_llama("nf4").train(), scenario)
    found = estimated(scenario)
    assert real - found.saved_bytes - found.autocast_bytes == 2 * 32 * 8


def test_eight_bit_base_also_keeps_its_inputs() -> None:
    """bitsandbytes holds them on its own context, where autograd's hooks do not see them.

    Of a layer's seven inputs two are not kept for another reason too: the second norm's fp32 result,
    64 tokens x 64, and what the down projection multiplies, 64 x 96.
    """
    scenario = scenario_of(SHAPE, precision="bf16", lora=Lora(4, base_dtype="int8"))
    seen = hugging_face_saves(packed_llama("int8").train(), scenario)
    found = estimated(scenario)
    outside = 3 * 64 * (64 + 96) * 4
    assert seen + outside - found.saved_bytes - found.autocast_bytes == 2 * 32 * 8


def held_bytes(scenario: Scenario) -> int:
    """Weights, gradients, two fp32 or equal states a trained parameter, and the peak of backward."""
    layout = place(scenario)
    shape = scenario.model.architecture
    assert shape is not None
    peak = estimate_activations(shape, scenario, layout).peak("backward")
    weights = sum(p.weight_bytes for p in layout.placed)
    states = sum(2 * p.bytes_in(p.optimized) for p in layout.trained if p.optimized is not None)
    return weights + states + peak.total_bytes


@pytest.mark.parametrize("rank", [8, 64])
@pytest.mark.parametrize("precision", ["bf16", "bf16-autocast"])
def test_qlora_below_lora_below_full(rank: int, precision: str) -> None:
    """A 7B base: 4-bit base < 16-bit base < everything trained, activations included."""
    model = synthetic_ref(7 * 10**9)
    common = {"model": model, "precision": precision, "batch": 1, "sequence": 512}
    full = held_bytes(Scenario(**common))  # type: ignore[arg-type]  # values of a table of cases
    lora = held_bytes(Scenario(**common, lora=Lora(rank)))  # type: ignore[arg-type]  # values of a table of cases
    packed = [
        held_bytes(Scenario(**common, lora=Lora(rank, base_dtype=base)))  # type: ignore[arg-type]  # values of a table of cases
        for base in ("nf4-dq", "nf4", "int8")
    ]
    assert packed[0] < packed[1] < packed[2] < lora < full


def test_only_adapters_have_gradients_and_states() -> None:
    """r = 8 on queries and values of a 7B base: the base keeps 2 bytes a parameter and nothing else."""
    model = synthetic_ref(7 * 10**9)
    layout = place(Scenario(model, precision="bf16", lora=Lora(8)))
    base = [p for p in layout.placed if p.group.role is not Role.ADAPTER]
    assert sum(p.weight_bytes for p in base) == 2 * 7 * 10**9
    assert all(p.gradients is None and p.optimized is None for p in base)
    hidden, layers = model.architecture.hidden, model.architecture.layers  # type: ignore[union-attr]  # values of a table of cases
    # two square matrices a layer, each with a pair of 8 x hidden
    assert layout.trained_count == layers * 2 * 2 * 8 * hidden


@pytest.mark.parametrize(
    ("lora", "key"),
    [(Lora(0), "lora.rank_too_small"), (Lora(8, ("c_attn",)), "lora.no_target")],
)
def test_adapters_that_cannot_be_are_refused(lora: Lora, key: str) -> None:
    with pytest.raises(UserError) as refused:
        place(scenario_of(SHAPE, lora=lora))
    assert refused.value.code == key
