"""What the configuration in a Keras file says: frozen layers, the optimizer, layers that are code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from optmem_gui.checkpoints.bounds import MAX_JSON_BYTES, MAX_JSON_VALUES, json_values

MAX_DEPTH = 64
"""How deep models are nested in models before the rest is ignored."""

Layer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KerasConfig:
    """A model's configuration.

    Attributes:
        frozen: Names of the layers that are not trained.
        lambdas: Names of the layers that hold Python code.
        names: Path of a layer's variables in a weights file to the layer's name, as in
            ``("layers", "dense_1") -> "classifier"``.
        optimizer: Class of the optimizer the model was compiled with.
        version: Version of Keras that wrote the file.
    """

    frozen: frozenset[str] = frozenset()
    lambdas: tuple[str, ...] = ()
    names: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    optimizer: str = ""
    version: str = ""

    @property
    def libraries(self) -> tuple[str, ...]:
        """Libraries of the catalogue whose optimizers the file can hold, likeliest first."""
        old = ("tf_keras", "tf_keras_legacy")
        if not self.version:
            return ("keras", *old)
        return old if self.version.startswith(("1.", "2.")) else ("keras",)


def parse_config(model: str | bytes, training: str | bytes = b"", version: str = "") -> KerasConfig:
    """Read a model's JSON and, in a legacy file, the JSON of its training; what is no JSON says nothing.

    Args:
        model: ``config.json`` of a ``.keras`` file, or ``model_config`` of a legacy one.
        training: ``training_config`` of a legacy file.
        version: Version of Keras that the file names.
    """
    tree, compiled = _json(model), _json(training)
    settings = _dict(tree.get("compile_config"))
    optimizer = _dict(settings.get("optimizer") or compiled.get("optimizer_config"))
    inner = _dict(_dict(optimizer.get("config")).get("inner_optimizer"))
    frozen, lambdas, names = set(), [], {}
    for path, layer in _layers(tree, ()):
        name = _name(layer)
        names[path] = name
        if _dict(layer.get("config")).get("trainable") is False:
            frozen.add(name)
        if layer.get("class_name") == "Lambda":
            lambdas.append(name or "lambda")
    said = inner.get("class_name") or optimizer.get("class_name") or settings.get("optimizer")
    optimizer_class = said if isinstance(said, str) else ""
    return KerasConfig(frozenset(frozen), tuple(lambdas), names, optimizer_class, version)


def version_of(metadata: bytes) -> str:
    """The version of Keras that ``metadata.json`` of a ``.keras`` file names."""
    said = _json(metadata).get("keras_version")
    return said if isinstance(said, str) else ""


def snake_case(name: str) -> str:
    """A class name as Keras turns it into a path: ``BatchNormalization`` is ``batch_normalization``.

    Source: ``to_snake_case`` in ``keras/src/utils/naming.py``, Keras 3.15.
    """
    name = re.sub(r"\W+", "", name)
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def _layers(model: Layer, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Layer]]:
    """Every layer with the path of its variables, also those in models and wrappers inside the model.

    Source: ``_save_container_state`` in ``keras/src/saving/saving_lib.py``: a class's name in snake case,
    and a number from the second one on.
    """
    if len(path) > 2 * MAX_DEPTH:
        return
    used: dict[str, int] = {}
    config = _dict(model.get("config"))
    listed = config.get("layers")
    for layer in listed if isinstance(listed, list) else []:
        if not isinstance(layer, dict) or not isinstance(layer.get("class_name"), str):
            continue
        key = snake_case(layer["class_name"].rpartition(">")[2])
        number = used[key] = used.get(key, -1) + 1
        inner = (*path, "layers", f"{key}_{number}" if number else key)
        yield inner, layer
        yield from _layers(layer, inner)
    wrapped = config.get("layer")
    if isinstance(wrapped, dict):
        yield (*path, "layer"), wrapped
        yield from _layers(wrapped, (*path, "layer"))


def _name(layer: Layer) -> str:
    said = layer.get("name") or _dict(layer.get("config")).get("name")
    return said if isinstance(said, str) else ""


def _json(data: str | bytes) -> dict[str, Any]:
    text = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    if len(text) > MAX_JSON_BYTES or json_values(text) > MAX_JSON_VALUES:
        return {}
    try:
        return _dict(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
