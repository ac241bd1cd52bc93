"""Keras files that Keras 3.15 and tf_keras 2.21 saved, held against what they say is in them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.keras_config import parse_config, snake_case
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal
from tests.checkpoints.recorded import dots, held, rows, said, state_of, trainable, unpack

KERAS_3 = ("model.keras", "model.weights.h5", "legacy.h5", "nested.keras", "deep.keras")
FILES = {**dict.fromkeys(KERAS_3, "keras"), "tf_keras.h5": "tensorflow", "tf_keras.keras": "tensorflow"}
TRAINED = {"legacy.h5", "model.keras", "model.weights.h5", "nested.keras", "tf_keras.h5", "tf_keras.keras"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keras")
    unpack("keras", folder)
    return unpack("tensorflow", folder)


def recorded(name: str) -> Any:
    return said(FILES[name])[name]


@pytest.mark.parametrize("name", list(FILES))
def test_names_shapes_and_types_are_those_of_keras(saved: Path, name: str) -> None:
    checkpoint = open_checkpoint(saved / name)
    assert held(checkpoint) == rows(recorded(name)["weights"])
    assert checkpoint.format == ("keras" if name.endswith(".keras") else "hdf5")
    assert checkpoint.complete


@pytest.mark.parametrize("name", list(FILES))
def test_what_is_trained_is_what_keras_trains(saved: Path, name: str) -> None:
    weights = recorded(name)["weights"]
    trained = {dots(row[0]) for row in weights if row[3]}
    if name == "model.weights.h5":  # weights alone do not say that a layer is frozen
        trained |= {"frozen.kernel", "frozen.bias"}
    assert trainable(open_checkpoint(saved / name)) == trained


@pytest.mark.parametrize("name", sorted(TRAINED))
def test_the_optimizer_in_the_file_is_named_and_counted(saved: Path, name: str) -> None:
    found = open_checkpoint(saved / name).optimizer
    assert found is not None
    assert found.match is not None
    assert (found.element_count, found.state_bytes, found.step_count) == state_of(recorded(name)["optimizer"])
    library = "tf_keras" if FILES[name] == "tensorflow" else "keras"
    assert (found.kind, found.match.id) == ("adam", f"{library}.{recorded(name)['class']}")
    assert found.match.exact
    assert found.param_count == found.element_count // len(found.states)
    assert found.match.options == ((("amsgrad", True),) if name == "nested.keras" else ())


def test_layers_stand_in_the_order_of_the_model(saved: Path) -> None:
    for name in ("deep.keras", "nested.keras", "legacy.h5"):
        recorded_names = [dots(row[0]) for row in recorded(name)["weights"]]
        names = [row[0] for row in open_checkpoint(saved / name).inventory.rows]
        assert layers(names) == layers(recorded_names)


def layers(names: list[str]) -> list[str]:
    return list(dict.fromkeys(name.partition(".")[0] for name in names))


def test_statistics_are_buffers_and_code_is_named(saved: Path) -> None:
    checkpoint = open_checkpoint(saved / "model.keras")
    assert checkpoint.buffer_count == 8
    assert "keras_lambda" in codes(checkpoint)
    assert "twice" in str(checkpoint.warnings[0])


@pytest.mark.parametrize("name", list(FILES))
def test_data_are_not_read(saved: Path, name: str) -> None:
    checkpoint = open_checkpoint(saved / name)
    assert checkpoint.bytes_read < checkpoint.file_bytes == (saved / name).stat().st_size


def legacy(path: Path, **attributes: str) -> None:
    """A legacy file of one layer of 12 + 3 weights."""
    with h5py.File(path, "w") as file:
        weights = file.create_group("model_weights")
        weights.attrs["layer_names"] = np.array([b"dense"])
        layer = weights.create_group("dense")
        layer.attrs["weight_names"] = np.array([b"dense/kernel:0", b"dense/bias:0"])
        layer.create_dataset("dense/kernel:0", data=np.zeros((4, 3), np.float32))
        layer.create_dataset("dense/bias:0", data=np.zeros(3, np.float16))
        for name, value in attributes.items():
            file.attrs[name] = value


def test_long_lists_of_names_are_put_together(tmp_path: Path) -> None:
    path = tmp_path / "chunked.h5"
    legacy(path)
    with h5py.File(path, "a") as file:
        group = file["model_weights"]
        del group.attrs["layer_names"]
        group.attrs["layer_names0"] = np.array([b"dense"])
        group.attrs["layer_names1"] = np.array([b"absent"])
    assert held(open_checkpoint(path)) == {"dense.kernel": ((4, 3), "fp32"), "dense.bias": ((3,), "fp16")}


def test_a_configuration_that_is_no_json_says_nothing(tmp_path: Path) -> None:
    legacy(tmp_path / "odd.h5", model_config="{" * 5000, training_config="[]", keras_version="2.4.0")
    checkpoint = open_checkpoint(tmp_path / "odd.h5")
    assert (checkpoint.param_count, checkpoint.trainable_count) == (15, 15)
    assert not checkpoint.warnings


def test_names_for_older_optimizers(tmp_path: Path) -> None:
    path = tmp_path / "old.h5"
    config = {"optimizer_config": {"class_name": "RMSprop", "config": {"name": "RMSprop"}}}
    legacy(path, training_config=json.dumps(config), keras_version="2.3.0")
    with h5py.File(path, "a") as file:
        group = file.create_group("optimizer_weights")
        group.create_dataset("training/RMSprop/iter:0", data=np.int64(4))
        group.create_dataset("training/RMSprop/dense/kernel/rms:0", data=np.zeros((4, 3), np.float32))
        group.create_dataset("training/RMSprop/dense/bias/rms:0", data=np.zeros(3, np.float16))
    found = open_checkpoint(path).optimizer
    assert found is not None
    assert (found.kind, found.states, found.element_count, found.state_bytes) == ("rmsprop", ("rms",), 15, 54)
    assert (found.step_count, found.step_bytes) == (1, 8)


def test_optimizer_variables_that_are_only_numbered(tmp_path: Path) -> None:
    path = tmp_path / "older.h5"
    config = {"optimizer_config": {"class_name": "Adam", "config": {}}}
    legacy(path, training_config=json.dumps(config), keras_version="2.2.4")
    with h5py.File(path, "a") as file:
        group = file.create_group("optimizer_weights/training/Adam")
        group.create_dataset("Variable:0", data=np.int64(4))
        for number, (shape, kind) in enumerate(2 * [((4, 3), "f4"), ((3,), "f2")], 1):
            group.create_dataset(f"Variable_{number}:0", data=np.zeros(shape, kind))
    found = open_checkpoint(path).optimizer
    assert found is not None
    assert (found.states, found.element_count, found.param_count) == (("m", "v"), 30, 15)
    assert found.match is not None
    assert (found.match.id, found.match.exact) == ("tf_keras.Adam", True)


def test_any_other_hdf5_file_counts_all_its_numbers(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "plain.h5", "w") as file:
        file["net/weight"] = np.zeros((5, 2))
        file["net/again"] = file["net/weight"]
        file["label"] = "text"
    checkpoint = open_checkpoint(tmp_path / "plain.h5")
    assert held(checkpoint) == {"net.again": ((5, 2), "fp64")}
    assert checkpoint.tied == (("net.weight", "net.again"),)
    assert codes(checkpoint) == {"hdf5_plain", "hdf5_no_numbers"}


def test_data_outside_the_file_are_named_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(64))
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["secret"] = np.zeros(3, np.float32)
    with h5py.File(tmp_path / "links.h5", "w") as file:
        file["soft"] = h5py.SoftLink("/nowhere")
        file["outside"] = h5py.ExternalLink("other.h5", "/secret")
        file.create_dataset("raw", (4,), "f4", external=[("secret.bin", 0, 16)])
        layout = h5py.VirtualLayout((3,), "f4")
        layout[:] = h5py.VirtualSource("other.h5", "secret", (3,))
        file.create_virtual_dataset("virtual", layout)
    checkpoint = open_checkpoint(tmp_path / "links.h5")
    assert held(checkpoint) == {"raw": ((4,), "fp32"), "virtual": ((3,), "fp32")}
    assert not checkpoint.complete
    assert {"hdf5_links", "hdf5_data_external"} <= codes(checkpoint)
    assert checkpoint.bytes_read <= (tmp_path / "links.h5").stat().st_size


def test_why_data_are_away_is_said(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "virtual.h5", "w") as file:
        layout = h5py.VirtualLayout((3,), "f4")
        layout[:] = h5py.VirtualSource("other.h5", "secret", (3,))
        file.create_virtual_dataset("virtual", layout)
    with h5py.File(tmp_path / "unwritten.h5", "w") as file:
        file.create_dataset("unwritten", (4,), "f4")
    with h5py.File(tmp_path / "cut.h5", "w") as file:
        file["cut"] = np.zeros(1000, np.float32)
    (tmp_path / "cut.h5").write_bytes((tmp_path / "cut.h5").read_bytes()[:-100])
    for why in ("virtual", "unwritten", "cut"):
        assert f"hdf5_data_{why}" in codes(open_checkpoint(tmp_path / f"{why}.h5"))


def test_a_file_cut_short_is_partial_or_refused(saved: Path, tmp_path: Path) -> None:
    data = (saved / "model.weights.h5").read_bytes()
    path = tmp_path / "cut.h5"
    path.write_bytes(data[:-100])
    checkpoint = open_checkpoint(path)
    assert not checkpoint.complete
    assert "truncated" in codes(checkpoint)
    path.write_bytes(data[:300])
    assert refusal(path).code == "checkpoint.hdf5_damaged"
    path.write_bytes(b"")
    assert refusal(path).code == "checkpoint.empty_file"
    path.write_bytes(b"text" * 300)
    assert refusal(path).code == "checkpoint.not_hdf5"


def archive(path: Path, records: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, data in records.items():
            file.writestr(name, data)
    return path


def test_archives_that_cannot_be_read_say_why(saved: Path, tmp_path: Path) -> None:
    weights = (saved / "model.weights.h5").read_bytes()
    path = tmp_path / "model.keras"
    assert refusal(archive(path, {"config.json": b"{}"})).code == "checkpoint.keras_no_weights"
    packed = archive(path, {"model.weights.h5": weights}, zipfile.ZIP_DEFLATED)
    assert refusal(packed).code == "checkpoint.keras_compressed"
    path.write_bytes(weights)
    assert refusal(path).code == "checkpoint.zip_no_directory"
    path.write_bytes(b"")
    assert refusal(path).code == "checkpoint.empty_file"


def test_an_archive_without_configuration_still_counts(saved: Path, tmp_path: Path) -> None:
    weights = (saved / "model.weights.h5").read_bytes()
    checkpoint = open_checkpoint(archive(tmp_path / "bare.keras", {"model.weights.h5": weights}))
    assert (checkpoint.param_count, checkpoint.buffer_count) == (859, 8)


def test_folders_choose_a_keras_file_that_is_alone(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "model.keras").write_bytes((saved / "model.keras").read_bytes())
    checkpoint: Checkpoint = open_checkpoint(tmp_path)
    assert (checkpoint.format, checkpoint.param_count) == ("keras", 859)


def test_class_names_become_paths_as_in_keras() -> None:
    # from the docstring's rule: capitals begin a word, runs of capitals are one
    names = {
        "BatchNormalization": "batch_normalization",
        "LSTM": "lstm",
        "Conv2DTranspose": "conv2d_transpose",
        "MultiHeadAttention": "multi_head_attention",
    }
    assert {name: snake_case(name) for name in names} == names


def test_wrapped_optimizers_and_models_are_looked_into() -> None:
    inner = {"class_name": "Dense", "config": {"name": "inner", "trainable": False}}
    model = {
        "class_name": "Sequential",
        "config": {
            "layers": [{"class_name": "TimeDistributed", "config": {"name": "outer", "layer": inner}}]
        },
        "compile_config": {
            "optimizer": {
                "class_name": "LossScaleOptimizer",
                "config": {"inner_optimizer": {"class_name": "Lion", "config": {}}},
            }
        },
    }
    config = parse_config(json.dumps(model), version="3.1.0")
    assert (config.optimizer, config.frozen, config.libraries) == (
        "Lion",
        frozenset({"inner"}),
        ("keras",),
    )
    assert config.names["layers", "time_distributed", "layer"] == "inner"
