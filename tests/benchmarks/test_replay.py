"""Bar of the allocator: at least a tenth of the speed of a loop that only keeps a sorted list up to date.

Run with ``python -m pytest tests/benchmarks/test_replay.py -s``; it prints the figures. Both sides are timed
in turn in one process and their best times compared, so that another load on the machine hits both alike.
With reference data the events are those of the largest recordings, without it those of a made-up program.
"""

from __future__ import annotations

import os
import random
import time
from bisect import bisect_left, insort
from collections.abc import Callable
from pathlib import Path

from optmem_gui.allocator.caching import CachingAllocator
from optmem_gui.allocator.config import MIB
from optmem_gui.allocator.recording import Event
from optmem_gui.allocator.replay import replay
from optmem_gui.report.snapshot_file import open_snapshot
from tests.allocator.recorder import SIZES, Program

SLOWEST = 10.0
ROUNDS = 9


def requests_of(events: tuple[Event, ...]) -> list[tuple[bool, int, int]]:
    """Allocations and frees: whether it allocates, which block, its bytes."""
    numbers: dict[int, int] = {}
    requests: list[tuple[bool, int, int]] = []
    for event in events:
        if event.action == "alloc":
            numbers[event.address] = len(requests)
            requests.append((True, len(requests), event.size))
        elif event.action == "free_completed" and event.address in numbers:
            requests.append((False, numbers.pop(event.address), event.size))
    return requests


def made_up() -> tuple[Event, ...]:
    """A program that allocates and frees."""
    chosen = random.Random(0)  # noqa: S311  # no secret
    program = Program()
    for _ in range(20_000):
        if len(program.live) > 300 or (program.live and chosen.random() < 0.45):
            program.free(chosen.choice(list(program.live)))
        else:
            program.alloc(chosen.choice(SIZES) + 512 * chosen.randrange(64))
    return tuple(program.events)


def only_bisect(requests: list[tuple[bool, int, int]]) -> None:
    """Keep the blocks in use in a sorted list, and nothing else."""
    keys: list[tuple[int, int]] = []
    for allocates, number, size in requests:
        if allocates:
            insort(keys, (size, number))
        else:
            del keys[bisect_left(keys, (size, number))]


def model(requests: list[tuple[bool, int, int]]) -> None:
    """The allocator on the same requests."""
    allocator = CachingAllocator()
    placed: dict[int, int] = {}
    for allocates, number, size in requests:
        if allocates:
            placed[number] = allocator.malloc(size)
        else:
            allocator.free(placed.pop(number))


def best_of(*calls: Callable[[], None]) -> list[float]:
    """The best time of each, timed in turn."""
    times = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for index, call in enumerate(calls):
            begun = time.perf_counter()
            call()
            times[index] = min(times[index], time.perf_counter() - begun)
    return times


def test_the_allocator_has_a_tenth_of_the_speed_of_its_sorted_list() -> None:
    folder = Path(os.environ.get("OPTMEM_REFERENCE_DATA", "")) / "cuda-traces"
    largest = sorted(folder.glob("*.json.gz"), key=lambda path: -path.stat().st_size)[:5]
    recordings = [open_snapshot(path)[0] for path in largest]
    events = [recording.events for recording in recordings] or [made_up()]
    requests = [request for each in events for request in requests_of(each)]
    floor, taken = best_of(lambda: only_bisect(requests), lambda: model(requests))
    print(  # noqa: T201  # the figures are what this is run for
        f"\n{len(requests):,} requests: sorted list {floor / len(requests) * 1e6:.2f} us, "
        f"allocator {taken / len(requests) * 1e6:.2f} us a request, {taken / floor:.1f} times"
    )
    for recording, path in zip(recordings, largest, strict=True):
        begun = time.perf_counter()
        replay(recording)
        seconds = time.perf_counter() - begun
        print(f"{path.name}: {len(recording.events):,} events in {seconds:.2f} s")  # noqa: T201  # as above
    assert taken <= SLOWEST * floor


def test_many_events_take_no_more_each() -> None:
    """Twice the program takes about twice the time: nothing grows with its square."""

    def run(count: int) -> None:
        allocator = CachingAllocator()
        for address in [allocator.malloc(2 * MIB + 512 * (index % 400)) for index in range(count)]:
            allocator.free(address)

    once, twice = best_of(lambda: run(10_000), lambda: run(20_000))
    assert twice <= 3.0 * once
