"""The optimizers that a user added, in a file of the settings folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from optmem_gui.core.codec import CodecError, from_json, to_json
from optmem_gui.core.dtypes import DTYPES
from optmem_gui.core.errors import UserError
from optmem_gui.core.optimizers.catalogue import CATALOGUE, adopt
from optmem_gui.core.optimizers.probed_rules import LIBRARY, LIKE, UserOptimizer, implementation
from optmem_gui.core.reasons import Reason

_VERSION = 1
_LARGEST_BYTES = 8 << 20


def load_user_optimizers(path: Path) -> tuple[tuple[UserOptimizer, ...], Reason | None]:
    """Read the file.

    Returns:
        The entries, and what to say about a file that cannot be used: one that is damaged is set aside, so
        that nothing in it is lost.
    """
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise CodecError(f"larger than {_LARGEST_BYTES} bytes")
        data = json.loads(path.read_text(encoding="utf-8"))
        return _entries(data), None
    except FileNotFoundError:
        return (), None
    except (ValueError, RecursionError) as error:
        return (), _set_aside(path, str(error).splitlines()[0])
    except OSError as error:
        why = error.strerror or str(error)
        return (), Reason("probe.file_unreadable", {"path": str(path), "why": why})


def _entries(data: object) -> tuple[UserOptimizer, ...]:
    if not isinstance(data, dict) or data.get("version") != _VERSION:
        raise CodecError("not a file of this version")
    rows = data.get("optimizers")
    if not isinstance(rows, list):
        raise CodecError("$.optimizers: expected a list")
    entries = tuple(from_json(UserOptimizer, row, f"$.optimizers[{at}]") for at, row in enumerate(rows))
    for entry in entries:
        types = {case.dtype for state in entry.states for case in state.cases} - {LIKE}
        types |= {tensor.dtype for tensor in entry.tables}
        if not entry.id.startswith(f"{LIBRARY}.") or not types <= set(DTYPES):
            raise CodecError(f"{entry.id}: no entry of a user, or a type that is not known")
    return entries


def _set_aside(path: Path, why: str) -> Reason:
    from optmem_gui.report.files import set_aside  # noqa: PLC0415  # the window starts without

    aside = set_aside(path)
    if aside is None:
        return Reason("probe.file_unreadable", {"path": str(path), "why": why})
    return Reason("probe.file_damaged", {"path": str(path), "why": why, "aside": str(aside)})


def save_user_optimizers(path: Path, entries: Iterable[UserOptimizer]) -> None:
    """Write the file, whole or not at all.

    Raises:
        UserError: It cannot be written.
    """
    document = {"version": _VERSION, "optimizers": [to_json(entry) for entry in entries]}
    partial = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError("probe.file_not_written", path=str(path), why=why) from None


def add_user_optimizer(path: Path, entry: UserOptimizer) -> UserOptimizer:
    """Put an entry into the catalogue and into the file; a probe of the same class replaces the last one.

    Returns:
        The entry under the id it got: another class of the same name is told apart by a number.

    Raises:
        UserError: The file cannot be written; the entry is in the catalogue all the same.
    """
    known, _ = load_user_optimizers(path)
    others = [each for each in known if (each.path, each.options) != (entry.path, entry.options)]
    taken = {each.id for each in others}
    number, base = 2, entry.id
    while entry.id in taken:
        entry = replace(entry, id=f"{base}{number}")
        number += 1
    adopt([implementation(entry)])
    save_user_optimizers(path, (*others, entry))
    return entry


def adopt_user_optimizers(path: Path) -> Reason | None:
    """Put what the file holds into the catalogue, as the program does when it starts.

    Returns:
        What to say about a file that cannot be used.
    """
    entries, notice = load_user_optimizers(path)
    adopt(implementation(entry) for entry in entries if entry.id not in CATALOGUE)
    return notice
