"""Estimated beside simulated: every reason of a difference comes from the figures themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core.breakdown import COMPONENT_IDS
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.overhead import HOST_PROCESS_BYTES
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.simulated import (
    SimulatedRow,
    compare_simulated,
    simulate_request,
    simulated_largest,
    simulated_notes,
    simulated_peak_parts,
    simulated_process,
    simulated_scenario,
)
from optmem_gui.core.simulating import AliveRow, SimulatedPhase, SimulationReport, SimulationTarget
from optmem_gui.core.simulation_target import target_of
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import MIB

TARGET = SimulationTarget("2.13")
SCENARIO = Scenario(synthetic_ref(10_000_000), precision="fp32", batch=1, sequence=64)


def alive(category: str, requested: int, size: int | None = None, op: str = "mm") -> AliveRow:
    size = -(-requested // 512) * 512 if size is None else size
    return AliveRow(category, "layers.0", op, 3, "backward", 1, size, requested)


def phase(step: int, name: str, peak: int) -> SimulatedPhase:
    return SimulatedPhase(step, name, 0, peak, peak, peak, peak)


def report(*rows: AliveRow, **given: object) -> SimulationReport:
    peak = sum(row.bytes for row in rows)
    largest: dict[str, int] = {}
    for row in rows:
        largest[row.category] = largest.get(row.category, 0) + row.bytes
    made = SimulationReport(
        traced_by="2.13.0",
        target=TARGET,
        phases=(phase(0, "load", 512), phase(3, "forward", 512), phase(3, "backward", peak)),
        peak_bytes=peak,
        peak_high_bytes=peak,
        peak_phase="backward",
        peak_event=5,
        peak_reserved_bytes=-(-peak // (2 * MIB)) * 2 * MIB,
        categories=largest,
        largest=largest,
        alive=rows,
        points=(),
    )
    return replace(made, **given)  # type: ignore[arg-type]  # fields by name


def rows_of(made: SimulationReport, scenario: Scenario = SCENARIO) -> dict[tuple[str, str], SimulatedRow]:
    found = compare_simulated(compute(simulated_scenario(scenario)), made)
    return {(row.kind, row.id): row for row in found}


def why(row: SimulatedRow) -> str:
    assert row.why is not None
    assert "\n" not in str(row.why)
    return row.why.key


def test_the_peak_s_parts_are_what_was_asked_for_and_sum_to_it() -> None:
    """1000 asked of 1024, and tokens of 100 in 512: 24 + 412 are the ends of blocks."""
    made = report(alive("weights", 1000, 1024), alive("inputs", 100, 512), alive("activations", 512))
    assert simulated_peak_parts(made) == {"weights": 1000, "activations": 612, "rounding": 436}
    assert sum(simulated_peak_parts(made).values()) == made.peak_bytes
    assert simulated_largest(made) == {"weights": 1024, "activations": 1024}


def test_parts_that_the_list_leaves_out_are_not_lost() -> None:
    made = report(alive("weights", 1024), peak_bytes=2048)
    assert sum(simulated_peak_parts(made).values()) == 2048


def test_an_exact_component_needs_no_reason() -> None:
    weights = compute(simulated_scenario(SCENARIO)).component("weights").bytes
    row = rows_of(report(alive("weights", weights, weights)))["component", "weights"]
    assert (row.estimated, row.simulated, row.difference_bytes, row.error, row.why) == (
        weights,
        weights,
        0,
        0.0,
        None,
    )


def test_the_ends_of_blocks_are_a_reason() -> None:
    weights = compute(simulated_scenario(SCENARIO)).component("weights").bytes
    row = rows_of(report(alive("weights", weights, weights + 300)))["component", "weights"]
    assert why(row) == "simulated.rounding"
    assert "300" in str(row.why)


def test_buffers_inside_kernels_are_a_reason() -> None:
    made = report(alive("temporaries", 4096, op="sum:partial sums"), alive("temporaries", 512, op="mm"))
    row = rows_of(made)["component", "temporaries"]
    assert why(row) == "simulated.kernel_buffers"
    assert "sum:partial sums" in str(row.why)


def test_the_largest_operator_is_a_reason() -> None:
    made = report(
        alive("activations", 512, op="mm"), alive("activations", 1024, op="mm"), alive("activations", 1024)
    )
    row = rows_of(made)["component", "activations"]
    assert why(row) == "simulated.largest"
    assert "mm" in str(row.why)
    assert "2.5" in str(row.why)  # KiB of the three blocks


def test_a_component_that_is_not_at_the_peak_says_so() -> None:
    row = rows_of(report(alive("weights", 512)))["component", "gradients"]
    assert why(row) == "simulated.not_at_peak"


def test_what_the_closed_form_does_not_count() -> None:
    model = replace(SCENARIO.model, architecture=None)
    made = report(alive("activations", 4096))
    row = rows_of(made, replace(SCENARIO, model=model))["component", "activations"]
    assert why(row) == "simulated.not_counted"


def test_another_phase_or_the_widest_component_explains_the_peak() -> None:
    breakdown = compute(simulated_scenario(SCENARIO))
    other = next(p for p in ("forward", "backward") if p != breakdown.peak_phase)
    assert why(rows_of(report(alive("weights", 512), peak_phase=other))["peak", "allocated"]) == (
        "simulated.other_phase"
    )
    same = report(alive("weights", 512), peak_phase=breakdown.peak_phase)
    row = rows_of(same)["peak", "allocated"]
    assert why(row) == "simulated.more_estimated"
    assert row.error is not None
    assert row.error > 0


def test_reserved_is_compared_with_the_middle_of_the_band() -> None:
    breakdown = compute(simulated_scenario(SCENARIO))
    inside = report(alive("weights", 512), peak_reserved_bytes=breakdown.reserved.low)
    row = rows_of(inside)["reserved", "reserved"]
    assert row.estimated == (breakdown.reserved.low + breakdown.reserved.high) // 2
    assert row.why is None
    outside = report(alive("weights", 512), peak_reserved_bytes=breakdown.reserved.high + 1)
    assert why(rows_of(outside)["reserved", "reserved"]) == "simulated.reserved_outside"


def test_phases_are_the_largest_moment_of_the_steady_step_and_load() -> None:
    phases = (
        phase(0, "load", 100),
        phase(1, "forward", 900),
        phase(3, "forward", 200),
        phase(3, "backward", 300),
        phase(3, "forward", 250),
    )
    rows = rows_of(report(alive("weights", 512), phases=phases))
    assert {key[1]: row.simulated for key, row in rows.items() if key[0] == "phase"} == {
        "load": 100,
        "forward": 250,
        "backward": 300,
    }


def test_the_process_is_what_is_reserved_with_a_context() -> None:
    band = simulated_process(report(alive("weights", 512)))
    assert (band.low, band.high) == (2 * MIB + 250 * MIB, 2 * MIB + 650 * MIB)


def test_nothing_estimated_and_nothing_simulated_is_no_row() -> None:
    rows = rows_of(report(alive("weights", 512)))
    assert ("component", "master_weights") not in rows
    assert {key[1] for key in rows if key[0] == "component"} <= set(COMPONENT_IDS)


def test_the_request_names_the_step() -> None:
    request = simulate_request(SCENARIO, TARGET, every_block=True)
    assert request.work.shape == SCENARIO.model.architecture
    assert (request.work.batch, request.work.sequence) == (1, 64)
    assert request.work.optimizer == "torch.optim.AdamW"
    assert request.every_block
    assert simulate_request(SCENARIO, TARGET, config="{}").work.shape is None
    assert simulate_request(SCENARIO, TARGET, config="{}").work.config == "{}"
    both = simulate_request(SCENARIO, TARGET, config="{}", function="a.py:f").work
    assert (both.config, both.function, both.shape, both.tensors) == ("", "a.py:f", None, ())


def test_a_config_without_a_batch_is_traced_as_bare_tensors() -> None:
    request = simulate_request(replace(SCENARIO, batch=None), TARGET, config="{}")
    assert request.work.config == ""
    assert sum(row.count for row in request.work.tensors) == SCENARIO.model.tensor_count


def test_an_optimizer_that_is_no_torch_one_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        simulate_request(replace(SCENARIO, optimizer="keras.Adam"), TARGET)
    assert caught.value.code == "measure.other_runtime"


def test_several_gpus_are_said_to_be_left_out() -> None:
    several = replace(SCENARIO, parallel=Parallel(gpus=8, shard="zero2"))
    assert simulated_notes(SCENARIO) == ()
    assert "8" in str(simulated_notes(several)[0])
    assert simulated_scenario(several) == simulated_scenario(SCENARIO)


def test_a_target_that_is_the_cpu_is_traced_as_one() -> None:
    on_cpu = replace(SCENARIO, target="cpu", gpu="h100-80gb")
    scenario, target = simulated_scenario(on_cpu), target_of(None, device="cpu")
    assert (scenario.target, scenario.gpu) == ("cpu", None)
    assert simulate_request(on_cpu, target).work.device == "cpu"
    made = report(alive("weights", 500, 500), target=target, peak_reserved_bytes=500)
    rows = compare_simulated(compute(scenario), made)
    assert "reserved" not in {row.kind for row in rows}
    assert simulated_process(made).low == 500 + HOST_PROCESS_BYTES.low


def test_the_gpu_is_kept() -> None:
    assert simulated_scenario(replace(SCENARIO, gpu="h100-80gb")).gpu == "h100-80gb"
