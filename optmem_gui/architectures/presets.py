"""Published models, by the numbers of their configs; each total is checked against the published one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from optmem_gui.core.dtypes import F32
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import BufferTensor, ModelRef, ModelSpec, Source, group_model
from optmem_gui.paths import data_file


@dataclass(frozen=True, slots=True)
class Preset:
    """One published model.

    Attributes:
        id: Stable name, such as ``llama-3.1-8b``.
        title: Name for people.
        family: Heading of the menu that it stands under.
        total: Its parameters, as published or as its class has them; the tests hold the config against it.
        source: Where the total comes from.
        config: The numbers of its ``config.json``; ``_class_name`` instead of ``model_type`` for diffusers.
    """

    id: str
    title: str
    family: str
    total: int
    source: str
    config: dict[str, Any]


def _load() -> Mapping[str, Preset]:
    rows = json.loads(data_file("presets.json").read_text(encoding="utf-8"))
    return MappingProxyType({row["id"]: Preset(**row) for row in rows})


PRESETS: Mapping[str, Preset] = _load()
"""By id, in the order of the menu. To add a model, add one entry to ``resources/data/presets.json``."""


def preset_spec(preset_id: str) -> ModelSpec:
    """A preset tensor by tensor, as its class in transformers or diffusers has them.

    There the router correction of DeepSeek-V3 is a buffer; a checkpoint holds it among the parameters.

    Raises:
        UserError: No preset has this id.
    """
    # the window lists the presets at once and builds one when it is chosen
    from optmem_gui.architectures.config import read_config  # noqa: PLC0415  # as said above
    from optmem_gui.architectures.deepseek import CORRECTION  # noqa: PLC0415  # as said above

    preset = PRESETS.get(preset_id)
    spec = None if preset is None else read_config(preset.config, preset.id).model(preset.title)
    if spec is None:
        raise UserError("preset.unknown", given=preset_id[:60], known=_near(preset_id))
    kept = tuple(
        BufferTensor(tensor.name, tensor.shape, F32)
        for tensor in spec.parameters
        if tensor.name.endswith(CORRECTION)
    )
    parameters = tuple(tensor for tensor in spec.parameters if not tensor.name.endswith(CORRECTION))
    return replace(spec, source=Source.PRESET, parameters=parameters, buffers=(*spec.buffers, *kept))


def _near(given: str) -> str:
    """Ids that look like what was given, else the first few."""
    from difflib import get_close_matches  # noqa: PLC0415  # only for a refusal

    return ", ".join(get_close_matches(given.lower(), PRESETS, n=5, cutoff=0.5) or list(PRESETS)[:5])


def preset_ref(preset_id: str) -> ModelRef:
    """A preset by its groups.

    Raises:
        UserError: No preset has this id.
    """
    return group_model(preset_spec(preset_id))
