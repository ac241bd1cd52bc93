from __future__ import annotations

import json
from pathlib import Path

import pytest

from optmem_gui.architectures.presets import PRESETS, preset_ref, preset_spec
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Source


@pytest.mark.parametrize("preset_id", list(PRESETS))
def test_every_total_is_the_published_one(preset_id: str) -> None:
    preset = PRESETS[preset_id]
    ref = preset_ref(preset_id)
    assert ref.param_count == preset.total
    assert (ref.title, ref.source) == (preset.title, Source.PRESET)
    assert preset_spec(preset_id).param_count == preset.total
    assert preset.source


def test_well_known_totals() -> None:
    assert PRESETS["llama-3.1-8b"].total == 8_030_261_248
    assert PRESETS["llama-3.1-70b"].total == 70_553_706_496
    assert PRESETS["gpt2"].total == 124_439_808


def test_totals_are_those_of_the_reference(reference_data: Path) -> None:
    models = json.loads((reference_data / "facts" / "models.json").read_text(encoding="utf-8"))["models"]
    published = {
        model["id"]: {entry["value"] for entry in model["published"] if entry["equal"]} for model in models
    }
    for preset in PRESETS.values():
        assert preset.total in published[preset.id], preset.id


def test_titles_tell_presets_apart() -> None:
    assert len({preset.title for preset in PRESETS.values()}) == len(PRESETS)


def test_an_unknown_preset_is_refused_with_the_choices() -> None:
    with pytest.raises(UserError, match=r"gpt5 is not known.*llama-3\.1-8b"):
        preset_ref("gpt5")
