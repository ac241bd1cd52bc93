"""What *Why?* answers, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from optmem_gui.core.breakdown import Band, Breakdown
from optmem_gui.core.proof import Proof
from optmem_gui.core.reasons import Reason

SubjectKind = Literal["component", "phase", "rank", "tier"]
Operation = Literal["sum", "largest"]

TIERS = ("allocated", "reserved", "process")
"""The three numbers of the headline, each containing the one before."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked about.

    Attributes:
        kind: A row of the breakdown, a phase, a kind of rank, or a number of the headline.
        id: Id of the component or phase, place of the rank in the breakdown, or one of :data:`TIERS`.
    """

    kind: SubjectKind
    id: str


@dataclass(frozen=True, slots=True)
class Term:
    """One number that goes into a result.

    Attributes:
        what: What it is, with the figures it is made of.
        low: Its bytes, or the least they are.
        high: The most they are; the same where it is exact.
    """

    what: Reason
    low: int
    high: int

    @classmethod
    def exact(cls, what: Reason, size_bytes: int) -> Term:
        """A term that is one number."""
        return cls(what, size_bytes, size_bytes)


@dataclass(frozen=True, slots=True)
class Why:
    """A number taken apart.

    Attributes:
        subject: What was asked about.
        why: What it is and why it exists.
        formula: How it is made.
        terms: The numbers that were put in.
        operation: How they make the result: their sum, or the largest of them.
        result: The number; both bounds are the same where it is exact. None where nothing is counted.
        sources: Where the rule was read: library, file and version, paper, or recording.
        proofs: What it was compared with.
        belief: What people often believe otherwise, and how it really is.
        page: Name of the page that tells more.
    """

    subject: Subject
    why: Reason
    formula: Reason
    terms: tuple[Term, ...]
    operation: Operation
    result: Band | None
    sources: tuple[Reason, ...]
    proofs: tuple[Proof, ...]
    belief: Reason | None
    page: str


def subjects_of(breakdown: Breakdown) -> tuple[Subject, ...]:
    """Everything in an estimate that can be asked about, headline first."""
    return (
        *(Subject("tier", tier) for tier in TIERS),
        *(Subject("component", row.id) for row in breakdown.components),
        *(Subject("phase", row.id) for row in breakdown.phases),
        *(Subject("rank", str(place)) for place in range(len(breakdown.ranks))),
    )
