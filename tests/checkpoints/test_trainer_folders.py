"""Folders that transformers' Trainer and accelerate write themselves."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes

pytestmark = pytest.mark.filterwarnings(
    "ignore::UserWarning",  # of the libraries that write the files, not of ours
    "ignore::FutureWarning",  # as above
    "ignore::DeprecationWarning",  # as above
)
SMALL = {
    "vocab_size": 64,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
}


class _Rows(torch.utils.data.Dataset[dict[str, Any]]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"input_ids": torch.arange(8), "labels": torch.arange(8)}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """What one step leaves, and the model."""
    folder = tmp_path_factory.mktemp("run")
    model = LlamaForCausalLM(LlamaConfig(**SMALL))
    arguments = TrainingArguments(
        output_dir=str(folder), max_steps=1, save_steps=1, report_to=[], use_cpu=True, weight_decay=0.1
    )
    Trainer(model=model, args=arguments, train_dataset=_Rows()).train()
    return folder / "checkpoint-1", model


def test_the_trainers_optimizer_is_the_models(trained: tuple[Path, Any]) -> None:
    """Two groups, with and without weight decay, in an order of their own."""
    folder, model = trained
    checkpoint = open_checkpoint(folder)
    count = sum(parameter.numel() for parameter in model.parameters())
    assert checkpoint.param_count == count
    found = checkpoint.optimizer
    assert found is not None
    assert (found.param_count, found.state_bytes) == (count, 2 * 4 * count)
    assert checkpoint.optimizer_agrees is True
    assert found.match is not None
    assert found.match.id == "torch.AdamW"
    assert found.match.exact
    assert "trainer_files" in codes(checkpoint)
    told = next(str(reason) for reason in checkpoint.warnings if reason.key == "checkpoint.trainer_files")
    assert "scheduler.pt (learning-rate schedule)" in told
    assert "training_args.bin (settings of the trainer)" in told


def test_the_optimizer_alone_is_the_same(trained: tuple[Path, Any]) -> None:
    folder, model = trained
    found = open_checkpoint(folder / "optimizer.pt").optimizer
    assert found is not None
    assert found.match == open_checkpoint(folder).optimizer.match  # type: ignore[union-attr]  # shown above
    assert found.param_count == sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("name", ["scheduler.pt", "rng_state.pth"])
def test_a_file_without_a_model_says_so(trained: tuple[Path, Any], name: str) -> None:
    checkpoint = open_checkpoint(trained[0] / name)
    assert checkpoint.param_count == 0
    assert codes(checkpoint) & {"no_tensors", "no_weights"}


def test_an_optimizer_of_another_model_is_said(trained: tuple[Path, Any], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(trained[0], tmp_path / "checkpoint"))
    LlamaForCausalLM(LlamaConfig(**{**SMALL, "num_hidden_layers": 2})).save_pretrained(folder)
    checkpoint = open_checkpoint(folder)
    assert checkpoint.optimizer_agrees is False
    assert "optimizer_differs" in codes(checkpoint)


def test_the_trainer_with_deepspeed_keeps_its_optimizer_in_a_folder(
    trained: tuple[Path, Any], tmp_path: Path
) -> None:
    """``global_stepN`` beside ``model.safetensors``: plain weights, the state of DeepSpeed."""
    folder = Path(shutil.copytree(trained[0], tmp_path / "checkpoint"))
    (folder / "optimizer.pt").unlink()
    saved = Path(__file__).parent / "data" / "deepspeed" / "zero2"
    shutil.copytree(saved / "global_step1", folder / "global_step1")
    shutil.copy(saved / "latest", folder / "latest")
    checkpoint = open_checkpoint(folder)
    assert checkpoint.format == "safetensors"
    assert checkpoint.optimizer is not None
    assert checkpoint.optimizer.master_count == 80
    assert "optimizer_differs" in codes(checkpoint)
