"""A measurement as it is kept: one JSON file with all that was recorded and what was predicted then.

The file says what ran (a scenario that can be opened again), where, and every figure; reasons are kept as
data, so that they are shown in the language of whoever reads them. Nothing in a file is executed, and a
file that does not fit is refused as a whole.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, NoReturn

from optmem_gui import __version__
from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS
from optmem_gui.core.calibration import Calibration
from optmem_gui.core.codec import CodecError, from_json, to_json
from optmem_gui.core.errors import UserError
from optmem_gui.core.observing import DeviceFacts, Others
from optmem_gui.core.protocol import Hello, PhaseSample, Result, Sample, SamplerNote
from optmem_gui.core.reasons import Reason, render
from optmem_gui.core.result_rows import Predictions, ResultRow, result_rows
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import MIB
from optmem_gui.engine.devices import CPU
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.report.scenario_file import parse_scenario, scenario_text

FORMAT: Final = "optmem-measurement"
SCHEMA = 1
"""Version of the file; raised when an older program could no longer read it right."""

MAX_FILE_BYTES = 64 * MIB
"""An hour at a thousand samples a second is less."""

_TICK_NS = 1000
_MOST_DIGITS = 18
"""Thirty years in nanoseconds have as many; what draws numbers has room for one digit more."""

_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,79}")
_ROW_IDS: dict[str, tuple[str, ...]] = {
    "component": COMPONENT_IDS,
    "phase": PHASE_IDS,
    "peak": ("allocated",),
    "reserved": ("reserved", "fragmentation"),
    "process": ("process", "context"),
}


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


@dataclass(frozen=True, slots=True)
class KeptResult:
    """Everything about one measurement.

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
            Sample(start + clock * _TICK_NS, sizes.get("device"), sizes.get("process"), sizes.get("rss"))
            for clock, sizes in sampled.items()
        ]
        return tuple(sorted((*found, *self.phases), key=_ended_ns))


def _ended_ns(event: Sample | PhaseSample) -> int:
    return event.clock_ns if isinstance(event, Sample) else event.end_ns


def keep(
    scenario: Scenario, predictions: Predictions, outcome: MeasurementResult, now: datetime | None = None
) -> KeptResult:
    """A measurement that ended, ready to be written.

    Args:
        scenario: What was asked for.
        predictions: What was predicted of it for the device it ran on.
        outcome: What came of it, ``done`` or ``out_of_memory``.
        now: When it ended; this moment when left out.
    """
    at = (now or datetime.now()).astimezone()
    on_cpu = outcome.request.device == CPU
    process = outcome.rss_peak_bytes if on_cpu else outcome.process_peak_bytes
    rows: tuple[ResultRow, ...] = ()
    if outcome.result is not None:
        rows = result_rows(predictions, outcome.request, outcome.result, process)
    gpu = predictions.gpu
    return KeptResult(
        format=FORMAT,
        schema=SCHEMA,
        program=__version__,
        id=f"{at:%Y%m%d-%H%M%S}-{token_hex(2)}",
        date=at.isoformat(timespec="seconds"),
        summary=_summary(scenario, outcome, rows),
        scenario=json.loads(scenario_text(scenario)),
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        device=outcome.request.device,
        function=outcome.request.function,
        steps=outcome.request.steps,
        sample_hz=outcome.sample_hz,
        hello=outcome.hello,
        facts=outcome.facts,
        result=outcome.result,
        reason=outcome.reason,
        phases=outcome.phases,
        courses=_courses(outcome),
        notes=outcome.notes,
        warnings=outcome.warnings,
        others=outcome.others,
        baseline_bytes=outcome.baseline_bytes,
        process_bytes=process,
        rows=rows,
        calibration=None if gpu is None else gpu.calibration,
        assumptions=() if predictions.breakdown is None else predictions.breakdown.assumptions,
    )


def _summary(scenario: Scenario, outcome: MeasurementResult, rows: Iterable[ResultRow]) -> Summary:
    hello, result = outcome.hello, outcome.result
    peak = next((row for row in rows if row.kind == "peak"), None)
    return Summary(
        model=outcome.request.function or scenario.model.title,
        param_count=scenario.model.param_count if result is None else result.param_count,
        optimizer=scenario.optimizer,
        precision=scenario.precision,
        device=outcome.request.device if hello is None else hello.device,
        torch="" if hello is None else hello.torch,
        status=outcome.status,
        peak_bytes=None if peak is None else peak.measured,
        error=None if peak is None else peak.estimated_error,
    )


def _courses(outcome: MeasurementResult) -> dict[str, Course]:
    start = outcome.phases[0].start_ns if outcome.phases else 0
    pairs: dict[str, list[tuple[int, int]]] = {"device": [], "process": [], "rss": []}
    for sample in outcome.samples:
        clock = (sample.clock_ns - start) // _TICK_NS
        sizes = (sample.device_used_bytes, sample.process_bytes, sample.rss_bytes)
        for name, size in zip(pairs, sizes, strict=True):
            if size is not None:
                pairs[name].append((clock, size))
    return {name: _course(found) for name, found in pairs.items() if found}


def _course(pairs: Iterable[tuple[int, int]]) -> Course:
    clocks, sizes = zip(*pairs, strict=True)
    return Course(_steps(clocks), _steps(sizes))


def _steps(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return (numbers[0], *(later - earlier for earlier, later in pairwise(numbers)))


def kept_text(kept: KeptResult) -> str:
    """What is written: a line a field, so that a person finds the head and a file stays small."""
    fields = to_json(kept)
    lines = (f"{json.dumps(name)}: {_compact(value)}" for name, value in fields.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    return text.encode("utf-8", "backslashreplace").decode()


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def parse_kept(data: bytes, file: str) -> KeptResult:
    """Read a kept measurement.

    Args:
        data: Content of the file.
        file: Its name, for the error text.

    Raises:
        UserError: It is none, is damaged, or a newer program wrote it.
    """
    try:
        record = json.loads(data, parse_constant=_no_constant, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        key = "results.damaged" if FORMAT.encode() in data[:200] else "results.not_a_result"
        why = "RecursionError" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise UserError(key, file=file, why=why[:120]) from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise UserError("results.not_a_result", file=file, why=f"format != {FORMAT}")
    schema = record.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        program = str(record.get("program"))[:40]
        raise UserError("results.newer", file=file, program=program, given=schema, known=SCHEMA)
    try:
        return _told(_checked(from_json(KeptResult, record)))
    except (CodecError, RecursionError) as error:
        raise UserError("results.damaged", file=file, why=str(error)[:120]) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"{digits[:12]}... is more than any size")
    return int(digits)


def _checked(kept: KeptResult) -> KeptResult:
    """What a program that wrote the file itself would keep to.

    Raises:
        CodecError: It does not.
    """
    if not _ID.fullmatch(kept.id):
        raise CodecError(f"$.id: {kept.id[:40]!r} is no name of a measurement")
    for row in kept.rows:
        if row.id not in _ROW_IDS[row.kind]:
            raise CodecError(f"$.rows: no {row.kind} is called {row.id[:40]!r}")
    for phase in kept.phases:
        if phase.phase not in PHASE_IDS:
            raise CodecError(f"$.phases: no phase is called {phase.phase[:40]!r}")
    for name, course in kept.courses.items():
        if any(sum(map(abs, numbers)) > 10**_MOST_DIGITS for numbers in (course.clock_us, course.bytes)):
            raise CodecError(f"$.courses.{name[:40]}: more than any size")
    return kept


def _told(kept: KeptResult) -> KeptResult:
    """Leave out reasons that this program has no sentence for."""
    return replace(
        kept,
        reason=kept.reason if kept.reason is not None and _is_told(kept.reason) else None,
        warnings=tuple(filter(_is_told, kept.warnings)),
        assumptions=tuple(filter(_is_told, kept.assumptions)),
        notes=tuple(note for note in kept.notes if _is_told(note.reason)),
    )


def _is_told(reason: Reason) -> bool:
    try:
        render(reason)
    except (KeyError, ValueError, IndexError):
        return False
    return True
