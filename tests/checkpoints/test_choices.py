"""The same checkpoint understood in another way: averaged weights, frozen names, ties counted apart."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.choices import RULES, Choices, apply, has_average
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import group_model
from optmem_gui.core.trainable import train_only
from tests.checkpoints.builders import codes


def _net() -> nn.Module:
    return nn.Sequential(
        nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 4), nn.Linear(4, 4), nn.Linear(4, 4)
    )


def _refused(path: Path, choices: Choices) -> str:
    with pytest.raises(UserError) as caught:
        apply(open_checkpoint(path), choices)
    return caught.value.code


def _shapes(checkpoint: Checkpoint) -> dict[str, tuple[int, ...]]:
    return {tensor.name: tensor.shape for tensor in checkpoint.spec.parameters}


@pytest.mark.parametrize("key", ["ema", "ema_state_dict", "model_ema"])
def test_the_averaged_copy_can_be_chosen(tmp_path: Path, key: str) -> None:
    model = _net()
    path = tmp_path / "model.pt"
    torch.save({"model": model.state_dict(), key: _net().double().state_dict()}, path)
    own = open_checkpoint(path)
    assert has_average(own)
    averaged = apply(own, Choices(weights="average"))
    assert {t.name: t.shape for t in averaged.spec.parameters} == {
        t.name: t.shape for t in own.spec.parameters
    }
    assert {group.dtype.id for group in averaged.ref.groups} == {"fp64"}
    assert averaged.buffer_count == own.buffer_count
    assert averaged.tensor_bytes > own.tensor_bytes
    assert "average_chosen" in codes(averaged)


def test_an_average_without_names_takes_those_of_the_parameters(tmp_path: Path) -> None:
    """torch_ema keeps ``shadow_params`` as a list in the order of the parameters."""
    model = nn.Linear(4, 8)
    path = tmp_path / "model.pt"
    torch.save(
        {"model": model.state_dict(), "shadow_params": [p.detach().clone() for p in model.parameters()]}, path
    )
    averaged = apply(open_checkpoint(path), Choices(weights="average"))
    assert [tensor.name for tensor in averaged.spec.parameters] == ["weight", "bias"]


def test_an_average_that_stands_among_the_weights(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save({"net.weight": torch.zeros(3, 4), "model_ema.net.weight": torch.zeros(3, 4)}, path)
    averaged = apply(open_checkpoint(path), Choices(weights="average"))
    assert [tensor.name for tensor in averaged.spec.parameters] == ["net.weight"]
    assert averaged.buffer_count == 0


def test_without_an_average_the_choice_is_refused(tmp_path: Path) -> None:
    torch.save(_net().state_dict(), tmp_path / "model.pt")
    assert _refused(tmp_path / "model.pt", Choices(weights="average")) == "checkpoint.no_average"


@pytest.mark.parametrize("pattern", ["^0\\.", "weight", "[34]\\.weight", "4", "nothing at all", "."])
def test_freezing_is_the_opposite_of_training(tmp_path: Path, pattern: str) -> None:
    """Held against the rows: what the pattern finds is frozen, whatever kinds the tensors shared."""
    torch.save(_net().state_dict(), tmp_path / "model.pt")
    own = open_checkpoint(tmp_path / "model.pt")
    chosen = apply(own, Choices(frozen=pattern))
    opposite = f"^(?!.*({pattern}))"
    if pattern == ".":
        assert chosen.trainable_count == 0
    else:
        assert chosen.ref == group_model(train_only(own.spec, opposite))
    assert chosen.param_count == own.param_count


def test_a_pattern_that_is_none_is_refused(tmp_path: Path) -> None:
    torch.save(_net().state_dict(), tmp_path / "model.pt")
    assert _refused(tmp_path / "model.pt", Choices(frozen="(")) == "checkpoint.freeze_pattern"


def test_ties_can_be_counted_apart(tmp_path: Path) -> None:
    weight = torch.zeros(100, 10)
    path = tmp_path / "model.pt"
    torch.save({"embed.weight": weight, "head.weight": weight, "norm.weight": torch.zeros(10)}, path)
    own = open_checkpoint(path)
    apart = apply(own, Choices(tied=False))
    assert (own.param_count, own.tensor_bytes) == (1010, 4040)
    assert (apart.param_count, apart.tensor_bytes) == (2010, 8040)
    assert [tensor.name for tensor in apart.spec.parameters] == ["embed.weight", "norm.weight", "head.weight"]
    assert apart.ref == group_model(apart.spec)


SIDES = st.tuples(st.integers(1, 4), st.integers(1, 4))


@given(shapes=st.lists(SIDES, min_size=1, max_size=8), bit=st.integers(0, 255))
def test_frozen_and_trained_add_up(
    shapes: list[tuple[int, int]], bit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("model") / "model.pt"
    torch.save({f"layer.{index}.weight": torch.zeros(shape) for index, shape in enumerate(shapes)}, path)
    frozen = [index for index in range(len(shapes)) if bit >> index & 1]
    pattern = "|".join(f"layer\\.{index}\\." for index in frozen) or "(?!)"
    chosen = apply(open_checkpoint(path), Choices(frozen=pattern))
    total = sum(rows * columns for rows, columns in shapes)
    held = sum(shapes[index][0] * shapes[index][1] for index in frozen)
    assert (chosen.param_count, chosen.trainable_count) == (total, total - held)


def test_the_rules_are_in_words() -> None:
    assert len({str(rule) for rule in RULES}) == 4
