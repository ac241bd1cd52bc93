"""Published models, by the numbers of their configs; each total is checked against the published one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from optmem_gui.architectures.config import read_config
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef, ModelSpec, Source, group_model
from optmem_gui.paths import data_file


@dataclass(frozen=True, slots=True)
class Preset:
    """One published model.

    Attributes:
        id: Stable name, such as ``llama-3.1-8b``.
        title: Name for people.
        total: Its parameters, as published; what the config gives is held against it in the tests.
        source: Where the total was published.
        config: The numbers of its ``config.json``.
    """

    id: str
    title: str
    total: int
    source: str
    config: dict[str, Any]


def _load() -> Mapping[str, Preset]:
    rows = json.loads(data_file("presets.json").read_text(encoding="utf-8"))
    return MappingProxyType({row["id"]: Preset(**row) for row in rows})


PRESETS: Mapping[str, Preset] = _load()
"""By id, in the order of the menu. To add a model, add one entry to ``resources/data/presets.json``."""


def preset_spec(preset_id: str) -> ModelSpec:
    """A preset tensor by tensor.

    Raises:
        UserError: No preset has this id.
    """
    preset = PRESETS.get(preset_id)
    spec = None if preset is None else read_config(preset.config, preset.id).model(preset.title)
    if spec is None:
        raise UserError("preset.unknown", given=preset_id[:60], known=", ".join(PRESETS))
    return replace(spec, source=Source.PRESET)


def preset_ref(preset_id: str) -> ModelRef:
    """A preset by its groups.

    Raises:
        UserError: No preset has this id.
    """
    return group_model(preset_spec(preset_id))
