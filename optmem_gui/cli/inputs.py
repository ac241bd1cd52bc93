"""From arguments to a scenario."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from optmem_gui.architectures.presets import preset_ref, preset_spec
from optmem_gui.checkpoints.adapters import on_base
from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.cli.parallel import parallel_from
from optmem_gui.cli.refusal import about
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.options import checked, parse_options
from optmem_gui.core.recipes import find_recipe, with_recipe
from optmem_gui.core.residents import Resident
from optmem_gui.core.scenario import Lora, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.trainable import ALL, named_model, trained_ref
from optmem_gui.core.units import CountError, parse_bytes, parse_count
from optmem_gui.engine.config_builder import ConfigBuilder
from optmem_gui.report.scenario_file import SUFFIX, load_scenario

_CHECKPOINTING = re.compile(r"none|attention|full|every-[1-9][0-9]{0,4}")
_PLAIN_FIELDS = (
    "precision",
    "batch",
    "sequence",
    "checkpointing",
    "attention",
    "loss",
    "accumulate",
    "clip",
    "keep_logits",
    "target",
)


def read_checkpoint(path: str, python: str | None = None) -> Checkpoint:
    """Open a checkpoint, headers only; a model that only its own library knows is built there.

    Args:
        path: Checkpoint, folder or config.
        python: Python that has the library; this program's own when left out.

    Raises:
        Refused: It is not there, or cannot be read.
    """
    with about(path):
        if not Path(path).exists():
            raise UserError("file.not_found", path=path)
        return open_checkpoint(Path(path), build=ConfigBuilder(python).build)


def _read_all(paths: Sequence[str], python: str | None) -> Checkpoint:
    """A checkpoint, or an adapter and its base model in either order."""
    opened = [read_checkpoint(path, python) for path in paths]
    if len(opened) == 1:
        return opened[0]
    first, second = opened
    adapter, base = (first, second) if first.adapter is not None else (second, first)
    if adapter.adapter is None:
        raise UserError("cli.several_paths", path=paths[1])
    with about(str(adapter.path)):
        return on_base(adapter, base)


def scenario_from(arguments: argparse.Namespace, base: Scenario | None = None) -> Scenario:
    """The scenario that the arguments describe; what is left out keeps its default or the file's value.

    Args:
        arguments: As parsed.
        base: What the arguments change; the model that they name when left out.

    Raises:
        UserError: Arguments that do not go together, or a value that does not exist.
        Refused: A file that cannot be used.
    """
    base = _base(arguments) if base is None else base
    if arguments.recipe is not None:
        base = with_recipe(base, find_recipe(arguments.recipe))
    values: dict[str, Any] = {
        name: getattr(arguments, name) for name in _PLAIN_FIELDS if getattr(arguments, name, None) is not None
    }
    values |= _optimizer(arguments, base)
    values["lora"] = _lora(arguments, base.lora)
    values["parallel"] = parallel_from(arguments, base.parallel)
    values["residents"] = (*base.residents, *map(_resident, arguments.resident or ()))
    if "checkpointing" in values and not _CHECKPOINTING.fullmatch(values["checkpointing"]):
        known = "none, attention, every-K (such as every-4), full"
        raise UserError(
            "scenario.unknown_field", field="--checkpointing", given=values["checkpointing"], known=known
        )
    scenario = replace(base, **values)
    if scenario.batch is not None and scenario.tokens is None and scenario.model.is_known:
        raise UserError("cli.batch_without_sequence")
    return scenario


def _base(arguments: argparse.Namespace) -> Scenario:
    given = [
        *arguments.paths[:1],
        *([] if arguments.params is None else [f"--params {arguments.params}"]),
        *([] if arguments.preset is None else [f"--preset {arguments.preset}"]),
    ]
    if not given:
        raise UserError("cli.no_model")
    if len(given) > 1:
        raise UserError("cli.several_models", given=" and ".join(given))
    if len(arguments.paths) > 2:
        raise UserError("cli.several_paths", path=arguments.paths[2])
    if is_scenario_file(arguments.paths):
        if arguments.trainable is not None:
            raise UserError("trainable.no_names")
        return load_scenario(Path(arguments.paths[0]))
    return Scenario(_model(arguments))


def is_scenario_file(paths: Sequence[str]) -> bool:
    """Whether the model comes from an ``.optmem`` file."""
    return bool(paths) and paths[0].lower().endswith(SUFFIX)


def _model(arguments: argparse.Namespace) -> ModelRef:
    chosen = arguments.trainable
    if arguments.paths:
        checkpoint = _read_all(arguments.paths, arguments.python)
        if chosen is None:
            return checkpoint.ref
        with about(arguments.paths[0]):
            return trained_ref(checkpoint.spec, chosen)
    if arguments.preset is not None:
        if chosen in (None, ALL):
            return preset_ref(arguments.preset)
        return trained_ref(preset_spec(arguments.preset), chosen)
    try:
        count = parse_count(arguments.params)
    except CountError as error:
        raise UserError(error.key, given=error.text) from None
    return synthetic_ref(count) if chosen in (None, ALL) else trained_ref(named_model(count), chosen)


def _optimizer(arguments: argparse.Namespace, base: Scenario) -> dict[str, Any]:
    implementation = find(arguments.optimizer or base.optimizer)
    pairs: list[str] = arguments.option or []
    given = parse_options(implementation, pairs)
    names = {pair.partition("=")[0].strip().replace("-", "_") for pair in pairs}
    kept = base.options if implementation.id == base.optimizer else ()
    options = checked(implementation, (*((n, v) for n, v in kept if n not in names), *given))
    return {"optimizer": implementation.id, "options": options}


def _resident(text: str) -> Resident:
    name, _, rest = text.partition(":")
    count, _, dtype = rest.partition(":")
    plain = not rest.count(":")
    if not (name.strip() and count.strip() and (plain or dtype.strip())):
        raise UserError("resident.form", given=text)
    try:
        if plain:
            return Resident.of_bytes(name.strip(), parse_bytes(count))
        return Resident(name.strip(), parse_count(count), dtype.strip())
    except CountError as error:
        raise UserError(error.key, given=error.text) from None


def _lora(arguments: argparse.Namespace, base: Lora | None) -> Lora | None:
    targets: Sequence[str] | None = None
    if arguments.lora_targets is not None:
        targets = tuple(part.strip() for part in arguments.lora_targets.split(",") if part.strip())
    given = {"rank": arguments.lora_rank, "targets": targets, "base_dtype": arguments.base_dtype}
    changed = {name: value for name, value in given.items() if value is not None}
    if not changed:
        return base
    if base is not None:
        return replace(base, **changed)
    if "rank" not in changed:
        option = "--lora-targets" if "targets" in changed else "--base-dtype"
        raise UserError("cli.lora_incomplete", option=option)
    return Lora(**changed)
