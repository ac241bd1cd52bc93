"""A checkpoint as a tree of modules, and the scenario that its optimizer state tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from optmem_gui.checkpoints.choices import Choices, apply
from optmem_gui.checkpoints.modules import module_tree
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.checkpoints.suggested import Suggestion, suggested
from optmem_gui.core.estimate import compute
from optmem_gui.core.module_tree import ROOT
from optmem_gui.core.scenario import Scenario


def test_the_tree_holds_what_the_checkpoint_counts(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(7, 5), torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3))
    torch.save(model.state_dict(), tmp_path / "m.pt")
    found = open_checkpoint(tmp_path / "m.pt")
    tree = module_tree(found)
    assert tree.param_counts[ROOT] == sum(p.numel() for p in model.parameters())
    state = model.state_dict().values()
    assert tree.stored_bytes[ROOT] == sum(tensor.numel() * tensor.element_size() for tensor in state)
    assert [tree.label(node) for node in tree.children(ROOT)] == ["0", "1", "2"]
    norm = tree.children(ROOT)[1]
    assert tree.parts(norm) == ("parameter", "buffer")
    assert tree.dtypes(norm) == ("fp32", "int64")


def test_what_is_frozen_by_choice_or_pattern_is_told_apart(tmp_path: Path) -> None:
    tensors = {"body.weight": torch.zeros(4, 6), "head.weight": torch.zeros(2, 6)}
    save_file(tensors, tmp_path / "m.safetensors")
    found = open_checkpoint(tmp_path / "m.safetensors")
    for tree in (
        module_tree(apply(found, Choices(frozen="body"))),
        module_tree(found, trained="head"),
    ):
        parts = {tree.path(node): tree.parts(node) for node in tree.children(ROOT)}
        assert parts == {"body.weight": ("frozen",), "head.weight": ("parameter",)}
    assert module_tree(found, trained="all").parts(ROOT) == ("parameter",)


def test_packed_weights_show_what_they_stand_for(tmp_path: Path) -> None:
    """GPTQ at 4 bits: 8 weights in each int32; 256 x 32 weights in 32 x 32 elements of 4 bytes."""
    base = "model.layers.0.self_attn.q_proj."
    tensors = {
        f"{base}qweight": torch.zeros(32, 32, dtype=torch.int32),
        f"{base}qzeros": torch.zeros(2, 4, dtype=torch.int32),
        f"{base}scales": torch.zeros(2, 32, dtype=torch.float16),
        f"{base}g_idx": torch.zeros(256, dtype=torch.int32),
    }
    save_file(tensors, tmp_path / "model.safetensors")
    config = '{"model_type": "llama", "quantization_config": {"quant_method": "gptq", "bits": 4}}'
    (tmp_path / "config.json").write_text(config)
    tree = module_tree(open_checkpoint(tmp_path))
    (module,) = tree.children(ROOT)
    nodes = {tree.label(node): node for node in tree.children(module)}
    weight = nodes["qweight"]
    assert (tree.param_counts[weight], tree.stored_bytes[weight]) == (256 * 32, 4 * 32 * 32)
    kind = tree.kind(weight)
    assert kind is not None
    assert kind.packed
    assert kind.shape == (32, 256)
    assert tree.parts(nodes["qzeros"]) == ("bookkeeping",)
    assert tree.param_counts[nodes["scales"]] == 0


def save_training(path: Path, dtype: torch.dtype, make: Any, **options: Any) -> torch.optim.Optimizer:
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Linear(32, 8)).to(dtype)
    optimizer: torch.optim.Optimizer = make(model.parameters(), lr=1e-3, **options)
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    return optimizer


@pytest.mark.parametrize(
    ("dtype", "make", "options", "wanted"),
    [
        (torch.float32, torch.optim.AdamW, {}, Suggestion("torch.AdamW", (), "fp32")),
        (
            torch.bfloat16,
            torch.optim.AdamW,
            {"amsgrad": True},
            Suggestion("torch.AdamW", (("amsgrad", True),), "bf16"),
        ),
    ],
)
def test_the_suggested_scenario_keeps_as_much_as_torch_kept(
    tmp_path: Path, dtype: torch.dtype, make: Any, options: dict[str, Any], wanted: Suggestion
) -> None:
    optimizer = save_training(tmp_path / "t.pt", dtype, make, **options)
    found = open_checkpoint(tmp_path / "t.pt")
    told = suggested(found)
    assert told == wanted
    scenario = Scenario(found.ref, told.optimizer, told.options, told.precision or "", target="cpu")
    kept = [tensor for state in optimizer.state.values() for tensor in state.values()]
    held = compute(scenario, None).component("optimizer_state").bytes
    assert held == sum(tensor.numel() * tensor.element_size() for tensor in kept)


def test_no_state_tells_nothing_and_two_types_leave_the_precision_open(tmp_path: Path) -> None:
    save_file({"a.weight": torch.zeros(4, 4)}, tmp_path / "m.safetensors")
    assert suggested(open_checkpoint(tmp_path / "m.safetensors")) is None
    weight = torch.zeros(64, 64, dtype=torch.bfloat16)
    moments = {"step": torch.tensor(1.0), "exp_avg": torch.zeros(64, 64), "exp_avg_sq": torch.zeros(64, 64)}
    group = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0, "params": [0]}
    state = {"state": {0: moments}, "param_groups": [group]}
    torch.save({"model": {"a.weight": weight}, "optimizer": state}, tmp_path / "t.pt")
    told = suggested(open_checkpoint(tmp_path / "t.pt"))
    assert told is not None
    assert told.precision is None
