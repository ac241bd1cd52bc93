from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import pytest
import torch

from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal, write_zip


def test_only_the_pickle_and_the_directory_are_read(tmp_path: Path) -> None:
    path = tmp_path / "big.pt"
    torch.save({"weight": torch.zeros(1_000_000)}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 1_000_000
    assert checkpoint.bytes_read < 3_000


def test_the_format_before_1_6(tmp_path: Path) -> None:
    """Two views in one storage of 100 elements count as 20; ties count once; a short file is not silent."""
    block = torch.zeros(100)
    path = tmp_path / "legacy.pt"
    state = {"a": block[:10], "b": block[10:20], "c": block[:10]}
    torch.save(state, path, _use_new_zipfile_serialization=False)
    checkpoint = open_checkpoint(path)
    assert checkpoint.format == "torch-legacy"
    assert (checkpoint.param_count, checkpoint.tied) == (20, (("c", "a"),))
    assert checkpoint.complete
    content = path.read_bytes()
    path.write_bytes(content[:-8])
    cut = open_checkpoint(path)
    assert cut.param_count == 20
    assert not cut.complete
    assert "truncated" in codes(cut)
    path.write_bytes(content[:150])
    assert refusal(path).code == "checkpoint.pickle_damaged"


def _encrypted(path: Path) -> None:
    """Set the encryption flag of every record, in the directory and before the data."""
    data = bytearray(path.read_bytes())
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(magic)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(magic, at + 4)
    path.write_bytes(data)


def test_broken_zips_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save({"w": torch.zeros(100)}, path)
    good = path.read_bytes()

    path.write_bytes(good[: len(good) // 2])
    cut = refusal(path)
    _encrypted_path = tmp_path / "secret.pt"
    _encrypted_path.write_bytes(good)
    _encrypted(_encrypted_path)
    secret = refusal(_encrypted_path)
    path.write_bytes(good.replace(b"FloatStorage", b"FloatStorbge", 1))
    checksum = refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/version", "3\n")
    no_pickle = refusal(path)
    damaged = refusal(write_zip(path, b"\x80\x02}q"))
    assert [error.code.partition(".")[2] for error in (cut, secret, checksum, no_pickle, damaged)] == [
        "zip_no_directory",
        "zip_encrypted",
        "zip_checksum",
        "zip_no_pickle",
        "pickle_damaged",
    ]
    assert "incomplete download" in str(cut)


@pytest.mark.parametrize("content", [b"abc", b"\x7fELF" + bytes(60), bytes(300)])
def test_other_bytes_under_a_torch_name_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    assert refusal(path).code == "checkpoint.not_torch"


def test_a_bare_pickle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    path.write_bytes(pickle.dumps({"w": [1, 2, 3]}))
    assert refusal(path).code == "checkpoint.bare_pickle"


@pytest.mark.parametrize("magic", [b"tjgg", b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"lmgg"])
def test_other_formats_are_refused_by_their_name(tmp_path: Path, magic: bytes) -> None:
    path = tmp_path / "model.pt"
    path.write_bytes(magic + bytes(40))
    error = refusal(path)
    assert error.code == "checkpoint.other_format"
    assert "not read yet" in str(error)
