"""What must hold for any model: totals add up, grow with the model, and scale with the number of tensors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.blocks import rounded
from optmem_gui.core.dtypes import DTYPES
from optmem_gui.core.layout import Layout
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from optmem_gui.core.scenario import Options, Target
from tests.core.optimizers.real import layout_of, option_sets

CASES = [(each, options) for each in CATALOGUE.values() for options in option_sets(each, together=1)]

sizes = st.integers(1, 5000)
matrices = st.lists(st.tuples(sizes, sizes), min_size=1, max_size=6)
cases = st.sampled_from(CASES)
precisions = st.sampled_from(["fp32", "bf16"])
targets: st.SearchStrategy[Target] = st.sampled_from(["cuda", "cpu"])


def _fits(options: Options, target: Target) -> bool:
    return target == "cuda" or ("capturable", True) not in options


@given(cases, matrices, precisions, targets)
def test_parts_add_up(
    case: tuple[Implementation, Options], shapes: list[Shape], precision: str, target: Target
) -> None:
    implementation, options = case
    if not _fits(options, target):
        return
    state = optimizer_state(implementation, options, layout_of(shapes, precision), target)
    assert state.bytes == sum(row.bytes for row in state.rows) == state.host_bytes + state.device_bytes
    assert state.device_bytes <= state.device_rounded_bytes
    tensors = sum(row.tensor_count for row in state.rows)
    ends = 1 + sum(row.bytes >= 1 << 20 for row in state.rows) * (1 << 20)  # of blocks that are not split
    assert state.device_rounded_bytes < state.device_bytes + (511 + ends) * tensors + 1
    assert 0 <= state.late_bytes <= state.bytes


@given(cases, matrices, precisions, st.integers(2, 5))
def test_more_of_the_same_tensors(
    case: tuple[Implementation, Options], shapes: list[Shape], precision: str, times: int
) -> None:
    """State is exactly so many times as large; a step takes no less, and at most so many times as much."""
    implementation, options = case
    once, more = (layout_of(shapes * n, precision) for n in (1, times))
    state, larger = (optimizer_state(implementation, options, layout, "cuda") for layout in (once, more))
    single = {s.name for s in implementation.states if s.whole and s.shape.key != "flat_vector"}
    shared = sum(row.bytes for row in state.rows if row.name in single)
    assert larger.bytes - shared == times * (state.bytes - shared)
    step, longer = (step_temporaries(implementation, options, layout, "cuda") for layout in (once, more))
    assert step.bytes <= longer.bytes <= times * step.bytes + _held_before(once, step.bytes)


def _held_before(layout: Layout, step_bytes: int) -> int:
    """A parameter that had none before it in the single model may have one now."""
    return 3 * max(p.group.numel * 4 for p in layout.trained) if step_bytes else 0


@given(cases, matrices, sizes, sizes)
def test_one_tensor_more_never_takes_less(
    case: tuple[Implementation, Options], shapes: list[Shape], rows: int, columns: int
) -> None:
    implementation, options = case
    without, with_it = layout_of(shapes, "fp32"), layout_of([*shapes, (rows, columns)], "fp32")
    for call in (optimizer_state, step_temporaries):
        smaller = call(implementation, options, without, "cuda")
        larger = call(implementation, options, with_it, "cuda")
        assert smaller.bytes <= larger.bytes
    step = step_temporaries(implementation, options, with_it, "cuda")
    assert step.bytes <= step.rounded_bytes


_RATIOS = {"optimizer.dtype.like_parameter": 2, "optimizer.dtype.fixed": 1}


@given(matrices)
def test_half_the_bits_half_the_bytes(shapes: list[Shape]) -> None:
    """State that follows the parameter's type halves with it; the fp32 counters do not."""
    for implementation in CATALOGUE.values():
        wide, narrow = (
            optimizer_state(implementation, (), layout_of(shapes, precision), "cuda")
            for precision in ("fp32", "bf16")
        )
        halves = {row.name: row for row in narrow.rows}
        for row in wide.rows:
            half = halves.get(row.name)
            if half is None or row.element_count != half.element_count:
                continue  # what only one of them has: Kahan buffers, the factors GaLore's fp32 slices keep
            ratio = DTYPES[row.dtype].bits // DTYPES[half.dtype].bits
            assert row.bytes == half.bytes * ratio, implementation.id
            assert ratio == _RATIOS.get(row.dtype_why.key, ratio), implementation.id


@given(st.integers(0, 10**15))
def test_rounding_is_to_the_next_block(size_bytes: int) -> None:
    assert rounded(size_bytes) % 512 == 0
    assert 0 <= rounded(size_bytes) - size_bytes < (512 if size_bytes <= 1 << 20 else 512 + (1 << 20))
