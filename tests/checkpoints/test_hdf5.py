"""HDF5 trees that h5py writes and reads, in every layout of groups that the format has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.checkpoints.contents import Reading
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.hdf5 import Hdf5, Node
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from tests.examples import examples

TYPES = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bool": "bool",
    "complex64": "complex64",
    "complex128": "complex128",
    ">i4": "int32",
}


def nodes(group: Node, path: str = "") -> Iterator[tuple[str, Node]]:
    for name, node in group.children.items():
        yield path + name, node
        yield from nodes(node, f"{path}{name}/")


def plain(value: Any) -> Any:
    """An attribute as h5py gives it, in Python's own types."""
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, np.integer):
        return int(value)
    return value.decode() if isinstance(value, bytes) else value


def compare(path: Path) -> int:
    """Hold everything against h5py; the number of data sets."""
    count = 0
    with HeaderFile(path, Reading()) as file, h5py.File(path) as truth:
        tree = Hdf5(file, 0, file.size, lambda: None)
        found = dict(nodes(tree.root))
        expected: dict[str, Any] = {}
        truth.visititems(expected.__setitem__)
        assert found.keys() == expected.keys()
        for name, item in [("", truth), *expected.items()]:
            node = found[name] if name else tree.root
            assert node.attributes == {key: plain(value) for key, value in item.attrs.items()}
            data = node.dataset
            if not isinstance(item, h5py.Dataset):
                assert data is None
                continue
            count += 1
            assert data is not None
            assert data.shape == item.shape
            assert data.stored.dtype is not None
            assert data.stored.dtype.id == TYPES.get(str(item.dtype), str(item.dtype))
            if item.chunks is None and item.size:
                assert data.held_bytes == item.size * item.dtype.itemsize
    return count


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("version", ["earliest", "v108", "latest"])
def test_every_layout_of_groups(tmp_path: Path, version: str, tracked: bool) -> None:
    path = tmp_path / "tree.h5"
    with h5py.File(path, "w", libver=version, track_order=tracked, userblock_size=1024) as file:
        for number in range(60):
            group = file.create_group(f"layers/dense_{number}/vars", track_order=tracked)
            group.attrs["name"] = f"dense_{number}"
            group.create_dataset("0", data=np.zeros((3, number), np.float32))
            group.create_dataset("1", data=np.int64(number))
        for number in range(700):  # more than one node of any tree holds
            file.create_dataset(f"many/x{number}", data=np.zeros(1, np.float16))
        for number in range(30):  # more attributes than a header keeps
            file.attrs[f"text{number}"] = "x" * number
            file.attrs[f"number{number}"] = number
        file.attrs["fixed"] = np.array([b"one", b"three"])
        file.attrs["variable"] = ["one", "три"]
        for kind in ("?", "c8", "c16", "f8", "u2", "i1", ">i4"):
            file.create_dataset(f"types/{kind}", data=np.zeros(4, kind))
        file.create_dataset("chunked", data=np.zeros((100, 10), "f2"), chunks=(10, 10), compression="gzip")
    assert compare(path) == 60 * 2 + 700 + 7 + 1


@examples(40, shared_fixtures=True)
@given(
    st.dictionaries(
        st.lists(st.text("abcdé_0", min_size=1, max_size=12), min_size=2, max_size=4).map("/g/".join),
        st.tuples(st.lists(st.integers(0, 5), max_size=4), st.sampled_from(["f4", "f2", "i8", "u1"])),
        max_size=12,
    ),
    st.sampled_from(["earliest", "latest"]),
    st.booleans(),
)
def test_any_tree(tmp_path: Path, tree: dict[str, Any], version: str, tracked: bool) -> None:
    path, count = tmp_path / "any.h5", 0
    with h5py.File(path, "w", libver=version, track_order=tracked) as file:
        for name, (shape, kind) in tree.items():
            with suppress(ValueError, TypeError):  # the name of a group, or below a data set
                file.create_dataset(f"root/{name}", shape, kind, data=np.zeros(shape, kind))
                count += 1
    assert compare(path) == count


def test_groups_that_contain_themselves_are_entered_once(tmp_path: Path) -> None:
    path = tmp_path / "loop.h5"
    with h5py.File(path, "w") as file:
        group = file.create_group("a/b")
        group["back"] = file["a"]
        group["data"] = np.zeros(7, np.float32)
    assert open_checkpoint(path).param_count == 7


def test_reading_costs_the_metadata_only(tmp_path: Path) -> None:
    path = tmp_path / "large.h5"
    with h5py.File(path, "w") as file:
        data = file.create_dataset("weight", (1 << 28,), np.float32)
        data[-1] = 1  # written late, the rest is a hole in the file
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.complete) == (1 << 28, True)
    assert checkpoint.bytes_read < 8192


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder, found = tmp_path_factory.mktemp("samples"), []
    for version in ("earliest", "latest"):
        with h5py.File(
            folder / f"{version}.h5", "w", libver=version, track_order=version == "latest"
        ) as file:
            for number in range(12):
                file.create_dataset(f"layers/d{number}/vars/0", data=np.zeros(3, np.float32)).attrs["n"] = "x"
            file.attrs["names"] = ["a", "b"]
        found.append((folder / f"{version}.h5").read_bytes())
    return found


@examples(400, shared_fixtures=True)
@given(st.data())
def test_damage_ends_in_a_message(tmp_path: Path, samples: list[bytes], data: st.DataObject) -> None:
    damaged = bytearray(data.draw(st.sampled_from(samples)))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.sampled_from([0, 1, 2, 8, 127, 128, 255]) | st.integers(0, 255))
    path = tmp_path / "damaged.h5"
    path.write_bytes(damaged[: data.draw(st.integers(len(damaged) // 2, len(damaged)))])
    with suppress(UserError):  # whatever else is raised fails
        open_checkpoint(path)
