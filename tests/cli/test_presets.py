"""``optmem presets``, and estimates of what it lists."""

from __future__ import annotations

import pytest

from optmem_gui.architectures.presets import PRESETS, preset_spec
from tests.cli.conftest import Optmem


def test_every_preset_is_listed_with_its_figures(optmem: Optmem) -> None:
    rows = optmem("presets", "--json").document["presets"]
    assert [row["id"] for row in rows] == list(PRESETS)
    by_id = {row["id"]: row["parameters"] for row in rows}
    assert by_id["mixtral-8x7b"] == {"total": 46_702_792_704, "active": 12_879_925_248}
    assert by_id["llama-3.1-8b"] == {"total": 8_030_261_248, "active": 8_030_261_248}


def test_words_narrow_the_list_down(optmem: Optmem) -> None:
    lines = optmem("presets", "qwen3", "a3b").out.splitlines()
    assert len(lines) == 2
    assert "30,532,122,624" in lines[1]
    assert optmem("presets", "no-such-model").refusal.endswith("optmem presets lists all\n")


@pytest.mark.parametrize(
    "preset_id",
    ["bert-base-uncased", "deepseek-v3", "flux.1-dev", "resnet-50", "whisper-tiny", "gemma-3-12b"],
)
def test_what_is_listed_can_be_estimated(preset_id: str, optmem: Optmem) -> None:
    document = optmem("estimate", "--preset", preset_id, "--precision", "fp32", "--json").document
    assert document["parameters"]["total"] == PRESETS[preset_id].total
    # AdamW in fp32: two moments of four bytes for every parameter that is trained, one count for a tensor
    trained = [tensor for tensor in preset_spec(preset_id).parameters if tensor.trainable]
    state = next(row["bytes"] for row in document["components"] if row["id"] == "optimizer_state")
    assert state == 8 * sum(tensor.numel for tensor in trained) + 4 * len(trained)


def test_a_model_without_rules_says_that_its_activations_are_not_counted(optmem: Optmem) -> None:
    words = ("estimate", "--preset", "bert-base-uncased", "--batch", "8", "--seq", "128")
    assert "not counted" in optmem(*words).out
