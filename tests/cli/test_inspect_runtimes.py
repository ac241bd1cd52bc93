"""``optmem inspect`` and ``estimate``: checkpoints of Keras, TensorFlow, Flax and Orbax."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkpoints.recorded import unpack
from tests.cli.conftest import Optmem

# format, parameters, trainable, elements of buffers and of optimizer state
EXPECTED = {
    "model.keras": ("keras", 859, 841, 8, 1682),
    "legacy.h5": ("hdf5", 859, 841, 8, 1682),
    "tf_keras.h5": ("hdf5", 859, 841, 8, 1682),
    "saved": ("tensorflow", 18, 15, 0, 0),
    "objects": ("tensorflow", 859, 859, 9, 1682),
    "state.msgpack": ("flax", 447, 447, 0, 894),
    "manager": ("orbax", 447, 447, 0, 894),
    "zarr3": ("orbax", 447, 447, 14, 0),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtimes")
    for library in ("keras", "tensorflow", "jax"):
        unpack(library, folder)
    return folder


@pytest.mark.parametrize("name", list(EXPECTED))
def test_every_format_as_json_and_as_text(optmem: Optmem, saved: Path, name: str) -> None:
    document = optmem("inspect", saved / name, "--json").document
    state = document["optimizer_state"]
    found = (document["parameters"], document["trainable"], document["buffers"])
    assert (document["format"], *found, state["elements"] if state else 0) == EXPECTED[name]
    assert document["bytes_read"] > 0
    assert f"{EXPECTED[name][1]} in" in optmem("inspect", saved / name).out


def test_an_estimate_takes_the_weights(optmem: Optmem, saved: Path) -> None:
    words = ("estimate", saved / "state.msgpack", "--precision", "fp32", "--json")
    components = {item["id"]: item["bytes"] for item in optmem(*words).document["components"]}
    assert components["weights"] == 447 * 4


def test_refusals_are_one_line(optmem: Optmem, tmp_path: Path) -> None:
    for name in ("a.h5", "a.keras", "a.index", "a.pb", "a.msgpack"):
        (tmp_path / name).write_bytes(b"\0" * 64)
        assert name in optmem("inspect", tmp_path / name).refusal
