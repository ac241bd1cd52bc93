"""No test may fail by chance: what waits is patient, and nothing says how fast something has to be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from hypothesis import settings

from tests.waiting import PATIENCE_S

HERE = Path(__file__).parent
BY_HAND = ("benchmarks", "fuzz", "gpu")
"""Run by name, on a quiet machine or one with a GPU; the fuzz targets' limits are of processor time."""

CLOCKS = {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time"}
READ_A_CLOCK = {
    "engine/fake_sampler.py": "samples carry the time",
    "engine/fake_simulator.py": "a greeting carries the time",
    "engine/fake_worker.py": "phases carry their times",
    "engine/test_calibration.py": "waits until the sampler's clock has come so far",
    "gui/test_measure_task.py": "batches have at least a time between them",
    "packaging/bundle.py": "the build's duration is told",
    "waiting.py": "the one place that waits",
    "worker/test_cuda_meter.py": "events carry their times",
}
"""Files that may, and why; an upper bound on a difference of two readings is never among the reasons."""

SHORTEST_WAIT_S = 100


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(HERE.rglob("*.py")):
        name = path.relative_to(HERE).as_posix()
        if name.partition("/")[0] not in BY_HAND:
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def _reads_a_clock(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in CLOCKS
        and isinstance(node.value, ast.Name)
        and node.value.id == "time"
        for node in ast.walk(tree)
    )


def test_only_those_read_a_clock_that_say_why() -> None:
    assert {name for name, tree in _modules() if _reads_a_clock(tree)} == set(READ_A_CLOCK)


def test_no_wait_is_short() -> None:
    """Waits of Qt's tests have their limit from their own robot, those of processes from one constant."""
    short = [
        (name, keyword.lineno)
        for name, tree in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "timeout"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, int | float)
        and keyword.value.value < SHORTEST_WAIT_S
    ]
    assert short == []
    assert PATIENCE_S >= SHORTEST_WAIT_S


def test_hypothesis_tries_the_same_examples_each_time() -> None:
    usual = settings.get_profile("optmem")
    assert usual.derandomize
    for name in ("optmem", "explore"):
        assert settings.get_profile(name).deadline is None
