"""The measurements that are kept: one file each in the user's data folder."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from optmem_gui.core.comparison import ResultRow
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.report.files import write_whole
from optmem_gui.report.kept_file import MAX_FILE_BYTES, SCHEMA, kept_text, parse_kept
from optmem_gui.report.kept_result import FORMAT, KeptResult, Summary

_log = logging.getLogger(__name__)

SUFFIX = ".json"


class _Head(msgspec.Struct, frozen=True):
    """What a list needs of a file; the rest is skipped, which takes a millisecond a megabyte."""

    format: str
    schema: int
    program: str = ""


class _Listed(_Head, frozen=True, kw_only=True):
    id: str
    date: str
    summary: Summary
    name: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list.

    Attributes:
        id: Its name among the others.
        date: When it ended, ISO 8601.
        summary: What it is about and what it found.
        name: What the user calls it.
        note: What the user wrote about it.
    """

    id: str
    date: str
    summary: Summary
    name: str = ""
    note: str = ""

    @property
    def title(self) -> str:
        """What to call it."""
        return self.name or self.summary.model


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything that is kept.

    Attributes:
        entries: The latest first.
        problems: A sentence for every file that cannot be listed.
    """

    entries: tuple[Entry, ...]
    problems: tuple[Reason, ...] = ()


class ResultsStore:
    """Keeps, lists and finds measurements; where the folder cannot be written, in memory.

    Args:
        folder: Where the files lie; made when the first one is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unwritten: dict[str, KeptResult] = {}

    def keep(self, kept: KeptResult) -> Reason | None:
        """Keep a measurement.

        Returns:
            Why it could not be written; it is in memory then, until the program ends.
        """
        try:
            self._write(kept)
        except UserError as error:
            first = not self._unwritten
            self._unwritten[kept.id] = kept
            _log.warning("measurement %s stays in memory: %s", kept.id, error)
            why = str(error.reason.values.get("why", error))
            return Reason("results.not_kept", {"path": str(self.folder), "why": why}) if first else None
        return None

    def _write(self, kept: KeptResult) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = error.strerror or str(error)
            raise UserError("output.not_written", path=str(self.folder), why=why) from error
        write_whole(self._path(kept.id), kept_text(kept))

    def listed(self) -> Listing:
        """Every measurement, the latest first; a file that is damaged or newer is told and passed over."""
        entries = [_entry(kept) for kept in self._unwritten.values()]
        problems: list[Reason] = []
        for path in self._files():
            try:
                entries.append(_read_entry(path))
            except UserError as error:  # noqa: PERF203  # the others are listed
                problems.append(error.reason)
        entries.sort(key=lambda entry: (entry.date, entry.id), reverse=True)
        return Listing(tuple(entries), tuple(problems))

    def load(self, result_id: str) -> KeptResult:
        """One measurement.

        Raises:
            UserError: It is gone, damaged or of a newer program.
        """
        if result_id in self._unwritten:
            return self._unwritten[result_id]
        path = self._path(result_id)
        if not path.is_file():
            raise UserError("results.unknown", given=result_id)
        return load_result(path)

    def find(self, given: str) -> str:
        """The id that a text begins.

        Raises:
            UserError: None, or several, begin so.
        """
        ids = [*self._unwritten, *(path.stem for path in self._files())]
        found = [given] if given in ids else [one for one in ids if given and one.startswith(given)]
        if len(found) > 1:
            raise UserError("results.several", given=given, number_count=len(found))
        if not found:
            raise UserError("results.unknown", given=given)
        return found[0]

    def delete(self, *result_ids: str) -> None:
        """Take measurements out for good; one that is gone already is no mistake.

        Raises:
            UserError: A file cannot be removed.
        """
        for result_id in result_ids:
            if self._unwritten.pop(result_id, None) is None:
                _remove(self._path(result_id))

    def describe(self, result_id: str, name: str, note: str) -> KeptResult:
        """Call a measurement something else, and write about it.

        Raises:
            UserError: It is gone or damaged, or cannot be written.
        """
        return self._put(replace(self.load(result_id), name=name.strip(), note=note.strip()))

    def put_rows(self, result_id: str, rows: tuple[ResultRow, ...]) -> KeptResult:
        """Put what was predicted later beside what was measured.

        Raises:
            UserError: As :meth:`describe`.
        """
        return self._put(replace(self.load(result_id), rows=rows))

    def _put(self, changed: KeptResult) -> KeptResult:
        if changed.id in self._unwritten:
            self._unwritten[changed.id] = changed
        else:
            self._write(changed)
        return changed

    def adopt(self, kept: KeptResult) -> Reason | None:
        """Keep a measurement that was opened from a file elsewhere, unless it is here already."""
        known = kept.id in self._unwritten or self._path(kept.id).exists()
        return None if known else self.keep(kept)

    def _files(self) -> Sequence[Path]:
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == SUFFIX and path.is_file())
        except OSError:
            return ()

    def _path(self, result_id: str) -> Path:
        return self.folder / f"{Path(result_id).name}{SUFFIX}"


def load_result(path: Path) -> KeptResult:
    """Read a measurement from a file, kept or exported.

    Raises:
        UserError: It cannot be read, is none, is damaged, or a newer program wrote it.
    """
    return parse_kept(_read(path), path.name)


def is_result(path: Path) -> bool:
    """Whether a file looks like a kept measurement, by its first bytes."""
    try:
        with path.open("rb") as stream:
            return FORMAT.encode() in stream.read(200)
    except OSError:
        return False


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UserError("results.too_large", file=path.name, size_bytes=size, limit_bytes=MAX_FILE_BYTES)
        return path.read_bytes()
    except OSError as error:
        raise UserError("file.unreadable", path=str(path), why=error.strerror or str(error)) from error


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError("output.not_written", path=str(path), why=why) from error


def _entry(kept: KeptResult) -> Entry:
    return Entry(kept.id, kept.date, kept.summary, kept.name, kept.note)


def _read_entry(path: Path) -> Entry:
    data = _read(path)
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.format == FORMAT and head.schema > SCHEMA:
            program = head.program[:40]
            raise UserError("results.newer", file=path.name, program=program, given=head.schema, known=SCHEMA)
        listed = msgspec.json.decode(data, type=_Listed)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UserError("results.damaged", file=path.name, why=str(error).splitlines()[0][:120]) from None
    if listed.format != FORMAT:
        raise UserError("results.not_a_result", file=path.name, why=f"format != {FORMAT}")
    return Entry(path.stem, listed.date, listed.summary, listed.name, listed.note)
