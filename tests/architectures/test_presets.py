"""Presets: published totals to the parameter, and the classes themselves at their real size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from optmem_gui.architectures.config import read_config
from optmem_gui.architectures.deepseek import CORRECTION
from optmem_gui.architectures.presets import PRESETS, preset_ref, preset_spec
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Source
from optmem_gui.core.units import format_count
from tests.architectures.small_configs import build

_KINDS = {preset.config.get("model_type"): preset.id for preset in PRESETS.values()}
_ONE_EACH = [preset_id for kind, preset_id in _KINDS.items() if kind is not None]
"""One preset of each ``model_type``, the last in the menu."""


@pytest.mark.parametrize("preset_id", list(PRESETS))
def test_every_total_is_the_published_one(preset_id: str) -> None:
    preset = PRESETS[preset_id]
    ref = preset_ref(preset_id)
    assert ref.param_count == preset.total
    assert (ref.title, ref.source) == (preset.title, Source.PRESET)
    assert preset_spec(preset_id).param_count == preset.total
    assert preset.source


@pytest.mark.parametrize("preset_id", _ONE_EACH)
def test_the_class_of_transformers_is_the_same_at_its_real_size(preset_id: str) -> None:
    config = {key: value for key, value in PRESETS[preset_id].config.items() if key != "torch_dtype"}
    real = [(name, tuple(p.shape)) for name, p in build(config).named_parameters()]
    assert [(t.name, t.shape) for t in preset_spec(preset_id).parameters] == real


def test_totals_are_those_of_the_reference(reference_data: Path) -> None:
    models = json.loads((reference_data / "facts" / "models.json").read_text(encoding="utf-8"))["models"]
    assert {model["id"] for model in models} == set(PRESETS)
    for model in models:
        spec = preset_spec(model["id"])
        assert spec.param_count == model["params"]["total"], model["id"]
        active = model["params"].get("moe", {"active": spec.param_count})["active"]
        assert spec.param_count - spec.idle_count == active, model["id"]
        kept = sum(buffer.size_bytes // (buffer.dtype.bits // 8) for buffer in spec.buffers)
        counted = model["buffers"]["saved_elements"]
        moved = sum(b.shape[0] for b in spec.buffers if b.name.endswith(CORRECTION))
        assert counted <= kept or counted == moved, model["id"]


def test_well_known_totals() -> None:
    assert PRESETS["llama-3.1-8b"].total == 8_030_261_248
    assert PRESETS["llama-3.1-70b"].total == 70_553_706_496
    assert PRESETS["gpt2"].total == 124_439_808
    assert PRESETS["deepseek-v3"].total == 671_026_404_352


@pytest.mark.parametrize(
    ("preset_id", "rows"),
    [
        # what the config says, not what the tokenizer knows
        ("gpt-j-6b", 50_400),
        ("pythia-1.4b", 50_304),
        ("pythia-6.9b", 50_432),
        ("pythia-12b", 50_688),
        ("qwen2.5-1.5b", 151_936),
        ("qwen2.5-7b", 152_064),
        ("gemma-3-1b", 262_144),
        ("gemma-3-12b", 262_208),
        ("phi-4-mini", 200_064),
        ("mamba2-130m", 50_288),
    ],
)
def test_padded_vocabularies(preset_id: str, rows: int) -> None:
    tables = [t for t in preset_spec(preset_id).parameters if t.name.endswith(_EMBEDDINGS)]
    assert [t.shape[0] for t in tables] == [rows]


_EMBEDDINGS = ("embed_tokens.weight", "wte.weight", "embed_in.weight", "backbone.embeddings.weight")


@pytest.mark.parametrize(
    ("preset_id", "stored"),
    [
        # checkpoints that save a tied head once more hold vocabulary x width elements beyond the model
        ("qwen3-0.6b", 751_632_384),
        ("qwen3-1.7b", 2_031_739_904),
    ],
)
def test_a_tied_head_that_is_stored_twice_trains_once(preset_id: str, stored: int) -> None:
    spec = preset_spec(preset_id)
    table = next(t for t in spec.parameters if t.name == "model.embed_tokens.weight")
    assert spec.tied == (("lm_head.weight", "model.embed_tokens.weight"),)
    assert spec.param_count + table.numel == stored


def test_flan_t5_has_a_head_of_its_own() -> None:
    """Tied, FLAN-T5 base would have the total of T5 base, which is another model."""
    untied, tied = preset_spec("flan-t5-base"), preset_spec("t5-base")
    head = next(t for t in untied.parameters if t.name == "lm_head.weight")
    assert untied.param_count - head.numel == tied.param_count == 222_903_552


def test_rotary_tables_are_no_parameters() -> None:
    """Old Llama-2 checkpoints store one of 64 numbers a layer: 2,048 beyond the 7B model's parameters."""
    assert preset_spec("llama-2-7b").param_count + 32 * 64 == 6_738_417_664


def test_fused_experts_are_two_tensors_a_layer() -> None:
    spec = preset_spec("qwen3-30b-a3b")
    fused = [t.shape for t in spec.parameters if ".experts." in t.name]
    assert fused == [(128, 1536, 2048), (128, 2048, 768)] * 48


@pytest.mark.parametrize(
    ("preset_id", "elements"),
    [
        ("resnet-50", 53_173),  # mean and variance of 26,560 channels, and a counter for each of 53 layers
        ("resnet-152", 151_579),
        ("sd3-medium", 56_623_104),
        ("sd3.5-medium", 226_492_416),
        ("gpt-neo-1.3b", 24 * 2048**2 + 0),
        ("swin-t", 12 * 49**2),
    ],
)
def test_what_is_kept_beside_the_parameters(preset_id: str, elements: int) -> None:
    buffers = preset_spec(preset_id).buffers
    assert sum(buffer.size_bytes * 8 // buffer.dtype.bits for buffer in buffers) == elements


def test_the_encoder_positions_of_whisper_are_frozen() -> None:
    frozen = [t.numel for t in preset_spec("whisper-tiny").parameters if not t.trainable]
    assert frozen == [1500 * 384]


def test_the_whole_checkpoint_of_deepseek_v3_adds_up() -> None:
    """Main model, router corrections, the multi-token module with its copies, and the scales of fp8."""
    config = {**PRESETS["deepseek-v3"].config, "num_nextn_predict_layers": 1}
    main = read_config(config, "config.json")
    spec = main.model("DeepSeek-V3")
    assert spec is not None
    apart = next(r.values["count"] for r in main.warnings if r.key == "config.next_token_module")
    assert (spec.param_count, apart) == (671_026_419_200, 11_610_068_224)
    copies = 2 * 129_280 * 7168
    scales = 41_540_496
    assert spec.param_count + 11_610_068_224 + copies + scales == 684_531_386_000  # published


def test_titles_tell_presets_apart_and_families_stand_together() -> None:
    assert len({preset.title for preset in PRESETS.values()}) == len(PRESETS) == 131
    families = [preset.family for preset in PRESETS.values()]
    runs = [family for place, family in enumerate(families) if place == 0 or families[place - 1] != family]
    assert len(runs) == len(set(runs))


def test_an_unknown_preset_is_refused_with_what_is_near() -> None:
    with pytest.raises(UserError, match=r"llama-3\.1-7b is not known; near it: .*llama-3\.1-8b"):
        preset_ref("llama-3.1-7b")
    with pytest.raises(UserError, match=r"optmem presets lists all"):
        preset_ref("zzzzzz")


def test_a_count_reads_with_separators() -> None:
    assert format_count(PRESETS["kimi-k2"].total) == "1,026,408,209,408"


def _values(config: dict[str, Any]) -> list[object]:
    return [value for one in config.values() for value in (_values(one) if isinstance(one, dict) else [one])]


def test_configs_hold_numbers_and_words_only() -> None:
    for preset in PRESETS.values():
        assert all(isinstance(v, (int, float, str, list)) for v in _values(preset.config)), preset.id
