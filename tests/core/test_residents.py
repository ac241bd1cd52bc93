"""What else lives on the GPU is there all the time, in every phase."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.residents import Resident
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.report.scenario_file import load_scenario, save_scenario

ALONE = Scenario(synthetic_ref(1_000_000), precision="bf16", batch=1, sequence=64)
TWO = (Resident("reference", 500_000, "bf16"), Resident("ema", 1_000_000, "fp32"))


def test_they_are_added_to_every_phase() -> None:
    before, after = compute(ALONE), compute(replace(ALONE, residents=TWO))
    assert after.component("other_models").bytes == 500_000 * 2 + 1_000_000 * 4
    assert [row.bytes - 5_000_000 for row in after.phases] == [row.bytes for row in before.phases]
    assert sum(row.at_peak for row in after.components) == after.peak_bytes
    assert [detail.bytes for detail in after.component("other_models").details] == [1_000_000, 4_000_000]


def test_an_unknown_type_is_named() -> None:
    with pytest.raises(UserError, match="reference: fp17 is no type"):
        compute(replace(ALONE, residents=(Resident("reference", 1, "fp17"),)))


def test_they_are_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.optmem"
    save_scenario(path, replace(ALONE, residents=TWO))
    assert load_scenario(path).residents == TWO
