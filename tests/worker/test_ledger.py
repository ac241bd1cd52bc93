"""The course of a phase by component: against the categories that the tensors themselves give."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest
import torch

from optmem_gui.core.protocol import PhaseSample, Result
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.synthetic import synthetic_shape
from optmem_gui.worker.cpu_meter import CpuMeter, every_thread_counted, thinned
from optmem_gui.worker.ledger import Block, Ledger
from optmem_gui.worker.measure import Run


def block(address: int, change: int, total: int) -> Block:
    return Block(0, address, change, total)


def test_a_block_is_what_the_tensors_say_of_its_address() -> None:
    """10 bytes of weights; then 4 that are given back, 6 that stay, and 1 more than the events explain."""
    ledger = Ledger(lambda: {1: "weights"})
    loaded = ledger.enter("load", [block(1, 10, 10)], (0,))
    assert loaded == {"weights": (10,)}
    events = [block(2, 4, 15), block(3, 6, 21), block(2, -4, 17)]
    found = ledger.enter("forward", events, (0, 1, 2))
    assert found == {
        "weights": (10, 10, 10),
        "temporaries": (4, 4, 0),
        "activations": (0, 6, 6),
        "rounding": (1, 1, 1),
    }


def test_what_another_thread_released_was_no_tensor_that_is_known() -> None:
    """7 bytes were sent and are gone, which only the total of the next event says: 10 + 5 are left."""
    ledger = Ledger(lambda: {1: "weights"})
    ledger.enter("load", [block(1, 10, 10), block(2, 7, 17)], ())
    assert ledger.enter("forward", [block(3, 5, 15)], (0,)) == {"activations": (5,), "weights": (10,)}
    again = ledger.enter("backward", [block(2, 4, 19)], (0,))  # the address is taken again
    assert again == {"activations": (5,), "temporaries": (4,), "weights": (10,)}


def test_a_bucket_that_was_replaced_is_none_however_long_another_thread_holds_it() -> None:
    """9 bytes made anew: the old ones are still in the total of the first event, then they are gone."""
    known = {1: "weights", 2: "communication"}
    ledger = Ledger(lambda: known)
    ledger.enter("load", [block(1, 10, 10), block(2, 9, 19)], ())
    known.pop(2)
    known[3] = "communication"
    found = ledger.enter("forward", [block(3, 9, 28), block(4, 5, 24)], (0, 1))
    assert found == {
        "weights": (10, 10),
        "communication": (9, 9),
        "temporaries": (9, 0),
        "activations": (0, 5),
    }


def test_a_release_by_another_thread_is_in_the_total() -> None:
    samples: list[PhaseSample] = []
    meter = CpuMeter(samples.append)
    held = []
    with every_thread_counted():
        with meter.phase(1, "forward"):
            held.append(torch.empty(1000))
            thread = threading.Thread(target=held.clear)
            thread.start()
            thread.join()
            held.append(torch.empty(5))
        with meter.phase(1, "backward"):
            held.clear()
    forward, backward = samples
    base = forward.start_bytes  # what the tests before this one hold in this process
    assert forward.peak_bytes - base == 4000
    assert forward.allocated_bytes - base == 20
    assert (backward.start_bytes - base, backward.allocated_bytes - base) == (20, 0)


def test_an_address_that_is_used_again_is_another_block() -> None:
    ledger = Ledger(lambda: {5: "gradients"})
    events = [block(5, 3, 3), block(5, -3, 0), block(5, 8, 8)]
    assert ledger.enter("backward", events, (0, 2)) == {"temporaries": (3, 0), "gradients": (0, 8)}


def test_what_becomes_known_later_is_named_from_then_on() -> None:
    known: dict[int, str] = {}
    ledger = Ledger(lambda: known)
    assert ledger.enter("forward", [block(1, 2, 2)], (0,)) == {"activations": (2,)}
    known[1] = "optimizer_state"
    ledger.enter("optimizer_step", [], ())
    assert ledger.enter("forward", [block(2, 1, 3)], (0,)) == {"optimizer_state": (2,), "activations": (1,)}


@pytest.mark.parametrize("count", [0, 1, 5, 6, 7, 11, 100])
def test_thinning_keeps_the_largest_and_the_last(count: int) -> None:
    totals = [(7 * at) % 31 for at in range(count)]
    kept = thinned(totals, 6)
    assert len(kept) <= 6
    assert all(first < second for first, second in pairwise(kept))
    if count:
        assert kept[-1] == count - 1
        assert max(totals) in [totals[at] for at in kept]


@pytest.fixture(scope="module")
def result() -> Result:
    """Three real steps: 60,000 parameters with fp32 master weights over bf16 ones."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    request = MeasureRequest(
        "cpu",
        "torch.optim.AdamW",
        precision="bf16-master",
        shape=synthetic_shape(60_000),
        batch=2,
        sequence=32,
    )
    found = Run(request, lambda message: None).measure()
    torch.set_num_threads(threads)
    return found


def ends(phase: PhaseSample) -> dict[str, int]:
    return {name: sizes[-1] for name, sizes in phase.parts.items()}


def test_the_parts_of_every_point_sum_to_what_is_allocated(result: Result) -> None:
    base = result.load.start_bytes  # what the tests before this one hold in this process
    for phase in (result.load, *result.first.phases, *result.steady.phases):
        for index, (_, allocated) in enumerate(phase.points):
            assert sum(sizes[index] for sizes in phase.parts.values()) == allocated
            assert phase.parts.get("rounding", [base] * (index + 1))[index] == base


def test_the_parts_at_the_end_of_a_phase_are_the_categories(result: Result) -> None:
    found = result.steady.categories
    forward, backward, step, between = result.steady.phases
    held = {
        "weights": found.weights,
        "master_weights": found.master_weights,
        "optimizer_state": found.optimizer_state,
    }
    after = {name: size for name, size in ends(forward).items() if name not in ("activations", "rounding")}
    assert {name: size for name, size in after.items() if size} == held
    assert ends(forward)["activations"] == result.steady.activations
    assert ends(backward)["gradients"] == found.gradients
    assert ends(backward)["activations"] == 0
    assert {name: size for name, size in ends(step).items() if size and name != "rounding"} == held
    assert not between.parts


def test_the_temporaries_of_the_step_stand_above_what_stays(result: Result) -> None:
    """The fp32 copy of the gradients is made at the step: twice the size of the bf16 gradients."""
    step = result.steady.phases[2]
    assert max(step.parts["temporaries"]) >= 2 * result.steady.categories.gradients
    assert step.alloc_count >= len(step.points) // 2
    assert step.retry_count is None
    assert step.active_bytes is None
