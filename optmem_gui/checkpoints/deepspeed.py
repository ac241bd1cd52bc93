"""DeepSpeed's checkpoint folders: model states once or a part a rank, optimizer states always a part a rank.

ZeRO 1 and 2 write ``mp_rank_00_model_states.pt`` with the whole model; ZeRO 3 writes one file a rank with
empty weights and the shapes beside them. ``*_optim_states.pt`` hold flat partitions. Source:
``deepspeed/runtime/engine.py``, ``runtime/zero`` and ``utils/zero_to_fp32.py`` of deepspeed 0.19.8.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from optmem_gui.checkpoints.contents import Contents, Reading, Row, refused, remark, shown
from optmem_gui.checkpoints.files import HeaderFile, read_small
from optmem_gui.checkpoints.optimizer_found import OptimizerInFile
from optmem_gui.checkpoints.optimizer_state import summarise
from optmem_gui.checkpoints.pickle_values import Made, Value
from optmem_gui.checkpoints.torch_contents import Storages, to_contents
from optmem_gui.checkpoints.torch_files import walk_zip
from optmem_gui.checkpoints.torch_tree import Tree, search
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason

TAG = "latest"
_MODEL = re.compile(
    r"(?:zero_pp_rank_(?P<dp>\d+)_)?mp_rank_(?P<mp>\d+)(?:_\d+)?_model_states\.pt\Z", re.ASCII
)
_OPTIMIZER = re.compile(
    r"(?:bf16_|fp16_)?(?:zero_pp_rank|expp_rank)_(?P<dp>\d+)_mp_rank_(?P<mp>\d+)_optim_states\.pt\Z", re.ASCII
)
_EXPERT = re.compile(r"(?:layer_\d+_)?expert_\d+_mp_rank_(?P<mp>\d+)_model_states\.pt\Z", re.ASCII)
_LAYER = re.compile(r"layer_(?P<layer>\d+)(?:-model_(?P<mp>\d+))?-model_states\.pt\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a folder by what they hold; of several tensor-parallel parts only the first."""

    models: tuple[str, ...]
    optimizers: tuple[str, ...]
    experts: tuple[str, ...]
    layers: tuple[str, ...]
    part_count: int


def sniff(files: Collection[str], folders: Collection[str]) -> bool:
    """Whether a folder is one that DeepSpeed writes, or the one above it with the name of the latest."""
    return any(_MODEL.match(name) or _OPTIMIZER.match(name) for name in files) or (
        TAG in files and any(name.startswith("global_step") or name == "checkpoint" for name in folders)
    )


def read(folder: Path, reading: Reading) -> Contents:
    """Read the model states and all parts of the optimizer.

    Raises:
        UserError: No model states, a damaged file, or a tag that leads nowhere.
    """
    folder = follow_tag(folder, reading)
    files = _sorted_files(_names(folder))
    if not files.models and not files.layers:
        raise refused("checkpoint.no_deepspeed_model", file=shown(folder))
    contents, root = _model(folder, files, reading)
    optimizer, warnings, held_bytes = _optimizer(folder, files.optimizers, root, reading)
    if optimizer is not None:
        contents = replace(contents, optimizer=_of_parameters(optimizer, contents, root))
    if files.part_count > 1:
        warnings.append(remark("checkpoint.tensor_parallel", rank_count=files.part_count))
    missing = any(reason.key == "checkpoint.zero_ranks_missing" for reason in warnings)
    return replace(
        contents,
        warnings=(*contents.warnings, *warnings),
        complete=contents.complete and files.part_count == 1 and not missing,
        file_bytes=contents.file_bytes + held_bytes,
        file_count=contents.file_count + len(files.optimizers),
    )


def follow_tag(folder: Path, reading: Reading) -> Path:
    """The folder that ``latest`` names, inside this one; the folder itself without such a file.

    Raises:
        UserError: It names a folder that is not there, or one elsewhere.
    """
    tag = folder / TAG
    if not tag.is_file():
        return folder
    name = read_small(tag, 1024, reading).decode("utf-8", "replace").strip()
    if not name or name in (".", "..") or "/" in name or "\\" in name or not (folder / name).is_dir():
        raise refused("checkpoint.tag_missing", file=f"{shown(folder)}/{TAG}", name=name)
    return folder / name


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        raise refused("checkpoint.no_deepspeed_model", file=shown(folder)) from None


def _sorted_files(names: Iterable[str]) -> _Files:
    kinds: dict[str, list[tuple[int, int, str]]] = {"model": [], "optimizer": [], "expert": [], "layer": []}
    for name in names:
        for kind, pattern in (
            ("expert", _EXPERT),
            ("layer", _LAYER),
            ("model", _MODEL),
            ("optimizer", _OPTIMIZER),
        ):
            match = pattern.match(name)
            if match:
                place = match.groupdict()
                kinds[kind].append((int(place.get("mp") or 0), int(place.get("dp") or 0), name))
                break
    parts = {mp for kind in ("model", "layer") for mp, _, _ in kinds[kind]} or {0}
    first = min(parts)
    chosen = {
        kind: tuple(name for mp, _, name in sorted(found) if mp == first) for kind, found in kinds.items()
    }
    return _Files(
        chosen["model"][:1], chosen["optimizer"], chosen["expert"], chosen["layer"], max(1, len(parts))
    )


def _model(folder: Path, files: _Files, reading: Reading) -> tuple[Contents, Mapping[Value, Value]]:
    """The model, its layers and experts put together; the outermost table of the main file."""
    contents, root = Contents([]), dict[Value, Value]()
    for path in reading.files(folder / name for name in files.models):
        with HeaderFile(path, reading) as file:
            walked, sizes = walk_zip(file, reading)
            contents = to_contents(walked, Storages(sizes), shown(path), file.size, reading.check)
            root = walked.value if isinstance(walked.value, dict) else root
    more: list[Row] = []
    for path in reading.files(folder / name for name in (*files.layers, *files.experts)):
        layer = _LAYER.match(path.name)
        prefix = f"{int(layer['layer'])}." if layer else ""
        with HeaderFile(path, reading) as file:
            walked, sizes = walk_zip(file, reading)
            part = to_contents(walked, Storages(sizes), shown(path), file.size, reading.check)
        more += [(prefix + name, shape, dtype) for name, shape, dtype in part.rows]
        contents = replace(
            contents,
            file_bytes=contents.file_bytes + part.file_bytes,
            tensor_bytes=contents.tensor_bytes + part.tensor_bytes,
            file_count=contents.file_count + 1,
        )
    there = {row[0] for row in more}
    rows = [*(row for row in contents.rows if row[0] not in there), *more]
    warnings = contents.warnings
    if files.experts:
        warnings = (*warnings, remark("checkpoint.expert_files", count=len(files.experts)))
    return replace(contents, rows=rows, warnings=warnings), root


def _optimizer(
    folder: Path, names: Iterable[str], root: Mapping[Value, Value], reading: Reading
) -> tuple[OptimizerInFile | None, list[Reason], int]:
    trees: list[Tree] = []
    held_bytes, stage, count = 0, None, 0
    for path in reading.files(folder / name for name in names):
        with HeaderFile(path, reading) as file:
            walked, _ = walk_zip(file, reading)
            held_bytes += file.size
        trees.append(search(walked.value, reading.check))
        stage = _stage(walked.value) if stage is None else stage
        count += 1
    warnings = []
    ranks = root.get("dp_world_size")
    if stage is not None and type(ranks) is int:
        warnings.append(remark("checkpoint.zero_stage", stage=stage, rank_count=ranks))
    if count and type(ranks) is int and ranks > count:
        warnings.append(remark("checkpoint.zero_ranks_missing", total_count=ranks, count=count))
    dicts = [each for tree in trees for each in tree.optimizers]
    return summarise(dicts, [tensor for tree in trees for tensor in tree.masters]), warnings, held_bytes


def _stage(value: Value) -> int | None:
    states = value.get("optimizer_state_dict") if isinstance(value, dict) else None
    stage = states.get("zero_stage") if isinstance(states, dict) else None
    if isinstance(stage, Made) and isinstance(stage.args, tuple) and stage.args:
        stage = stage.args[0]  # an enum, pickled by its value
    return stage if type(stage) is int else None


def _of_parameters(
    optimizer: OptimizerInFile, contents: Contents, root: Mapping[Value, Value]
) -> OptimizerInFile:
    """Partitions are padded to equal length: what the shapes of the trained parameters say counts."""
    trained = [
        prod(shape)
        for name, shape, _ in contents.rows
        if (said := contents.known.get(name)) is not None and said.parameter and said.trainable
    ]
    if not trained or not root.get("param_shapes"):
        return optimizer
    return replace(optimizer, param_count=sum(trained), entry_count=len(trained))


def optimizer_beside(folder: Path, names: Iterable[str], reading: Reading) -> Iterator[OptimizerInFile]:
    """The optimizer of a DeepSpeed folder that a trainer keeps inside its own, if it can be read."""
    for name in names:
        if name.startswith("global_step"):
            try:
                found = read(folder / name, reading).optimizer
            except UserError:
                continue
            if found is not None:
                yield found
