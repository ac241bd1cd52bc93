"""The largest value that fits is one that fits, and the next one does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.solve import largest, solve
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus

GPU = load_gpus()["h100-80gb"]
ONE_B = Scenario(synthetic_ref(1_000_000_000), precision="bf16", batch=1, sequence=1024)


@given(
    slope=st.integers(1, 10**9),
    start=st.integers(0, 10**9),
    limit=st.integers(0, 10**12),
    bend=st.integers(0, 1000),
    most=st.integers(1, 10**7),
)
def test_the_answer_fits_and_the_next_does_not(
    slope: int, start: int, limit: int, bend: int, most: int
) -> None:
    calls = 0

    def size(value: int) -> int:
        nonlocal calls
        calls += 1
        return start + slope * value + bend * value * value // 7

    found = largest(size, limit, most)
    used = calls
    assert found == 0 or size(found) <= limit
    assert found == most or size(found + 1) > limit
    assert used <= 90


@pytest.mark.parametrize("what", ["batch", "sequence"])
def test_the_estimate_agrees(what: str) -> None:
    found = solve(ONE_B, GPU, "batch" if what == "batch" else "sequence")
    assert 0 < found.sure <= found.perhaps
    for value, fits in ((found.sure, ("yes",)), (found.sure + 1, ("tight", "no"))):
        chosen = replace(ONE_B, batch=value) if what == "batch" else replace(ONE_B, sequence=value)
        fit = compute(chosen, GPU).fit
        assert fit is not None
        assert fit.fits in fits
    last = replace(ONE_B, batch=found.perhaps) if what == "batch" else replace(ONE_B, sequence=found.perhaps)
    fit = compute(last, GPU).fit
    assert fit is not None
    assert fit.fits != "no"


def test_nothing_fits() -> None:
    large = replace(ONE_B, model=synthetic_ref(70_000_000_000))
    assert solve(large, GPU, "batch").perhaps == 0


def test_what_is_missing_is_said() -> None:
    with pytest.raises(UserError, match="sequence length"):
        solve(replace(ONE_B, sequence=None), GPU, "batch")
    with pytest.raises(UserError, match="batch"):
        solve(replace(ONE_B, batch=None), GPU, "sequence")
    bare = replace(ONE_B.model, architecture=None)
    with pytest.raises(UserError, match="architecture"):
        solve(replace(ONE_B, model=bare), GPU, "batch")
