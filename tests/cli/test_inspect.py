"""``optmem inspect``: files that torch and safetensors wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import onnx
import pytest
import torch
from safetensors.torch import save_file

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.model import group_model
from optmem_gui.core.scenario import Scenario
from optmem_gui.report.scenario_file import save_scenario
from tests.cli.conftest import Optmem

KEYS = {
    "format", "parameters", "trainable", "tensors", "bytes", "dtypes", "tied", "buffers", "optimizer_state",
    "complete", "warnings", "bytes_read",
}  # fmt: skip


def test_a_batchnorm_saved_with_adam(optmem: Optmem, tmp_path: Path) -> None:
    model = torch.nn.BatchNorm2d(10)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(4, 10, 2, 2)).sum().backward()
    optimizer.step()
    path = tmp_path / "checkpoint.pt"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    document = optmem("inspect", path, "--json").document
    assert set(document) >= KEYS
    # weight and bias; running mean and variance and the batch counter; two moments of each parameter
    assert (document["parameters"], document["buffers"]) == (20, 20 + 1)
    assert (document["optimizer_state"]["kind"], document["optimizer_state"]["elements"]) == ("adam", 40)


def test_sizes_of_a_safetensors_file(optmem: Optmem, tmp_path: Path) -> None:
    path = tmp_path / "模型 ü.safetensors"
    save_file({"a.weight": torch.zeros(3, 5), "b.weight": torch.zeros(7, dtype=torch.bfloat16)}, path)
    document = optmem("inspect", path, "--json").document
    assert (document["format"], document["parameters"], document["tensors"]) == ("safetensors", 22, 2)
    assert document["bytes"] == 15 * 4 + 7 * 2
    assert document["dtypes"] == {"fp32": 15, "bf16": 7}
    assert document["complete"] is True
    header = int.from_bytes(path.read_bytes()[:8], "little")
    assert document["bytes_read"] <= 8 + header
    assert "22 in 2 tensors" in optmem("inspect", path).out


def _write_gguf(path: Path) -> None:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tensor("blk.0.attn_q.weight", np.zeros((3, 5), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_onnx(path: Path) -> None:
    weight = onnx.numpy_helper.from_array(np.zeros((3, 5), np.float32), "w")
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], [weight])), path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("m.gguf", _write_gguf),
        ("m.onnx", _write_onnx),
        ("m.npz", lambda path: np.savez(path, w=np.zeros((3, 5), np.float32))),
        ("m.npy", lambda path: np.save(path, np.zeros((3, 5), np.float32))),
    ],
)
def test_formats_of_other_libraries(
    optmem: Optmem, tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    path = tmp_path / name
    write(path)
    document = optmem("inspect", path, "--json").document
    assert set(document) >= KEYS
    assert (document["format"], document["parameters"], document["bytes"]) == (name[2:], 15, 60)
    assert document["complete"] is True
    assert "15 in 1 tensors" in optmem("inspect", path).out
    path.write_bytes(path.read_bytes()[:20])
    refused = optmem("inspect", path)
    assert refused.refusal.startswith(f"optmem: {path}: ")


def test_estimate_takes_the_parameters_of_a_file(optmem: Optmem, tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    save_file({"a.weight": torch.zeros(1000, 10)}, path)
    words = ("--optimizer", "sgd", "--precision", "fp32", "--json")
    document = optmem("estimate", path, *words).document
    parts = {row["id"]: row["bytes"] for row in document["components"]}
    assert (parts["weights"], parts["gradients"]) == (40_000, 40_000)
    assert parts["activations"] is None  # nothing is known of what is between the tensors
    assert "assume.no_architecture" in {note["code"] for note in document["assumptions"]}


def test_a_scenario_says_when_its_model_changed(optmem: Optmem, tmp_path: Path) -> None:
    model, run = tmp_path / "m.safetensors", tmp_path / "run.optmem"
    save_file({"a.weight": torch.zeros(8, 4)}, model)
    save_scenario(run, Scenario(group_model(open_checkpoint(model).spec)))
    assert optmem("estimate", run, "--json").document["warnings"] == []
    save_file({"a.weight": torch.zeros(9, 4)}, model)
    document = optmem("estimate", run, "--json").document
    assert [note["code"] for note in document["warnings"]] == ["scenario_file.model_changed"]
    assert document["parameters"]["total"] == 32


@pytest.mark.parametrize("command", ["inspect", "estimate"])
def test_a_bad_file_is_one_line_with_its_path(optmem: Optmem, tmp_path: Path, command: str) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(b"\xff" * 64)
    answer = optmem(command, path, "--json")
    assert answer.refusal.startswith(f"optmem: {path}: ")
    assert answer.refusal.count(path.name) == 1
    assert set(answer.document["error"]) == {"code", "message"}


def test_a_missing_file_and_an_empty_folder(optmem: Optmem, tmp_path: Path) -> None:
    assert "no such file" in optmem("inspect", tmp_path / "none.pt").refusal
    assert str(tmp_path) in optmem("inspect", tmp_path).refusal


def test_json_is_plain_enough_for_any_reader(optmem: Optmem) -> None:
    text = optmem("optimizers", "--json").out
    assert json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
