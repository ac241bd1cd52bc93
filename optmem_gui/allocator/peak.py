"""What was alive when a recording had the most memory in use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from optmem_gui.allocator.recording import Recording
from optmem_gui.allocator.start import CHECK_EVERY, never, undo


@dataclass(frozen=True, slots=True)
class Alive:
    """A block that was in use.

    Attributes:
        address: Where the recording has it.
        requested: Bytes that were asked for.
        event: Index of the event that allocated it; None where it is older than the recording.
        place: Where in the program that was; empty where the recording does not say.
        stack: Every frame of it, the innermost first; empty where the recording does not say.
    """

    address: int
    requested: int
    event: int | None
    place: str
    stack: tuple[str, ...] = ()


def alive_after(
    recording: Recording, event_index: int, check: Callable[[], None] = never
) -> tuple[Alive, ...]:
    """Blocks in use after an event, the largest first.

    Args:
        recording: The recording.
        event_index: Which event; -1 for the state before the first.
        check: Called now and then; may raise to stop.
    """
    before = undo(recording, check)
    alive = {
        address: Alive(address, block.requested, None, "")
        for address, block in before.live.items()
        if block.allocated
    }
    for index, event in enumerate(recording.events[: event_index + 1]):
        if index % CHECK_EVERY == 0:
            check()
        if event.action == "alloc":
            place = recording.places[index] if recording.places else ""
            stack = recording.stacks[index] if recording.stacks else ()
            alive[event.address] = Alive(event.address, event.size, index, place, stack)
        elif event.action == "free_requested":
            alive.pop(event.address, None)
    return tuple(sorted(alive.values(), key=lambda block: (-block.requested, block.address)))


def peak_event(allocated: tuple[int, ...]) -> int:
    """The first event after which the most was in use; -1 for the state before the first.

    Args:
        allocated: Bytes in use before the first event and after each.
    """
    return allocated.index(max(allocated)) - 1
