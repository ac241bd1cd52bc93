"""Traces against sizes that were worked out by hand, or found twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by
from torch import Tensor, nn

from optmem_gui.core.transformer import TransformerShape
from optmem_gui.worker.job import default_dtype
from optmem_gui.worker.simulate.tracker import Tracker
from optmem_gui.worker.transformer import Transformer
from tests.worker.simulate.models import Gpt, GptBlock, Perceptron, ResNet50
from tests.worker.simulate.tracing import MIB, kept, now, peak, tracing

_BATCH, _TOKENS, _WIDTH, _HEADS, _VOCAB = 4, 1024, 768, 12, 50257


def _steps(tracker: Tracker, model: nn.Module, loss: Callable[[], Tensor], count: int = 2) -> int:
    """Steps of AdamW under bf16 autocast; the event at which the last one begins."""
    optimizer = torch.optim.AdamW(model.parameters())
    start = 0
    for _ in range(count):
        start = now(tracker)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            value = loss()
        value.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        del value
        optimizer.step()
        optimizer.zero_grad()
    return start


def test_perceptron_keeps_its_activations_and_nothing_else() -> None:
    with tracing() as tracker:
        model = Perceptron().to("cuda")
        x = torch.randn(256, 1024, device="cuda")
        labels = torch.randint(10, (256,), device="cuda")
        start = now(tracker)
        loss = F.cross_entropy(model(x), labels)
    # two outputs of ReLU, the log-probabilities, the loss and its total weight
    assert kept(tracker, start) == (2 * 256 * 4096 + 256 * 10 + 2) * 4 == 8_398_856
    assert loss.is_meta


def test_block_of_gpt2_keeps_what_the_hand_calculation_says() -> None:
    with tracing() as tracker:
        block = GptBlock().to("cuda")
        x = torch.randn(_BATCH, _TOKENS, _WIDTH, device="cuda", requires_grad=True)
        start = now(tracker)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            out = block(x)
    n, square = _BATCH * _TOKENS * _WIDTH, _WIDTH * _WIDTH
    expected = (
        4 * _BATCH * _TOKENS * 4  # mean and reciprocal deviation of two norms
        + 2 * n * 4  # the residual sums, fp32
        + 2 * n * 2  # outputs of the norms in bf16, the fp32 ones are freed
        + 3 * n * 2  # queries, keys, values
        + n * 2
        + _BATCH * _HEADS * _TOKENS * 4
        + 16
        + 8  # attention: output, logsumexp, state of the random numbers
        + 2 * n  # masks of two dropouts, a byte an element
        + 2 * 4 * n * 2  # input and output of GELU
        + (3 + 1 + 4 + 4) * square * 2  # bf16 copies of the matrices; those of the vectors are freed
    )
    assert kept(tracker, start) == expected == 133_955_608
    assert out.dtype == torch.float32


@pytest.mark.parametrize(
    ("recompute", "expected"), [("", 5407.59), ("new", 4018.59)], ids=["kept", "recomputed"]
)
def test_gpt2_peaks_in_the_backward_of_its_loss(recompute: str, expected: float) -> None:
    with tracing() as tracker:
        model = Gpt(recompute=recompute).to("cuda")
        tokens = torch.randint(_VOCAB, (_BATCH, _TOKENS), device="cuda")
        start = _steps(tracker, model, lambda: model(tokens, tokens))
    assert round(peak(tracker, start) / MIB, 2) == expected


def test_both_kinds_of_checkpointing_have_the_same_peak() -> None:
    """The older one re-runs a block without autograd first; what it keeps between blocks is the same."""
    found = []
    for recompute in ("new", "reentrant"):
        with tracing() as tracker:
            model = Gpt(recompute=recompute, layers=4).to("cuda")
            tokens = torch.randint(_VOCAB, (_BATCH, _TOKENS), device="cuda")
            start = _steps(tracker, model, lambda: model(tokens, tokens))  # noqa: B023  # used inside the turn
        found.append(peak(tracker, start))
    assert found[0] == found[1]


def test_loss_of_16_bit_logits_keeps_two_and_four_bytes_a_logit() -> None:
    """Log-probabilities in bf16, and their fp32 copy for the loss; one bf16 tensor less than above."""
    with tracing() as tracker:
        model = Gpt(full_logits=False).to("cuda")
        tokens = torch.randint(_VOCAB, (_BATCH, _TOKENS), device="cuda")
        start = _steps(tracker, model, lambda: model(tokens, tokens))
    logits = _BATCH * _TOKENS * _VOCAB
    assert round((peak(tracker, start) + 2 * logits) / MIB, 2) == 5407.59


def test_resnet50_keeps_the_outputs_of_its_layers() -> None:
    outputs: dict[str, int] = {}
    with tracing() as tracker:
        model = ResNet50().to("cuda")
        images = torch.randn(32, 3, 224, 224, device="cuda")
        labels = torch.randint(1000, (32,), device="cuda")

        def add(module: nn.Module, args: object, out: Tensor) -> None:
            name = type(module).__name__
            outputs[name] = outputs.get(name, 0) + out.numel() * 4

        for name, module in model.named_modules():
            # the norm of a shortcut is added to the branch, and only the sum is kept
            if isinstance(module, (nn.Conv2d, nn.BatchNorm2d, nn.MaxPool2d)) and "shortcut.1" not in name:
                module.register_forward_hook(add)
        start = now(tracker)
        loss = model(images, labels)
    channels = sum(m.num_features for m in model.modules() if isinstance(m, nn.BatchNorm2d))
    last = (32 * 2048 + 32 * 1000 + 2) * 4  # pooled features, log-probabilities, loss and its weight
    pooled = 3 * outputs["MaxPool2d"]  # fp32 output and int64 indices
    expected = outputs["Conv2d"] + outputs["BatchNorm2d"] + pooled + 8 * channels + last
    assert kept(tracker, start) == expected
    assert round(expected / MIB, 2) == 2603.70
    assert round(outputs["Conv2d"] / MIB, 2) == 1356.69
    assert loss.is_meta


def _llama_peak(layers: int) -> int:
    """A pure bf16 step of a model as wide as Llama 7B."""
    shape = TransformerShape(
        vocab=32000, hidden=4096, layers=layers, heads=32, kv_heads=32, head_dim=128, ffn=11008, norm="rms"
    )
    with tracing() as tracker:
        with default_dtype(torch.bfloat16), torch.device("cuda"):
            model = Transformer(shape)
        optimizer = torch.optim.AdamW(model.parameters())
        tokens = torch.randint(32000, (1, 4096), device="cuda")
        start = 0
        for _ in range(2):
            start = now(tracker)
            loss = model(tokens, tokens)
            loss.backward()
            del loss
            optimizer.step()
            optimizer.zero_grad()
    return peak(tracker, start)


def test_layers_of_a_7b_model_cost_the_same_each() -> None:
    a, b, c = (_llama_peak(layers) for layers in (2, 4, 8))
    assert (a, b, c) == (7_238_557_752, 11_194_998_888, 19_107_881_160)
    assert (b - a) // 2 == (c - b) // 4 == 1_978_220_568


def test_accumulation_counts_gradients_once() -> None:
    found = []
    for micro_batches in (1, 3):
        with tracing() as tracker:
            model = Perceptron().to("cuda")
            x = torch.randn(256, 1024, device="cuda")
            labels = torch.randint(10, (256,), device="cuda")
            start = now(tracker)
            for _ in range(micro_batches):
                F.cross_entropy(model(x), labels).backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        found.append(kept(tracker, start))
    weights = sum(p.numel() * 4 for p in model.parameters())
    assert found == [weights, weights]
