"""What people were wrong about: 8-bit state of small tensors, what Adafactor leaves, numbers a tensor has."""

from __future__ import annotations

from math import ceil, prod

import pytest

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.estimate import compute
from optmem_gui.core.layout import Layout, place
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.options import parse_options
from optmem_gui.core.optimizers.state import OptimizerState, optimizer_state
from optmem_gui.core.reasons import render
from optmem_gui.core.scenario import Options, Scenario
from tests.core.optimizers.real import layout_of

SQUARE: tuple[Shape, ...] = ((4096, 4096), (4096,))


def _state(name: str, layout: Layout, options: Options = ()) -> OptimizerState:
    return optimizer_state(find(name), options, layout, "cuda")


@pytest.fixture(scope="module")
def llama() -> Layout:
    """Llama-3.1-8B in bf16: 8,030,261,248 parameters, 291 tensors, 65 of them norms of 4096."""
    return place(Scenario(preset_ref("llama-3.1-8b"), precision="bf16"))


def test_bitsandbytes_on_llama(llama: Layout) -> None:
    """Two codes and two scales for every 256 parameters; blocks divide every tensor of it."""
    state = _state("bitsandbytes.AdamW8bit", llama)
    assert state.bytes == 2 * 8_030_261_248 + 2 * 4 * 8_030_261_248 // 256 + 2 * 1024
    assert round(state.bytes / llama.total_count, 2) == 2.03
    paged = _state("bitsandbytes.PagedAdamW8bit", llama)
    assert paged.bytes == state.bytes
    assert paged.host_bytes == 2 * (8_030_261_248 - 65 * 4096)  # codes of all but the norms


def test_torchao_on_llama(llama: Layout) -> None:
    """Half a code each, a scale for every 128 parameters, 16 values a tensor, and the step."""
    state = _state("torchao.AdamW4bit", llama)
    by_hand = 2 * (8_030_261_248 // 2 + 4 * 8_030_261_248 // 128 + 291 * 64) + 291 * 4 + 4
    assert state.bytes == by_hand
    assert round(state.bytes / llama.total_count, 2) == 1.06


def test_adafactor_on_llama(llama: Layout) -> None:
    """Rows and columns of 226 matrices in fp32, 65 norms in full, one number a tensor."""
    state = _state("transformers.Adafactor", llama)
    layer = [(4096, 4096)] * 2 + [(1024, 4096)] * 2 + [(14336, 4096)] * 2 + [(4096, 14336)]
    matrices = layer * 32 + [(128256, 4096)] * 2
    assert state.bytes == 4 * (sum(map(sum, matrices)) + 65 * 4096 + 291)
    assert state.bytes / llama.total_count < 0.003


def test_tiny_models_save_nothing() -> None:
    """Below 4096 elements 8-bit state is fp32: 8 bytes a parameter, twice what torch keeps of bf16."""
    layout = layout_of(((64, 63),) * 50, "bf16")
    count = 50 * 64 * 63
    small = _state("bitsandbytes.AdamW8bit", layout)
    assert {row.name: row.bytes for row in small.rows if row.name.startswith("state")} == {
        "state1": 4 * count,
        "state2": 4 * count,
    }
    assert small.bytes > _state("torch.AdamW", layout).bytes


@pytest.mark.parametrize("numel", [4095, 4096, 4097, 4351, 4352])
def test_sizes_around_the_minimum(numel: int) -> None:
    """bitsandbytes counts partial blocks; torchao leaves what blocks do not divide as it is."""
    layout = layout_of(((numel,),), "bf16")
    eight = _state("bitsandbytes.AdamW8bit", layout).bytes - 2048
    assert eight == (8 * numel if numel < 4096 else 2 * numel + 2 * 4 * ceil(numel / 256))
    ours = _state("torchao.AdamW8bit", layout).bytes - 8
    whole = numel >= 4096 and numel % 256 == 0
    assert ours == (2 * (numel + 4 * numel // 256 + 1024) if whole else 4 * numel)


@pytest.mark.parametrize(
    ("name", "options", "element_count"),
    [
        ("torch.SGD", (), 0),
        ("torch.SGD", ("momentum=0.9",), 4096 * 4096 + 4096),
        ("timm.Lion", (), 4096 * 4096 + 4096),
        ("optimi.Lion", (), 4096 * 4096 + 4096),
        ("torch.Adam", (), 2 * (4096 * 4096 + 4096)),
        ("torch.Adam", ("amsgrad=true",), 3 * (4096 * 4096 + 4096)),
        ("transformers.Adafactor", (), 8192 + 4096),
        ("transformers.Adafactor", ("beta1=0.9",), 8192 + 4096 + 4096 * 4096 + 4096),
    ],
)
def test_states_of_a_square_and_its_bias(name: str, options: tuple[str, ...], element_count: int) -> None:
    """fp32; single numbers aside."""
    implementation = find(name)
    state = _state(name, layout_of(SQUARE, "fp32"), parse_options(implementation, options))
    large = sum(row.element_count for row in state.rows if row.element_count > len(SQUARE))
    assert large == element_count


def test_ten_thousand_tiny_tensors() -> None:
    """A step of 4 B each: in host memory by default, in blocks of 512 B on the device with fused."""
    layout = layout_of(((3,),) * 10_000, "fp32")
    plain = _state("torch.AdamW", layout)
    assert plain.host_bytes == 4 * 10_000
    fused = _state("torch.AdamW", layout, (("fused", True),))
    assert fused.host_bytes == 0
    assert fused.device_rounded_bytes - plain.device_rounded_bytes == 512 * 10_000
    assert fused.device_rounded_bytes > 10 * fused.device_bytes


def test_convolutions_keep_two_thirds_in_adafactor() -> None:
    """Last two axes: 3 + 3 numbers in place of 9. timm factors the channels."""
    shape = (64, 32, 3, 3)
    layout = layout_of((shape,), "fp32")
    assert _state("transformers.Adafactor", layout).bytes == 4 * (prod(shape) * 2 // 3 + 1)
    assert _state("timm.Adafactor", layout).bytes == 4 * (64 * 9 + 32 * 9 + 1 + 1)


@pytest.mark.parametrize(
    ("name", "bytes_per_parameter"), [("torch.AdamW", 4), ("deepspeed.FusedAdam", 4), ("apex.FusedAdam", 0)]
)
def test_kernels_that_take_16_bit_gradients_copy_none(name: str, bytes_per_parameter: int) -> None:
    """With fp32 master weights others get an fp32 copy of every gradient at the step."""
    options: Options = (("fused", True),) if name == "torch.AdamW" else ()
    scenario = Scenario(
        preset_ref("llama-3.1-8b"), precision="bf16-master", optimizer=name, options=options, target="cuda"
    )
    found = {row.id: row.bytes for row in compute(scenario).components}
    assert found["temporaries"] == bytes_per_parameter * 8_030_261_248
    assert found["master_weights"] == 4 * 8_030_261_248


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bitsandbytes.PagedAdamW8bit", ()),
        ("bitsandbytes.PagedAdamW8bit", (("min_8bit_size", 10**6),)),
        ("bitsandbytes.PagedLion32bit", ()),
        ("torchao.CPUOffloadOptimizer", ()),
        ("deepspeed.DeepSpeedCPUAdam", ()),
    ],
)
def test_what_lives_on_the_host_is_worded(name: str, options: Options) -> None:
    state = _state(name, layout_of(((400, 400), (100,)), "bf16"), options)
    assert state.host_bytes > 0
    assert all(render(row.why) for row in state.rows)
