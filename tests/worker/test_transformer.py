"""The module that is measured: its parameters are the synthetic tensors, its variants compute the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from optmem_gui.core.errors import UserError
from optmem_gui.core.synthetic import synthetic_shape, transformer_tensors
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.worker.transformer import Transformer, VectorModel

LLAMA = TransformerShape(100, 64, 3, 4, 2, 16, 96, norm="rms")
GPT = TransformerShape(
    100, 64, 2, 4, 4, 16, 160, norm="layer", gated=False, biases=True, positions=40, tied_head=True
)
SHAPES = [
    LLAMA,
    GPT,
    TransformerShape(100, 64, 2, 4, 4, 16, 96, remainder=5),
    replace(LLAMA, qkv_biases=True, tied_head=True),
    replace(GPT, tied_head=False, biases=False, remainder=1),
    replace(LLAMA, kv_heads=1, head_dim=24),
    *(shape for count in (3_632, 50_000, 1_234_567) if (shape := synthetic_shape(count)) is not None),
]


def run(shape: TransformerShape, **options: Any) -> tuple[float, dict[str, Tensor]]:
    """Loss and gradients of one step from fixed weights."""
    torch.manual_seed(0)
    model = Transformer(shape, **options)
    tokens = torch.randint(0, shape.vocab, (2, 24))
    labels = torch.randint(0, shape.vocab, (2, 24))
    loss = model(tokens, labels)
    loss.backward()
    found = {name: p.grad for name, p in model.named_parameters()}
    return loss.item(), {name: grad for name, grad in found.items() if grad is not None}


def assert_same(first: tuple[float, dict[str, Tensor]], second: tuple[float, dict[str, Tensor]]) -> None:
    assert first[0] == pytest.approx(second[0], rel=1e-5)
    assert first[1].keys() == second[1].keys()
    for name, gradient in first[1].items():
        torch.testing.assert_close(gradient, second[1][name], rtol=1e-4, atol=1e-6, msg=name)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_parameters_are_the_synthetic_tensors(shape: TransformerShape) -> None:
    module = Transformer(shape)
    real = [(name, tuple(p.shape)) for name, p in module.named_parameters()]
    assert real == [(tensor.name, tensor.shape) for tensor in transformer_tensors(shape)]


@pytest.mark.parametrize("shape", SHAPES[:4], ids=["llama", "gpt", "remainder", "tied"])
def test_every_parameter_gets_a_gradient(shape: TransformerShape) -> None:
    _, gradients = run(shape)
    assert len(gradients) == len(transformer_tensors(shape))
    assert all(bool(gradient.any()) for gradient in gradients.values())


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "chunked"},
        {"loss": "fused"},
        {"attention": "eager"},
        {"attention": "math"},
        {"attention": "flash"},
        {"checkpointing": "attention"},
        {"checkpointing": "full"},
        {"checkpointing": "every-2"},
        {"checkpointing": "full", "loss": "chunked", "attention": "eager"},
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [LLAMA, GPT], ids=["llama", "gpt"])
def test_variants_differ_in_memory_alone(shape: TransformerShape, options: dict[str, Any]) -> None:
    assert_same(run(shape), run(shape, **options))


def test_llama_is_that_of_transformers() -> None:
    """Same weights, same tokens: the loss of Hugging Face's Llama."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    config = transformers.LlamaConfig(
        vocab_size=100,
        hidden_size=64,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        intermediate_size=96,
        max_position_embeddings=64,
        rms_norm_eps=1e-6,
    )
    torch.manual_seed(0)
    ours, theirs = Transformer(LLAMA), transformers.LlamaForCausalLM(config)
    theirs.load_state_dict(ours.state_dict())
    tokens = torch.randint(0, 100, (2, 24))
    labels = torch.randint(0, 100, (2, 24))
    logits = theirs(input_ids=tokens).logits
    expected = torch.nn.functional.cross_entropy(logits.view(-1, 100), labels.view(-1))
    torch.testing.assert_close(ours(tokens, labels), expected)


def test_logits_are_kept_until_they_are_let_go() -> None:
    model = Transformer(LLAMA, keep_logits=True)
    tokens = torch.randint(0, 100, (2, 24))
    model(tokens, tokens)
    assert model.logits is not None
    assert model.logits.shape == (2, 24, 100)
    plain = Transformer(LLAMA)
    plain(tokens, tokens)
    assert plain.logits is None


def test_dropout_is_drawn_again_alike_in_the_second_run() -> None:
    """Recomputed layers restore the generator, so gradients agree with those of the plain run."""
    shape = replace(LLAMA, dropout=0.3)

    def once(checkpointing: str) -> tuple[float, dict[str, Tensor]]:
        torch.manual_seed(0)
        model = Transformer(shape, checkpointing=checkpointing)
        tokens = torch.randint(0, 100, (2, 24))
        torch.manual_seed(1)
        loss = model(tokens, tokens)
        loss.backward()
        return loss.item(), {n: p.grad for n, p in model.named_parameters() if p.grad is not None}

    assert_same(once("none"), once("full"))
    assert_same(once("none"), once("every-2"))


@pytest.mark.parametrize("loss", ["full", "chunked", "fused"])
def test_it_learns(loss: Any) -> None:
    torch.manual_seed(0)
    model = Transformer(LLAMA, loss=loss)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    tokens = torch.randint(0, 100, (2, 24))
    losses = []
    for _ in range(12):
        optimizer.zero_grad()
        value = model(tokens, tokens)
        value.backward()
        optimizer.step()
        losses.append(value.item())
    assert losses[-1] < 0.5 * losses[0]


def test_half_precision_and_autocast_give_nearly_the_same_loss() -> None:
    tokens = torch.randint(0, 100, (2, 24))
    for loss in ("full", "chunked", "fused"):
        torch.manual_seed(0)
        model = Transformer(LLAMA, loss=loss)
        exact = model(tokens, tokens).item()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            cast = model(tokens, tokens)
        cast.backward()
        assert all(p.grad is not None and p.grad.dtype == torch.float32 for p in model.parameters())
        half = model.to(torch.bfloat16)
        assert cast.item() == pytest.approx(exact, rel=0.02)
        assert half(tokens, tokens).item() == pytest.approx(exact, rel=0.02)


def test_unknown_checkpointing_is_refused() -> None:
    with pytest.raises(UserError, match="every-K"):
        Transformer(LLAMA, checkpointing="sometimes")


def test_a_vector_is_a_model_too() -> None:
    model = VectorModel(5)
    assert [(name, tuple(p.shape)) for name, p in model.named_parameters()] == [("remainder", (5,))]
    model().backward()
    assert model.remainder.grad is not None
    assert model.remainder.grad.tolist() == pytest.approx([0.4] * 5)
