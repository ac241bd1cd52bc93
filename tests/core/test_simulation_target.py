"""The simulated machine: facts of the GPU, and a band where they are not known."""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.kernels.processors import FEWEST, MOST, Processors
from optmem_gui.core.overhead import CONTEXT_BYTES
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.core.simulation_target import processors_of, target_of
from optmem_gui.engine.gpu_table import find_gpu


def test_a_known_gpu_is_one_machine() -> None:
    target = target_of(find_gpu("h100-80gb"), "2.9.1+cu128")
    assert (target.torch, target.architecture, target.sm_count, target.threads_per_sm) == (
        "2.9",
        "sm_90",
        132,
        2048,
    )
    assert processors_of(target) == (Processors(132, 2048), Processors(132, 2048))


def test_the_capacity_leaves_room_for_the_driver_and_the_smallest_context() -> None:
    gpu = find_gpu("h100-80gb")
    assert target_of(gpu).capacity_bytes == gpu.usable_bytes - CONTEXT_BYTES.low


def test_without_a_gpu_the_ends_hold_every_gpu() -> None:
    target = target_of(None)
    assert (target.torch, target.capacity_bytes) == ("2.13", None)
    assert processors_of(target) == (FEWEST, MOST)


def test_of_a_cpu_only_torch_is_known() -> None:
    target = target_of(find_gpu("h100-80gb"), "2.9", allocator="x", device="cpu")
    assert target == SimulationTarget("2.9", device="cpu")


def test_a_gpu_without_a_known_count_keeps_its_threads() -> None:
    target = replace(target_of(find_gpu("rtx-4090")), sm_count=None)
    assert processors_of(target) == (Processors(FEWEST.count, 1536), Processors(MOST.count, 1536))
