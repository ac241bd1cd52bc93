"""Folders that transformers and peft write themselves, against the models they were written from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.model import Role, group_model
from tests.checkpoints.builders import codes

SMALL = {
    "vocab_size": 64,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}


def _llama() -> Any:
    return LlamaForCausalLM(LlamaConfig(**SMALL))


def _tied_qwen() -> Any:
    return Qwen2ForCausalLM(Qwen2Config(**SMALL, tie_word_embeddings=True))


def _gpt2() -> Any:
    return GPT2LMHeadModel(GPT2Config(vocab_size=64, n_embd=16, n_layer=2, n_head=4, n_positions=32))


def _bert() -> Any:
    return BertModel(BertConfig(**SMALL))


def _parameters(model: Any) -> dict[str, tuple[int, ...]]:
    """Names and shapes; a tied one stands once, under its first name."""
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


@pytest.mark.parametrize("make", [_llama, _tied_qwen, _gpt2])
@pytest.mark.parametrize("shard", ["50MB", "10KB"])
def test_a_saved_language_model_is_the_model(tmp_path: Path, make: Any, shard: str) -> None:
    model = make()
    model.save_pretrained(tmp_path, max_shard_size=shard)
    checkpoint = open_checkpoint(tmp_path)
    assert {tensor.name: tensor.shape for tensor in checkpoint.spec.parameters} == _parameters(model)
    assert not checkpoint.spec.buffers
    assert not checkpoint.warnings
    assert checkpoint.architecture is not None
    assert checkpoint.ref == group_model(checkpoint.spec)
    assert (checkpoint.file_count > 1) is (shard == "10KB")


def test_a_family_without_a_rule_for_activations_is_read_and_says_so(tmp_path: Path) -> None:
    model = _bert()
    model.save_pretrained(tmp_path)
    checkpoint = open_checkpoint(tmp_path)
    assert {tensor.name: tensor.shape for tensor in checkpoint.spec.parameters} == _parameters(model)
    assert checkpoint.architecture is None
    assert codes(checkpoint) == {"no_activations"}


def test_a_model_in_bf16_is_found_in_bf16(tmp_path: Path) -> None:
    _llama().to(torch.bfloat16).save_pretrained(tmp_path)
    checkpoint = open_checkpoint(tmp_path)
    assert set(checkpoint.dtypes) == {"bf16"}
    assert {group.dtype.id for group in checkpoint.ref.groups} == {"bf16"}


@pytest.mark.parametrize("make", [_tied_qwen, _gpt2])
def test_a_tied_head_in_a_torch_file_counts_once(tmp_path: Path, make: Any) -> None:
    model = make()
    path = tmp_path / "weights.pt"
    torch.save(model.state_dict(), path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == sum(parameter.numel() for parameter in model.parameters())
    assert [other for other, _ in checkpoint.tied] == ["lm_head.weight"]


@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning")  # peft still asks for it
def test_an_adapter_by_peft_is_what_it_trains(tmp_path: Path) -> None:
    model = get_peft_model(_llama(), LoraConfig(r=4, target_modules=["q_proj", "v_proj"]))
    model.save_pretrained(tmp_path)
    checkpoint = open_checkpoint(tmp_path)
    trained = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    assert checkpoint.trainable_count == checkpoint.param_count == trained
    assert {group.role for group in checkpoint.ref.groups} == {Role.ADAPTER}
    assert codes(checkpoint) == {"adapter_only", "adapter"}
