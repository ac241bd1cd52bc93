"""The ``config.json`` that belongs to a model, as text, for a worker that builds the model from it."""

from __future__ import annotations

import json
from pathlib import Path

from optmem_gui.architectures.presets import PRESETS
from optmem_gui.core.errors import UserError
from optmem_gui.core.measuring import runs_as_transformer
from optmem_gui.core.model import ModelRef, Source

NAME = "config.json"
_MOST_BYTES = 8 << 20
"""A config with thousands of labels has half a megabyte; a larger file is something else."""


def config_text(model: ModelRef) -> str:
    """The text, or nothing where there is none or the program's own transformer is exactly this model.

    A file or folder that was opened has it in itself or beside it; a preset brings its numbers.

    Raises:
        UserError: The file is there and cannot be read.
    """
    if model.source is Source.PRESET:
        preset = next((preset for preset in PRESETS.values() if preset.title == model.title), None)
        return "" if preset is None or runs_as_transformer(model) else json.dumps(preset.config)
    if model.path is None:
        return ""
    found = _beside(Path(model.path))
    if found is None:
        return ""
    try:
        if found.stat().st_size > _MOST_BYTES:
            raise UserError("source.config_too_large", path=str(found), most_bytes=_MOST_BYTES)
        return found.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError("source.config_unreadable", path=str(found), cause=str(error)) from error


def _beside(path: Path) -> Path | None:
    if path.is_dir():
        candidate = path / NAME
    elif path.suffix == ".json" and not path.name.endswith(".index.json"):
        candidate = path
    else:
        candidate = path.with_name(NAME)
    return candidate if candidate.is_file() else None
