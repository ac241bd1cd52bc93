"""The formats that are read, one line each, and the ones that are recognised only to be refused by name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from optmem_gui.checkpoints import (
    accelerate_folders,
    deepspeed,
    distributed,
    flax_files,
    gguf,
    keras_files,
    megatron,
    numpy_files,
    onnx,
    orbax,
    safetensors,
    tensorflow,
    torch_files,
)
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


READERS: tuple[Reader, ...] = (
    Reader("keras", "Keras", keras_files.ZIP_SUFFIXES, keras_files.sniff_keras, keras_files.read_keras),
    Reader("hdf5", "Keras HDF5", keras_files.HDF5_SUFFIXES, keras_files.sniff_hdf5, keras_files.read_hdf5),
    Reader("flax", "Flax msgpack", flax_files.SUFFIXES, flax_files.sniff, flax_files.read),
    Reader(
        "tensorflow",
        "TensorFlow checkpoint",
        tensorflow.INDEX_SUFFIXES,
        tensorflow.sniff_index,
        tensorflow.read_index,
    ),
    Reader("tensorflow-state", "TensorFlow checkpoint", (), tensorflow.sniff_state, tensorflow.read_state),
    Reader(
        "saved-model",
        "TensorFlow SavedModel",
        tensorflow.GRAPH_SUFFIXES,
        tensorflow.sniff_graph,
        tensorflow.read_graph,
    ),
    Reader(
        "npz", "NumPy .npz", numpy_files.ARCHIVE_SUFFIXES, numpy_files.sniff_archive, numpy_files.read_archive
    ),
    Reader("npy", "NumPy .npy", numpy_files.ARRAY_SUFFIXES, numpy_files.sniff_array, numpy_files.read_array),
    Reader("torch-zip", "PyTorch", torch_files.SUFFIXES, torch_files.sniff_zip, torch_files.read_zip),
    Reader(
        "torch-legacy",
        "PyTorch before 1.6",
        torch_files.SUFFIXES,
        torch_files.sniff_legacy,
        torch_files.read_legacy,
    ),
    Reader("gguf", "GGUF", gguf.SUFFIXES, gguf.sniff, gguf.read),
    Reader("safetensors", "Safetensors", (".safetensors",), safetensors.sniff, safetensors.read),
    Reader("onnx", "ONNX", onnx.SUFFIXES, onnx.sniff, onnx.read),
    Reader("pickle", "Pickle", torch_files.SUFFIXES, torch_files.sniff_bare, torch_files.read_bare),
)

FOLDER_READERS: tuple[FolderReader, ...] = (
    FolderReader("megatron", "Megatron-LM", megatron.sniff, megatron.read, first=True),
    FolderReader(
        "torch-distributed", "PyTorch distributed checkpoint", distributed.sniff, distributed.read, first=True
    ),
    FolderReader("deepspeed", "DeepSpeed", deepspeed.sniff, deepspeed.read, first=True),
    FolderReader("accelerate-fsdp", "accelerate FSDP", accelerate_folders.sniff, accelerate_folders.read),
    FolderReader("orbax", "Orbax", orbax.sniff_folder, orbax.read_folder),
    FolderReader("tensorflow", "TensorFlow checkpoint", tensorflow.sniff_folder, tensorflow.read_folder),
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
