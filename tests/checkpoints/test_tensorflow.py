"""TensorFlow checkpoints that TensorFlow 2.21 saved, held against what its own reader says."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.checkpoints.contents import Reading
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.checkpoints.tensorflow_index import read_index_file
from optmem_gui.core.errors import UserError
from tests.checkpoints.builders import codes, refusal
from tests.checkpoints.recorded import TYPES, held, said, trainable, unpack
from tests.examples import examples

PREFIXES = ("saved/variables/variables", "objects/ckpt-1", "slots/weights", "graph/model.ckpt-7")
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("tensorflow", tmp_path_factory.mktemp("tensorflow"))


@pytest.fixture
def copied(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def variables(prefix: str) -> list[Any]:
    recorded: list[Any] = said("tensorflow")[prefix]["variables"]
    return recorded


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_index_holds_what_tensorflow_reads(saved: Path, prefix: str) -> None:
    path = saved / f"{prefix}.index"
    with HeaderFile(path, Reading()) as file:
        index = read_index_file(file, Reading())
    found = {
        entry.name: (entry.shape, entry.dtype.id if entry.dtype else "string") for entry in index.entries
    }
    assert found == {
        name: (tuple(shape), TYPES.get(dtype, dtype)) for name, shape, dtype, _ in variables(prefix)
    }
    assert index.shard_count == 1


@pytest.mark.parametrize(
    ("place", "params", "buffers", "state"),
    [
        ("saved", 15 + 3, 0, 0),
        ("saved/saved_model.pb", 18, 0, 0),
        ("saved/variables", 18, 0, 0),
        ("objects", 859, 8 + 1, 2 * 841),  # the step is a buffer
        ("slots/weights.index", 3 * 4 + 4, 0, 2 * 16),
        ("graph/model.ckpt-7.data-00000-of-00001", 40 + 8 + 3, 1, 2 * 48),
        ("graph", 51, 1, 96),
        ("graph/checkpoint", 51, 1, 96),
    ],
)
def test_every_way_in(saved: Path, place: str, params: int, buffers: int, state: int) -> None:
    checkpoint = open_checkpoint(saved / place)
    assert (checkpoint.param_count, checkpoint.buffer_count) == (params, buffers)
    assert (checkpoint.optimizer.element_count if checkpoint.optimizer else 0) == state
    assert checkpoint.complete
    assert checkpoint.bytes_read < checkpoint.file_bytes


def test_the_newest_of_numbered_versions_is_opened(copied: Path) -> None:
    """What a server is given: one folder a version, and nothing beside them."""
    versions = copied / "versions"
    shutil.copytree(copied / "saved", versions / "9")
    shutil.copytree(copied / "saved", versions / "00000123")
    shutil.rmtree(versions / "9" / "variables")  # an older version does not matter
    checkpoint = open_checkpoint(versions)
    assert (checkpoint.format, checkpoint.param_count) == ("tensorflow", 18)


def test_a_saved_model_says_what_it_does_not_train(saved: Path, copied: Path) -> None:
    assert trainable(open_checkpoint(saved / "saved")) == {"kernel"}
    graph = copied / "saved" / "saved_model.pb"
    for data in (b"", b"\xff" * 100, graph.read_bytes()[:-30]):  # then nothing is known to be frozen
        graph.write_bytes(data)
        assert trainable(open_checkpoint(copied / "saved")) == {"kernel", "frozen"}


def test_slots_and_averages_of_name_based_checkpoints(saved: Path) -> None:
    checkpoint = open_checkpoint(saved / "graph")
    assert held(checkpoint) == {
        "embedding.table": ((10, 4), "fp32"),  # stored in three slices
        "kernel": ((4, 2), "fp32"),
        "half": ((3,), "bf16"),
        "global_step": ((), "int64"),
    }
    # nothing optimizes the bf16 variable
    assert codes(checkpoint) == {"average_ignored", "tensor_bundle_text", "optimizer_differs"}
    optimizer = checkpoint.optimizer
    assert optimizer is not None
    assert (optimizer.kind, optimizer.states, optimizer.state_bytes) == ("adam", ("m", "v"), 2 * 48 * 4)
    assert (optimizer.step_count, optimizer.param_count) == (2, 48)


def test_slots_of_object_based_checkpoints(saved: Path) -> None:
    older, newer = (open_checkpoint(saved / name).optimizer for name in ("slots", "objects"))
    assert older is not None
    assert newer is not None
    assert (older.states, older.step_count) == (("m", "v"), 5)  # iterations, learning rate, decay, two betas
    assert (newer.states, newer.step_count, newer.param_count) == (("m", "v"), 2, 841)
    assert newer.match is not None
    assert (newer.match.id, newer.match.exact) == ("tf_keras.Adam", True)
    assert "tf_keras.AdamW" in newer.match.also


def test_missing_and_short_data_files_are_told(copied: Path) -> None:
    data = copied / "graph" / "model.ckpt-7.data-00000-of-00001"
    size = data.stat().st_size
    with data.open("rb+") as file:
        file.truncate(size - 10)
    checkpoint = open_checkpoint(copied / "graph")
    assert "truncated" in codes(checkpoint)
    assert not checkpoint.complete
    data.unlink()
    checkpoint = open_checkpoint(copied / "graph")
    assert "data_files_missing" in codes(checkpoint)
    assert (checkpoint.complete, checkpoint.param_count) == (False, 51)


def test_what_cannot_be_opened_says_why(copied: Path, tmp_path: Path) -> None:
    folder = copied / "graph"
    (folder / "model.ckpt-8.index").write_bytes(b"")
    (folder / "checkpoint").write_bytes(b'model_checkpoint_path: "model.ckpt-8"\n')
    assert refusal(folder).code == "checkpoint.empty_file"
    (folder / "checkpoint").write_bytes(b'model_checkpoint_path: "../../elsewhere/model.ckpt-7"\n')
    assert open_checkpoint(folder).param_count == 51  # the name counts, never the folder
    (folder / "checkpoint").write_bytes(b"model_checkpoint\n")
    assert refusal(folder / "checkpoint").code == "checkpoint.no_latest"
    (folder / "checkpoint").unlink()
    assert refusal(folder).code == "checkpoint.several_checkpoints"
    (folder / "model.ckpt-8.index").write_bytes(bytes(100))
    assert refusal(folder / "model.ckpt-8.index").code == "checkpoint.not_tensor_bundle"
    (tmp_path / "frozen.pb").write_bytes(bytes(10))
    assert refusal(tmp_path / "frozen.pb").code == "checkpoint.frozen_graph"
    (tmp_path / "model.tflite").write_bytes(b"\x1c\0\0\0TFL3")
    assert "TensorFlow Lite" in str(refusal(tmp_path / "model.tflite"))


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def block(entries: list[tuple[bytes, bytes]], kind: int = 0) -> bytes:
    """A block without shared prefixes, and with its one restart point."""
    body = b"".join(b"\0" + varint(len(k)) + varint(len(v)) + k + v for k, v in entries)
    body += bytes(4) + (1).to_bytes(4, "little")
    if kind == 1:  # Snappy: one literal, its length less one in two bytes
        body = varint(len(body)) + bytes([61 << 2]) + (len(body) - 1).to_bytes(2, "little") + body
    return body


def table(entries: list[tuple[bytes, bytes]], kind: int = 0) -> bytes:
    """A table of one block of data."""
    data = block(entries, kind)
    out = data + bytes([kind, 0, 0, 0, 0])
    index = block([(b"\xff", varint(0) + varint(len(data)))])
    handle = varint(len(out)) + varint(len(index))
    out += index + bytes(5)
    footer = varint(0) + varint(0) + handle
    return out + footer.ljust(40, b"\0") + (0xDB4775248B80FB57).to_bytes(8, "little")


def entry(*sizes: int, dtype: int = 1, length: int | None = None) -> bytes:
    """A ``BundleEntryProto`` of fp32 in the first data file."""
    count = 4
    dimensions = b""
    for size in sizes:
        count *= size
        dimensions += b"\x12" + varint(len(varint(size)) + 1) + b"\x08" + varint(size)
    shape = b"\x12" + varint(len(dimensions)) + dimensions
    return b"\x08" + varint(dtype) + shape + b"\x28" + varint(count if length is None else length)


HEADER = (b"", b"\x08\x01")


@pytest.mark.parametrize("kind", [0, 1])
def test_an_index_written_by_hand(tmp_path: Path, kind: int) -> None:
    path = tmp_path / "hand.index"
    path.write_bytes(table([HEADER, (b"dense/bias", entry(300)), (b"dense/kernel", entry(7, 300))], kind))
    (tmp_path / "hand.data-00000-of-00001").write_bytes(bytes(2100 * 4))
    checkpoint = open_checkpoint(path)
    assert held(checkpoint) == {"dense.bias": ((300,), "fp32"), "dense.kernel": ((7, 300), "fp32")}
    assert checkpoint.complete


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ([HEADER, (b"a", entry(4, length=15))], "size_mismatch"),
        ([HEADER, (b"a", entry(1 << 60, 1 << 60, length=4))], "tensor_too_large"),
        ([(b"", b"\x08\x01\x10\x01"), (b"a", entry(4))], "tensor_bundle_big_endian"),
        ([HEADER, (b"b", entry(4)), (b"a", entry(4))], "tensor_bundle_damaged"),  # not in order
        ([(b"", b"\x08\x00"), (b"a", entry(4))], "tensor_bundle_damaged"),  # no data file
        ([HEADER, (b"a", b"\xff" * 20)], "tensor_bundle_damaged"),
        ([HEADER, (b"a", entry(1 << 63, length=4))], "tensor_bundle_damaged"),
    ],
)
def test_senseless_indexes(tmp_path: Path, entries: list[tuple[bytes, bytes]], code: str) -> None:
    (tmp_path / "hand.index").write_bytes(table(entries))
    assert refusal(tmp_path / "hand.index").code == f"checkpoint.{code}"


def test_an_unknown_compression_is_named(tmp_path: Path) -> None:
    (tmp_path / "hand.index").write_bytes(table([HEADER, (b"a", entry(4))], kind=2))
    assert refusal(tmp_path / "hand.index").code == "checkpoint.tensor_bundle_compressed"


@examples(300, shared_fixtures=True)
@given(st.data())
def test_damage_ends_in_a_message(tmp_path: Path, saved: Path, data: st.DataObject) -> None:
    prefix = data.draw(st.sampled_from(PREFIXES))
    damaged = bytearray((saved / f"{prefix}.index").read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        damaged[data.draw(st.integers(0, len(damaged) - 9))] = data.draw(st.integers(0, 255))
    (tmp_path / "damaged.index").write_bytes(damaged)
    with suppress(UserError):  # whatever else is raised fails
        open_checkpoint(tmp_path / "damaged.index")
