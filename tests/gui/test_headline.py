"""The headline says the peak, the verdict and the three numbers, in words as well as in colour."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from optmem_gui.core.breakdown import COMPONENT_IDS, Band, Breakdown, Fit
from optmem_gui.core.units import GIB
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.gui.panels.headline import HeadlinePanel, signed_percent
from optmem_gui.gui.snapshot import Measured, MeasurementState, MeasureStage, Snapshot
from optmem_gui.gui.widgets.stacked_bar import OVERHEAD
from tests.gui.result_samples import H100, breakdown, snapshot


@pytest.fixture
def panel(qtbot: QtBot) -> HeadlinePanel:
    made = HeadlinePanel()
    qtbot.addWidget(made)
    made.resize(900, 200)
    return made


def test_peak_is_named_with_its_phase(panel: HeadlinePanel) -> None:
    """7e9 parameters x (2 + 2 + 4 + 2) B = 70e9 B = 65.19 GiB."""
    panel.render(snapshot())
    assert panel.peak.text() == "65.2 GiB at the peak, in the optimizer step"
    panel.render(snapshot(unit="GB"))
    assert panel.peak.text() == "70.0 GB at the peak, in the optimizer step"


def test_invalid_input_is_marked_as_the_last_valid_one(panel: HeadlinePanel) -> None:
    panel.render(snapshot(stale=True))
    assert "last valid input" in panel.peak.text()
    panel.render(snapshot())
    assert "last valid input" not in panel.peak.text()


def _with_fit(low: int, high: int, usable: int, fits: str) -> Breakdown:
    fit = Fit(H100.id, usable, fits, usable - high)
    return replace(breakdown(), process=Band(low, high), fit=fit)


@pytest.mark.parametrize(
    ("low", "high", "fits", "sign", "words"),
    [
        (60 * GIB, 70 * GIB, "yes", "yes", "Fits: 10.0 GiB free of 80.0 GiB usable on NVIDIA H100"),
        (76 * GIB, 83 * GIB, "tight", "tight", "Tight: from 4.00 GiB free to 3.00 GiB missing"),
        (90 * GIB, 99 * GIB, "no", "no", "Does not fit: at least 10.0 GiB more than the 80.0 GiB usable"),
    ],
)
def test_verdict_has_words_and_a_sign(
    panel: HeadlinePanel, *, low: int, high: int, fits: str, sign: str, words: str
) -> None:
    panel.render(snapshot(_with_fit(low, high, 80 * GIB, fits)))
    assert panel.verdict.text().startswith(words)
    assert panel.mark.sign == sign
    assert f"{low // GIB}.0 GiB to {high // GIB}.0 GiB" in panel.band.text()


def test_without_a_gpu_there_is_no_verdict_and_no_capacity(panel: HeadlinePanel) -> None:
    panel.render(snapshot(breakdown(gpu=None), gpu=None))
    assert "No GPU chosen" in panel.verdict.text()
    assert panel.mark.sign == "none"
    assert OVERHEAD not in [part.id for part in panel.bar.drawn]


@pytest.mark.parametrize("count", [1, 7_000_000_000, 10**18])
def test_bar_holds_every_part_of_the_peak(panel: HeadlinePanel, count: int) -> None:
    result = breakdown(count)
    panel.render(snapshot(result))
    drawn = {part.id: part.bytes for part in panel.bar.drawn if part.id != OVERHEAD}
    assert drawn == {row.id: row.at_peak for row in result.components if row.at_peak}
    assert sum(drawn.values()) == result.peak_bytes
    assert [name for name in COMPONENT_IDS if name in drawn] == list(drawn)
    assert not panel.grab().isNull()


def test_every_segment_explains_itself(panel: HeadlinePanel) -> None:
    panel.render(snapshot())
    weights = next(part for part in panel.bar.drawn if part.id == "weights")
    assert "14,000,000,000 bytes" in weights.tip
    assert "20.0 % of it" in weights.tip
    assert "Pure bf16" in weights.tip


def test_bar_is_one_sentence_for_a_screen_reader(panel: HeadlinePanel) -> None:
    panel.render(snapshot())
    sentence = panel.bar.accessibleDescription()
    assert "Weights 13.0 GiB, Gradients 13.0 GiB, Optimizer state 26.1 GiB" in sentence
    assert panel.bar.accessibleName()


def test_numbers_that_are_absent_say_why(panel: HeadlinePanel) -> None:
    panel.render(snapshot())
    assert panel.estimated.number.text() == "65.2 GiB"
    assert (panel.simulated.number.text(), panel.simulated.note.text()) == ("-", "not simulated")
    assert (panel.measured.number.text(), panel.measured.note.text()) == ("-", "not measured")
    panel.render(snapshot(measurement=MeasurementState(MeasureStage.FAILED)))
    assert panel.measured.note.text() == "failed"


def test_measured_number_carries_its_signed_error(panel: HeadlinePanel) -> None:
    """Estimated 70e9, measured 56e9: (70 - 56) / 56 = +25 %."""
    outcome = cast("MeasurementResult", None)  # the panel reads the figures beside it only
    measured = Measured(outcome, peak_bytes=56 * 10**9, reserved_bytes=None, process_bytes=None)
    state = MeasurementState(MeasureStage.DONE, "cpu", result=measured, breakdown=breakdown())
    panel.render(snapshot(measurement=state))
    assert panel.measured.number.text() == "52.2 GiB"
    assert panel.measured.note.text() == "+25 % on cpu"


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.25, "+25 %"), (-0.003, "-0.3 %"), (0.000012, "+0.0012 %"), (1e-9, "<0.0001 %"), (40.0, "+4,000 %")],
)
def test_errors_keep_the_digits_that_matter(share: float, words: str) -> None:
    assert signed_percent(share) == words


def test_nothing_computed_yet_is_no_number(panel: HeadlinePanel) -> None:
    empty: Snapshot = replace(snapshot(), breakdown=None)
    panel.render(empty)
    assert panel.peak.text() == "-"
    assert panel.bar.drawn == ()
