"""Adapters that peft writes, alone and on the base that they were made for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from optmem_gui.checkpoints.adapters import lora_of, on_base
from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import place
from optmem_gui.core.scenario import Scenario
from tests.checkpoints.builders import codes, refusal

pytestmark = pytest.mark.filterwarnings(
    "ignore:.is_gradient_checkpointing.:FutureWarning",  # of the libraries that write the files, not of ours
    "ignore::UserWarning",  # as above
)
SMALL = {
    "vocab_size": 64,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}


def _llama(**changes: int) -> Any:
    return LlamaForCausalLM(LlamaConfig(**{**SMALL, **changes}))


def _gpt2() -> Any:
    return GPT2LMHeadModel(GPT2Config(vocab_size=64, n_embd=16, n_layer=2, n_head=4, n_positions=32))


def _saved(tmp_path: Path, model: Any, **config: Any) -> tuple[Path, Path, Any]:
    """Folders of the base and of the adapter, and the model with both."""
    base, adapter = tmp_path / "base", tmp_path / "adapter"
    model.save_pretrained(base)
    tuned = get_peft_model(model, LoraConfig(**config))
    tuned.save_pretrained(adapter)
    return base, adapter, tuned


def _trained(model: Any) -> int:
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def test_what_an_adapter_changes_is_shown(tmp_path: Path) -> None:
    _, path, tuned = _saved(tmp_path, _llama(), r=4, target_modules=["q_proj", "v_proj"])
    checkpoint = open_checkpoint(path)
    adapter = checkpoint.adapter
    assert adapter is not None
    assert (adapter.kind, adapter.rank, adapter.targets) == ("LORA", 4, ("q_proj", "v_proj"))
    assert checkpoint.trainable_count == _trained(tuned)
    assert {"adapter", "adapter_only"} <= codes(checkpoint)
    assert open_checkpoint(path / "adapter_model.safetensors").adapter == adapter


@pytest.mark.parametrize("make", [_llama, _gpt2])
def test_on_its_base_only_the_adapter_is_trained(tmp_path: Path, make: Any) -> None:
    model = make()
    targets = ["q_proj", "down_proj"] if make is _llama else ["c_attn", "c_fc"]
    count = sum(parameter.numel() for parameter in model.parameters())
    base, path, tuned = _saved(tmp_path, model, r=8, target_modules=targets)
    both = on_base(open_checkpoint(path), open_checkpoint(base))
    assert both.trainable_count == _trained(tuned)
    assert both.param_count == count + _trained(tuned)
    assert sum(g.param_count for g in both.ref.groups if g.trainable) == _trained(tuned)
    assert "adapter_on_base" in codes(both)


def test_the_same_adapter_as_a_setting_has_as_many_parameters(tmp_path: Path) -> None:
    base, path, tuned = _saved(tmp_path, _llama(), r=4, target_modules=["q_proj", "up_proj"])
    opened, adapter = open_checkpoint(base), open_checkpoint(path).adapter
    assert adapter is not None
    lora = lora_of(adapter, opened.ref)
    assert lora is not None
    assert (lora.rank, set(lora.targets), lora.base_dtype) == (4, {"q_proj", "up_proj"}, "fp32")
    assert place(Scenario(opened.ref, lora=lora)).trained_count == _trained(tuned)


def test_modules_that_are_saved_whole_are_trained_whole(tmp_path: Path) -> None:
    base, path, tuned = _saved(
        tmp_path, _llama(), r=4, target_modules=["q_proj"], modules_to_save=["lm_head"]
    )
    checkpoint = open_checkpoint(path)
    assert checkpoint.adapter is not None
    assert checkpoint.adapter.saved_modules == ("lm_head",)
    assert checkpoint.trainable_count == _trained(tuned)
    assert lora_of(checkpoint.adapter, open_checkpoint(base).ref) is None
    assert on_base(checkpoint, open_checkpoint(base)).trainable_count == _trained(tuned)


def test_ranks_that_differ_cannot_be_one_setting(tmp_path: Path) -> None:
    base, path, tuned = _saved(
        tmp_path, _llama(), r=4, target_modules=["q_proj", "v_proj"], rank_pattern={"v_proj": 2}
    )
    checkpoint = open_checkpoint(path)
    assert checkpoint.adapter is not None
    assert not checkpoint.adapter.uniform
    assert lora_of(checkpoint.adapter, open_checkpoint(base).ref) is None
    assert checkpoint.trainable_count == _trained(tuned)


def _fails(adapter: Checkpoint, base: Checkpoint) -> str:
    with pytest.raises(UserError) as caught:
        on_base(adapter, base)
    assert "\n" not in str(caught.value)
    return caught.value.code


def test_a_base_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    base, path, _ = _saved(tmp_path, _llama(), r=4, target_modules=["q_proj"])
    adapter = open_checkpoint(path)
    _llama(hidden_size=24, num_attention_heads=2).save_pretrained(tmp_path / "other")
    _gpt2().save_pretrained(tmp_path / "gpt2")
    assert _fails(adapter, open_checkpoint(tmp_path / "other")) == "checkpoint.adapter_base"
    assert _fails(adapter, open_checkpoint(tmp_path / "gpt2")) == "checkpoint.adapter_no_target"
    assert _fails(open_checkpoint(base), adapter) == "checkpoint.no_adapter"


def test_the_name_of_the_base_is_never_followed(tmp_path: Path) -> None:
    """It can be any path on the machine: it is shown, and opened only when the user gives it."""
    model = _llama()
    base, path, _ = _saved(tmp_path, model, r=4, target_modules=["q_proj"])
    config = path / "adapter_config.json"
    values = json.loads(config.read_text())
    config.write_text(json.dumps({**values, "base_model_name_or_path": str(base)}))
    checkpoint = open_checkpoint(path)
    assert checkpoint.adapter is not None
    assert checkpoint.adapter.base == str(base)
    assert all(kind.role.value == "adapter" for kind in checkpoint.inventory.kinds)


@pytest.mark.parametrize("content", ["[1]", "{", "[" * 100_000])
def test_settings_that_are_no_object_are_refused(tmp_path: Path, content: str) -> None:
    torch.save({"a.lora_A.weight": torch.zeros(2, 4)}, tmp_path / "adapter_model.bin")
    (tmp_path / "adapter_config.json").write_text(content)
    assert refusal(tmp_path).code == "checkpoint.adapter_config"


def test_an_adapter_without_settings_is_known_by_its_tensors(tmp_path: Path) -> None:
    state = {"x.q_proj.lora_A.weight": torch.zeros(2, 4), "x.q_proj.lora_B.weight": torch.zeros(8, 2)}
    torch.save(state, tmp_path / "adapter_model.bin")
    adapter = open_checkpoint(tmp_path).adapter
    assert adapter is not None
    assert (adapter.kind, adapter.rank, adapter.targets, adapter.base) == ("LORA", 2, ("q_proj",), "")
