"""``.optmem`` files: a scenario as JSON, readable without the model it was made from.

A file holds the model's path, its fingerprint and its groups, so it opens anywhere; with the model at
hand, :mod:`optmem_gui.report.model_notice` tells whether it is still the one that was saved. Nothing in a
file is executed, and every number is checked against a bound before it is used.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from optmem_gui import __version__
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import BufferGroup, ModelRef, Role, Source, TensorGroup
from optmem_gui.core.parallel import ONE_GPU, SHARD_IDS, Offload, Parallel
from optmem_gui.core.precision import SCHEMES
from optmem_gui.core.residents import Resident
from optmem_gui.core.scenario import Attention, BaseDType, Lora, Loss, Scenario, Target
from optmem_gui.core.units import MAX_PARAM_COUNT, MIB
from optmem_gui.paths import SCENARIO_SUFFIX
from optmem_gui.report.files import write_whole
from optmem_gui.report.stored_networks import AnyStoredNetwork, restore_network, store_network
from optmem_gui.report.stored_shape import (
    Positive,
    Stored,
    StoredTransformer,
    Whole,
    restore_shape,
    store_shape,
)

SUFFIX = SCENARIO_SUFFIX
FORMAT: Final = "optmem-scenario"
SCHEMA = 2
"""Version of the file; raised when an older program could no longer read it right. 2 names a recipe."""

MAX_FILE_BYTES = 64 * MIB

_Text = Annotated[str, msgspec.Meta(max_length=4096)]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
_Shard = Annotated[str, msgspec.Meta(pattern=f"^({'|'.join(SHARD_IDS)})$")]
_Shape = Annotated[tuple[Whole, ...], msgspec.Meta(max_length=32)]
_Checkpointing = Annotated[str, msgspec.Meta(pattern=r"^(none|attention|full|every-[1-9][0-9]{0,4})$")]


class _StoredGroup(Stored, frozen=True, array_like=True):
    shape: _Shape
    dtype: _Text
    role: Role
    leaf: _Text
    field: _Text
    trainable: bool
    count: Positive


class _StoredBuffer(Stored, frozen=True, array_like=True):
    shape: _Shape
    dtype: _Text
    count: Positive


class _StoredModel(Stored, frozen=True, omit_defaults=True):
    title: _Text
    source: Source
    path: _Text | None
    fingerprint: _Text
    tied_count: Whole
    architecture: StoredTransformer | None
    groups: Annotated[tuple[_StoredGroup, ...], msgspec.Meta(min_length=1)]
    neighbours: tuple[tuple[Whole, Whole], ...]
    buffers: tuple[_StoredBuffer, ...]
    idle_count: Whole = 0
    trained: _Text = ""
    network: AnyStoredNetwork | None = None
    """Left out for decoders, so that such a file stays readable for a program that knows of them only."""


class _StoredLora(Stored, frozen=True):
    rank: Positive
    targets: Annotated[tuple[_Text, ...], msgspec.Meta(min_length=1, max_length=1000)]
    base_dtype: BaseDType
    adapter_fp32: bool


class _StoredParallel(Stored, frozen=True, omit_defaults=True):
    """A layout with its bounds, which msgspec reads off its own types only and core knows nothing of."""

    gpus: Positive
    shard: _Shard
    tp: Positive = 1
    pp: Positive = 1
    ep: Positive = 1
    cp: Positive = 1
    replicas: Positive = 1
    interleave: Positive = 1
    stages: Annotated[tuple[Positive, ...], msgspec.Meta(max_length=4096)] = ()
    sequence_parallel: bool = False
    bucket_view: bool = False
    offload: Offload = "none"
    reshard: bool = True
    fp32_reduce: bool = True
    bucket_elements: Positive = ONE_GPU.bucket_elements
    live_elements: Positive = ONE_GPU.live_elements
    host_bytes: Positive | None = None


class _StoredResident(Stored, frozen=True):
    name: _Text
    count: Positive
    dtype: _Text


class _StoredScenario(Stored, frozen=True, omit_defaults=True):
    model: _StoredModel
    optimizer: _Name
    options: dict[_Text, bool | int | float | _Text | None]
    precision: _Name
    batch: Positive | None
    sequence: Positive | None
    checkpointing: _Checkpointing
    attention: Attention
    loss: Loss
    accumulate: Positive
    clip: bool
    set_to_none: bool
    keep_logits: bool
    lora: _StoredLora | None
    gpu: _Name | None
    target: Target
    parallel: _StoredParallel | None = None
    """Left out for one GPU, so that such a file stays readable for a program that knows of one only."""
    residents: Annotated[tuple[_StoredResident, ...], msgspec.Meta(max_length=1000)] = ()
    recipe: _Name | None = None


class _File(Stored, frozen=True):
    format: Literal["optmem-scenario"]
    schema: int
    program: _Text
    scenario: _StoredScenario


class _Header(msgspec.Struct, frozen=True):
    """The part that every version of the file has and keeps."""

    format: Literal["optmem-scenario"]
    schema: int
    program: str = ""


def save_scenario(path: Path, scenario: Scenario) -> None:
    """Write a scenario, whole or not at all.

    Raises:
        UserError: The file cannot be written.
    """
    write_whole(path, scenario_text(scenario))


def scenario_text(scenario: Scenario) -> str:
    """What :func:`save_scenario` writes: also the scenario on the clipboard."""
    schema = 1 if scenario.recipe is None else SCHEMA  # what an older program can read stays readable for it
    stored = _File(FORMAT, schema, __version__, _store(scenario))
    return msgspec.json.format(msgspec.json.encode(stored), indent=1).decode() + "\n"


def load_scenario(path: Path) -> Scenario:
    """Read a scenario.

    Raises:
        UserError: No such file, not a scenario, damaged, of a newer version, or a value out of bounds.
    """
    return parse_scenario(_read(path), path)


def parse_scenario(data: bytes, path: Path) -> Scenario:
    """What :func:`load_scenario` reads, from bytes at hand.

    Args:
        data: What :func:`scenario_text` wrote.
        path: File it is from, for the error text.

    Raises:
        UserError: As :func:`load_scenario`.
    """
    try:
        header = msgspec.json.decode(data, type=_Header)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        key = "scenario_file.damaged" if FORMAT.encode() in data[:200] else "scenario_file.not_a_scenario"
        raise UserError(key, path=str(path), why=_plain(error)) from error
    if header.schema > SCHEMA:
        raise UserError(
            "scenario_file.newer",
            path=str(path),
            program=header.program[:40] or "?",
            given=header.schema,
            known=SCHEMA,
        )
    try:
        stored = msgspec.json.decode(data, type=_File)
        return _restore(stored.scenario)
    except msgspec.ValidationError as error:
        why, _, field = str(error).partition(" - at ")
        field = field.strip("`") or "the file"
        if _value_at(msgspec.json.decode(data), field) == "":
            raise UserError("scenario_file.empty_field", path=str(path), field=field) from error
        raise UserError("scenario_file.invalid", path=str(path), field=field, why=why) from error


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UserError(
                "scenario_file.too_large", path=str(path), size_bytes=size, limit_bytes=MAX_FILE_BYTES
            )
        return path.read_bytes().removeprefix(codecs.BOM_UTF8)  # some editors put it there
    except FileNotFoundError as error:
        raise UserError("file.not_found", path=str(path)) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise UserError("file.unreadable", path=str(path), why=why or str(error)) from error


def _value_at(value: object, field: str) -> object:
    """What stands where msgspec found a fault, such as ``$.scenario.batch``; None inside lists."""
    for name in re.sub(r"^\$\.?", "", field).split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _plain(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error).replace("\n", " ")


def _store(scenario: Scenario) -> _StoredScenario:
    values = {field.name: getattr(scenario, field.name) for field in fields(Scenario)}
    lora, parallel = scenario.lora, scenario.parallel
    values |= {
        "model": _store_model(scenario.model),
        "options": dict(scenario.options),
        "lora": None if lora is None else _StoredLora(**asdict(lora)),
        "residents": tuple(_StoredResident(**asdict(resident)) for resident in scenario.residents),
        "parallel": None if parallel == ONE_GPU else _StoredParallel(**asdict(parallel)),
    }
    return _StoredScenario(**values)


def _store_model(model: ModelRef) -> _StoredModel:
    shape = model.architecture
    return _StoredModel(
        title=_unicode(model.title),
        source=model.source,
        path=None if model.path is None else _unicode(model.path),
        fingerprint=model.fingerprint,
        tied_count=model.tied_count,
        architecture=None if shape is None else store_shape(shape),
        groups=tuple(
            _StoredGroup(g.shape, g.dtype.id, g.role, g.leaf, g.field, g.trainable, g.count)
            for g in model.groups
        ),
        neighbours=tuple(sorted(model.neighbours)),
        buffers=tuple(_StoredBuffer(g.shape, g.dtype.id, g.count) for g in model.buffers),
        idle_count=model.idle_count,
        trained=_unicode(model.trained),
        network=store_network(model.network),
    )


def _unicode(text: str) -> str:
    """Text that JSON can hold: a file name that is no valid Unicode loses its odd bytes."""
    return text.encode("utf-8", "replace").decode()


def _restore(stored: _StoredScenario) -> Scenario:
    if stored.precision not in SCHEMES:
        raise msgspec.ValidationError(f"`{stored.precision}` is not known - at `$.scenario.precision`")
    values = msgspec.structs.asdict(stored)
    lora, parallel = stored.lora, stored.parallel
    values |= {
        "model": _restore_model(stored.model),
        "options": tuple(sorted(stored.options.items())),
        "lora": None if lora is None else Lora(**msgspec.structs.asdict(lora)),
        "residents": tuple(
            Resident(r.name, r.count, _dtype(r.dtype, "residents").id) for r in stored.residents
        ),
        "parallel": ONE_GPU if parallel is None else Parallel(**msgspec.structs.asdict(parallel)),
    }
    return Scenario(**values)


def _restore_model(stored: _StoredModel) -> ModelRef:
    groups = tuple(_restore_group(group, index) for index, group in enumerate(stored.groups))
    if any(max(pair) >= len(groups) for pair in stored.neighbours):
        raise msgspec.ValidationError("names a group that is not there - at `$.scenario.model.neighbours`")
    shape = stored.architecture
    model = ModelRef(
        title=stored.title,
        source=stored.source,
        groups=groups,
        neighbours=frozenset(stored.neighbours),
        buffers=tuple(
            BufferGroup(group.shape, _dtype(group.dtype, f"buffers[{index}]"), group.count)
            for index, group in enumerate(stored.buffers)
        ),
        architecture=None if shape is None else restore_shape(shape),
        path=stored.path,
        fingerprint=stored.fingerprint,
        tied_count=stored.tied_count,
        idle_count=stored.idle_count,
        trained=stored.trained,
        network=restore_network(stored.network),
    )
    if model.param_count > MAX_PARAM_COUNT or sum(g.numel * g.count for g in model.buffers) > MAX_PARAM_COUNT:
        raise msgspec.ValidationError("more than 1e18 elements - at `$.scenario.model.groups`")
    return model


def _restore_group(stored: _StoredGroup, index: int) -> TensorGroup:
    values = msgspec.structs.asdict(stored)
    return TensorGroup(**(values | {"dtype": _dtype(stored.dtype, f"groups[{index}]")}))


def _dtype(given: str, place: str) -> DType:
    try:
        return DTYPES[given]
    except KeyError:
        raise msgspec.ValidationError(f"`{given}` is no dtype - at `$.scenario.model.{place}`") from None
