"""Rules of state that is kept in blocks of low-bit codes with a scale each.

Sources: bitsandbytes/optim/optimizer.py 0.50.2 (``init_state``: blocks of 256, a partial last block, tensors
below ``min_8bit_size`` in fp32) and torchao/optim 0.18.0 (``_new_buffer``: at least 4096 elements and a
multiple of the block, else a plain tensor in the type of the parameter).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from optmem_gui.core.dtypes import F32, DType
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import DTypeRule, Predicate, Settings, ShapeRule, State, Subject
from optmem_gui.core.optimizers.rules import fixed

PAGED_ELEMENT_COUNT = 100_000
"""Elements from which bitsandbytes puts state in managed memory (``get_state_buffer``)."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Which parameters are quantized, and in blocks of how many elements.

    Attributes:
        block: Elements of one block, or the option that says so.
        minimum: Elements below which a tensor is not quantized, or the option that says so.
        whole: A tensor is only quantized if blocks divide it.
    """

    block: int | str
    minimum: int | str
    whole: bool = False

    def quantizes(self, subject: Subject) -> bool:
        """Whether the state of this parameter is quantized."""
        numel = prod(subject.shape)
        divided = not self.whole or numel % _number(self.block, subject.settings) == 0
        return numel >= _number(self.minimum, subject.settings) and divided

    def count(self, subject: Subject) -> int:
        """Blocks of one parameter, the last of which may be partial."""
        return -(-prod(subject.shape) // _number(self.block, subject.settings))

    def codes(self, copies: int = 1) -> ShapeRule:
        """One code an element; with ``copies`` several such tensors in one."""
        return ShapeRule(
            "codes", lambda subject: _copies(subject, copies) if self.quantizes(subject) else None
        )

    def packed_codes(self) -> ShapeRule:
        """Two codes a byte."""
        return ShapeRule(
            "codes", lambda subject: (prod(subject.shape) // 2,) if self.quantizes(subject) else None
        )

    def scales(self, copies: int = 1) -> ShapeRule:
        """One scale a block."""
        return ShapeRule(
            "block_scales",
            lambda subject: (copies * self.count(subject),) if self.quantizes(subject) else None,
        )

    def table(self, entries: int) -> ShapeRule:
        """A table of values that every quantized tensor has of its own."""
        return ShapeRule("lookup_table", lambda subject: (entries,) if self.quantizes(subject) else None)

    def rest(self, copies: int = 1) -> ShapeRule:
        """Full size where a parameter is not quantized."""
        return ShapeRule(
            "not_quantized", lambda subject: None if self.quantizes(subject) else _copies(subject, copies)
        )


def _number(value: int | str, settings: Settings) -> int:
    return settings.whole(value) if isinstance(value, str) else value


def _copies(subject: Subject, copies: int) -> Shape:
    return subject.shape if copies == 1 else (copies, *subject.shape)


def full(copies: int = 1) -> ShapeRule:
    """As many elements as the parameter, ``copies`` times in one tensor, in a type of the library's own."""
    return ShapeRule("full", lambda subject: _copies(subject, copies))


def _one(subject: Subject) -> Shape:
    del subject
    return (1,)


ONE_NUMBER = ShapeRule("one_number", _one)
"""A tensor of one element for every parameter."""


def _single(subject: Subject) -> Shape:
    del subject
    return ()


ONE_A_GROUP = ShapeRule("one_a_group", _single)
"""One number for all parameters of a group; one group is counted."""


def shared_table(name: str, entries: int, when: Predicate, host: Predicate) -> State:
    """A table of values that all quantized tensors share."""
    rule = ShapeRule("shared_table", lambda _: (entries,))
    return State(name, rule, fixed(F32), when=when, host=host, whole=True)


@dataclass(frozen=True, slots=True)
class Paged:
    """bitsandbytes' placement: managed memory for large tensors of a paged optimizer."""

    when: Predicate

    def __call__(self, subject: Subject) -> bool:
        """Whether the state of this parameter is in managed memory."""
        return self.when(subject.settings) and prod(subject.shape) >= PAGED_ELEMENT_COUNT


def named(choices: dict[str, DType], option: str) -> DTypeRule:
    """The type that an option names."""

    def give(subject: Subject) -> DType:
        return choices[str(subject.settings.values[option])]

    return DTypeRule("chosen", give)
