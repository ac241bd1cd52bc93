"""The tape of a deep model from the tapes of two shallow ones, exactly.

A model of equal blocks repeats itself: where the deeper of the two tapes has something that the other has
not, that is one more block, in forward, in backward, in the optimizer's lists. Such a stretch is inserted as
often as blocks are missing. What a stretch allocates is new each time; what it frees was allocated by the
stretch that belongs to it elsewhere: the one as far from the beginning, or, in backward, the one that is as
far from the end as this one is from the beginning. Whatever does not fit this picture raises
:class:`UnlikeError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from optmem_gui.worker.simulate.tape import Block, Mark, Tape

_FEWEST = 3
"""Stretches without which the first and the last could not be told from those between."""

_GROWING = ("_foreach_norm:norms of chunks", "stack", "cat")
"""What an optimizer makes with a part for every parameter."""

_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


class UnlikeError(Exception):
    """The tapes do not repeat themselves in a way that is understood."""


@dataclass(slots=True)
class _Stretch:
    """Equal stretches that follow each other.

    Attributes:
        start: Event of the deeper tape at which the first begins.
        width: Events of one.
        count: How many there are in the deeper tape.
    """

    start: int
    width: int
    count: int

    @property
    def end(self) -> int:
        """Event after the last."""
        return self.start + self.width * self.count

    @property
    def cut(self) -> int:
        """How many stand before those that are inserted."""
        return self.count // 2


@dataclass(frozen=True, slots=True)
class _Spot:
    """An event inside stretches: which ones, how many before it, and how far into it."""

    region: int
    copy: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Link:
    """Where what is freed in a stretch was allocated.

    Attributes:
        region: Among which stretches.
        offset: How far into one.
        mirrored: Counted from the last of those stretches.
        shift: How many further than the stretch that frees.
    """

    region: int
    offset: int
    mirrored: bool
    shift: int


@dataclass(slots=True)
class _Deeper:
    """The deeper tape, taken apart.

    Attributes:
        tape: It.
        born: For every event the event that allocated its block.
        regions: Stretches in order.
        slopes: Bytes that blocks grow by with every missing block, by the event that allocates.
    """

    tape: Tape
    born: list[int]
    regions: list[_Stretch] = field(default_factory=list)
    slopes: dict[int, int] = field(default_factory=dict)

    def spot(self, event: int) -> _Spot | None:
        """Where in the stretches an event lies; None outside."""
        for index, region in enumerate(self.regions):
            if region.start <= event < region.end:
                copy, offset = divmod(event - region.start, region.width)
                return _Spot(index, copy, offset)
        return None


def splice(shallow: Tape, deeper: Tape, missing: int) -> Tape:
    """The tape of a model with ``missing`` more blocks than the deeper one.

    Args:
        shallow: Of a model with one block less than the deeper one.
        deeper: Of a model of at least three blocks, four to be safe.
        missing: How many blocks to add; 0 gives the deeper tape again.

    Raises:
        UnlikeError: The tapes differ by something else than one block.
    """
    if [mark[1:] for mark in shallow.marks] != [mark[1:] for mark in deeper.marks] or deeper.empties:
        raise UnlikeError("phases")
    parts = _Deeper(deeper, _births(deeper))
    numbers: dict[tuple[object, ...], int] = {}
    few, many = _tokens(shallow, numbers), _tokens(deeper, numbers)
    for (a, b), (c, d) in zip(_spans(shallow), _spans(deeper), strict=True):
        _align(few[a:b], many[c:d], c, parts, shallow.events[a:b])
    return _Writer(parts, missing).write()


def _spans(tape: Tape) -> Iterator[tuple[int, int]]:
    starts = [mark.event for mark in tape.marks]
    return zip(starts, [*starts[1:], tape.end], strict=True)


def _births(tape: Tape) -> list[int]:
    first: dict[Block, int] = {}
    return [first.setdefault(block, index) for index, block in enumerate(tape.events)]


def _tokens(tape: Tape, numbers: dict[tuple[object, ...], int]) -> list[int]:
    """One number for events that are alike but for the block of the model they belong to."""
    found = []
    alive: set[Block] = set()
    for block in tape.events:
        taken = block not in alive
        alive.symmetric_difference_update((block,))
        module = _NUMBER.sub("#", block.module)
        grows = block.phase == "optimizer_step" and block.op in _GROWING
        size = (0, 0) if grows else (block.requested, block.most)
        token = (taken, block.op, size, block.category, module)
        number = numbers.setdefault(token, len(numbers))
        found.append(number)
    return found


def _align(
    few: Sequence[int], many: Sequence[int], base: int, parts: _Deeper, blocks: Sequence[Block]
) -> None:
    """Find what the deeper tape has besides, within one phase."""
    i = j = 0
    while i < len(few) or j < len(many):
        if i < len(few) and j < len(many) and few[i] == many[j]:
            if parts.born[base + j] == base + j:
                slope = parts.tape.events[base + j].requested - blocks[i].requested
                if slope:
                    parts.slopes[base + j] = slope
            i, j = i + 1, j + 1
            continue
        width = _inserted(few, many, i, j)
        if not width:
            raise UnlikeError(f"event {base + j}")
        parts.regions.append(_region(many, j, width, base))
        j += width


def _inserted(few: Sequence[int], many: Sequence[int], i: int, j: int) -> int:
    """Width of the stretch that begins at ``many[j]`` and that ``few`` has not; 0 without one.

    It repeats what stands before it, and the tapes agree after it; of several such widths the one after which
    they agree longest is meant.
    """
    most = (len(many) - j) - (len(few) - i)
    if 0 < most <= j and many[j : j + most] == many[j - most : j] and few[i:] == many[j + most :]:
        return most
    best, longest = 0, 0
    for width in range(1, min(most, j) + 1):
        if many[j] != many[j - width] or many[j : j + width] != many[j - width : j]:
            continue
        agreed = _agreement(few, many, i, j + width)
        if agreed > longest:
            best, longest = width, agreed
    return best


def _agreement(few: Sequence[int], many: Sequence[int], i: int, j: int) -> int:
    """Events that agree from two places on."""
    length = 0
    for a, b in zip(islice(few, i, None), islice(many, j, None), strict=False):
        if a != b:
            break
        length += 1
    return length


def _region(many: Sequence[int], j: int, width: int, base: int) -> _Stretch:
    stretch = many[j : j + width]
    count, start = 1, j
    while start >= width and many[start - width : start] == stretch:
        start -= width
        count += 1
    if count < _FEWEST:
        raise UnlikeError(f"{count} stretches at event {base + j}")
    return _Stretch(base + start, width, count)


class _Writer:
    """Writes the spliced tape."""

    def __init__(self, parts: _Deeper, missing: int) -> None:
        self.parts, self.missing = parts, missing
        self.tape = Tape()
        self.outside: dict[int, Block] = {}
        self.inside: list[list[list[Block | None]]] = [
            [[None] * region.width for _ in range(region.count + missing)] for region in parts.regions
        ]
        self.counted: dict[tuple[str, ...], int] = {}
        self.links = [self._links(index) for index in range(len(parts.regions))]
        self.numbers = [self._numbers(region) for region in parts.regions]

    def write(self) -> Tape:
        """Every event of the deeper tape, and the missing stretches in the middle of theirs."""
        deeper, regions = self.parts.tape, iter(enumerate(self.parts.regions))
        marks = iter([*deeper.marks, Mark(deeper.end, -1, "")])
        mark, region, event = next(marks), next(regions, None), 0
        while True:
            while mark.event == event and mark.step >= 0:
                self.tape.marks.append(Mark(len(self.tape.events), mark.step, mark.phase))
                mark = next(marks)
            if event >= deeper.end:
                break
            if region is not None and event == region[1].start:
                self._write_region(*region)
                event, region = region[1].end, next(regions, None)
            else:
                self._write_outside(event)
                event += 1
        self.tape.end = len(self.tape.events)
        return self.tape

    def _write_outside(self, event: int) -> None:
        born = self.parts.born[event]
        if born != event:
            self.tape.events.append(self._raw(born))
            return
        block = self.parts.tape.events[event].twin()
        block.module = self._module_outside(block.module)
        grown = self.parts.slopes.get(event, 0) * self.missing
        block.requested += grown
        block.most += grown
        self.outside[event] = block
        self.tape.events.append(block)

    def _write_region(self, index: int, region: _Stretch) -> None:
        for copy in range(region.count + self.missing):
            if copy < region.cut:
                self._write_stretch(index, copy, like=copy, between=False)
            elif copy >= region.cut + self.missing:
                self._write_stretch(index, copy, like=copy - self.missing, between=False)
            else:
                self._write_stretch(index, copy, like=region.cut, between=True)

    def _write_stretch(self, index: int, copy: int, *, like: int, between: bool) -> None:
        """One stretch, with blocks of its own, as the deeper tape's number ``like`` has them."""
        region = self.parts.regions[index]
        born, source, out = self.parts.born, self.parts.tape.events, self.tape.events
        links, numbers, made = self.links[index], self.numbers[index], self.inside[index][copy]
        first = region.start + like * region.width
        for offset in range(region.width):
            event = first + offset
            block: Block | None
            if born[event] == event:
                block = source[event].twin()
                number = numbers[offset]
                if number is not None:
                    block.module = self._module(block.module, number, copy - like)
                made[offset] = block
            else:
                link = links.get(offset)
                if link is not None and (between or self._follows(link, like, born[event])):
                    block = self._linked(link, copy)
                else:
                    block = None if between else self._raw(born[event])
            if block is None:
                raise UnlikeError(f"event {event}")
            out.append(block)

    def _raw(self, born: int) -> Block:
        """The block that an event of the deeper tape allocated, counted from the nearer end."""
        spot = self.parts.spot(born)
        if spot is None:
            return self.outside[born]
        later = spot.copy >= self.parts.regions[spot.region].cut
        found = self.inside[spot.region][spot.copy + (self.missing if later else 0)][spot.offset]
        if found is None:
            raise UnlikeError(f"event {born}")
        return found

    def _linked(self, link: _Link, copy: int) -> Block | None:
        there = copy + link.shift
        count = self.parts.regions[link.region].count + self.missing
        if link.mirrored:
            there = count - 1 - there
        return self.inside[link.region][there][link.offset] if 0 <= there < count else None

    def _follows(self, link: _Link, copy: int, born: int) -> bool:
        """Whether a stretch of the deeper tape frees by the rule."""
        there = copy + link.shift
        if link.mirrored:
            there = self.parts.regions[link.region].count - 1 - there
        return self.parts.spot(born) == _Spot(link.region, there, link.offset)

    def _links(self, index: int) -> dict[int, _Link]:
        """The rule of every free in a stretch."""
        region = self.parts.regions[index]
        found = {}
        for offset in range(region.width):
            events = [region.start + copy * region.width + offset for copy in range(region.count)]
            if self.parts.born[events[0]] != events[0]:
                link = self._link([self.parts.spot(self.parts.born[event]) for event in events])
                if link is not None:
                    found[offset] = link
        return found

    def _link(self, spots: Sequence[_Spot | None]) -> _Link | None:
        """The rule that two stretches side by side show, those in the middle first."""
        pairs = sorted(range(len(spots) - 1), key=lambda copy: abs(2 * copy + 2 - len(spots)))
        for copy in pairs:
            here, after = spots[copy], spots[copy + 1]
            if here is None or after is None:
                continue
            if (here.region, here.offset) != (after.region, after.offset):
                continue
            step = after.copy - here.copy
            if step == 1:
                return _Link(here.region, here.offset, False, here.copy - copy)
            if step == -1:
                from_end = self.parts.regions[here.region].count - 1 - here.copy
                return _Link(here.region, here.offset, True, from_end - copy)
        return None

    def _numbers(self, region: _Stretch) -> list[tuple[int, int] | None]:
        """Which part of a module's path counts blocks, and by how much from stretch to stretch."""
        events = self.parts.tape.events
        found: list[tuple[int, int] | None] = []
        for event in range(region.start, region.start + region.width):
            first = events[event].module
            number = _step(first, events[event + region.width].module)
            found.append(number)
            if number is not None:
                self.counted[tuple(first.split(".")[: number[0]])] = abs(number[1])
        return found

    def _module(self, module: str, number: tuple[int, int], ahead: int) -> str:
        """Path of a module with the number that it has in the deep model."""
        place, by = number
        return _moved(module, place, by * ahead if by > 0 else -by * (self.missing - ahead))

    def _module_outside(self, module: str) -> str:
        """The same for what is in no stretch: the later half of the numbers moves on."""
        parts = module.split(".")
        for prefix, by in self.counted.items():
            place = len(prefix)
            if len(parts) > place and tuple(parts[:place]) == prefix and parts[place].isdecimal():
                later = int(parts[place]) >= by * _FEWEST // 2
                return _moved(module, place, by * self.missing if later else 0)
        return module


@lru_cache(maxsize=1 << 14)
def _moved(module: str, place: int, by: int) -> str:
    parts = module.split(".")
    parts[place] = str(int(parts[place]) + by)
    return ".".join(parts)


def _step(first: str, second: str) -> tuple[int, int] | None:
    """Which part of a path counts, and by how much; None where none does."""
    a, b = first.split("."), second.split(".")
    unlike = [place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    if len(a) != len(b) or len(unlike) != 1:
        return None
    x, y = a[unlike[0]], b[unlike[0]]
    return (unlike[0], int(y) - int(x)) if x.isdecimal() and y.isdecimal() else None
