"""Arrays that numpy writes, and what numpy says about them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from optmem_gui.checkpoints.numpy_header import BadHeaderError, parse_header
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal

NUMBERS = [
    "<f8",
    "<f4",
    ">f4",
    "<f2",
    "<c16",
    "<c8",
    "<i8",
    "<i4",
    "<i2",
    "|i1",
    "<u8",
    "<u4",
    "<u2",
    "|u1",
    "|b1",
]


@pytest.mark.parametrize("code", NUMBERS)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4), (0, 7)])
def test_every_type_and_shape(tmp_path: Path, code: str, shape: tuple[int, ...]) -> None:
    array = np.zeros(shape, np.dtype(code), order="F")
    np.save(tmp_path / "w.npy", array)
    checkpoint = open_checkpoint(tmp_path / "w.npy")
    (row,) = checkpoint.inventory.rows
    assert (row[0], row[1]) == ("w", array.shape)
    assert row[2].bytes_for(array.size) == array.nbytes == checkpoint.tensor_bytes
    assert row[2].is_floating == (array.dtype.kind in "fc")
    assert checkpoint.bytes_read <= 128


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_header(tmp_path: Path, version: tuple[int, int]) -> None:
    with (tmp_path / "w.npy").open("wb") as file:
        np.lib.format.write_array(file, np.zeros((4, 5), np.float32), version=version)
    assert open_checkpoint(tmp_path / "w.npy").param_count == 20


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_hold_what_numpy_lists(tmp_path: Path, save: Any) -> None:
    arrays: dict[str, np.ndarray] = {
        "layer/kernel": np.ones((30, 40), np.float32),
        "layer/bias": np.ones(40, np.float16),
    }
    save(tmp_path / "w.npz", **arrays, step=np.int64(3))
    checkpoint = open_checkpoint(tmp_path / "w.npz")
    assert {row[0]: row[1] for row in checkpoint.inventory.rows} == {
        "layer.kernel": (30, 40),
        "layer.bias": (40,),
        "step": (),
    }
    assert (checkpoint.format, checkpoint.param_count, checkpoint.buffer_count) == ("npz", 1240, 1)
    assert checkpoint.tensor_bytes == sum(array.nbytes for array in arrays.values()) + 8
    assert open_checkpoint(tmp_path).param_count == 1240
    renamed = (tmp_path / "w.npz").rename(tmp_path / "weights.bin")
    assert open_checkpoint(renamed).param_count == 1240


def test_records_of_the_large_zip_format_are_read(tmp_path: Path) -> None:
    """numpy writes every record with the fields of zip64; the array here is a hole in the file of 5 GB."""
    with (
        zipfile.ZipFile(tmp_path / "w.npz", "w") as archive,
        archive.open("a.npy", "w", force_zip64=True) as out,
    ):
        np.lib.format.write_array(out, np.zeros((8, 8), np.float32))
    assert open_checkpoint(tmp_path / "w.npz").param_count == 64


def test_only_headers_are_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", a=np.zeros((1000, 1000), np.float32))
    assert open_checkpoint(tmp_path / "w.npz").bytes_read < 20_000


def test_fields_of_a_structured_array_count_each(tmp_path: Path) -> None:
    """5 records of 2 x 3 floats, a nested half and whole number, and a text, padded: what numpy says."""
    inner = np.dtype([("x", "<f2"), ("n", "<i4")], align=True)
    dtype = np.dtype([("w", "<f4", (2, 3)), ("part", inner), ("text", "S7")], align=True)
    array = np.zeros(5, dtype)
    np.save(tmp_path / "s.npy", array)
    checkpoint = open_checkpoint(tmp_path / "s.npy")
    rows = [(name, shape, kind.id) for name, shape, kind in checkpoint.inventory.rows]
    assert rows == [("s.w", (5, 2, 3), "fp32"), ("s.part.x", (5,), "fp16"), ("s.part.n", (5,), "int32")]
    assert checkpoint.tensor_bytes == array.nbytes
    assert codes(checkpoint) == {"no_numbers"}


@pytest.mark.parametrize(
    ("dtype", "stored"), [(ml_dtypes.bfloat16, "bf16"), (ml_dtypes.float8_e4m3fn, "unknown")]
)
def test_types_that_numpy_has_no_name_for_are_said(tmp_path: Path, dtype: Any, stored: str) -> None:
    array = np.zeros((4, 4), dtype)
    np.save(tmp_path / "w.npy", array)
    checkpoint = open_checkpoint(tmp_path / "w.npy")
    assert (dict(checkpoint.dtypes), checkpoint.tensor_bytes) == ({stored: 16}, array.nbytes)
    assert codes(checkpoint) == {"nameless_types"}


class _Trap:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Path.touch, (self.trace,)  # type: ignore[return-value]  # pickle takes any arguments


def test_pickled_objects_are_refused_by_name_and_not_executed(tmp_path: Path) -> None:
    trap = np.array([_Trap(tmp_path / "trace")], dtype=object)
    np.save(tmp_path / "o.npy", trap, allow_pickle=True)
    np.savez(tmp_path / "only.npz", trap=trap)
    np.savez(tmp_path / "some.npz", trap=trap, w=np.zeros(6, np.float32))
    for name in ("o.npy", "only.npz"):
        error = refusal(tmp_path / name)
        assert error.code == "checkpoint.pickled_array"
        assert "not executed" in str(error)
    checkpoint = open_checkpoint(tmp_path / "some.npz")
    assert (checkpoint.param_count, checkpoint.complete) == (6, False)
    assert codes(checkpoint) == {"object_arrays"}
    assert not (tmp_path / "trace").exists()


def _npy(text: str, data: int = 0) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(data)


def test_bad_arrays_are_refused(tmp_path: Path) -> None:
    good = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
    cases = {
        "empty_file": b"",
        "no_array": _npy("__import__('os').system('true')"),
        "data_absent": _npy(good.replace("(4,)", "(1000000,)"), 16),
    }
    for code, raw in cases.items():
        path = tmp_path / "bad.npy"
        path.write_bytes(raw)
        assert refusal(path).code.partition(".")[2] in (code, "no_array" if code == "empty_file" else code)
    path.write_bytes(_npy(good, 14))
    assert codes(open_checkpoint(path)) == {"truncated"}
    path.write_bytes(_npy(good, 20))
    assert codes(open_checkpoint(path)) == {"data_behind"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{'descr': '<f4', 'shape': (4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-4,), }",
        "{'descr': '<f¹', 'fortran_order': False, 'shape': (4,), }",
        "{'descr': '<q4', 'fortran_order': False, 'shape': (4,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4.5,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (10000000000000000000,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999, 999999999999), }",
        "{'descr': " + "[('a', " * 40 + "'<f4'" + ")]" * 40 + ", 'fortran_order': False, 'shape': (4,), }",
        "{'descr': " + "(" * 4000,
        "{'descr': [('a',)], 'fortran_order': False, 'shape': (4,), }",
        "{1: 2}",
        "{'descr': '<f4' 'x'}",
    ],
)
def test_a_header_is_read_by_rules_and_never_evaluated(text: str) -> None:
    with pytest.raises(BadHeaderError):
        parse_header(text.encode())


def test_old_long_numbers_are_numbers() -> None:
    """Python 2 wrote ``(10L,)``."""
    header = parse_header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (10L,), }")
    assert header.columns[0].shape == (10,)


def test_lying_records_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"

    def archive(**records: bytes) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name, data in records.items():
                out.writestr(f"{name}.npy", data)
        return path

    array = io.BytesIO()
    np.save(array, np.zeros(100, np.float32))
    assert refusal(archive(a=array.getvalue() + b"x")).code == "checkpoint.array_size"
    assert refusal(archive(a=b"no array at all")).code == "checkpoint.no_array"
    raw = bytearray(archive(a=array.getvalue()).read_bytes())
    place = raw.rindex(b"PK\x01\x02")
    raw[place + 24 : place + 28] = (1 << 30).to_bytes(4, "little")  # the unpacked size in the directory
    path.write_bytes(raw)
    assert refusal(path).code == "checkpoint.zip_damaged"
    path.write_bytes(bytes(raw[: len(raw) // 2]))
    assert refusal(path).code == "checkpoint.zip_no_directory"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("readme.txt", "nothing")
    assert refusal(path).code == "checkpoint.zip_no_arrays"
