"""An estimate as the parts of a report: title, answer, facts, tables, notes; every format writes the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from optmem_gui import __version__
from optmem_gui.core.breakdown import Breakdown, Component
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.proof import Proof
from optmem_gui.core.reasons import Reason, Value
from optmem_gui.core.recipes import changed_fields
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import SizeUnit, format_bytes, format_count, in_unit
from optmem_gui.core.why.answer import TIERS
from optmem_gui.core.why.proofs import component_proofs, tier_proofs
from optmem_gui.report.answer import answer
from optmem_gui.report.tables import Table, plain_name


@dataclass(frozen=True, slots=True)
class Words:
    """The language of a report, which the window hands in; English without it.

    Attributes:
        say: Writes a reason out.
        component: Name of a component.
        phase: Name of a phase.
        unit: ``GiB`` or ``GB``.
        listed: Puts several names into one line.
    """

    say: Callable[[Reason], str] = str
    component: Callable[[str], str] = plain_name
    phase: Callable[[str], str] = lambda phase_id: plain_name(phase_id).lower()
    unit: SizeUnit = "GiB"
    listed: Callable[[Iterable[str]], str] = ", ".join

    def __call__(self, key: str, **values: Value) -> str:
        """The text of a key of :mod:`optmem_gui.core.texts.export`, without its prefix."""
        return self.say(Reason(f"report.{key}", values))


@dataclass(frozen=True, slots=True)
class Exported:
    """What is exported.

    Attributes:
        scenario: What was asked.
        breakdown: The estimate.
        gpu: The GPU of the verdict.
        words: Language and unit.
        title: What the model is called; its own name when empty.
        answer: The answer in sentences; those of the command line when empty.
        beside: What was simulated and measured of the same inputs, name and figures.
        tables: Tables that stand after those of the estimate, with their headings.
        made: The day, as ISO 8601 writes it.
    """

    scenario: Scenario
    breakdown: Breakdown
    gpu: Gpu | None = None
    words: Words = field(default_factory=Words)
    title: str = ""
    answer: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()
    tables: tuple[tuple[str, Table], ...] = ()
    made: str = field(default_factory=lambda: date.today().isoformat())

    @property
    def proofs(self) -> tuple[tuple[str, Proof], ...]:
        """What each number was compared with, with the id of the component or of the headline's number."""
        shown = [row.id for row in self.breakdown.components if row.counted and row.bytes]
        return (
            *(
                (tier, proof)
                for tier in TIERS
                for proof in tier_proofs(self.scenario, tier, self.breakdown.assumptions)
            ),
            *((name, proof) for name in shown for proof in component_proofs(self.scenario, name)),
        )


@dataclass(frozen=True, slots=True)
class Section:
    """One part under a heading.

    Attributes:
        title: The heading.
        table: A table, with every column there is.
        brief: The same with the columns that a page has room for.
        lines: Sentences.
    """

    title: str
    table: Table | None = None
    brief: Table | None = None
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The parts of a report, ready to be written.

    Attributes:
        title: The model.
        answer: How much, where, and whether it fits.
        facts: What was asked, name and value.
        sections: Tables and notes.
        made: Program, version and day.
    """

    title: str
    answer: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    made: str

    @property
    def text(self) -> str:
        """Every letter of it, to find out which fonts it needs."""
        tables = [section.table for section in self.sections if section.table is not None]
        cells = (cell for table in tables for row in (table.headers, *table.rows) for cell in row)
        lines = (line for section in self.sections for line in (section.title, *section.lines))
        facts = (word for fact in self.facts for word in fact)
        return "\n".join((self.title, *self.answer, *facts, *lines, *cells, self.made))


def estimate_report(exported: Exported) -> Report:
    """Write an estimate out in the exported language."""
    scenario, breakdown, words = exported.scenario, exported.breakdown, exported.words
    return Report(
        title=exported.title or scenario.model.title,
        answer=exported.answer or answer(scenario, breakdown, exported.gpu),
        facts=(*((words(key), value) for key, value in _facts(exported)), *exported.beside),
        sections=tuple(_sections(exported)),
        made=words("made", version=__version__, date=exported.made),
    )


def _sections(exported: Exported) -> Iterator[Section]:
    breakdown, words = exported.breakdown, exported.words
    table = breakdown_table(breakdown, words)
    yield Section(words("breakdown"), table, table.columns((0, 1, 2, 3, 4, 6, 7)))
    table = phases_table(breakdown, words)
    yield Section(words("phases"), table, table)
    if breakdown.ranks:
        table = ranks_table(breakdown, words)
        yield Section(words("ranks"), table, table)
    for title, own in exported.tables:
        yield Section(title, own, own)
    for key, reasons in (("warnings", breakdown.warnings), ("assumptions", breakdown.assumptions)):
        if reasons:
            yield Section(words(key), lines=tuple(map(words.say, reasons)))
    yield Section(words("proofs"), lines=tuple(proof_lines(exported)))


def proof_lines(exported: Exported) -> Iterator[str]:
    """How the numbers were proven, a sentence for each comparison with all that it proves."""
    words = exported.words
    about: dict[tuple[str, str], list[str]] = {}
    for name, proof in exported.proofs:
        key = (words.say(proof.label), words.say(proof.what))
        about.setdefault(key, []).append(words(name) if name in TIERS else words.component(name))
    for (kind, what), names in about.items():
        yield words("proof", names=words.listed(names), kind=kind, what=what)


def breakdown_table(breakdown: Breakdown, words: Words) -> Table:
    """Every component, with exact bytes beside the rounded size."""
    headers = (
        words("component"),
        words("dtype"),
        words("each"),
        words.unit,
        words("bytes"),
        words("at_peak_bytes"),
        words("share"),
        words("formula"),
        words("why"),
    )
    rows = tuple(_component(row, breakdown, words) for row in breakdown.components)
    return Table(headers, rows, frozenset(range(2, 7)))


def _component(row: Component, breakdown: Breakdown, words: Words) -> tuple[str, ...]:
    name, why = words.component(row.id), (words.say(row.formula), words.say(row.why))
    if not row.counted:
        unknown = words("not_counted")
        return (name, row.dtype, "", unknown, unknown, "", "", *why)
    share = row.at_peak / breakdown.peak_bytes if breakdown.peak_bytes else 0.0
    return (
        name,
        row.dtype,
        f"{row.bytes_per_parameter(breakdown.parameters.total):.3g}",
        in_unit(row.bytes, words.unit),
        str(row.bytes),
        str(row.at_peak),
        f"{share:.1%}",
        *why,
    )


def phases_table(breakdown: Breakdown, words: Words) -> Table:
    """The largest moment of each phase, and what stands around it."""
    phases = (
        (words.phase(phase.id), format_bytes(phase.bytes, words.unit), str(phase.bytes))
        for phase in breakdown.phases
    )
    bands = (
        (
            words(key),
            words("low_high", low_bytes=band.low, high_bytes=band.high),
            words("low_high_exact", low=str(band.low), high=str(band.high)),
        )
        for key, band in (("reserved", breakdown.reserved), ("process", breakdown.process))
    )
    return Table((words("phase"), words("largest"), words("bytes")), (*phases, *bands), frozenset({1, 2}))


def ranks_table(breakdown: Breakdown, words: Words) -> Table:
    """Every kind of rank of a run over several GPUs, the worst marked."""
    rows = tuple(
        (
            f"{place} {words('worst')}" if place == breakdown.rank else str(place),
            format_count(row.param_count),
            format_bytes(row.peak_bytes, words.unit),
            str(row.peak_bytes),
            words.phase(row.peak_phase),
            format_bytes(row.host_bytes, words.unit),
            words.say(row.why),
        )
        for place, row in enumerate(breakdown.ranks)
    )
    headers = (
        words("rank"),
        words("parameters"),
        words("peak_row"),
        words("bytes"),
        words("phase"),
        words("host"),
        words("rank_why"),
    )
    return Table(headers, rows, frozenset({1, 2, 3, 5}))


def _facts(exported: Exported) -> Iterator[tuple[str, str]]:
    """What was asked, in the words of the command line, so that it can be asked again."""
    scenario, counts, words = exported.scenario, exported.breakdown.parameters, exported.words
    yield "parameters", words("trained", count=counts.total, trained_count=counts.trainable)
    if scenario.recipe is not None:
        changed = words.listed(changed_fields(scenario))
        yield (
            "recipe",
            words("recipe_but", recipe=scenario.recipe, fields=changed) if changed else scenario.recipe,
        )
    options = (f"{name}={value}" for name, value in scenario.options)
    yield "optimizer", words.listed((scenario.optimizer, *options))
    yield "precision", scenario.precision
    training = words.listed(_training(scenario, words))
    if training:
        yield "training", training
    lora = scenario.lora
    if lora is not None:
        values: dict[str, Value] = {"rank": lora.rank, "targets": ", ".join(lora.targets)}
        yield "lora", words("lora_values", dtype=lora.base_dtype, **values)
    if scenario.parallel.gpus > 1:
        yield "several", words.listed(_several(scenario))
    if exported.gpu is not None:
        yield "gpu", exported.gpu.name
    if scenario.residents:
        each = (f"{row.name} ({format_count(row.count)}, {row.dtype})" for row in scenario.residents)
        yield "residents", words.listed(each)


def _training(scenario: Scenario, words: Words) -> Iterator[str]:
    given: dict[str, tuple[Value | None, Value | None]] = {
        "batch": (scenario.batch, None),
        "seq": (scenario.sequence, None),
        "checkpointing": (scenario.checkpointing, "none"),
        "attention": (scenario.attention, "auto"),
        "loss": (scenario.loss, "full"),
        "accumulate": (scenario.accumulate, 1),
    }
    for name, (value, default) in given.items():
        if value is not None and value != default:
            yield words(f"asked_{name}", value=str(value))  # as it is typed
    if scenario.clip:
        yield words("asked_clip")
    if scenario.keep_logits:
        yield words("asked_keep_logits")
    if scenario.target != "cuda":
        yield words("asked_target", value=scenario.target)


def _several(scenario: Scenario) -> Iterator[str]:
    parallel = scenario.parallel
    yield f"{parallel.gpus} x {parallel.shard}"
    for name in ("tp", "pp", "ep", "cp", "replicas", "interleave"):
        value: int = getattr(parallel, name)
        if value > 1:
            yield f"{name} {value}"
    if parallel.stages:
        yield f"stages {','.join(map(str, parallel.stages))}"
    if parallel.offload != "none":
        yield f"offload {parallel.offload}"
