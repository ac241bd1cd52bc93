"""Folders that DeepSpeed 0.19.8 wrote on two ranks (``tools/record_deepspeed.py``), and variants of them.

The model: an embedding of 10 x 4 and a linear layer of 4 x 8 + 8 are trained (80 parameters), a linear layer
of 8 x 8 + 8 is frozen (72), a table of 8 is a buffer.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal

DATA = Path(__file__).parent / "data" / "deepspeed"
TAG = "global_step1"


@pytest.fixture(params=["zero1", "zero2", "zero3"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder as DeepSpeed leaves it."""
    return Path(shutil.copytree(DATA / request.param, tmp_path / request.param))


def _shapes(checkpoint: Checkpoint) -> dict[str, tuple[tuple[int, ...], bool]]:
    return {tensor.name: (tensor.shape, tensor.trainable) for tensor in checkpoint.spec.parameters}


def test_the_model_is_whole_whoever_holds_its_parts(saved: Path) -> None:
    checkpoint = open_checkpoint(saved)
    assert checkpoint.format == "deepspeed"
    assert _shapes(checkpoint) == {
        "embed.weight": ((10, 4), True),
        "trained.weight": ((8, 4), True),
        "trained.bias": ((8,), True),
        "frozen.weight": ((8, 8), False),
        "frozen.bias": ((8,), False),
    }
    assert (checkpoint.param_count, checkpoint.trainable_count, checkpoint.buffer_count) == (152, 80, 8)
    assert checkpoint.complete
    assert {group.dtype.id for group in checkpoint.ref.groups} == {
        "fp32" if saved.name == "zero1" else "bf16"
    }
    assert ("zero3_shapes" in codes(checkpoint)) is (saved.name == "zero3")


def test_the_optimizer_is_that_of_all_ranks_together(saved: Path) -> None:
    """Two partitions of 40 elements: 2 x 2 x 40 moments and as many fp32 master weights as parameters."""
    found = open_checkpoint(saved).optimizer
    assert found is not None
    assert (found.kind, found.param_count, found.entry_count) == ("adam", 80, 3)
    assert (found.element_count, found.state_bytes) == (160, 640)
    assert (found.master_count, found.master_bytes) == (80, 320)
    assert found.match is not None
    assert (found.match.id, found.match.exact) == ("torch.AdamW", True)


def test_the_folder_with_the_tag_and_the_one_above_are_the_same(saved: Path) -> None:
    assert open_checkpoint(saved).ref.groups == open_checkpoint(saved / TAG).ref.groups


def test_a_missing_rank_is_said(saved: Path) -> None:
    next((saved / TAG).glob("*pp_rank_1*optim_states.pt")).unlink()
    checkpoint = open_checkpoint(saved)
    assert checkpoint.param_count == 152
    assert not checkpoint.complete
    assert "zero_ranks_missing" in codes(checkpoint)


def test_one_of_several_tensor_parallel_parts_is_called_a_part(saved: Path) -> None:
    """Parts are not added up: norms and biases are in each of them."""
    for path in list((saved / TAG).glob("*model_states.pt")):
        shutil.copy(path, path.with_name(path.name.replace("mp_rank_00", "mp_rank_01")))
    checkpoint = open_checkpoint(saved)
    assert checkpoint.param_count == 152
    assert not checkpoint.complete
    assert "tensor_parallel" in codes(checkpoint)


@pytest.mark.parametrize("tag", ["../elsewhere", "gone", "", "."])
def test_a_tag_never_leads_out_of_the_folder(saved: Path, tag: str) -> None:
    (saved.parent / "elsewhere").mkdir()
    (saved / "latest").write_text(tag)
    assert refusal(saved).code == "checkpoint.tag_missing"


def test_optimizer_states_alone_are_refused(saved: Path) -> None:
    for path in (saved / TAG).glob("*model_states.pt"):
        path.unlink()
    assert refusal(saved).code == "checkpoint.no_deepspeed_model"


def test_layers_of_a_pipeline_are_put_together(tmp_path: Path) -> None:
    """``layer_NN-model_states.pt``: the names inside are those of the layer."""
    torch.save({"module": None, "dp_world_size": 1}, tmp_path / "mp_rank_00_model_states.pt")
    for layer in (0, 1):
        torch.save({"weight": torch.zeros(3, 4)}, tmp_path / f"layer_{layer:02d}-model_states.pt")
    checkpoint = open_checkpoint(tmp_path)
    assert [tensor.name for tensor in checkpoint.spec.parameters] == ["0.weight", "1.weight"]


def test_experts_in_files_of_their_own_are_counted(tmp_path: Path) -> None:
    torch.save({"module": {"gate.weight": torch.zeros(2, 4)}}, tmp_path / "mp_rank_00_model_states.pt")
    for expert in (0, 1):
        name = f"mlp.deepspeed_moe.experts.deepspeed_experts.{expert}.fc1.weight"
        path = tmp_path / f"layer_0_expert_{expert}_mp_rank_00_model_states.pt"
        torch.save({name: torch.zeros(8, 4)}, path)
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == 8 + 2 * 32
    assert "expert_files" in codes(checkpoint)
