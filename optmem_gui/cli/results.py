"""``optmem results``: the measurements that are kept, one of them, or two beside each other."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, complain
from optmem_gui.core.codec import to_json
from optmem_gui.core.errors import UserError
from optmem_gui.core.parallel import SHARD_NAMES
from optmem_gui.core.rank_rows import rank_changes
from optmem_gui.core.result_rows import ResultChange, result_changes
from optmem_gui.core.units import format_bytes
from optmem_gui.paths import results_dir
from optmem_gui.report.calibrations import calibrations_file, forget, load_calibrations
from optmem_gui.report.json_document import SCHEMA, to_text
from optmem_gui.report.kept_result import KeptResult, Summary
from optmem_gui.report.result_tables import (
    changes_table,
    error_text,
    rank_changes_table,
    ranks_table,
    sides_table,
)
from optmem_gui.report.results_store import Entry, ResultsStore, load_result
from optmem_gui.report.tables import Table, plain_name, to_aligned


def results(arguments: argparse.Namespace) -> int:
    """List, show or compare what is kept.

    Returns:
        0.

    Raises:
        UserError: There is no such measurement, or a file is damaged.
    """
    store = ResultsStore(results_dir())
    wanted = {None: 0, "show": 1, "compare": 2, "forget": 1}[arguments.what]
    if len(arguments.which) != wanted:
        why = f"{arguments.what or 'the list'} takes {wanted}, {len(arguments.which)} given"
        raise UserError("cli.usage", why=why, command="optmem results")
    if arguments.what == "forget":
        return _forget(arguments.which[0])
    if arguments.what is None:
        return _list(store, as_json=arguments.json)
    found = [_load(store, given) for given in arguments.which]
    if arguments.what == "show":
        say(to_text(to_json(found[0])) if arguments.json else result_text(found[0]))
    else:
        _compare(found[0], found[1], as_json=arguments.json)
    return EXIT_DONE


def _load(store: ResultsStore, given: str) -> KeptResult:
    path = Path(given)
    return load_result(path) if path.is_file() else store.load(store.find(given))


def _list(store: ResultsStore, *, as_json: bool) -> int:
    listing = store.listed()
    for problem in listing.problems:
        complain(str(problem))
    if as_json:
        say(to_text({"schema": SCHEMA, "results": [to_json(entry) for entry in listing.entries]}))
    elif not listing.entries:
        say(str(UserError("results.nothing")))
    else:
        heads = ("id", "date", "model", "optimizer", "precision", "device", "peak", "error")
        say(to_aligned(Table(heads, tuple(map(_cells, listing.entries)), frozenset({6, 7}))))
    return EXIT_DONE


def _cells(entry: Entry) -> tuple[str, ...]:
    found = entry.summary
    peak = plain_name(found.status).lower() if found.peak_bytes is None else format_bytes(found.peak_bytes)
    date = entry.date[:16].replace("T", " ")
    return (
        *(entry.id, date, entry.title, found.optimizer, found.precision, f"{found.device}{_shared(found)}"),
        *(peak, error_text(found.error)),
    )


def _forget(uuid: str) -> int:
    file = calibrations_file()
    known, _ = load_calibrations(file)
    if uuid not in {one.uuid for one in known}:
        listed = ", ".join(dict.fromkeys(one.uuid for one in known)) or "none"
        raise UserError("results.no_calibration", given=uuid, known=listed)
    forget(file, uuid)
    say(f"{uuid}: the calibration is forgotten, the general band holds again")
    return EXIT_DONE


def result_text(kept: KeptResult) -> str:
    """One measurement for people: what ran where, every figure with its error, and what to know about it."""
    found, hello, facts = kept.summary, kept.hello, kept.facts
    where = "" if hello is None else f", on {hello.device} with torch {hello.torch}"
    lines = [f"{kept.title}, {found.optimizer}, {found.precision}{_shared(found)}{where}"]
    if kept.on_cpu:
        lines.append("Measured on the CPU: torch's own allocation events, not a GPU's")
    driver = "" if facts is None or not facts.driver else f", driver {facts.driver}"
    python = "" if hello is None else f", Python {hello.python}"
    lines.append(
        f"{kept.date[:16].replace('T', ' ')}, OptMem {kept.program}{python}{driver}, "
        f"{kept.steps} steps, {kept.sample_hz} samples a second"
    )
    lines += [kept.note] if kept.note else []
    if kept.reason is not None:
        lines.append(str(kept.reason))
    if kept.rows:
        lines += ["", to_aligned(sides_table(kept.rows))]
    lines += _rank_lines(kept)
    if kept.process_bytes is not None:
        lines.append(f"Process: {format_bytes(kept.process_bytes)} at most")
    lines += [*_others(kept)]
    said = (*kept.warnings, *(note.reason for note in kept.notes))
    lines += [f"Note: {reason}" for reason in said]
    lines += [f"Assumed: {reason}" for reason in kept.assumptions]
    return "\n".join(lines)


def _rank_lines(kept: KeptResult) -> Iterator[str]:
    """What every rank holds; nothing for a run on one device."""
    if not kept.ranks:
        return
    yield f"These are the figures of rank {kept.rank}, which held most" if kept.rows else ""
    yield from (f"Rank {rank.rank}: {rank.reason}" for rank in kept.ranks if rank.reason is not None)
    if any(rank.rows for rank in kept.ranks):
        yield ""
        yield to_aligned(ranks_table(kept.ranks))


def _shared(found: Summary) -> str:
    return f", {found.ranks} ranks, {SHARD_NAMES[found.shard]}" if found.shard else ""


def _others(kept: KeptResult) -> Iterator[str]:
    """Who else was on the GPU at the start."""
    for process in kept.others[0].processes if kept.others else ():
        size = "unknown" if process.used_bytes is None else format_bytes(process.used_bytes)
        yield f"Also on the GPU: process {process.pid} {process.name}".rstrip() + f", {size}"


def _compare(first: KeptResult, second: KeptResult, *, as_json: bool) -> None:
    changes = result_changes(first.rows, second.rows)
    ranks = rank_changes(first.ranks, second.ranks)
    if as_json:
        head = {"schema": SCHEMA, "first": _who(first), "second": _who(second)}
        by_rank = [{"rank": each.rank, **_change(each.change)} for each in ranks]
        say(to_text({**head, "changes": [_change(row) for row in changes], "ranks": by_rank}))
        return
    lines = [f"{letter}: {_line(one)}" for letter, one in zip("AB", (first, second), strict=True)]
    lines += ["", to_aligned(changes_table(changes))]
    if ranks:
        lines += ["", to_aligned(rank_changes_table(ranks))]
    say("\n".join(lines))


def _change(row: ResultChange) -> dict[str, object]:
    return {**to_json(row), "difference": row.difference, "share": row.share}


def _who(kept: KeptResult) -> dict[str, object]:
    return {"id": kept.id, "date": kept.date, "name": kept.name, "summary": to_json(kept.summary)}


def _line(kept: KeptResult) -> str:
    found = kept.summary
    where = f"{found.device}{_shared(found)}, torch {found.torch}"
    return f"{kept.id}, {kept.title}, {found.optimizer}, {found.precision}, {where}"
