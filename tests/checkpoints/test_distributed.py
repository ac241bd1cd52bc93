"""torch distributed checkpoints that torch writes, on one rank and on two, and damaged copies of them."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.distributed.checkpoint.metadata import Metadata
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    get_state_dict,
)
from torch.distributed.checkpoint.state_dict_saver import save

from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.filterwarnings(
    "ignore::UserWarning",  # of torch, which writes the files, not of ours
    "ignore::FutureWarning",  # as above
)
PARAMETERS = {"0.weight": (32, 16), "0.bias": (32,), "2.weight": (8, 32), "2.bias": (8,)}
COUNT = 32 * 16 + 32 + 8 * 32 + 8


def _trained() -> tuple[nn.Module, torch.optim.Optimizer]:
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))
    optimizer = torch.optim.AdamW(model.parameters())
    torch.autograd.backward(model(torch.randn(4, 16)).sum())
    optimizer.step()
    return model, optimizer


def _save(state: dict[str, Any], folder: Path) -> Path:
    save(state, checkpoint_id=folder, no_dist=True)
    return folder


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A model and its optimizer, saved by one rank."""
    model, optimizer = _trained()
    weights, state = get_state_dict(model, optimizer)
    return _save({"model": weights, "optim": state}, tmp_path / "step-1")


def test_model_and_optimizer_come_from_the_index_alone(saved: Path) -> None:
    checkpoint = open_checkpoint(saved)
    assert checkpoint.format == "torch-distributed"
    assert {tensor.name: tensor.shape for tensor in checkpoint.spec.parameters} == PARAMETERS
    assert checkpoint.complete
    assert checkpoint.bytes_read == (saved / ".metadata").stat().st_size
    found = checkpoint.optimizer
    assert found is not None
    assert (found.kind, found.param_count, found.entry_count) == ("adam", COUNT, 4)
    assert (found.state_bytes, found.step_bytes) == (2 * 4 * COUNT, 4 * 4)
    assert found.match is not None
    assert found.match.exact
    assert "torch.AdamW" in (found.match.id, *found.match.also)
    assert not codes(checkpoint)


@pytest.mark.parametrize("name", [".metadata", "__0_0.distcp"])
def test_any_of_its_files_stands_for_the_folder(saved: Path, name: str) -> None:
    assert open_checkpoint(saved / name).param_count == COUNT


def test_keys_of_an_optimizer_joined_by_dots(tmp_path: Path) -> None:
    """As torchtitan saves them: the model at the root, ``optimizer.state.<parameter>.<state>`` beside it."""
    model, optimizer = _trained()
    options = StateDictOptions(flatten_optimizer_state_dict=True)
    state = {
        **model.state_dict(),
        "optimizer": get_optimizer_state_dict(model, optimizer, options=options),
        "lr_scheduler": {"last_epoch": 1},
        "train_state": {"step": torch.tensor(1)},
    }
    checkpoint = open_checkpoint(_save(state, tmp_path / "step-1"))
    assert {tensor.name: tensor.shape for tensor in checkpoint.spec.parameters} == PARAMETERS
    assert checkpoint.optimizer is not None
    assert checkpoint.optimizer.state_bytes == 2 * 4 * COUNT
    assert checkpoint.optimizer.param_count == COUNT


def test_shards_of_two_ranks_are_whole_tensors(tmp_path: Path) -> None:
    folder = tmp_path / "step-1"
    command = [sys.executable, "-m", "tests.checkpoints.two_ranks", str(folder)]
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, run.stderr
    checkpoint = open_checkpoint(folder)
    assert {tensor.name: tensor.shape for tensor in checkpoint.spec.parameters} == PARAMETERS
    assert checkpoint.optimizer is not None
    assert checkpoint.optimizer.state_bytes == 2 * 4 * COUNT
    assert checkpoint.complete
    assert codes(checkpoint) == {"saved_by_ranks"}


def test_a_missing_or_short_data_file_is_said(saved: Path) -> None:
    data = saved / "__0_0.distcp"
    content = data.read_bytes()
    data.write_bytes(content[:-1])
    cut = open_checkpoint(saved)
    data.unlink()
    gone = open_checkpoint(saved)
    for checkpoint in (cut, gone):
        assert checkpoint.param_count == COUNT
        assert not checkpoint.complete
        assert "dcp_files_missing" in codes(checkpoint)


def _edited(saved: Path, edit: Any) -> Path:
    path = saved / ".metadata"
    metadata: Metadata = pickle.loads(path.read_bytes())  # noqa: S301  # written by this test
    edit(metadata)
    path.write_bytes(pickle.dumps(metadata))
    return saved


def _lose_a_chunk(metadata: Metadata) -> None:
    metadata.state_dict_metadata["model.0.weight"].chunks.clear()  # type: ignore[union-attr]  # a tensor


def _grow_a_tensor(metadata: Metadata) -> None:
    metadata.state_dict_metadata["model.0.weight"].size = torch.Size((64, 16))  # type: ignore[union-attr]  # values of a table of cases


def _move_a_chunk(metadata: Metadata) -> None:
    metadata.state_dict_metadata["model.0.weight"].chunks[0].offsets = torch.Size((1, 0))  # type: ignore[union-attr]  # values of a table of cases


def _claim_more_bytes(metadata: Metadata) -> None:
    for item in metadata.storage_data.values():
        item.length = 3


def _leave_the_folder(metadata: Metadata) -> None:
    for item in metadata.storage_data.values():
        item.relative_path = "../other"


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (_lose_a_chunk, "dcp_uncovered"),
        (_grow_a_tensor, "dcp_uncovered"),
        (_claim_more_bytes, "dcp_short_chunks"),
    ],
)
def test_chunks_that_do_not_add_up_are_said(saved: Path, edit: Any, code: str) -> None:
    assert code in codes(open_checkpoint(_edited(saved, edit)))


@pytest.mark.parametrize(("edit", "code"), [(_move_a_chunk, "dcp_chunk"), (_leave_the_folder, "dcp_path")])
def test_an_index_that_lies_is_refused(saved: Path, edit: Any, code: str) -> None:
    assert refusal(_edited(saved, edit)).code == f"checkpoint.{code}"


class _Evil:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (print, ("executed",))


def test_nothing_in_an_index_is_executed(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def plant(metadata: Metadata) -> None:
        metadata.planner_data = _Evil()

    path = saved / ".metadata"
    metadata: Metadata = pickle.loads(path.read_bytes())  # noqa: S301  # written by this test
    plant(metadata)
    path.write_bytes(pickle.dumps(metadata))
    checkpoint = open_checkpoint(saved)
    assert capsys.readouterr().out == ""
    assert "code_references" in codes(checkpoint)


@pytest.mark.parametrize(
    "content", [b"", b"abc", pickle.dumps({"state_dict_metadata": {}}), pickle.dumps([1])]
)
def test_what_is_no_index_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".metadata").write_bytes(content)
    assert refusal(tmp_path).code in ("checkpoint.dcp_metadata", "checkpoint.pickle_damaged")


def test_accelerate_keeps_model_and_optimizer_in_folders(saved: Path, tmp_path: Path) -> None:
    """``pytorch_model_fsdp_0`` and ``optimizer_0``, as accelerate's FSDP utilities write them."""
    model, optimizer = _trained()
    weights, state = get_state_dict(model, optimizer)
    root = tmp_path / "checkpoint"
    _save({"model": weights}, root / "pytorch_model_fsdp_0")
    _save({"optimizer": state}, root / "optimizer_0")
    checkpoint = open_checkpoint(root)
    assert checkpoint.format == "accelerate-fsdp"
    assert checkpoint.param_count == COUNT
    assert checkpoint.optimizer is not None
    assert checkpoint.optimizer.param_count == COUNT


def _megatron(folder: Path) -> Path:
    """Megatron-Core's names: layers stacked, ``optimizer.state.<state>.<parameter>``, groups in common.pt."""
    weights = {
        "decoder.layers.mlp.linear_fc1.weight": torch.zeros(2, 8, 4),
        "embedding.word_embeddings.weight": torch.zeros(16, 4),
    }
    state = {
        f"optimizer.state.{name}.{key}": torch.zeros(value.shape)
        for key, value in weights.items()
        for name in ("exp_avg", "exp_avg_sq", "fp32_param")
    }
    held = {key: value.to(torch.bfloat16) for key, value in weights.items()}
    _save({**held, **state}, folder)
    group = {
        "lr": 1e-3,
        "betas": (0.9, 0.95),
        "eps": 1e-8,
        "weight_decay": 0.1,
        "bias_correction": True,
        "step": 5,
    }
    torch.save({"optimizer": {"optimizer": {"param_groups": [group]}}, "iteration": 5}, folder / "common.pt")
    (folder / "metadata.json").write_text('{"sharded_backend": "torch_dist", "sharded_backend_version": 1}')
    return folder


def test_megatron_keeps_stacked_layers_and_master_weights(tmp_path: Path) -> None:
    folder = _megatron(tmp_path / "iter_0000005")
    (tmp_path / "latest_checkpointed_iteration.txt").write_text("5")
    for path in (tmp_path, folder):
        checkpoint = open_checkpoint(path)
        assert checkpoint.format == "megatron"
        assert checkpoint.param_count == 64 + 64
        assert set(checkpoint.dtypes) == {"bf16"}
        found = checkpoint.optimizer
        assert found is not None
        assert (found.kind, found.param_count, found.step) == ("adam", 128, 5)
        assert (found.state_bytes, found.master_bytes) == (2 * 4 * 128, 4 * 128)


def test_megatron_on_zarr(tmp_path: Path) -> None:
    """Each array is a folder with its description; no chunk of it is read."""
    torch.save({"iteration": 5}, tmp_path / "common.pt")
    (tmp_path / "metadata.json").write_text('{"sharded_backend": "zarr", "sharded_backend_version": 1}')
    for name, dtype in (
        ("embedding.word_embeddings.weight", "bfloat16"),
        ("optimizer.state.exp_avg.embedding.word_embeddings.weight", "<f4"),
        ("optimizer.state.exp_avg_sq.embedding.word_embeddings.weight", "<f4"),
    ):
        (tmp_path / name).mkdir()
        description = f'{{"shape": [16, 4], "dtype": "{dtype}", "chunks": [8, 4], "zarr_format": 2}}'
        (tmp_path / name / ".zarray").write_text(description)
    checkpoint = open_checkpoint(tmp_path)
    assert (checkpoint.param_count, set(checkpoint.dtypes)) == (64, {"bf16"})
    assert checkpoint.optimizer is not None
    assert checkpoint.optimizer.state_bytes == 2 * 4 * 64
    (tmp_path / name / ".zarray").write_text('{"shape": [-1], "dtype": "<f4"}')
    assert refusal(tmp_path).code == "checkpoint.zarr_array"


@pytest.mark.parametrize("ranks", [1, 2])
def test_megatron_with_a_folder_a_rank(tmp_path: Path, ranks: int) -> None:
    for rank in range(ranks):
        folder = tmp_path / f"mp_rank_{rank:02d}"
        folder.mkdir()
        torch.save({"model": {"w": torch.zeros(4, 4)}, "iteration": 3}, folder / "model_optim_rng.pt")
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == 16
    assert checkpoint.complete is (ranks == 1)
    assert ("tensor_parallel" in codes(checkpoint)) is (ranks == 2)


@pytest.mark.parametrize("said", ["../other", "7", "iter_x", ""])
def test_a_tracker_never_leads_out_of_the_folder(tmp_path: Path, said: str) -> None:
    shutil.rmtree(tmp_path / "iter_0000005", ignore_errors=True)
    (tmp_path / "latest_checkpointed_iteration.txt").write_text(said)
    assert refusal(tmp_path).code == "checkpoint.tag_missing"
