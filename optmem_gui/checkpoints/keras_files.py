"""Keras's containers: an HDF5 file, and the zip of a configuration and an HDF5 file that is ``.keras``.

Nothing in them is executed; layers made of code (``Lambda``) are named.

Source: ``keras/src/saving/saving_lib.py``, Keras 3.15; PKWARE APPNOTE 4.3.7 for a record's local header.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from optmem_gui.checkpoints.bounds import MAX_JSON_BYTES
from optmem_gui.checkpoints.contents import Contents, Reading, refused, shown
from optmem_gui.checkpoints.files import ZIP_DAMAGE, HeaderFile, open_zip
from optmem_gui.checkpoints.hdf5 import SIGNATURE, Hdf5
from optmem_gui.checkpoints.hdf5_values import Value
from optmem_gui.checkpoints.keras import keras_contents
from optmem_gui.checkpoints.keras_config import parse_config, version_of

HDF5_SUFFIXES = (".h5", ".hdf5")
ZIP_SUFFIXES = (".keras",)
MAX_CONFIG_BYTES = MAX_JSON_BYTES
"""Largest ``config.json`` read; that of a large published model takes under 1 MiB."""

_WEIGHTS = "model.weights.h5"
_CONFIG = "config.json"
_METADATA = "metadata.json"


def sniff_hdf5(head: bytes, path: Path) -> bool:
    """Whether a file is HDF5, from its signature or else its name."""
    return head.startswith(SIGNATURE) or path.suffix.lower() in HDF5_SUFFIXES


def sniff_keras(head: bytes, path: Path) -> bool:
    """Whether a file is a Keras 3 archive."""
    return path.suffix.lower() in ZIP_SUFFIXES


def read_hdf5(file: HeaderFile, reading: Reading) -> Contents:
    """Read the metadata of an HDF5 file.

    Raises:
        UserError: No HDF5 file, or a damaged one.
    """
    if not file.size:
        raise refused("checkpoint.empty_file", file=shown(file.path))
    tree = Hdf5(file, 0, file.size, reading.check)
    said = tree.root.attributes
    model, training = said.get("model_config"), said.get("training_config")
    version = said.get("keras_version") or _inner_version(tree)
    config = parse_config(*(part if isinstance(part, str) else "" for part in (model, training, version)))
    return keras_contents(tree, shown(file.path), file.size, config, reading.check)


def _inner_version(tree: Hdf5) -> Value:
    weights = tree.root.children.get("model_weights")
    return None if weights is None else weights.attributes.get("keras_version")


def read_keras(file: HeaderFile, reading: Reading) -> Contents:
    """Read the configuration and the metadata of the weights in a ``.keras`` archive.

    Raises:
        UserError: No such archive, a damaged one, or one whose weights are compressed.
    """
    name = shown(file.path)
    if not file.size:
        raise refused("checkpoint.empty_file", file=name)
    try:
        with open_zip(file) as archive:
            records = {record.filename: record for record in archive.infolist()}
            config = parse_config(
                _small(archive, records.get(_CONFIG), name),
                version=version_of(_small(archive, records.get(_METADATA), name)),
            )
    except ZIP_DAMAGE:
        raise refused("checkpoint.zip_no_directory", file=name) from None
    weights = records.get(_WEIGHTS)
    if weights is None:
        raise refused("checkpoint.keras_no_weights", file=name, record=_WEIGHTS)
    if weights.flag_bits & 1:
        raise refused("checkpoint.zip_encrypted", file=name)
    if weights.compress_type != zipfile.ZIP_STORED:
        raise refused("checkpoint.keras_compressed", file=name, record=_WEIGHTS)
    file.seek(weights.header_offset)
    local = file.read(30)
    lengths = int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
    start = weights.header_offset + 30 + lengths
    if local[:4] != b"PK\x03\x04" or start + weights.file_size > file.size:
        raise refused("checkpoint.zip_damaged", file=name, record=_WEIGHTS)
    tree = Hdf5(file, start, weights.file_size, reading.check)
    return keras_contents(tree, name, file.size, config, reading.check)


def _small(archive: zipfile.ZipFile, record: zipfile.ZipInfo | None, name: str) -> bytes:
    """A record of JSON; nothing for one that is not there."""
    if record is None:
        return b""
    if record.file_size > MAX_CONFIG_BYTES:
        raise refused(
            "checkpoint.file_too_large", file=name, size_bytes=record.file_size, limit_bytes=MAX_CONFIG_BYTES
        )
    if record.flag_bits & 1:
        raise refused("checkpoint.zip_encrypted", file=name)
    with archive.open(record) as stream:
        return stream.read(record.file_size)
