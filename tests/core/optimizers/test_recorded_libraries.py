"""State recorded from real optimizers that cannot be installed beside the rest: 0 bytes apart, name by name.

To record a library again, in an environment that has it:
``python tools/record_optimizer_states.py LIBRARY --output tests/core/optimizers/recorded/LIBRARY.json``.
"""

from __future__ import annotations

import pytest

from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from tests.core.optimizers.real import layout_of
from tests.core.optimizers.recordings import RecordedRow, rows_of, states_of

SCALAR_BYTES = 128
"""What 0-d tensors may take a parameter."""

LIBRARIES = ("timm", "deepspeed")
RECORDED = list(rows_of(*LIBRARIES))


@pytest.mark.parametrize("row", RECORDED, ids=str)
def test_state_is_the_recorded_one(row: RecordedRow) -> None:
    implementation = CATALOGUE[row.id]
    estimated = optimizer_state(implementation, row.options, layout_of(row.shapes, row.dtype), "cuda")
    assert states_of(estimated) == row.states
    assert implementation.proven == row.library
    assert implementation.created == "first_step"


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_called_proven_was_recorded(library: str) -> None:
    """In fp32 and bf16 with its defaults."""
    recorded = {(row.id, row.dtype) for row in RECORDED if not row.options}
    proven = [each.id for each in CATALOGUE.values() if each.library == library and each.proven]
    assert proven
    assert {(name, dtype) for name in proven for dtype in ("fp32", "bf16")} <= recorded


@pytest.mark.parametrize("row", RECORDED, ids=str)
def test_temporaries_are_near_the_recorded_ones(row: RecordedRow) -> None:
    """Counts of tensors are an estimate: at most a quarter too low, half too high.

    RAdam's recording ends before its rectification starts, which is when it takes most.
    """
    layout = layout_of(row.shapes, row.dtype)
    estimated = step_temporaries(CATALOGUE[row.id], row.options, layout, "cpu")
    slack = SCALAR_BYTES * len(row.shapes)
    assert estimated.bytes >= 0.75 * row.temporaries_bytes - slack
    if row.id != "timm.RAdamLegacy":
        assert estimated.bytes <= 1.5 * row.temporaries_bytes + slack
    assert not estimated.bytes or not estimated.exact or row.id == "timm.MADGRAD"
