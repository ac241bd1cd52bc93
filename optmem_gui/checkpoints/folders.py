"""Which files of a folder are the model: one serialisation counts, the others are only listed.

The order: an index, then ``model.safetensors``, then numbered shards, first as safetensors and then as
torch files, then an adapter, then a file that is alone. A folder of Hugging Face's cache is followed
to the snapshot that ``refs/main`` names.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from optmem_gui.checkpoints.contents import Contents, Reading, refused, remark, shown
from optmem_gui.checkpoints.files import read_small, unreadable
from optmem_gui.checkpoints.optimizer_found import OptimizerInFile
from optmem_gui.checkpoints.registry import FOLDER_READERS, WEIGHT_SUFFIXES, FolderReader, Reader, read_file
from optmem_gui.checkpoints.shards import ShardSet, none_there, numbered_sets, read_index, read_shards
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason

MAX_ENTRIES = 20_000
"""Entries of a folder that are looked at before it is taken for something else than a model."""

_SIDE_FILES = frozenset(
    ["optimizer.pt", "optimizer.bin", "scheduler.pt", "scaler.pt", "training_args.bin", "random_states_0.pkl"]
)
_STANDARD = (
    ("model.safetensors", ".safetensors"),
    ("pytorch_model.bin", ".bin"),
    ("flax_model.msgpack", ".msgpack"),
    ("tf_model.h5", ".h5"),
    ("model.gguf", ".gguf"),
)
_ALONE = (
    "adapter_model.safetensors",
    "adapter_model.bin",
    "diffusion_pytorch_model.safetensors",
    "diffusion_pytorch_model.bin",
)
_MODELS = ("model", "pytorch_model", "flax_model", "tf_model")
_OTHERS = (
    (".safetensors",),
    (".bin", ".pt", ".pth", ".ckpt"),
    (".keras",),
    (".h5", ".hdf5"),
    (".msgpack",),
    (".gguf",),
    (".onnx",),
    (".npz",),
    (".npy",),
)
_INDEXES = tuple(f"{suffix}.index.json" for suffix in (".safetensors", ".bin", ".msgpack", ".h5"))
_TRAINER_FILES: tuple[tuple[str, str], ...] = (
    ("scheduler", "learning-rate schedule"),
    ("scaler", "loss scale of fp16"),
    ("rng_state", "random states"),
    ("random_states", "random states"),
    ("training_args", "settings of the trainer"),
    ("trainer_state", "log of the trainer"),
)
"""What transformers' Trainer and accelerate put beside a model, by the beginning of the name."""

_CHECK_EVERY = 500


@dataclass(frozen=True, slots=True)
class Listing:
    """What lies in a folder.

    Attributes:
        folder: The folder.
        files: Names of the files, links followed, sorted.
        dangling: Names of links that lead nowhere.
        folders: Names of the folders in it, sorted.
    """

    folder: Path
    files: tuple[str, ...]
    dangling: tuple[str, ...]
    folders: tuple[str, ...]


def list_folder(folder: Path, reading: Reading) -> Listing:
    """Look at a folder's own entries, never into its folders, so that no loop of links can catch it.

    Raises:
        UserError: It cannot be listed, or holds more than :data:`MAX_ENTRIES` entries.
    """
    files, dangling, folders = [], [], []
    try:
        with os.scandir(folder) as entries:
            for index, entry in enumerate(entries):
                if index % _CHECK_EVERY == 0:
                    reading.check()
                if index >= MAX_ENTRIES:
                    raise refused("checkpoint.folder_too_large", file=shown(folder), limit_count=MAX_ENTRIES)
                if entry.is_dir():
                    folders.append(entry.name)
                elif entry.is_file():
                    files.append(entry.name)
                else:
                    dangling.append(entry.name)
    except OSError as error:
        raise unreadable(folder, error) from None
    return Listing(folder, tuple(sorted(files)), tuple(sorted(dangling)), tuple(sorted(folders)))


def cache_snapshot(listing: Listing, reading: Reading) -> Path | None:
    """The snapshot of a Hugging Face cache folder (``models--owner--name``); None for any other folder.

    Source: huggingface_hub, "Understand caching": ``refs/<branch>`` names the folder in ``snapshots``.

    Raises:
        UserError: Several snapshots and no ``refs/main``.
    """
    if "snapshots" not in listing.folders:
        return None
    root = listing.folder / "snapshots"
    main = listing.folder / "refs" / "main"
    if main.is_file():
        revision = read_small(main, 1024, reading).decode("ascii", "replace").strip()
        inside = revision not in (".", "..") and not set("/\\") & set(revision)
        if revision and inside and (root / revision).is_dir():
            return root / revision
    snapshots = list_folder(root, reading).folders
    if len(snapshots) == 1:
        return root / snapshots[0]
    raise refused("checkpoint.several_snapshots", file=shown(listing.folder), count=len(snapshots))


def latest_version(listing: Listing) -> Path | None:
    """The newest of numbered SavedModels (``name/00000123/saved_model.pb``); None for any other folder.

    Source: TensorFlow Serving, "Serving a TensorFlow Model": the highest number is the version served.
    """
    versions = [name for name in listing.folders if name.isascii() and name.isdigit()]
    if listing.files or not versions:
        return None
    newest = listing.folder / max(versions, key=int)
    return newest if (newest / "saved_model.pb").is_file() else None


def read_folder(listing: Listing, reading: Reading) -> tuple[Reader | FolderReader, Contents] | None:
    """Read the one serialisation that counts; None when there are no weights.

    Raises:
        UserError: Several checkpoints with no telling which, or a damaged one.
    """
    for whole in FOLDER_READERS:
        if whole.first and whole.sniff(listing.files, listing.folders) and not _has_standard(listing):
            return whole, whole.read(listing.folder, reading)
    stale: list[ShardSet] = []
    for name in _indexes(listing.files):
        shards = read_index(listing.folder / name, reading)
        if any(shard in listing.files for shard in shards.names):
            return _shards(listing, shards, reading, name)
        stale.append(shards)
    chosen = _choose(listing)
    if chosen is None:
        for whole in FOLDER_READERS:
            if whole.sniff(listing.files, listing.folders):
                return whole, whole.read(listing.folder, reading)
        if stale:
            raise none_there(stale[0])
        return None
    if isinstance(chosen, ShardSet):
        reader, contents = _shards(listing, chosen, reading, "")
    else:
        reader, contents = read_file(listing.folder / chosen, reading)
        contents = _with_optimizer(listing, contents, reading, {chosen})
    without = [
        remark("checkpoint.index_without_shards", file=shards.index or "", count=len(shards.names))
        for shards in stale
    ]
    return reader, _add(contents, without)


def _has_standard(listing: Listing) -> bool:
    """Whether a model that needs no trainer to be read lies there too, as beside DeepSpeed's own files."""
    return any(name in listing.files for name, _ in _STANDARD) or bool(_indexes(listing.files))


def _indexes(files: tuple[str, ...]) -> list[str]:
    """Index files, safetensors before torch, ``model`` and ``pytorch_model`` before variants."""
    found = []
    for ending in _INDEXES:
        named = [name for name in files if name.endswith(ending)]
        found += sorted(
            named, key=lambda name: (name not in (f"model{ending}", f"pytorch_model{ending}"), name)
        )
    return found


def _choose(listing: Listing) -> str | ShardSet | None:
    files = listing.files
    sets = numbered_sets(listing.folder, files)
    for standard, suffix in _STANDARD:
        if standard in files or standard in listing.dangling:
            return standard
        matching = [shards for shards in sets if shards.names[0].endswith(suffix)]
        named = [shards for shards in matching if shards.names[0].startswith(_MODELS)]
        for group in (matching, named):
            if len(group) == 1:
                return group[0]
    for name in _ALONE:
        if name in files:
            return name
    for suffixes in _OTHERS:
        alone = [name for name in files if name.endswith(suffixes) and not _is_side_file(name)]
        if len(alone) == 1:
            return alone[0]
        if alone:
            raise refused(
                "checkpoint.several_checkpoints",
                file=shown(listing.folder),
                names=", ".join(alone[:3]) + (" ..." if len(alone) > 3 else ""),
            )
    return None


def _is_side_file(name: str) -> bool:
    return name in _SIDE_FILES or name.startswith(("rng_state", "random_states"))


def _shards(listing: Listing, shards: ShardSet, reading: Reading, index: str) -> tuple[Reader, Contents]:
    reader, contents = read_shards(shards, reading)
    return reader, _with_optimizer(listing, contents, reading, {*shards.names, index})


def _with_optimizer(listing: Listing, contents: Contents, reading: Reading, used: set[str]) -> Contents:
    """Add the optimizer that a trainer saved beside the model, and the list of files that do not count."""
    from optmem_gui.checkpoints.deepspeed import optimizer_beside  # noqa: PLC0415  # only a folder asks for it

    warnings: list[Reason] = []
    optimizer = contents.optimizer
    for name in ("optimizer.pt", "optimizer.bin"):
        if name in listing.files and optimizer is None:
            used.add(name)
            try:
                optimizer = read_file(listing.folder / name, reading)[1].optimizer
            except UserError as error:
                warnings.append(error.reason)
    beside = {
        what: name for start, what in _TRAINER_FILES for name in listing.files if name.startswith(f"{start}")
    }
    if beside and optimizer is not None:
        names = ", ".join(f"{name} ({what})" for what, name in beside.items())
        warnings.append(remark("checkpoint.trainer_files", names=names))
    ignored = [name for name in listing.files if name not in used and _is_weights(name)]
    ignored += [f"{name}/" for name in listing.folders if name in ("original", "metal", "onnx", "openvino")]
    if optimizer is None:
        optimizer = next(optimizer_beside(listing.folder, listing.folders, reading), None)
    if ignored:
        warnings.append(
            remark(
                "checkpoint.files_ignored",
                count=len(ignored),
                names=", ".join(ignored[:4]) + (" ..." if len(ignored) > 4 else ""),
            )
        )
    return _add(contents, warnings, optimizer)


def _is_weights(name: str) -> bool:
    return Path(name).suffix.lower() in WEIGHT_SUFFIXES and not _is_side_file(name)


def _add(contents: Contents, warnings: list[Reason], optimizer: OptimizerInFile | None = None) -> Contents:
    kept = contents.optimizer if optimizer is None else optimizer
    return replace(contents, warnings=(*contents.warnings, *warnings), optimizer=kept)
