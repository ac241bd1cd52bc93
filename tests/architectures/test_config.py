"""Families against transformers itself: every name and shape, on the meta device."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedConfig

from optmem_gui.architectures.config import read_config
from optmem_gui.architectures.deepseek import CORRECTION
from optmem_gui.architectures.families import FAMILIES
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ParameterTensor
from optmem_gui.core.synthetic import shape_count
from tests.architectures.diffusion_configs import DIFFUSION
from tests.architectures.small_configs import (
    BASE,
    CONFIGS,
    DEBERTA,
    DELTA,
    GPT2,
    LATENT,
    LLAMA4_TOWER,
    MAMBA2,
    MIXTURE,
    NEO,
    OPT,
    SEQ2SEQ,
    T5,
    VISION,
    build,
)

COVERED = ("llama", "mistral", "qwen2", "qwen3", "phi3", "gpt2")
"""Families whose activations have rules."""

SMALL_BUFFERS = re.compile(r"(inv_freq|position_ids|token_type_ids|embed_scale|freqs_ci|final_logits_bias)$")
"""Buffers of the classes that are left out: rotary tables, counters of positions, zeros added to logits."""


def _ours(config: dict[str, Any]) -> tuple[ParameterTensor, ...]:
    spec = read_config(config, "config.json").model("model")
    assert spec is not None
    return spec.parameters


@pytest.mark.parametrize("name", list(CONFIGS))
def test_names_shapes_and_order_are_those_of_transformers(name: str) -> None:
    model = build(CONFIGS[name])
    real = [(name, tuple(p.shape), p.requires_grad) for name, p in model.named_parameters()]
    ours = [(t.name, t.shape, t.trainable) for t in _ours(CONFIGS[name]) if not t.name.endswith(CORRECTION)]
    assert ours == real


@pytest.mark.parametrize("name", list(CONFIGS))
def test_what_is_kept_beside_them_is_that_of_transformers(name: str) -> None:
    model = build(CONFIGS[name])
    real = {name: tuple(b.shape) for name, b in model.named_buffers() if not SMALL_BUFFERS.search(name)}
    sizes = {name: b.element_size() for name, b in model.named_buffers()}
    spec = read_config(CONFIGS[name], "config.json").model("model")
    assert spec is not None
    corrections = {t.name: t.shape for t in spec.parameters if t.name.endswith(CORRECTION)}
    assert {b.name: b.shape for b in spec.buffers} | corrections == real
    assert {b.name: b.dtype.bits for b in spec.buffers} == {b.name: 8 * sizes[b.name] for b in spec.buffers}


@pytest.mark.parametrize("name", list(CONFIGS))
def test_tied_names_are_those_of_transformers(name: str) -> None:
    model = build(CONFIGS[name])
    distinct = {id(p): name for name, p in model.named_parameters()}
    every = model.named_parameters(remove_duplicate=False)
    real = {(name, distinct[id(p)]) for name, p in every if distinct[id(p)] != name}
    spec = read_config(CONFIGS[name], "config.json").model("model")
    assert spec is not None
    assert set(spec.tied) == real


@pytest.mark.parametrize("name", list(CONFIGS))
def test_a_config_that_transformers_saved_says_the_same(name: str, tmp_path: Path) -> None:
    model = build(CONFIGS[name])
    config = model.config
    assert isinstance(config, PreTrainedConfig)
    config.architectures = [type(model).__name__]
    config.save_pretrained(tmp_path)
    saved = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    saved |= {key: value for key, value in CONFIGS[name].items() if key == "tie_word_embeddings"}  # T5 again
    assert _ours(saved) == _ours(CONFIGS[name])


def test_every_family_is_compared_with_its_library() -> None:
    diffusers = {"AutoencoderKL", "FluxTransformer2DModel", "SD3Transformer2DModel", "UNet2DConditionModel"}
    same_class = {"kimi_k2"}  # DeepSeek-V3's, under a name that transformers does not have
    compared = {config["model_type"] for config in CONFIGS.values()}
    assert compared | diffusers | same_class == set(FAMILIES)


@pytest.mark.parametrize(
    "name", [name for name in CONFIGS if name.split()[0] in COVERED and not name.endswith("biases")]
)
def test_dimensions_give_the_same_count_as_the_tensors(name: str) -> None:
    """But for optional biases, which the tensors alone tell of."""
    architecture = read_config(CONFIGS[name], "config.json")
    if architecture.shape is not None:
        assert shape_count(architecture.shape) == sum(tensor.numel for tensor in _ours(CONFIGS[name]))
    else:
        assert [reason.key for reason in architecture.warnings] == ["config.no_activations"]


@pytest.mark.parametrize(
    ("config", "total"),
    [
        # the published totals of configs whose models are too large to be presets here
        (
            {
                "model_type": "mixtral",
                "vocab_size": 32000,
                "hidden_size": 6144,
                "num_local_experts": 8,
                "intermediate_size": 16384,
                "num_hidden_layers": 56,
                "num_attention_heads": 48,
                "num_key_value_heads": 8,
                "tie_word_embeddings": False,
            },
            140_620_634_112,
        ),
        (
            {
                "model_type": "gpt_oss",
                "vocab_size": 201088,
                "hidden_size": 2880,
                "head_dim": 64,
                "intermediate_size": 2880,
                "num_hidden_layers": 36,
                "num_attention_heads": 64,
                "num_key_value_heads": 8,
                "num_local_experts": 128,
                "tie_word_embeddings": False,
            },
            116_829_156_672,
        ),
    ],
    ids=["mixtral-8x22b", "gpt-oss-120b"],
)
def test_published_totals(config: dict[str, Any], total: int) -> None:
    assert sum(tensor.numel for tensor in _ours(config)) == total


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("llama-3.1-8b", 8_030_261_248),
        ("llama-3.1-70b", 70_553_706_496),
        ("deepseek-v3", 671_026_419_200),  # the main model; its multi-token module is said apart
        ("mistral-small-3.2-24b", 24_011_361_280),  # image tower and projector included
        ("t5-xxl", 11_135_332_352),  # T5 1.1: the head is not tied
    ],
)
def test_configs_as_published(name: str, total: int, reference_data: Path) -> None:
    path = reference_data / "cases" / "files" / "bigmodels" / name / "config.json"
    architecture = read_config(json.loads(path.read_text(encoding="utf-8")), "config.json")
    spec = architecture.model(name)
    assert spec is not None
    assert spec.param_count == total
    apart = [r.values["count"] for r in architecture.warnings if r.key == "config.next_token_module"]
    assert apart == ([11_610_068_224] if name == "deepseek-v3" else [])


def test_a_text_config_inside_a_multimodal_one_is_found() -> None:
    outer = {"model_type": "llava", "vision_config": {}, "text_config": {"model_type": "mistral", **BASE}}
    architecture = read_config(outer, "config.json")
    assert architecture.family == "mistral"
    assert architecture.shape is not None
    assert architecture.shape.layers == 3
    assert [reason.key for reason in architecture.warnings] == ["config.text_part_only"]


def test_an_unknown_family_counts_no_activations_and_says_so() -> None:
    architecture = read_config({"model_type": "never-heard-of", "hidden_size": 8}, "config.json")
    assert architecture.model("x") is None
    assert architecture.shape is None
    assert "not counted" in str(architecture.warnings[0])


def test_the_routers_correction_counts_and_does_not_train() -> None:
    frozen = [tensor for tensor in _ours(CONFIGS["deepseek_v3"]) if not tensor.trainable]
    assert [(tensor.name, tensor.shape) for tensor in frozen] == [
        (f"model.layers.{layer}.mlp.gate.e_score_correction_bias", (4,)) for layer in (1, 2)
    ]


def test_the_multi_token_module_is_said_to_be_left_out() -> None:
    config = {**CONFIGS["deepseek_v3"], "num_nextn_predict_layers": 1}
    keys = [reason.key for reason in read_config(config, "config.json").warnings]
    assert keys == ["config.next_token_module"]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "torch.bfloat16"])
@pytest.mark.parametrize("key", ["torch_dtype", "dtype"])
def test_the_type_of_the_weights_is_that_of_the_config(key: str, dtype: str) -> None:
    expected = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}[dtype.removeprefix("torch.")]
    assert read_config({**CONFIGS["llama"], key: dtype}, "f").dtype.id == expected


FIELDS = sorted(
    {
        *(
            "num_local_experts",
            "n_inner",
            "depths",
            "hidden_sizes",
            "block_out_channels",
            "dual_attention_layers",
        ),
        *("num_layers", "vision_config", "mlp_only_layers", "layer_types", "architectures"),
        *("mlp_ratio", "expand", "transformer_layers_per_block", "down_block_types", "pos_embed_max_size"),
        *BASE,
        *MIXTURE,
        *LATENT,
        *GPT2,
        *DELTA,
        *SEQ2SEQ,
        *T5,
        *NEO,
        *OPT,
        *MAMBA2,
        *DEBERTA,
        *VISION,
        *LLAMA4_TOWER,
    }
)
UNSUPPORTED = ("architectures", "relative_attention", "pos_att_type", "down_block_types")
"""Fields that can ask for a variant that only the library can build."""


@given(
    family=st.sampled_from(sorted(set(FAMILIES) - {"kimi_k2"})),
    field=st.sampled_from(FIELDS),
    value=st.none()
    | st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.floats()
    | st.text(max_size=4)
    | st.lists(st.integers(), max_size=2),
)
def test_any_value_in_a_field_is_used_or_refused_by_its_name(family: str, field: str, value: Any) -> None:
    given = next(
        c
        for c in [*CONFIGS.values(), *DIFFUSION.values()]
        if family in (c.get("model_type"), c.get("_class_name"))
    )
    config = {**given, field: value}
    if isinstance(value, int) and not isinstance(value, bool) and value > 2000 and "layer" in field:
        config[field] = 2000  # building that many rows is allowed, and slow
    try:
        architecture = read_config(config, "config.json")
    except UserError as error:
        assert field in str(error)  # noqa: PT017  # a value that is fine is fine too
    else:
        assert architecture.layout is not None or field in UNSUPPORTED
