"""``optmem optimizers`` and ``optmem probe``: the catalogue, and how a user's own optimizer gets into it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO, complain
from optmem_gui.core.codec import to_json
from optmem_gui.core.errors import UserError
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.probe import Inference, probe_options, probe_request
from optmem_gui.core.probing import ProbeRequest
from optmem_gui.core.proof import kind_label, kind_of
from optmem_gui.core.protocol import Progress
from optmem_gui.engine.probe import Probe
from optmem_gui.paths import OPTIMIZERS_FILE, settings_dir
from optmem_gui.report.json_document import SCHEMA, Document, to_text
from optmem_gui.report.tables import Table, to_aligned
from optmem_gui.report.user_optimizers import add_user_optimizer, adopt_user_optimizers

FROM_SOURCE = "from source"
"""What stands in place of a version where the rules were read and not run."""

_YES = ("y", "yes")


def adopt_own() -> None:
    """Bring in what the user added; a file that cannot be used is complained about and stops nothing."""
    notice = adopt_user_optimizers(settings_dir() / OPTIMIZERS_FILE)
    if notice is not None:
        complain(str(notice))


def optimizers(arguments: argparse.Namespace) -> int:
    """List the catalogue.

    Raises:
        UserError: There is no such library or family.
    """
    entries = tuple(CATALOGUE.values())
    for option in ("library", "family"):
        entries = _only(entries, option, getattr(arguments, option))
    if arguments.json:
        say(to_text({"schema": SCHEMA, "optimizers": [_document(entry) for entry in entries]}))
        return EXIT_DONE
    cells = tuple(
        (
            entry.id,
            entry.family,
            ", ".join(option.name for option in entry.options if option.affects),
            entry.proven or FROM_SOURCE,
            str(kind_label(kind_of(entry))),
        )
        for entry in entries
    )
    say(to_aligned(Table(("id", "family", "options that change memory", "proven", "proof"), cells)))
    return EXIT_DONE


def _only(entries: tuple[Implementation, ...], option: str, wanted: str | None) -> tuple[Implementation, ...]:
    if wanted is None:
        return entries
    found = tuple(entry for entry in entries if getattr(entry, option).lower() == wanted.lower())
    if not found:
        known = ", ".join(sorted({getattr(entry, option) for entry in entries}, key=str.lower))
        raise UserError("cli.no_such_group", option=f"--{option}", given=wanted, known=known)
    return found


def _document(entry: Implementation) -> Document:
    return {
        "id": entry.id,
        "path": entry.path,
        "library": entry.library,
        "family": entry.family,
        "runtime": entry.runtime,
        "aliases": list(entry.aliases),
        "options": [
            {
                "name": option.name,
                "kind": option.kind,
                "default": option.default,
                "choices": list(option.choices),
                "affects": list(option.affects),
            }
            for option in entry.options
        ],
        "proven": entry.proven or FROM_SOURCE,
        "proof": kind_of(entry),
        "source": entry.source,
    }


def probe(arguments: argparse.Namespace) -> int:
    """Probe a class and add it to the user's own entries.

    Returns:
        0 added; 1 something could not be explained, or the user said no.

    Raises:
        UserError: It is no class, it raised, or its library is missing.
    """
    options = probe_options(" ".join(arguments.option or ()))
    request = probe_request(arguments.path, options, str(Path(arguments.folder).resolve()))
    if not arguments.yes and not _agreed(request):
        complain(f"{request.path}: not run")
        return EXIT_NO
    outcome = Probe(arguments.python).run(request, _show)
    _clear()
    if outcome.inference is None:
        reason = outcome.reason
        if reason is None:
            raise AssertionError("a probe without rules says why")
        raise UserError(reason.key, **reason.values)
    found = outcome.inference
    entry = None if found.entry is None else add_user_optimizer(settings_dir() / OPTIMIZERS_FILE, found.entry)
    if arguments.json:
        document = {"schema": SCHEMA, "id": None if entry is None else entry.id, "path": request.path}
        rules = {"states": to_json(found.states), "problems": [str(problem) for problem in found.problems]}
        say(to_text({**document, **rules}))
    else:
        say(_text(found, "" if entry is None else entry.id))
    return EXIT_NO if entry is None else EXIT_DONE


def _agreed(request: ProbeRequest) -> bool:
    """A class is code: nothing runs before a yes that shows what."""
    if not sys.stdin.isatty():
        raise UserError("cli.probe_needs_yes", path=request.path)
    sys.stderr.write(f"Run {request.path}, looked for in {request.folder} first? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES


def _show(progress: Progress) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[Kprobing {progress.step} of {progress.steps}")
        sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def _text(found: Inference, entry_id: str) -> str:
    rows = tuple(
        (
            state.name,
            " and ".join(f"{c.what} {c.value}" for c in case.when) or "else",
            f"{case.size.kind} {case.size.value or ''} {case.size.side}".strip(),
            case.dtype,
            "host" if state.host else "",
        )
        for state in found.states
        for case in state.cases
    )
    lines = [to_aligned(Table(("state", "where", "size", "dtype", "memory"), rows))]
    lines += [f"  ! {problem}" for problem in found.problems]
    lines.append(f"Added as {entry_id}" if entry_id else "Not added: not everything could be explained")
    return "\n".join(lines)
