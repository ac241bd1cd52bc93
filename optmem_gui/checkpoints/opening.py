"""One way in: whatever a user points at, opened from its headers or refused in one line."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optmem_gui.checkpoints.adapters import CONFIG as ADAPTER_CONFIG
from optmem_gui.checkpoints.adapters import with_adapter
from optmem_gui.checkpoints.assemble import assemble
from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.contents import (
    NOTHING_PACKED,
    Build,
    Contents,
    Progress,
    Reading,
    refused,
    remark,
    shown,
)
from optmem_gui.checkpoints.files import read_small, unreadable
from optmem_gui.checkpoints.folders import Listing, cache_snapshot, latest_version, list_folder, read_folder
from optmem_gui.checkpoints.inventory import take_inventory
from optmem_gui.checkpoints.registry import WEIGHT_SUFFIXES, FolderReader, Reader, read_file
from optmem_gui.checkpoints.shards import ShardSet, read_index, read_shards, set_of
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Source
from optmem_gui.core.reasons import Reason

if TYPE_CHECKING:
    from optmem_gui.architectures.config import Architecture

MAX_CONFIG_BYTES = 4 << 20
_CONFIG = "config.json"
_PLAIN_STEMS = ("model", "pytorch_model", "adapter_model", "diffusion_pytorch_model", "consolidated")
"""Names that say nothing; the folder's name says more."""

_NOT_THERE = (
    "checkpoint.no_shard_there",
    "checkpoint.no_shard_promised",
    "checkpoint.lfs_pointer",
    "checkpoint.lfs_pointers",
    "checkpoint.dangling_link",
)
"""Refusals that leave the config as the one thing known."""


@dataclass(frozen=True, slots=True)
class _Config:
    """A folder's ``config.json``, as far as it was there."""

    values: Mapping[str, Any] = field(default_factory=dict)
    architecture: Architecture | None = None
    file_bytes: int = 0
    problem: Reason | None = None


def open_checkpoint(
    path: Path,
    *,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    build: Build | None = None,
) -> Checkpoint:
    """Read what a checkpoint holds, from its headers alone; nothing in it is executed.

    Args:
        path: A weights file, one shard, an index, a ``config.json``, a folder of these, or a folder or
            blob of Hugging Face's cache.
        progress: Told about every file, on the calling thread.
        cancelled: Asked now and then; True stops the reading.
        build: Asks a model's own library what its config makes, where weights are not there and the family
            is not known; without it such a config is refused.

    Raises:
        UserError: Refused, with the file, the cause and the next step.
        Cancelled: ``cancelled`` said so.
    """
    reading = Reading(progress, cancelled, build)
    reading.check()
    with _collector_paused():
        try:
            return with_adapter(_open(path, reading), reading)
        except OSError as error:  # a name in the checkpoint that no file can have, or a folder gone meanwhile
            raise unreadable(Path(error.filename or path), error) from None


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the cycle collector away from the hundred thousand values that a reading makes and keeps.

    It would walk all of them again and again and find no garbage, which takes a third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _open(path: Path, reading: Reading) -> Checkpoint:
    try:
        is_folder = path.is_dir()
    except OSError as error:
        raise unreadable(path, error) from None
    if is_folder:
        return _open_folder(path, reading)
    if path.name in {".metadata", ADAPTER_CONFIG} or path.suffix == ".distcp":
        return _open_folder(path.parent, reading)
    if path.name.endswith(".index.json"):
        return _open_shards(path, read_index(path, reading), reading)
    if path.suffix == ".json":
        return _open_config(path, _config(path, reading), reading)
    shards = set_of(path, reading)
    if shards is not None and len(shards.names) > 1:
        return _open_shards(path, shards, reading)
    for file in reading.files([path]):
        found = read_file(file, reading)
    title = _title(path.parent) if path.stem in _PLAIN_STEMS else shown(path.with_suffix(""))
    return _finish(path, title, found, _beside(path, reading), reading)


def _open_folder(path: Path, reading: Reading) -> Checkpoint:
    listing = list_folder(path, reading)
    snapshot = cache_snapshot(listing, reading) or latest_version(listing)
    if snapshot is not None:
        listing = list_folder(snapshot, reading)
    config = _config(listing.folder / _CONFIG, reading) if _CONFIG in listing.files else _Config()
    try:
        found = read_folder(listing, reading)
    except UserError as error:
        architecture = config.architecture
        if error.code not in _NOT_THERE or architecture is None:
            raise
        if architecture.layout is None and not reading.can_build:
            raise
        return _from_config(path, config, reading, error.reason)
    if found is not None:
        return _finish(path, _title(path), found, config, reading)
    if config.architecture is not None or config.problem is not None:
        return _open_config(path, config, reading)
    raise _nothing_there(listing, reading)


def _open_shards(path: Path, shards: ShardSet, reading: Reading) -> Checkpoint:
    found = read_shards(shards, reading)
    return _finish(path, _title(shards.folder), found, _beside(path, reading), reading)


def _open_config(path: Path, config: _Config, reading: Reading) -> Checkpoint:
    if config.problem is not None:
        raise refused(config.problem.key, **config.problem.values)
    return _from_config(path, config, reading)


def _from_config(path: Path, config: _Config, reading: Reading, why: Reason | None = None) -> Checkpoint:
    """A model known by its config only: exact numbers, but nothing was read from weights."""
    title = _title(path if path.is_dir() else path.parent)
    from optmem_gui.checkpoints.config_model import model_of  # noqa: PLC0415  # as below

    architecture = config.architecture
    model = None if architecture is None else model_of(config.values, architecture, reading)
    if architecture is None or model is None:
        name = config.values.get("model_type", config.values.get("_class_name"))
        if name is None:
            raise refused("config.no_family", file=shown(path))
        raise refused("config.family_not_built", file=_CONFIG, family=str(name)[:60])
    inventory = take_inventory(model.rows, model.known, NOTHING_PACKED)
    checkpoint = Checkpoint(
        inventory,
        title,
        Source.CONFIG,
        "config",
        path,
        tied=model.tied,
        architecture=architecture.shape,
        file_bytes=config.file_bytes,
        tensor_bytes=sum(dtype.bytes_for(prod(shape)) for _, shape, dtype in model.rows),
        complete=why is None,
        bytes_read=reading.read_bytes,
        idle_count=model.idle_count,
        network=architecture.network,
    )
    counted = remark("checkpoint.config_only", count=checkpoint.param_count)
    return replace(checkpoint, warnings=(*([why] if why else []), counted, *model.warnings))


def _finish(
    path: Path, title: str, found: tuple[Reader | FolderReader, Contents], config: _Config, reading: Reading
) -> Checkpoint:
    reader, contents = found
    if not config.values and contents.describe is not None:
        return _finish_described(path, title, found, contents.describe(contents.rows), reading)
    architecture = config.architecture
    checkpoint = assemble(
        contents,
        title=contents.title or title,
        path=path,
        format_id=reader.id,
        reading=reading,
        config=config.values,
        architecture=architecture.shape if architecture else None,
        tied_head=architecture is not None and architecture.tied_head,
    )
    if architecture is None:
        if config.problem is None:
            return checkpoint
        problem = remark("config.not_used", field=config.problem.values["field"])
        return replace(checkpoint, warnings=(*checkpoint.warnings, problem))
    warnings = list(architecture.warnings)
    expected = None if architecture.partial else architecture.model(title)
    if expected is not None and checkpoint.complete and expected.param_count != checkpoint.param_count:
        warnings.append(
            remark(
                "checkpoint.config_differs", expected_count=expected.param_count, count=checkpoint.param_count
            )
        )
    return replace(
        checkpoint,
        warnings=(*checkpoint.warnings, *warnings),
        file_bytes=checkpoint.file_bytes + config.file_bytes,
        idle_count=expected.idle_count if expected is not None else 0,
        network=architecture.network,
    )


def _finish_described(
    path: Path,
    title: str,
    found: tuple[Reader | FolderReader, Contents],
    values: Mapping[str, Any],
    reading: Reading,
) -> Checkpoint:
    """A model whose own file says what a config would; where the two disagree only its tensors count."""
    from optmem_gui.architectures.config import read_config  # noqa: PLC0415  # as below

    reader, contents = found
    architecture: Architecture | None = None
    expected, warnings = None, tuple[Reason, ...]()
    try:
        architecture = read_config(values, shown(path))
        expected, warnings = architecture.model(title), architecture.warnings
    except UserError as error:
        warnings = (remark("checkpoint.own_dimensions", field=error.reason.values.get("field", "?")),)
    checkpoint = assemble(
        contents,
        title=contents.title or title,
        path=path,
        format_id=reader.id,
        reading=reading,
        architecture=architecture.shape if architecture else None,
    )
    same = expected is not None and expected.param_count == checkpoint.param_count
    return replace(
        checkpoint,
        warnings=(*checkpoint.warnings, *warnings),
        idle_count=expected.idle_count if expected is not None and same else 0,
    )


def _config(path: Path, reading: Reading) -> _Config:
    """Read a ``config.json``; numbers that are missing or impossible become its problem.

    Raises:
        UserError: No JSON object.
    """
    data = read_small(path, MAX_CONFIG_BYTES, reading)
    try:
        values = json.loads(data.decode("utf-8"))  # transformers writes NaN and Infinity, which json reads
    except RecursionError:
        raise refused("checkpoint.nested_too_deeply", file=shown(path)) from None
    except ValueError:
        raise refused("config.not_json", file=shown(path)) from None
    if not isinstance(values, dict):
        raise refused("config.not_json", file=shown(path))
    from optmem_gui.architectures.config import describes_model, read_config  # noqa: PLC0415  # only beside a config

    try:
        architecture = read_config(values, shown(path)) if describes_model(values) else None
    except UserError as error:
        return _Config(values, None, len(data), error.reason)
    return _Config(values, architecture, len(data))


def _beside(path: Path, reading: Reading) -> _Config:
    """The config in a weights file's folder, when the file has one of the names that belong to it."""
    config = path.parent / _CONFIG
    if not path.name.startswith(("model", "pytorch_model")) or not config.is_file():
        return _Config()
    return _config(config, reading)


def _title(folder: Path) -> str:
    """A folder's name; ``owner/name`` for a folder of Hugging Face's cache."""
    for part in (folder, *folder.parents):
        if part.name.startswith("models--"):
            return part.name.removeprefix("models--").replace("--", "/")
    return shown(folder.resolve())


def _nothing_there(listing: Listing, reading: Reading) -> UserError:
    """Why a folder is refused, naming a folder in it that would do."""
    file = shown(listing.folder)
    for name in listing.folders[:100]:
        try:
            inner = list_folder(listing.folder / name, reading)
        except UserError:
            continue  # only a folder that can be opened is worth naming
        if any(Path(item).suffix.lower() in WEIGHT_SUFFIXES for item in inner.files):
            return refused("checkpoint.weights_below", file=file, name=f"{name}/")
    others = [name for name in listing.files if Path(name).suffix.lower() in WEIGHT_SUFFIXES]
    if others:
        return refused("checkpoint.only_other_formats", file=file, names=", ".join(others[:3]))
    return refused("checkpoint.no_weights_there", file=file)
