"""The file of a kept measurement: JSON, a line a field.

Nothing in a file is executed, and one that does not fit is refused as a whole.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import NoReturn

from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS
from optmem_gui.core.codec import CodecError, from_json, to_json
from optmem_gui.core.errors import UserError
from optmem_gui.core.parallel import SHARD_IDS
from optmem_gui.core.reasons import Reason, render
from optmem_gui.core.units import MIB
from optmem_gui.report.kept_result import FORMAT, KeptResult

SCHEMA = 2
"""Version of the file; raised when an older program could no longer read it right. 2: several ranks."""

ONE_DEVICE_SCHEMA = 1
"""Version of a file of one device: programs that know nothing of ranks read it right."""

MAX_FILE_BYTES = 64 * MIB
"""An hour at a thousand samples a second is less."""

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
    for row in (*kept.rows, *(row for rank in kept.ranks for row in rank.rows)):
        if row.id not in _ROW_IDS[row.kind]:
            raise CodecError(f"$.rows: no {row.kind} is called {row.id[:40]!r}")
    if tuple(rank.rank for rank in kept.ranks) != tuple(range(len(kept.ranks))):
        raise CodecError("$.ranks: not one of each, in order")
    if kept.summary.shard not in ("", *SHARD_IDS):
        raise CodecError(f"$.summary.shard: no engine is called {kept.summary.shard[:40]!r}")
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
        reason=_if_told(kept.reason),
        ranks=tuple(replace(rank, reason=_if_told(rank.reason)) for rank in kept.ranks),
        warnings=tuple(filter(_is_told, kept.warnings)),
        assumptions=tuple(filter(_is_told, kept.assumptions)),
        notes=tuple(note for note in kept.notes if _is_told(note.reason)),
    )


def _if_told(reason: Reason | None) -> Reason | None:
    return reason if reason is not None and _is_told(reason) else None


def _is_told(reason: Reason) -> bool:
    try:
        render(reason)
    except (KeyError, ValueError, IndexError):
        return False
    return True
