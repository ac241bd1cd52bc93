"""``optmem presets``: the published models that are known by name."""

from __future__ import annotations

import argparse

from optmem_gui.architectures.presets import PRESETS, Preset, preset_spec
from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE
from optmem_gui.core.errors import UserError
from optmem_gui.core.units import format_count
from optmem_gui.report.json_document import SCHEMA, Document, to_text
from optmem_gui.report.tables import Table, to_aligned


def presets(arguments: argparse.Namespace) -> int:
    """List the presets, all of them or those whose id, title or family holds every word that is asked for.

    Raises:
        UserError: None of them does.
    """
    found = [preset for preset in PRESETS.values() if _matches(preset, arguments.words)]
    if not found:
        raise UserError("preset.none_like", given=" ".join(arguments.words)[:60])
    if arguments.json:
        say(to_text({"schema": SCHEMA, "presets": [_document(preset) for preset in found]}))
        return EXIT_DONE
    cells = tuple((p.id, p.title, p.family, format_count(p.total), format_count(_active(p))) for p in found)
    say(to_aligned(Table(("id", "model", "family", "parameters", "active"), cells, frozenset((3, 4)))))
    return EXIT_DONE


def _matches(preset: Preset, words: list[str]) -> bool:
    known = f"{preset.id} {preset.title} {preset.family}".casefold()
    return all(word.casefold() in known for word in words)


def _active(preset: Preset) -> int:
    return preset.total - preset_spec(preset.id).idle_count


def _document(preset: Preset) -> Document:
    return {
        "id": preset.id,
        "title": preset.title,
        "family": preset.family,
        "parameters": {"total": preset.total, "active": _active(preset)},
        "source": preset.source,
        "config": preset.config,
    }
