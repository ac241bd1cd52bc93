"""The bands around what no closed form knows exactly, against recorded runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from optmem_gui.core.breakdown import Band
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.overhead import CONTEXT_BYTES, fit_on, process_band, reserved_band
from optmem_gui.core.units import GIB, MIB

RECORDED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data/recorded_peaks.json").read_text())
"""Peaks of public CUDA memory snapshots: allocated from the events, reserved from the segments."""


def _inside(row: dict[str, Any]) -> bool:
    band = reserved_band(row["allocated_peak_bytes"], "cuda")
    return bool(band.low <= row["reserved_peak_bytes"] <= band.high)


def test_every_recorded_training_run_lies_inside_the_band() -> None:
    runs = [row for row in RECORDED if row["backward"]]
    assert len(runs) == 14
    assert all(_inside(row) for row in runs)


def test_all_but_one_recorded_transformer_run_lie_inside() -> None:
    # The one outside is inference over changing shapes, 11 % above what it had allocated.
    outside = [row["path"] for row in RECORDED if not _inside(row)]
    assert outside == ["results/medium_1024_inference_memory_snapshot.pickle"]


def test_the_cpu_keeps_no_pool() -> None:
    assert reserved_band(12_345, "cpu") == Band(12_345, 12_345)


def test_the_context_comes_on_top() -> None:
    reserved = reserved_band(10 * GIB, "cuda")
    process = process_band(reserved, "cuda")
    assert process.low - reserved.low == CONTEXT_BYTES.low == 250 * MIB
    assert process.high - reserved.high == CONTEXT_BYTES.high == 650 * MIB


def _gpu(total_mib: int) -> Gpu:
    return Gpu("test", "Test", "Test", total_mib, 0, True, "sm_90", "test", "made up")


@pytest.mark.parametrize(("total_mib", "fits"), [(200, "yes"), (199, "tight"), (100, "tight"), (99, "no")])
def test_the_verdict_is_sure_or_says_tight(total_mib: int, fits: str) -> None:
    band = Band(100 * MIB, 200 * MIB)
    verdict = fit_on(_gpu(total_mib), band)
    assert verdict.fits == fits
    assert verdict.free == (total_mib - 200) * MIB
