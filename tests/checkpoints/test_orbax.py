"""Orbax folders that Orbax 0.12 saved in each of its layouts, held against its own description of them."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.checkpoints.contents import Reading
from optmem_gui.checkpoints.ocdbt import MANIFEST, Store
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from tests.checkpoints.builders import codes, refusal
from tests.checkpoints.recorded import held, unpack
from tests.checkpoints.test_flax import model_of, recorded
from tests.examples import examples

LAYOUTS = ("ocdbt", "ocdbt-zarr3", "zarr", "zarr3", "manager", "items")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("jax", tmp_path_factory.mktemp("jax"))


@pytest.fixture
def copied(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


@pytest.mark.parametrize("name", LAYOUTS)
def test_arrays_are_those_that_orbax_describes(saved: Path, name: str) -> None:
    checkpoint = open_checkpoint(saved / name)
    assert held(checkpoint) == model_of(name)
    assert (checkpoint.format, checkpoint.complete) == ("orbax", True)
    assert checkpoint.bytes_read < checkpoint.file_bytes
    assert checkpoint.file_count == sum(path.is_file() for path in (saved / name).rglob("*"))


@pytest.mark.parametrize("name", ["manager", "items"])
def test_the_state_of_optax_is_found(saved: Path, name: str) -> None:
    found = open_checkpoint(saved / name).optimizer
    assert found is not None
    state = [row for path, row in recorded(name).items() if "opt_state" in path]
    assert found.element_count == sum(prod(shape) for shape, _ in state if shape)
    assert (found.kind, found.states, found.step_count) == ("adam", ("mu", "nu"), 1)
    assert found.match is not None
    assert (found.match.id, found.match.exact) == ("optax.adam", True)


def test_a_step_or_an_item_can_be_chosen(saved: Path) -> None:
    for place in ("manager/3", "manager/3/default", "items/5/params"):
        assert open_checkpoint(saved / place).param_count == open_checkpoint(saved / "manager").param_count


def test_the_last_step_counts(copied: Path) -> None:
    (copied / "manager" / "10").mkdir()
    shutil.copytree(copied / "items" / "5", copied / "manager" / "10", dirs_exist_ok=True)
    shutil.rmtree(copied / "manager" / "10" / "opt_state")
    assert open_checkpoint(copied / "manager").optimizer is None


def test_what_is_missing_is_told(copied: Path) -> None:
    for file in (copied / "ocdbt").glob("ocdbt.process_0/d/*"):
        file.unlink()
    checkpoint = open_checkpoint(copied / "ocdbt")
    assert (checkpoint.complete, held(checkpoint)) == (False, model_of("ocdbt"))
    assert "data_files_missing" in codes(checkpoint)
    shutil.rmtree(copied / "zarr" / "params.Dense_0.kernel")
    checkpoint = open_checkpoint(copied / "zarr")
    assert not checkpoint.complete
    assert "Dense_0.kernel" not in held(checkpoint)
    assert "orbax_absent" in codes(checkpoint)


def test_shapes_alone_are_offered_as_such(copied: Path) -> None:
    (copied / "ocdbt" / MANIFEST).unlink()
    checkpoint = open_checkpoint(copied / "ocdbt")
    assert {name: shape for name, (shape, _) in held(checkpoint).items()} == {
        name: shape for name, (shape, _) in model_of("ocdbt").items()
    }
    assert not checkpoint.complete
    assert "orbax_shapes_only" in codes(checkpoint)


def test_a_tree_node_that_is_missing_or_cut_is_refused(copied: Path) -> None:
    folder = copied / "ocdbt" / "d"
    (node,) = folder.iterdir()
    node.write_bytes(node.read_bytes()[:-40])
    assert refusal(copied / "ocdbt").code == "checkpoint.ocdbt_cut"
    node.unlink()
    assert refusal(copied / "ocdbt").code == "checkpoint.not_found"


def test_nothing_at_all_is_refused(tmp_path: Path) -> None:
    (tmp_path / "_METADATA").write_text("{}")
    assert refusal(tmp_path).code == "checkpoint.orbax_no_arrays"


@pytest.mark.parametrize(
    "tree",
    [
        {"shape": [3]},
        {"shape": 3, "dtype": "<f4"},
        {"shape": [-1], "dtype": "<f4"},
        {"shape": [1.5], "dtype": "<f4"},
    ],
)
def test_a_description_that_is_none_is_refused(tmp_path: Path, tree: dict[str, object]) -> None:
    (tmp_path / "_METADATA").write_text("{}")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / ".zarray").write_text(json.dumps(tree))
    assert refusal(tmp_path).code == "checkpoint.zarr_bad"


def test_types_by_code_and_by_name(tmp_path: Path) -> None:
    (tmp_path / "_METADATA").write_text("{}")
    codes_of = {
        "<f4": "fp32",
        ">f8": "fp64",
        "<f2": "fp16",
        "|b1": "bool",
        "|u1": "uint8",
        "bfloat16": "bf16",
    }
    for index, code in enumerate((*codes_of, "<M8")):
        (tmp_path / f"w{index}").mkdir()
        (tmp_path / f"w{index}" / ".zarray").write_text(json.dumps({"shape": [index], "dtype": code}))
    checkpoint = open_checkpoint(tmp_path)
    assert [row[2].id for row in checkpoint.inventory.rows] == list(codes_of.values())
    assert "array_types_unknown" in codes(checkpoint)


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def wrap(magic: int, body: bytes) -> bytes:
    """A manifest or node that is not compressed."""
    size = 4 + 8 + 2 + len(body) + 4
    return magic.to_bytes(4, "big") + size.to_bytes(8, "little") + b"\0\0" + body + bytes(4)


def files(*names: str) -> bytes:
    """A table of data files that share nothing."""
    count = len(names)
    suffixes = b"".join(varint(len(name)) for name in names)
    return varint(count) + bytes(max(count - 1, 0)) + suffixes + bytes(count) + "".join(names).encode()


def manifest(node: bytes, file: str = "d/0", *, kind: int = 0, height: int = 0) -> bytes:
    config = bytes(16) + varint(kind) + varint(100) + varint(1000) + b"\4" + varint(0)
    version = varint(1) + varint(1) + bytes([height]) + varint(0) + varint(0) + varint(len(node))
    return wrap(0x0CDB3A2A, config + files(file) + version + bytes(3) + bytes(8) + varint(0))


def leaf(name: bytes, value: bytes) -> bytes:
    sizes = varint(len(name)) + name + varint(len(value)) + varint(0)
    return wrap(0x0CDB20DE, b"\0" + files() + varint(1) + sizes + value)


def store(folder: Path, node: bytes) -> Path:
    (folder / "d").mkdir()
    (folder / "d" / "0").write_bytes(node)
    (folder / MANIFEST).write_bytes(manifest(node))
    return folder


def test_a_store_written_by_hand(tmp_path: Path) -> None:
    description = json.dumps({"shape": [3, 5], "dtype": "<f4"}).encode()
    folder = store(tmp_path, leaf(b"params.w/.zarray", description))
    ((name, value),) = Store(folder, Reading()).items()
    assert (name, value.inline) == ("params.w/.zarray", description)
    assert held(open_checkpoint(folder)) == {"w": ((3, 5), "fp32")}


def test_a_tree_of_two_levels_written_by_hand(tmp_path: Path) -> None:
    node = leaf(b"w/.zarray", json.dumps({"shape": [7], "dtype": "<f2"}).encode())
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "leaf").write_bytes(b"before" + node)
    key = b"params.w/.zarray"  # the first 7 bytes are common to the whole subtree
    keys = varint(len(key)) + varint(7) + key
    place = varint(0) + varint(6) + varint(len(node)) + bytes(3)
    root = wrap(0x0CDB20DE, b"\1" + files("d/leaf") + varint(1) + keys + place)
    (tmp_path / "d" / "0").write_bytes(root)
    (tmp_path / MANIFEST).write_bytes(manifest(root, height=1))
    assert held(open_checkpoint(tmp_path)) == {"w": ((7,), "fp16")}


def test_hostile_stores(tmp_path: Path) -> None:
    node = leaf(b"w/.zarray", b"{}")
    (tmp_path / MANIFEST).write_bytes(manifest(node, "../secret"))
    assert refusal(tmp_path).code == "checkpoint.index_leaves_folder"
    (tmp_path / MANIFEST).write_bytes(manifest(node, "/etc/passwd"))
    assert refusal(tmp_path).code == "checkpoint.index_leaves_folder"
    (tmp_path / MANIFEST).write_bytes(manifest(node, kind=1))
    assert refusal(tmp_path).code == "checkpoint.ocdbt_numbered"
    (tmp_path / MANIFEST).write_bytes(manifest(node)[:-1])
    assert refusal(tmp_path).code == "checkpoint.ocdbt_damaged"
    (tmp_path / MANIFEST).write_bytes(b"")
    assert refusal(tmp_path).code == "checkpoint.ocdbt_damaged"


@examples(200, shared_fixtures=True)
@given(st.data())
def test_damage_ends_in_a_message(tmp_path: Path, saved: Path, data: st.DataObject) -> None:
    folder = tmp_path / "damaged"
    if not folder.exists():
        shutil.copytree(saved / "ocdbt", folder)
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    name = data.draw(st.sampled_from(names))
    whole = (folder / name).read_bytes()
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    (folder / name).write_bytes(damaged)
    with suppress(UserError):  # whatever else is raised fails
        open_checkpoint(folder)
    (folder / name).write_bytes(whole)
