"""The formats that are read, one line each, and the ones that are recognised only to be refused by name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from optmem_gui.checkpoints import safetensors, torch_files
from optmem_gui.checkpoints.contents import Contents, Reading, refused, shown
from optmem_gui.checkpoints.files import SNIFF_BYTES, HeaderFile, refuse_lfs_pointer


@dataclass(frozen=True, slots=True)
class Reader:
    """One format.

    Attributes:
        id: Stable name, used in JSON.
        label: Name for people.
        suffixes: What its files usually end in; the open dialog and drag and drop use them.
        sniff: Whether a file is of this format, from its first bytes and its path.
        read: Reads what a file holds.
    """

    id: str
    label: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes, Path], bool]
    read: Callable[[HeaderFile, Reading], Contents]


@dataclass(frozen=True, slots=True)
class FolderReader:
    """One format that is a whole folder: none of its files says alone what the checkpoint holds.

    Attributes:
        id: Stable name, used in JSON.
        label: Name for people.
        sniff: Whether a folder is of this format, from the names of its files and of its folders.
        read: Reads what a folder holds.
        first: Asked before the files, because some of them could be taken for a whole checkpoint.
    """

    id: str
    label: str
    sniff: Callable[[Collection[str], Collection[str]], bool]
    read: Callable[[Path, Reading], Contents]
    first: bool = False


def _late(module: str, name: str) -> Callable[..., Any]:
    """A function of a reader that is imported when it is first asked, not with every start.

    Most of what is opened is told by its first bytes before the readers of other programs are needed.
    """

    def ask(*given: object) -> object:
        return getattr(import_module(f"optmem_gui.checkpoints.{module}"), name)(*given)

    return ask


def _reader(format_id: str, label: str, suffixes: tuple[str, ...], module: str, kind: str = "") -> Reader:
    """A reader whose module has ``sniff`` and ``read``, with the kind after them where it has several."""
    ending = f"_{kind}" if kind else ""
    return Reader(format_id, label, suffixes, _late(module, f"sniff{ending}"), _late(module, f"read{ending}"))


def _folder(format_id: str, label: str, module: str, kind: str = "", *, first: bool = False) -> FolderReader:
    """The same for a format that is a folder."""
    ending = f"_{kind}" if kind else ""
    return FolderReader(
        format_id, label, _late(module, f"sniff{ending}"), _late(module, f"read{ending}"), first
    )


_TORCH_ZIP = Reader("torch-zip", "PyTorch", torch_files.SUFFIXES, torch_files.sniff_zip, torch_files.read_zip)
READERS: tuple[Reader, ...] = (
    replace(_TORCH_ZIP, sniff=torch_files.sniff_saved),
    Reader(
        "torch-legacy",
        "PyTorch before 1.6",
        torch_files.SUFFIXES,
        torch_files.sniff_legacy,
        torch_files.read_legacy,
    ),
    Reader("safetensors", "Safetensors", (".safetensors",), safetensors.sniff, safetensors.read),
    _reader("gguf", "GGUF", (".gguf",), "gguf"),
    _reader("keras", "Keras", (".keras",), "keras_files", "keras"),
    _reader("hdf5", "Keras HDF5", (".h5", ".hdf5"), "keras_files", "hdf5"),
    _reader("flax", "Flax msgpack", (".msgpack",), "flax_files"),
    _reader("tensorflow", "TensorFlow checkpoint", (".index",), "tensorflow", "index"),
    _reader("tensorflow-state", "TensorFlow checkpoint", (), "tensorflow", "state"),
    _reader("saved-model", "TensorFlow SavedModel", (".pb",), "tensorflow", "graph"),
    _reader("npz", "NumPy .npz", (".npz",), "numpy_files", "archive"),
    _reader("npy", "NumPy .npy", (".npy",), "numpy_files", "array"),
    _TORCH_ZIP,
    _reader("onnx", "ONNX", (".onnx",), "onnx"),
    Reader("pickle", "Pickle", torch_files.SUFFIXES, torch_files.sniff_bare, torch_files.read_bare),
)

FOLDER_READERS: tuple[FolderReader, ...] = (
    _folder("megatron", "Megatron-LM", "megatron", first=True),
    _folder("torch-distributed", "PyTorch distributed checkpoint", "distributed", first=True),
    _folder("deepspeed", "DeepSpeed", "deepspeed", first=True),
    _folder("accelerate-fsdp", "accelerate FSDP", "accelerate_folders"),
    _folder("orbax", "Orbax", "orbax", "folder"),
    _folder("tensorflow", "TensorFlow checkpoint", "tensorflow", "folder"),
)
"""Asked in this order, after the files that are a checkpoint by themselves."""

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"lmgg", "GGML"),
    (b"tjgg", "GGJT"),
    (b"fmgg", "GGMF"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"Rar!", "RAR archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard archive"),
)
_SUFFIXES: dict[str, str] = {
    ".ggml": "GGML",
    ".tflite": "TensorFlow Lite",
    ".tar": "tar archive",
    ".engine": "TensorRT engine",
    ".mlmodel": "Core ML",
}
WEIGHT_SUFFIXES = frozenset((*(suffix for reader in READERS for suffix in reader.suffixes), *_SUFFIXES))
"""What the files of any checkpoint format end in."""


def read_file(path: Path, reading: Reading) -> tuple[Reader, Contents]:
    """Read one file with the reader that its content, or else its name, calls for.

    Raises:
        UserError: A format that is not read, or a damaged file.
    """
    with HeaderFile(path, reading) as file:
        head = file.peek(SNIFF_BYTES)
        refuse_lfs_pointer(file, head)
        for magic, kind in _MAGIC:
            if head.startswith(magic):
                raise refused("checkpoint.other_format", file=shown(path), kind=kind)
        for reader in READERS:
            if reader.sniff(head, path):
                return reader, reader.read(file, reading)
        kind = _SUFFIXES.get(path.suffix.lower(), "")  # last: model.pth.tar is mostly no tar archive
        if kind:
            raise refused("checkpoint.other_format", file=shown(path), kind=kind)
        if not file.size:
            raise refused("checkpoint.empty_file", file=shown(path))
    raise refused("checkpoint.unknown_format", file=shown(path), known=known_suffixes())


def known_suffixes() -> str:
    """The suffixes that are read, for messages: ``.pt, .pth, ...``."""
    return ", ".join(dict.fromkeys(suffix for reader in READERS for suffix in reader.suffixes))
