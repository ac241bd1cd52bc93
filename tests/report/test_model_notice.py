"""A scenario opens without its model, and says so when the model changed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.model import ModelRef, group_model
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.trainable import train_only
from optmem_gui.report.model_notice import model_notice
from optmem_gui.report.scenario_file import load_scenario, save_scenario


def _write(path: Path, width: int) -> None:
    save_file({"layer.weight": torch.zeros(width, 4), "layer.bias": torch.zeros(width)}, path)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    _write(path, 8)
    return path


def _saved(checkpoint: Path, trainable: str = "all") -> ModelRef:
    model = group_model(train_only(open_checkpoint(checkpoint).spec, trainable))
    file = checkpoint.with_name("run.optmem")
    save_scenario(file, Scenario(model))
    return load_scenario(file).model


def _key(reason: Reason | None) -> str | None:
    return None if reason is None else reason.key


@pytest.mark.parametrize("trainable", ["all", "bias"])
def test_an_unchanged_model_gives_no_notice(checkpoint: Path, trainable: str) -> None:
    assert model_notice(_saved(checkpoint, trainable)) is None


def test_a_changed_model_is_said_and_the_stored_one_stays(checkpoint: Path) -> None:
    model = _saved(checkpoint)
    _write(checkpoint, 16)
    assert _key(model_notice(model)) == "scenario_file.model_changed"
    assert model.param_count == 8 * 4 + 8


def test_a_missing_model_is_said(checkpoint: Path) -> None:
    model = _saved(checkpoint)
    checkpoint.unlink()
    assert _key(model_notice(model)) == "scenario_file.model_missing"


def test_a_damaged_model_says_what_is_wrong_with_it(checkpoint: Path) -> None:
    model = _saved(checkpoint)
    checkpoint.write_bytes(checkpoint.read_bytes()[:20])
    reason = model_notice(model)
    assert reason is not None
    assert reason.key.startswith("checkpoint.")


def test_a_model_without_a_file_has_nothing_to_compare() -> None:
    assert model_notice(synthetic_ref(1000)) is None
