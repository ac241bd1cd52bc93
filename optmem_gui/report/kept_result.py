"""A measurement as it is kept: all that was recorded and what was predicted then.

It says what ran (a scenario that can be opened again), where, and every figure; reasons are kept as data, so
that they are shown in the language of whoever reads them. :mod:`optmem_gui.report.keeping` makes one,
:mod:`optmem_gui.report.kept_file` writes and reads it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from optmem_gui.core.calibration import Calibration
from optmem_gui.core.comparison import ResultRow
from optmem_gui.core.observing import DeviceFacts, Others
from optmem_gui.core.protocol import Hello, PhaseSample, Result, Sample, SamplerNote
from optmem_gui.core.rank_rows import RankResult
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.engine.devices import CPU
from optmem_gui.report.scenario_file import parse_scenario

FORMAT: Final = "optmem-measurement"
TICK_NS = 1000
"""Courses are kept in microseconds."""


@dataclass(frozen=True, slots=True)
class Course:
    """One sampled series, each number as its distance from the one before.

    Attributes:
        clock_us: Microseconds since the first phase began.
        bytes: Sizes.
    """

    clock_us: tuple[int, ...] = ()
    bytes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list of results shows of one.

    Attributes:
        model: Title of the model.
        param_count: Its parameters.
        optimizer: Id of the optimizer.
        precision: Id of the precision scheme.
        device: Name of the device it ran on.
        torch: Version of torch; empty where the worker never spoke.
        status: ``done`` or ``out_of_memory``.
        peak_bytes: Largest number allocated in a step; None where none finished.
        error: Of the estimated peak; None without an estimate or a peak.
        ranks: Ranks that it ran on.
        shard: Id of the engine by which they share the run; empty for a run on one device.
    """

    model: str
    param_count: int
    optimizer: str
    precision: str
    device: str
    torch: str
    status: str
    peak_bytes: int | None
    error: float | None
    ranks: int = 1
    shard: str = ""


@dataclass(frozen=True, slots=True)
class KeptResult:
    """Everything about one measurement.

    Of several ranks the figures, the course and what is known of the device are those of one, the rank with
    the highest peak or the one that did not fit; what each of them holds stands in ``ranks``.

    Attributes:
        format: What kind of file this is.
        schema: Version of the file.
        program: Version of the program that wrote it.
        id: Its name among the others, from its date.
        date: When it ended, ISO 8601 with the offset of the local time.
        summary: What a list shows.
        scenario: What was asked for, as a scenario file holds it.
        name: What the user calls it; empty for the model's name.
        note: What the user wrote about it.
        system: Operating system and its Python.
        device: What the request named: ``cpu`` or the driver's UUID.
        function: The user's own function that was measured in place of the model, as ``FILE.py:NAME``.
        steps: Optimizer steps.
        sample_hz: How often the driver was asked a second.
        hello: Who measured.
        facts: What the driver said of the GPU.
        result: The figures; None where the run did not finish.
        reason: Why it did not.
        phases: Every phase that ran.
        courses: What was sampled, by series: ``device``, ``process``, ``rss``.
        notes: Series that were not available.
        warnings: What makes the figures less exact.
        others: Who else used the GPU, before and meanwhile.
        baseline_bytes: Used on the GPU by everyone before the worker touched it.
        process_bytes: Most that the process took of the device, or of the host on a CPU.
        rows: Estimated, simulated and measured side by side, as predicted then.
        calibration: What the predictions of the GPU rested on.
        assumptions: What the estimate took for granted, and what it does not count.
        rank: The rank whose figures these are.
        ranks: What every rank holds; empty for a run on one device.
    """

    format: str
    schema: int
    program: str
    id: str
    date: str
    summary: Summary
    scenario: Mapping[str, Any]
    name: str = ""
    note: str = ""
    system: str = ""
    device: str = CPU
    function: str = ""
    steps: int = 0
    sample_hz: int = 0
    hello: Hello | None = None
    facts: DeviceFacts | None = None
    result: Result | None = None
    reason: Reason | None = None
    phases: tuple[PhaseSample, ...] = ()
    courses: Mapping[str, Course] = field(default_factory=dict)
    notes: tuple[SamplerNote, ...] = ()
    warnings: tuple[Reason, ...] = ()
    others: tuple[Others, ...] = ()
    baseline_bytes: int | None = None
    process_bytes: int | None = None
    rows: tuple[ResultRow, ...] = ()
    calibration: Calibration | None = None
    assumptions: tuple[Reason, ...] = ()
    rank: int = 0
    ranks: tuple[RankResult, ...] = ()

    @property
    def title(self) -> str:
        """What to call it."""
        return self.name or self.summary.model

    @property
    def on_cpu(self) -> bool:
        """Whether it ran on the CPU."""
        return self.hello is not None and self.hello.uuid is None

    def asked(self) -> Scenario:
        """The scenario that was measured, to be taken up again.

        Raises:
            UserError: The file's scenario is damaged or of a newer program.
        """
        return parse_scenario(json.dumps(self.scenario).encode(), Path(self.id))

    def samples(self) -> tuple[Sample | PhaseSample, ...]:
        """The course of the run as it was relayed while it ran: samples and finished phases in order."""
        start = self.phases[0].start_ns if self.phases else 0
        sampled: dict[int, dict[str, int]] = {}
        for name, course in self.courses.items():
            clock = size = 0
            for later, more in zip(course.clock_us, course.bytes, strict=False):
                clock, size = clock + later, size + more
                sampled.setdefault(clock, {})[name] = size
        found: list[Sample | PhaseSample] = [
            Sample(start + clock * TICK_NS, sizes.get("device"), sizes.get("process"), sizes.get("rss"))
            for clock, sizes in sampled.items()
        ]
        return tuple(sorted((*found, *self.phases), key=_ended_ns))


def _ended_ns(event: Sample | PhaseSample) -> int:
    return event.clock_ns if isinstance(event, Sample) else event.end_ns
