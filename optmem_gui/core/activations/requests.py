"""What one stage asks of the allocator, with numbers in place of names: ready to be played many times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from optmem_gui.core.activations.tape import GRADIENTS, KEPT, LET_GO, PRODUCT, TEMPORARIES, Diary, Ledger
from optmem_gui.core.blocks import MIN_BLOCK_BYTES

INPUT, ENTRY = 0, 1
"""Places of a stage's input and of the gradient its backward starts from, which others have made."""

MULTIPLIES, NOWHERE = -1, -2
"""In place of a place: the first product of a direction, or a tensor that is small."""

Event = tuple[int, int]
"""A place, and the bytes that are taken there; 0 where they are let go, -1 where they become a gradient."""


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of more than 1 MiB of one stage.

    Attributes:
        forward: In order.
        again: The same of a second run, which ends with what is saved last.
        cached: Places that autocast's cache holds until its region ends.
        result: Place of the result, ``NOWHERE`` where it is small.
        result_saved: This stage's own backward needs its result.
        backward: In order.
        gradient: Place of the gradient of the input, which outlives backward.
        kept: Places of the parameters' gradients.
        waiting: Places of gradients that wait for a second use of their parameter.
        places: How many places there are.
    """

    forward: tuple[Event, ...] = ()
    again: tuple[Event, ...] = ()
    cached: tuple[int, ...] = ()
    result: int = NOWHERE
    result_saved: bool = False
    backward: tuple[Event, ...] = ()
    gradient: int = NOWHERE
    kept: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    places: int = 2


NO_REQUESTS = Requests()


def requests_of(ledger: Ledger, given: str) -> Requests:
    """Number what a ledger wrote down.

    Args:
        ledger: After forward and backward of a stage.
        given: Name of the stage's input.
    """
    if ledger.unit != MIN_BLOCK_BYTES:
        return NO_REQUESTS  # they are not played
    diary = ledger.diary
    places: dict[str, int] = {given: INPUT, PRODUCT: MULTIPLIES}
    if diary.entry:
        places[diary.entry] = ENTRY
    count = 2
    for name, _ in diary.events:
        if name not in places:
            places[name] = count
            count += 1
    let_go = {name for name, _ in diary.events[diary.forward : diary.closed]}
    gradient = diary.reached.get(given, "")
    alive = [(places[name], block.category) for name, block in ledger.live.items() if name in places]
    return Requests(
        forward=_numbered(diary.events[: diary.forward], places),
        again=_numbered(_second_run(diary), places),
        cached=tuple(places[name] for name in diary.cached if name in let_go),
        result=places.get(diary.result, NOWHERE),
        result_saved=diary.result not in let_go,
        backward=_numbered(diary.events[diary.closed :], places),
        gradient=places.get(gradient, NOWHERE),
        kept=tuple(place for place, category in alive if category == GRADIENTS),
        waiting=tuple(
            place for place, category in alive if category == TEMPORARIES and place != places.get(gradient)
        ),
        places=count,
    )


def _second_run(diary: Diary) -> Iterator[tuple[str, int]]:
    """What a second run of the forward asks for; where it ends it lets go of what is not saved."""
    end = diary.forward if diary.again is None else diary.again
    yield from diary.events[:end]
    made = {name for name, size in diary.events[:end] if size}
    yield from ((name, size) for name, size in diary.events[end : diary.forward] if not size and name in made)


def _numbered(events: Iterable[tuple[str, int]], places: dict[str, int]) -> tuple[Event, ...]:
    """Without what others take: the input and the gradient that backward starts from."""
    return tuple(
        (places[name], size)
        for name, size in events
        if size in (LET_GO, KEPT) or places[name] not in (INPUT, ENTRY)
    )
