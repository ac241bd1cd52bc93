"""A pickle read as data: every opcode is walked, no name in it is ever looked up.

A pickle is a small program whose ``GLOBAL`` instructions name functions and whose ``REDUCE`` calls
them. Here a name becomes a :class:`Symbol`, a call becomes a :class:`Made` that records what would
have been called, and nothing is imported or run. Only the callers' own table of rebuilders (by the
text of the name) turns a known call into a value.

The instructions are in :mod:`optmem_gui.checkpoints.pickle_machine`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from optmem_gui.checkpoints.bounds import LARGE_PICKLE, MODEL_PICKLE, PickleLimits
from optmem_gui.checkpoints.contents import refused
from optmem_gui.checkpoints.pickle_machine import DAMAGE, Machine, TooMuchError
from optmem_gui.checkpoints.pickle_values import Rebuild, Value


@dataclass(frozen=True, slots=True)
class Walked:
    """The outcome of one pickle.

    Attributes:
        value: The object it describes.
        named: Every name it refers to.
        called: The names it would call, without those that were rebuilt.
    """

    value: Value
    named: frozenset[str]
    called: frozenset[str]


def walk_pickle(
    stream: BinaryIO,
    rebuilders: Mapping[str, Rebuild],
    file: str,
    check: Callable[[], None] = lambda: None,
    limits: PickleLimits = LARGE_PICKLE,
) -> Walked:
    """Walk one pickle from a stream, up to and including its STOP.

    Args:
        stream: Where the instructions come from.
        rebuilders: What to make of a call, by the full name that is called.
        file: What to call the source in an error.
        check: Called now and then; may raise to stop.
        limits: How much it may make.

    Raises:
        UserError: The instructions end early, make no sense or make more than a checkpoint holds.
    """
    machine = Machine(stream, rebuilders, limits)
    try:
        value = machine.run(check)
    except DAMAGE:
        raise refused("checkpoint.pickle_damaged", file=file, position_count=machine.steps) from None
    except TooMuchError:
        raise refused("checkpoint.pickle_too_much", file=file, position_count=machine.steps) from None
    return Walked(value, frozenset(machine.named), frozenset(machine.called))


def names_in_pickles(data: bytes) -> tuple[frozenset[str], bool]:
    """Every name in the pickles that follow one another in some bytes, up to where they stop making sense.

    Returns:
        The names, and whether at least one pickle came to its end.
    """
    stream = io.BytesIO(data)
    named: set[str] = set()
    whole = False
    while stream.tell() < len(data):
        machine = Machine(stream, {}, MODEL_PICKLE)
        try:
            machine.run(lambda: None)
        except (*DAMAGE, TooMuchError):
            return frozenset(named | machine.named), whole
        whole = True
        named |= machine.named
    return frozenset(named), whole
