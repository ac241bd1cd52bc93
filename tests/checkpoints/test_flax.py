"""Flax msgpack files that Flax 0.12 saved, and ones packed here by msgspec."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.checkpoints.flax_tree import tree_contents
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.dtypes import F32
from optmem_gui.core.errors import UserError
from tests.checkpoints.builders import codes, refusal
from tests.checkpoints.recorded import TYPES, held, said, trainable, unpack
from tests.examples import examples

FILES = ("params.msgpack", "variables.msgpack", "state.msgpack", "chunked.msgpack")
KEY = re.compile(r"\['([^']*)'\]|\[(\d+)\]|\.(\w+)")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("jax", tmp_path_factory.mktemp("jax"))


def recorded(name: str) -> dict[tuple[str, ...], tuple[tuple[int, ...], str]]:
    """Arrays by their path, as JAX gives them."""
    return {
        tuple("".join(found) for found in KEY.findall(path)): (tuple(shape), TYPES[dtype])
        for path, shape, dtype, _ in said("jax")[name]["arrays"]
    }


def model_of(name: str) -> dict[str, tuple[tuple[int, ...], str]]:
    """Those of them that are the model, by the names the program gives them."""
    return {
        ".".join(path[1:] if path[0] == "params" else path): row
        for path, row in recorded(name).items()
        if "opt_state" not in path and path != ("step",)
    }


@pytest.mark.parametrize("name", FILES)
def test_arrays_are_those_that_flax_saved(saved: Path, name: str) -> None:
    checkpoint = open_checkpoint(saved / name)
    assert held(checkpoint) == model_of(name)
    assert checkpoint.complete
    assert checkpoint.bytes_read <= checkpoint.file_bytes


def test_statistics_are_buffers(saved: Path) -> None:
    checkpoint = open_checkpoint(saved / "variables.msgpack")
    assert checkpoint.buffer_count == 7 + 7
    assert not any("batch_stats" in name for name in trainable(checkpoint))


def test_the_state_of_optax_is_found(saved: Path) -> None:
    found = open_checkpoint(saved / "state.msgpack").optimizer
    assert found is not None
    state = {path: row for path, row in recorded("state.msgpack").items() if "opt_state" in path}
    assert found.element_count == sum(prod(shape) for shape, _ in state.values() if shape)
    assert found.state_bytes == sum(prod(s) * {"fp32": 4, "bf16": 2}[d] for s, d in state.values() if s)
    assert (found.kind, found.states, found.step_count) == ("adam", ("mu", "nu"), 1)
    assert found.match is not None
    assert (found.match.id, found.match.exact) == ("optax.adam", True)
    assert "optax.adamw" in found.match.also  # which was it: both keep the same


def array(*shape: int, kind: str = "float32", size: int | None = None) -> msgspec.msgpack.Ext:
    count = prod(shape) * {"float32": 4, "bfloat16": 2, "int32": 4}.get(kind, 1)
    data = bytes(count if size is None else size)
    return msgspec.msgpack.Ext(1, msgspec.msgpack.encode([shape, kind, data]))


def write(path: Path, tree: Any) -> Path:
    path.write_bytes(msgspec.msgpack.encode(tree))
    return path


def test_large_arrays_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path / "large.msgpack", {"dense": {"kernel": array(3000, 1000), "bias": array(1000)}})
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 3_001_000
    assert checkpoint.bytes_read < 20_000


def test_a_sharded_model_of_hugging_face(tmp_path: Path) -> None:
    names = [f"flax_model-0000{number}-of-00002.msgpack" for number in (1, 2)]
    write(tmp_path / names[0], {"model": {"embed": {"embedding": array(10, 4)}}})
    write(tmp_path / names[1], {"model": {"head": {"kernel": array(4, 10)}}})
    index = {
        "metadata": {"total_size": 320},
        "weight_map": {"model/embed/embedding": names[0], "model/head/kernel": names[1]},
    }
    (tmp_path / "flax_model.msgpack.index.json").write_text(json.dumps(index))
    for place in (tmp_path, tmp_path / names[1], tmp_path / "flax_model.msgpack.index.json"):
        checkpoint = open_checkpoint(place)
        assert (checkpoint.param_count, checkpoint.complete) == (80, True)
        assert not checkpoint.warnings
    (tmp_path / names[0]).unlink()
    assert "shards_missing" in codes(open_checkpoint(tmp_path))


def test_a_safetensors_file_beside_it_counts_first(tmp_path: Path, sharded: Path) -> None:
    write(sharded / "flax_model.msgpack", {"w": array(5)})
    checkpoint = open_checkpoint(sharded)
    assert checkpoint.format == "safetensors"
    assert "files_ignored" in codes(checkpoint)


def test_collections_averages_and_nnx() -> None:
    tree = [
        (("params", "dense", "kernel", "value"), (3, 4), F32),
        (("params", "bn", "scale", "value"), (4,), F32),
        (("params", "bn", "mean", "value"), (4,), F32),
        (("ema_params", "dense", "kernel"), (3, 4), F32),
        (("cache", "index"), (7,), F32),
        (("rng",), (2,), F32),
    ]
    contents = tree_contents(tree, 0)
    assert [row[0] for row in contents.rows] == ["dense.kernel", "bn.scale", "bn.mean", "cache.index"]
    assert set(contents.known) == {"bn.mean", "cache.index"}
    assert {reason.key for reason in contents.warnings} == {
        "checkpoint.average_ignored",
        "checkpoint.other_tensors",
    }


@pytest.mark.parametrize(
    ("tree", "code"),
    [
        ([1, 2], "msgpack_damaged"),
        ({"a": array(2, size=7)}, "size_mismatch"),
        ({"a": array(1 << 40, 1 << 40, size=1)}, "tensor_too_large"),
        ({"a": msgspec.msgpack.Ext(1, b"\x93\x91")}, "msgpack_damaged"),
        ({"a": {"__msgpack_chunked_array__": True, "shape": {"0": 5}}}, "msgpack_damaged"),
    ],
)
def test_senseless_files(tmp_path: Path, tree: Any, code: str) -> None:
    assert refusal(write(tmp_path / "odd.msgpack", tree)).code == f"checkpoint.{code}"


def test_hostile_counts_and_depths(tmp_path: Path) -> None:
    path = tmp_path / "odd.msgpack"
    path.write_bytes(b"\xdf\xff\xff\xff\xff")  # a map of four billion pairs in five bytes
    assert refusal(path).code == "checkpoint.msgpack_damaged"
    path.write_bytes(b"\x81\xa1a" * 100_000 + b"\xc0")
    assert refusal(path).code == "checkpoint.nested_too_deeply"
    path.write_bytes(b"")
    assert refusal(path).code == "checkpoint.empty_file"


def test_unknown_types_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "odd.msgpack", {"a": array(3, kind="float4_e2m1fn", size=3), "b": array(2)})
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 2
    assert "float4_e2m1fn" in str(checkpoint.warnings[0])


def test_every_cut_is_refused(saved: Path, tmp_path: Path) -> None:
    data = (saved / "params.msgpack").read_bytes()
    path = tmp_path / "cut.msgpack"
    for length in range(1, len(data), 41):
        path.write_bytes(data[:length])
        assert refusal(path).code == "checkpoint.msgpack_damaged"


@examples(300, shared_fixtures=True)
@given(st.data())
def test_damage_ends_in_a_message(tmp_path: Path, saved: Path, data: st.DataObject) -> None:
    damaged = bytearray((saved / data.draw(st.sampled_from(FILES))).read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "damaged.msgpack").write_bytes(damaged)
    with suppress(UserError):  # whatever else is raised fails
        open_checkpoint(tmp_path / "damaged.msgpack")
