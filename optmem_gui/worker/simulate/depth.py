"""Which shallower models stand for a deep one of equal blocks."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from optmem_gui.core.activations.choice import checkpoint_span
from optmem_gui.core.requests import MeasureRequest

_FEWEST = 3
"""Stretches of blocks in the shallower model: a first one, a last one, and one between."""

_DEPTH_KEYS = {
    "bloom": "n_layer",
    "gpt2": "n_layer",
    "gpt_neox": "num_hidden_layers",
    "llama": "num_hidden_layers",
    "mistral": "num_hidden_layers",
    "opt": "num_hidden_layers",
}
"""Families of transformers all of whose blocks are alike, by ``model_type``, with the name of the depth."""


@dataclass(frozen=True, slots=True)
class Depths:
    """Two shallow models in place of a deep one.

    Attributes:
        shallow: The shallower one.
        deeper: The same with one stretch more.
        missing: Stretches that the deep one has besides those of the deeper one.
    """

    shallow: MeasureRequest
    deeper: MeasureRequest
    missing: int


def depths_of(work: MeasureRequest) -> Depths | None:
    """How to trace a deep model by shallow ones; None where it is not made of equal blocks, or not deep.

    A stretch is what is recomputed at once, one block without checkpointing. A last stretch with fewer blocks
    stays as it is. A window over tokens may be that of some blocks only.
    """
    if work.frozen or work.function or (work.shape is not None and work.shape.window):
        return None
    layers = _layers(work)
    stretch = max(1, checkpoint_span(work.checkpointing))
    fewest = _FEWEST * stretch + layers % stretch
    missing = (layers - fewest) // stretch - 1
    if missing < 1:
        return None
    return Depths(_with_layers(work, fewest), _with_layers(work, fewest + stretch), missing)


def _layers(work: MeasureRequest) -> int:
    if work.shape is not None:
        return work.shape.layers
    found = _config(work)
    return 0 if found is None else found[0][found[1]]


def _config(work: MeasureRequest) -> tuple[dict[str, Any], str] | None:
    """The config and the name of its depth, of a family whose blocks are alike."""
    try:
        config = json.loads(work.config) if work.config else None
    except ValueError:
        return None
    if not isinstance(config, dict):
        return None
    key = _DEPTH_KEYS.get(str(config.get("model_type")), "")
    by_block = [name for name, value in config.items() if isinstance(value, list) and name != "architectures"]
    return None if by_block or type(config.get(key)) is not int else (config, key)


def _with_layers(work: MeasureRequest, layers: int) -> MeasureRequest:
    if work.shape is not None:
        return replace(work, shape=replace(work.shape, layers=layers))
    found = _config(work)
    assert found is not None  # noqa: S101  # it has a depth
    config, key = found
    return replace(work, config=json.dumps({**config, key: layers}))
