"""torch.save's two containers: a zip of a pickle and its storages, and the sequence of pickles before 1.6.

Only the pickle and the zip's directory are read. Sources: ``torch/serialization.py`` (``_save``,
``_legacy_save``), torch 2.13; PKWARE APPNOTE 4.4.4 for the encryption flag.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

from optmem_gui.checkpoints import torch_scripts
from optmem_gui.checkpoints.bounds import MAX_PICKLE_BYTES, MODEL_PICKLE
from optmem_gui.checkpoints.contents import Contents, Reading, refused, remark, shown
from optmem_gui.checkpoints.files import ZIP_DAMAGE, HeaderFile, HeaderStream, open_zip
from optmem_gui.checkpoints.pickle_values import Made
from optmem_gui.checkpoints.pickles import Walked, names_in_pickles, walk_pickle
from optmem_gui.checkpoints.suspects import suspicious
from optmem_gui.checkpoints.torch_contents import Storages, listed, to_contents
from optmem_gui.checkpoints.torch_values import REBUILDERS

SUFFIXES = (".pt", ".pth", ".bin", ".ckpt", ".pkl")
LEGACY_MAGIC = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""The number 0x1950a86a20f9469cfc6c, pickled with protocol 2."""

_UNPACKED_BYTES, _PACKED_RATIO = 1 << 20, 16
"""What a compressed record may unpack to: this much, and this many times its size.

torch.save stores without compression; the pickle of a state dict shrinks to a fifth if packed anew.
"""

_ENCRYPTED = 0x1


def sniff_saved(head: bytes, path: Path) -> bool:
    """Whether a file is a zip whose first record is the pickle, which is how torch.save begins."""
    name = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return head.startswith(b"PK\x03\x04") and name.endswith(b"/data.pkl")


def sniff_zip(head: bytes, path: Path) -> bool:
    """Whether a file is a zip; the reader says when it is not torch's."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def sniff_legacy(head: bytes, path: Path) -> bool:
    """Whether a file begins with the magic number of torch.save before 1.6."""
    return head.startswith(LEGACY_MAGIC)


def sniff_bare(head: bytes, path: Path) -> bool:
    """Whether a file with a torch suffix is something else; the reader names what."""
    return path.suffix.lower() in SUFFIXES


def read_zip(file: HeaderFile, reading: Reading) -> Contents:
    """Read the directory and ``data.pkl`` of a torch zip.

    Raises:
        UserError: No zip, no torch zip, encrypted, damaged or too large.
    """
    walked, sizes = walk_zip(file, reading)
    contents = to_contents(walked, Storages(sizes), shown(file.path), file.size, reading.check)
    if isinstance(walked.value, Made) and walked.value.path.startswith(torch_scripts.ROOT):
        return replace(contents, warnings=(*contents.warnings, remark("checkpoint.torchscript")))
    return contents


def walk_zip(file: HeaderFile, reading: Reading) -> tuple[Walked, dict[str, int]]:
    """Walk ``data.pkl`` of a torch zip; bytes of its storages by their key.

    Raises:
        UserError: No zip, no torch zip, encrypted, damaged or too large.
    """
    name = shown(file.path)
    try:
        archive = open_zip(file)
    except ZIP_DAMAGE:
        raise refused("checkpoint.zip_no_directory", file=name) from None
    with archive:
        records = archive.infolist()
        pickle, prefix = _find_pickle(records, name)
        data = _content(archive, pickle, name)
        classes = _script_classes(archive, prefix, name)
    reading.check()
    sizes = {
        record.filename[len(prefix) + 5 :]: record.file_size
        for record in records
        if record.filename.startswith(f"{prefix}data/")
    }
    walked = walk_pickle(io.BytesIO(data), REBUILDERS, name, reading.check, MODEL_PICKLE)
    if classes:
        plain = frozenset(path for path in walked.called if not path.startswith(torch_scripts.ROOT))
        walked = Walked(torch_scripts.as_modules(walked.value, classes), walked.named, plain)
    return walked, sizes


def _script_classes(archive: zipfile.ZipFile, prefix: str, name: str) -> dict[str, torch_scripts.Names]:
    """Names of parameters and buffers by class, of a TorchScript archive; nothing for any other file."""
    below = f"{prefix}code/"
    records = [
        record
        for record in archive.infolist()
        if record.filename.startswith(below) and record.filename.endswith(".py")
    ]
    if not records or sum(record.file_size for record in records) > torch_scripts.MAX_CODE_BYTES:
        return {}
    code = {
        record.filename.removeprefix(below): _content(archive, record, name).decode("utf-8", "replace")
        for record in records
    }
    return torch_scripts.classes_in(code)


def _find_pickle(records: list[zipfile.ZipInfo], name: str) -> tuple[zipfile.ZipInfo, str]:
    found = [
        record for record in records if record.filename == "data.pkl" or record.filename.endswith("/data.pkl")
    ]
    if not found:
        if any(record.flag_bits & _ENCRYPTED for record in records):
            raise refused("checkpoint.zip_encrypted", file=name)
        if records and all(record.filename.endswith(".npy") for record in records):
            raise refused("checkpoint.other_format", file=name, kind="NumPy .npz")
        if any(record.filename.endswith(".weights.h5") for record in records):
            raise refused("checkpoint.other_format", file=name, kind="Keras .keras")
        raise refused("checkpoint.zip_no_pickle", file=name)
    pickle = min(found, key=lambda record: record.filename.count("/"))
    if pickle.flag_bits & _ENCRYPTED:
        raise refused("checkpoint.zip_encrypted", file=name)
    if pickle.file_size > MAX_PICKLE_BYTES:
        raise refused(
            "checkpoint.pickle_too_large",
            file=name,
            size_bytes=pickle.file_size,
            limit_bytes=MAX_PICKLE_BYTES,
        )
    return pickle, pickle.filename.removesuffix("data.pkl")


def _content(archive: zipfile.ZipFile, record: zipfile.ZipInfo, name: str) -> bytes:
    packed = min(record.compress_size, archive.start_dir)
    if record.file_size > _UNPACKED_BYTES + _PACKED_RATIO * packed:
        raise refused(
            "checkpoint.zip_unpacks",
            file=name,
            record=record.filename,
            packed_bytes=packed,
            size_bytes=record.file_size,
        )
    try:
        with archive.open(record) as stream:
            data = stream.read(record.file_size + 1)
    except ZIP_DAMAGE as error:
        if "CRC" in str(error):
            raise refused("checkpoint.zip_checksum", file=name, record=record.filename) from None
        raise refused("checkpoint.zip_damaged", file=name, record=record.filename) from None
    if len(data) != record.file_size:
        raise refused("checkpoint.zip_damaged", file=name, record=record.filename)
    return data


def read_legacy(file: HeaderFile, reading: Reading) -> Contents:
    """Read the five pickles at the start of a file that torch.save wrote before 1.6.

    They are: magic number, protocol 1001, system facts, the object, the keys of its storages.

    Raises:
        UserError: Damaged.
    """
    name, size = shown(file.path), file.size
    with io.BufferedReader(HeaderStream(file), 1 << 16) as stream:
        walks = [walk_pickle(stream, REBUILDERS, name, reading.check, MODEL_PICKLE) for _ in range(5)]
        header_end = stream.tell()
    storages = Storages(None)
    contents = to_contents(walks[3], storages, name, size, reading.check)
    # Each storage follows as an 8-byte count and its elements; those of the model must be there.
    missing = header_end + sum(8 + count for count in storages.used.values()) - size
    if missing <= 0:
        return contents
    return replace(
        contents,
        complete=False,
        warnings=(
            *contents.warnings,
            remark("checkpoint.truncated", file=name, missing_bytes=missing, missing_count=missing),
        ),
    )


def read_bare(file: HeaderFile, reading: Reading) -> Contents:
    """Refuse a file with a torch suffix that torch.save did not write, naming any code in it.

    Raises:
        UserError: Always.
    """
    name = shown(file.path)
    if not file.size:
        raise refused("checkpoint.empty_file", file=name)
    data = file.read(min(file.size, 1 << 24))
    if data[257:262] == b"ustar":
        raise refused("checkpoint.torch_tar", file=name)
    named, whole = names_in_pickles(data)
    dangerous = suspicious(named)
    if dangerous:
        raise refused("checkpoint.bare_pickle_code", file=name, names=listed(dangerous))
    if not whole:
        raise refused("checkpoint.not_torch", file=name)
    raise refused("checkpoint.bare_pickle", file=name)
