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
from optmem_gui.core.units import CountError, parse_bytes
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


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("5GiB", 5 << 30), ("1.5 GB", 1_500_000_000), ("512 MiB", 512 << 20), ("700b", 700), ("0.1KiB", 103)],
)
def test_a_size_is_read_with_its_unit(text: str, size_bytes: int) -> None:
    assert parse_bytes(text) == size_bytes
    assert Resident.of_bytes("server", size_bytes).size_bytes == size_bytes


@pytest.mark.parametrize(
    "text", ["", "5", "GiB", "0GiB", "-1GiB", "5GiBs", "1e3GiB", "9" * 18 + "TiB", "5 apples"]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(CountError, match="size"):
        parse_bytes(text)
