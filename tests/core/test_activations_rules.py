"""Activation rules by hand, against published figures, and where they refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.activations import Activations, estimate_activations, workspace_bytes
from optmem_gui.core.activations.choice import attention_kernel, checkpoint_span, loss_chunk_tokens
from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import place
from optmem_gui.core.reasons import render
from optmem_gui.core.scenario import Lora, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.transformer import TransformerShape
from tests.core.activation_oracle import GPT, LLAMA, estimated, scenario_of

GIB = 1 << 30
LLAMA_7B = TransformerShape(32_000, 4096, 32, 32, 32, 128, 11_008, norm="rms")
GPT2 = TransformerShape(
    50_257, 768, 12, 12, 12, 64, 3072, gated=False, biases=True, positions=1024, tied_head=True, dropout=0.1
)


def on_cuda(shape: TransformerShape, **options: Any) -> Activations:
    return estimated(scenario_of(shape, target="cuda", **options))


def kept(found: Activations, name: str) -> int:
    return next((item.bytes for item in found.items if item.name == name), 0)


def per_layer(shape: TransformerShape, **options: Any) -> int:
    """Bytes that one more layer keeps."""
    few, more = (on_cuda(replace(shape, layers=layers), **options) for layers in (2, 3))
    return more.saved_bytes + more.autocast_bytes - few.saved_bytes - few.autocast_bytes


def test_gpt2_block_keeps_what_was_counted_by_hand_for_it() -> None:
    """A GPT-2 block, batch 4, 1024 tokens, bf16 autocast, dropout 0.1, flash: 133,955,608 bytes.

    That count has one matrix for queries, keys and values; here they are three, so autocast copies the
    norm's output twice more: 2 x 4096 x 768 x 2 bytes. Each tensor rounded up to 512 adds 488 + 496 bytes
    (random state of 16 and 8 bytes).
    """
    found = per_layer(GPT2, precision="amp-bf16", batch=4, sequence=1024)
    assert found - 2 * 4096 * 768 * 2 - (512 - 16) - (512 - 8) == 133_955_608


def test_llama_layer_keeps_what_a_traced_step_keeps() -> None:
    """1,978,220,568 bytes a layer in a traced 7B step, 4096 tokens: 6 bytes a parameter and activations.

    A layer has 4 x 4096^2 + 3 x 4096 x 11008 + 2 x 4096 = 202,383,360 parameters; while the loss runs
    backward they hold bf16 weights and two bf16 Adam states.
    """
    found = per_layer(LLAMA_7B, precision="bf16", batch=1, sequence=4096)
    rounding = (512 - 16) + (512 - 8)
    assert found - rounding == 1_978_220_568 - 6 * 202_383_360


def test_llama_loss_peaks_where_the_traced_step_peaked() -> None:
    """7,238,557,752 bytes for two layers; that trace used one tensor for tokens and labels."""
    shape = replace(LLAMA_7B, layers=2)
    found = on_cuda(shape, precision="bf16", batch=1, sequence=4096)
    parameters = 2 * 202_383_360 + 2 * 32_000 * 4096 + 4096
    traced = 7_238_557_752 - 6 * parameters
    loss = next(m for m in found.moments if m.phase == "backward" and m.label == "loss")
    assert loss.gradients == 0
    assert 0 <= loss.total_bytes - 8 * 4096 - traced < 8 * 512


def test_logits_of_a_large_vocabulary() -> None:
    """151,936 x 8,192 logits: 4.64 GiB for each fp32 copy, and three of them at the loss's peak."""
    shape = replace(LLAMA_7B, vocab=151_936, layers=1)
    found = on_cuda(shape, precision="bf16", batch=1, sequence=8192)
    copy = 151_936 * 8192 * 4
    assert round(copy / GIB, 2) == 4.64
    assert kept(found, "logits") == copy
    forward, backward = (
        next(m for m in found.moments if (m.phase, m.label) == (phase, "loss"))
        for phase in ("forward", "backward")
    )
    # forward: bf16 logits, their fp32 copy, log-probabilities; backward: these and two gradients
    rest = found.saved_bytes - copy
    assert copy * 2.5 <= forward.total_bytes - rest < copy * 2.55
    assert copy * 2.99 < backward.total_bytes - rest < copy * 3.05
    for loss in ("chunked", "fused"):
        smaller = on_cuda(shape, precision="bf16", batch=1, sequence=8192, loss=loss)
        assert kept(smaller, "logits") == 0
        assert smaller.peak("backward").total_bytes - smaller.saved_bytes < copy


def test_autocast_keeps_a_copy_of_every_linear_weight() -> None:
    """Weights stay fp32; each of the 7 matrices of a layer and the head leaves a bf16 copy until backward."""
    found = on_cuda(LLAMA, precision="amp-bf16")
    query, value, ffn = 64 * 64, 64 * 32, 64 * 96
    assert found.autocast_bytes == 2 * (3 * (2 * query + 2 * value + 3 * ffn) + 128 * 64)
    for pure in ("fp32", "bf16", "bf16-autocast"):
        assert on_cuda(LLAMA, precision=pure).autocast_bytes == 0


def test_checkpointing_lets_the_copies_go_with_the_region() -> None:
    """Recomputed layers hold no copies at the end of forward; only the head's product does."""
    found = on_cuda(LLAMA, precision="amp-bf16", checkpointing="full")
    assert found.autocast_bytes == 2 * 128 * 64
    forward = next(m for m in found.moments if (m.phase, m.label) == ("forward", "loss"))
    assert forward.autocast_copies > found.autocast_bytes


@pytest.mark.parametrize("heads", [(16, 16, 64), (16, 4, 128), (12, 12, 80), (4, 4, 36)])
def test_flash_keeps_what_its_operator_returns(heads: tuple[int, int, int]) -> None:
    """Output, log-sum-exp and random state as ``_scaled_dot_product_flash_attention`` makes them.

    Not yet compared with a GPU: the operator's shapes come from its meta kernel.
    """
    query_heads, kv_heads, width = heads
    shape = TransformerShape(64, 96, 2, query_heads, kv_heads, width, 128)
    q, k, v = (
        torch.empty(2, 33, count, -(-width // 8) * 8, dtype=torch.bfloat16, device="meta").transpose(1, 2)
        for count in (query_heads, kv_heads, kv_heads)
    )
    out, logsumexp, *_, seed, unused, _ = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v)
    tensors = [q, k, v, out, logsumexp]
    found = on_cuda(shape, precision="bf16", batch=2, sequence=33)
    assert found.attention_used == "flash"
    size = sum(-(-t.numel() * t.element_size() // 512) * 512 for t in tensors)
    layers = [item for item in found.items if item.name in ("attention", "attention_statistics")]
    assert sum(item.bytes for item in layers) == 2 * (size + 2 * 512)
    assert seed.numel() <= 2
    assert unused.numel() <= 1


@pytest.mark.parametrize("sequence", [32, 33, 1000])
def test_efficient_pads_its_statistics_to_32_rows(sequence: int) -> None:
    """Output and log-sum-exp as ``_scaled_dot_product_efficient_attention`` makes them on CUDA."""
    shape = TransformerShape(64, 96, 2, 4, 4, 24, 128)
    q = torch.empty(2, sequence, 4, 24, device="meta").transpose(1, 2)
    out, logsumexp, *_ = torch.ops.aten._scaled_dot_product_efficient_attention(q, q, q, None, True)
    found = on_cuda(shape, precision="fp32", batch=2, sequence=sequence)
    assert found.attention_used == "efficient"
    size = sum(-(-t.numel() * t.element_size() // 512) * 512 for t in (q, q, q, out, logsumexp))
    assert kept(found, "attention") + kept(found, "attention_statistics") == 2 * size


def test_eager_attention_grows_with_the_square_of_the_sequence() -> None:
    """bf16: fp32 probabilities and their bf16 copy, 6 bytes a score."""
    for sequence in (64, 128, 256):
        found = on_cuda(LLAMA, precision="bf16", attention="eager", sequence=sequence)
        assert kept(found, "attention_scores") == 3 * 2 * 4 * sequence**2 * 6


def test_dropout_masks_take_a_byte_an_element_on_cuda() -> None:
    """Two branches of 64 x 64 elements and the probabilities, 2 x 4 x 32 x 32, in each of 3 layers."""
    shape = replace(LLAMA, dropout=0.1)
    found = on_cuda(shape, precision="bf16", attention="eager")
    assert kept(found, "dropout_mask") == 3 * (2 * 64 * 64 + 2 * 4 * 32 * 32)


def test_checkpointing_keeps_one_input_a_unit() -> None:
    shape = replace(LLAMA, layers=10)
    for kind, units in (("full", 10), ("every-3", 4), ("every-10", 1), ("every-99", 1)):
        found = on_cuda(shape, precision="bf16", checkpointing=kind)
        assert kept(found, "checkpoint") == units * 2 * 32 * 64 * 2


def test_attention_checkpointing_drops_the_scores_alone() -> None:
    plain = on_cuda(LLAMA, precision="bf16", attention="eager")
    again = on_cuda(LLAMA, precision="bf16", attention="eager", checkpointing="attention")
    assert kept(again, "attention_scores") == 0
    assert kept(plain, "mlp") == kept(again, "mlp")


def test_workspaces_of_the_two_threads() -> None:
    """8,519,680 bytes for each thread that multiplies matrices, 32 MiB on Hopper, none on the CPU."""
    assert workspace_bytes(None, cpu=False) == 2 * 8_519_680
    assert workspace_bytes("sm_80", cpu=False) == 2 * 8_519_680
    assert workspace_bytes("sm_90", cpu=False) == 2 * 33_554_432
    assert workspace_bytes("sm_90", cpu=True) == 0


@pytest.mark.parametrize(
    ("attention", "half", "shape", "target", "kernel"),
    [
        ("auto", True, (128, 0.0), "cuda", "flash"),
        ("auto", True, (256, 0.1), "cuda", "flash"),
        ("auto", True, (264, 0.0), "cuda", "efficient"),
        ("auto", False, (64, 0.0), "cuda", "efficient"),
        ("cudnn", True, (64, 0.0), "cuda", "cudnn"),
        ("efficient", True, (64, 0.0), "cuda", "efficient"),
        ("auto", False, (64, 0.0), "cpu", "flash"),
        ("auto", False, (64, 0.1), "cpu", "math"),
        ("eager", False, (64, 0.0), "cpu", "eager"),
    ],
)
def test_kernel_that_runs(
    attention: Any, half: bool, shape: tuple[int, float], target: Any, kernel: str
) -> None:
    width, dropout = shape
    wide = replace(LLAMA, head_dim=width, dropout=dropout)
    found, why = attention_kernel(attention, half=half, shape=wide, target=target)
    assert found == kernel
    assert render(why)


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"attention": "flash", "target": "cuda"}, "attention.needs_half"),
        ({"attention": "cudnn", "target": "cuda"}, "attention.needs_half"),
        ({"attention": "efficient"}, "attention.not_on_cpu"),
        ({"checkpointing": "every-0"}, "checkpointing.unknown"),
        ({"checkpointing": "every-x"}, "checkpointing.unknown"),
        ({"checkpointing": "some"}, "checkpointing.unknown"),
    ],
)
def test_what_cannot_run_is_refused_with_a_reason(options: dict[str, Any], key: str) -> None:
    with pytest.raises(UserError) as refused:
        estimated(scenario_of(LLAMA, **options))
    assert refused.value.code == key


def test_flash_refuses_wide_heads() -> None:
    with pytest.raises(UserError, match="256"):
        on_cuda(replace(LLAMA, head_dim=320), precision="bf16", attention="flash")


def test_cpu_flash_refuses_dropout() -> None:
    with pytest.raises(UserError, match="dropout"):
        estimated(scenario_of(replace(GPT, dropout=0.1), attention="flash"))


def test_a_batch_is_needed() -> None:
    with pytest.raises(ValueError, match="batch"):
        estimated(scenario_of(LLAMA, batch=None))


@given(tokens=st.integers(1, 1 << 20), vocab=st.integers(1, 300_000), hidden=st.sampled_from([16, 768, 4096]))
def test_slices_of_the_loss_are_powers_of_two_within_the_tokens(tokens: int, vocab: int, hidden: int) -> None:
    size = loss_chunk_tokens(tokens, replace(LLAMA, vocab=vocab, hidden=hidden))
    assert 1 <= size <= tokens
    assert size == tokens or size & (size - 1) == 0


def test_spans() -> None:
    assert [checkpoint_span(kind) for kind in ("none", "attention", "full", "every-4")] == [0, 0, 1, 4]


@given(
    st.fixed_dictionaries(
        {
            "batch": st.integers(1, 9),
            "sequence": st.integers(1, 300),
            "precision": st.sampled_from(["fp32", "bf16", "amp-bf16", "megatron-bf16"]),
            "checkpointing": st.sampled_from(["none", "attention", "full", "every-2"]),
            "attention": st.sampled_from(["auto", "eager", "math", "efficient"]),
            "loss": st.sampled_from(["full", "chunked", "fused"]),
        }
    )
)
def test_books_balance(options: dict[str, Any]) -> None:
    """Items add up to what is saved, gradients to those of the layout, and no moment is negative."""
    scenario = scenario_of(LLAMA, target="cuda", **options)
    found, layout = estimated(scenario), place(scenario)
    assert sum(item.bytes for item in found.items) == found.saved_bytes + found.autocast_bytes
    whole = sum(p.bytes_in(p.gradients) for p in layout.trained if p.gradients is not None)
    assert found.moments[-1].gradients == whole
    for moment in found.moments:
        assert min(moment.activations, moment.autocast_copies, moment.gradients, moment.temporaries) >= 0
    assert found.peak("forward").total_bytes >= found.saved_bytes + found.autocast_bytes
    for item in found.items:
        assert render(item.why)
    for reason in (found.attention_why, *found.not_counted):
        assert render(reason)


@pytest.mark.parametrize("checkpointing", ["none", "full"])
def test_batch_makes_it_grow_and_checkpointing_shrink(checkpointing: str) -> None:
    sizes = [
        on_cuda(LLAMA_7B, precision="bf16", batch=batch, sequence=2048, checkpointing=checkpointing)
        for batch in (1, 2, 4)
    ]
    assert sizes[0].saved_bytes < sizes[1].saved_bytes < sizes[2].saved_bytes
    bare = on_cuda(LLAMA_7B, precision="bf16", batch=1, sequence=2048)
    again = on_cuda(LLAMA_7B, precision="bf16", batch=1, sequence=2048, checkpointing="full")
    assert again.saved_bytes < bare.saved_bytes / 5


def test_a_later_micro_batch_holds_each_new_gradient_beside_the_old() -> None:
    """The largest new gradient, the head's 128 x 64 in fp32, is a temporary when gradients exist already."""
    first = on_cuda(LLAMA, precision="fp32")
    later = on_cuda(LLAMA, precision="fp32", accumulate=4)
    for a, b in zip(first.moments, later.moments, strict=True):
        assert b.temporaries >= a.temporaries
    before, after = (f.moments[-2] for f in (first, later))
    assert before.label == after.label == "embedding"
    assert after.temporaries - before.temporaries == 128 * 64 * 4


def test_a_huge_model_costs_no_more_moments_than_a_large_one() -> None:
    reference = synthetic_ref(10**18)
    assert reference.architecture is not None
    scenario = Scenario(reference, batch=1, sequence=8)
    found = estimate_activations(reference.architecture, scenario, place(scenario))
    assert len(found.moments) < 150
    assert found.moments[-1].gradients == 2 * 10**18


def test_frozen_base_keeps_no_inputs_of_its_linear_layers() -> None:
    """With adapters on queries alone, only they keep their input, in fp32; frozen weights keep none."""
    found = on_cuda(LLAMA, precision="bf16", lora=Lora(4, ("q_proj",)))
    assert kept(found, "linear_input") == 0
    assert kept(found, "adapter_input") == 3 * 64 * 64 * 4
    assert kept(found, "adapter_rank") == 3 * 64 * 4 * 4


def test_packed_weights_are_unpacked_for_each_product() -> None:
    """nf4: the largest matrix, 64 x 32,768 in bf16, exists unpacked while it is used."""
    shape = replace(LLAMA, ffn=64 * 512)
    plain = on_cuda(shape, precision="bf16", batch=1, sequence=8, lora=Lora(4, base_dtype="bf16"))
    packed = on_cuda(shape, precision="bf16", batch=1, sequence=8, lora=Lora(4, base_dtype="nf4"))
    unpacked = 64 * 32_768 * 2
    assert plain.peak("backward").temporaries < unpacked < packed.peak("backward").temporaries
