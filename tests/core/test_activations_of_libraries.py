"""The closed form of one layer against the models of transformers themselves.

A model of three layers keeps more than one of two by exactly what a layer keeps; embedding, loss and what
all layers share drop out.
"""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from transformers import AutoConfig, AutoModelForCausalLM

from optmem_gui.architectures.config import read_config
from optmem_gui.core.activations import estimate_activations
from optmem_gui.core.layout import place
from optmem_gui.core.measuring import runs_as_transformer
from optmem_gui.core.model import group_model
from optmem_gui.core.scenario import Scenario

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "amp-bf16": torch.float32}
BASE: dict[str, Any] = {
    "vocab_size": 128,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 24,
    "tie_word_embeddings": False,
}
MODELS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", **BASE},
    "mistral": {"model_type": "mistral", **BASE},
    "qwen2": {"model_type": "qwen2", **BASE, "head_dim": 16},
    "qwen3": {"model_type": "qwen3", **BASE},
    "phi3": {"model_type": "phi3", **BASE, "head_dim": 16, "pad_token_id": 0},
    "gpt2": {
        "model_type": "gpt2",
        "vocab_size": 128,
        "n_embd": 64,
        "n_head": 4,
        "n_positions": 64,
        "resid_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "embd_pdrop": 0.0,
    },
    "gemma": {"model_type": "gemma", **BASE},
    "gemma3": {"model_type": "gemma3_text", **BASE},
    "mixtral": {"model_type": "mixtral", **BASE, "num_local_experts": 8, "num_experts_per_tok": 3},
    "qwen3_moe": {
        "model_type": "qwen3_moe",
        **BASE,
        "num_experts": 8,
        "moe_intermediate_size": 40,
        "num_experts_per_tok": 3,
        "norm_topk_prob": True,
    },
}
BATCH, SEQUENCE = 2, 32


def kept_by_transformers(config: dict[str, Any], precision: str, attention: str) -> int:
    """Bytes of the distinct storages that autograd saves, parameters excluded."""
    values = {key: value for key, value in config.items() if key != "model_type"}
    torch.manual_seed(0)
    real = AutoConfig.for_model(config["model_type"], **values, use_cache=False)
    model = AutoModelForCausalLM.from_config(real, attn_implementation=attention).to(TYPES[precision]).train()
    parameters = {p.untyped_storage().data_ptr() for p in model.parameters()}
    kept: list[torch.Tensor] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        kept.append(tensor)
        return tensor

    tokens = torch.randint(0, 128, (BATCH, SEQUENCE))
    region: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if precision.startswith("amp"):
        region = torch.autocast("cpu", dtype=torch.bfloat16)
    with region, saved_tensors_hooks(pack, lambda tensor: tensor):
        kept.append(model(tokens, labels=tokens).loss)
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in kept}
    return sum(size for place_, size in storages.items() if place_ not in parameters)


def kept_here(config: dict[str, Any], precision: str, attention: str) -> int:
    """The closed form."""
    spec = read_config(config, "config.json").model("model")
    assert spec is not None
    kind = {"sdpa": "auto", "eager": "eager"}[attention]
    scenario = Scenario(
        group_model(spec),
        batch=BATCH,
        sequence=SEQUENCE,
        target="cpu",
        precision=precision,
        attention=kind,  # type: ignore[arg-type]  # one of the two above
    )
    assert spec.architecture is not None
    found = estimate_activations(spec.architecture, scenario, place(scenario))
    return found.saved_bytes + found.autocast_bytes


@pytest.mark.parametrize("precision", list(TYPES))
@pytest.mark.parametrize("model", list(MODELS))
def test_a_layer_keeps_what_the_librarys_layer_keeps(model: str, precision: str) -> None:
    field = "n_layer" if model == "gpt2" else "num_hidden_layers"
    two, three = ({**MODELS[model], field: layers} for layers in (2, 3))
    real = kept_by_transformers(three, precision, "sdpa") - kept_by_transformers(two, precision, "sdpa")
    assert kept_here(three, precision, "sdpa") - kept_here(two, precision, "sdpa") == real


def test_what_a_mixture_keeps_grows_with_the_experts_a_token_visits() -> None:
    """Each visit: 64 + 2 x 40 + 40 + 40 + 64 numbers and a share of 2 bytes, four indices, an fp32 share."""
    one = {**MODELS["qwen3_moe"], "num_hidden_layers": 1, "num_experts_per_tok": 1}
    two = {**one, "num_experts_per_tok": 2}
    tokens = BATCH * SEQUENCE
    visit = 2 * (64 + 2 * 40 + 40 + 40 + 64 + 1) + 4 * 8 + 4
    assert kept_here(two, "bf16", "sdpa") - kept_here(one, "bf16", "sdpa") == tokens * visit


def test_experts_that_nobody_visits_keep_only_their_probability() -> None:
    few = {**MODELS["qwen3_moe"], "num_hidden_layers": 1}
    many = {**few, "num_experts": 16}
    tokens = BATCH * SEQUENCE
    # 8 more probabilities of 4 bytes a token, and where each of 8 more experts begins
    assert kept_here(many, "bf16", "sdpa") - kept_here(few, "bf16", "sdpa") == 8 * 4 * tokens + 8 * 4


def test_dense_shapes_have_no_experts() -> None:
    architecture = read_config({**MODELS["qwen3"], "num_hidden_layers": 1}, "config.json").shape
    assert architecture is not None
    assert (architecture.head_norms, architecture.experts) == (True, 0)


@pytest.mark.parametrize(
    ("model", "own"), [("llama", True), ("qwen3", True), ("gemma", False), ("phi3", False)]
)
def test_only_what_the_own_module_computes_is_measured_with_it(model: str, own: bool) -> None:
    """Gemma 1 has Llama's tensors, and keeps more."""
    spec = read_config({**MODELS[model], "num_hidden_layers": 2}, "config.json").model("model")
    assert spec is not None
    assert runs_as_transformer(group_model(spec)) is own


def test_a_window_is_said_where_the_sequence_is_longer() -> None:
    spec = read_config({**MODELS["gemma3"], "num_hidden_layers": 1, "sliding_window": 16}, "c").model("model")
    assert spec is not None
    assert spec.architecture is not None
    for sequence, said in ((16, False), (17, True)):
        scenario = Scenario(group_model(spec), batch=1, sequence=sequence, target="cpu")
        found = estimate_activations(spec.architecture, scenario, place(scenario))
        assert ("activation.window" in [reason.key for reason in found.not_counted]) is said
