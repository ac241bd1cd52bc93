"""How a number was proven: by a run, by a recording, by figures of other runs, or not yet.

*0 bytes apart* is worth what it was compared with. The kinds are told apart wherever a proof is shown: in the
list of optimizers, in *Why?*, in JSON and in exports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.reasons import Reason

ProofKind = Literal["run", "recording", "carried", "source", "probed", "given"]
PROOF_KINDS: tuple[ProofKind, ...] = ("run", "recording", "carried", "source", "probed", "given")
"""Strongest first: a real run in the project's tests; a recording made with the project's own tool; figures
carried over from runs of other people or from reference runs; read in the source, not yet compared. *Probed*
is a run on the user's own computer, *given* what the user entered, where there is nothing to prove."""

PROVEN: frozenset[ProofKind] = frozenset({"run", "recording", "carried", "probed"})
"""Kinds in which a prediction stood beside something real."""

_RECORDED = frozenset({"timm"})
"""Libraries that do not install beside the rest: their state was recorded with
``tools/record_optimizer_states.py``, and the tests compare with the recording."""

_CARRIED = frozenset(
    {
        "keras",
        "tf_keras",
        "tf_keras_legacy",
        "tensorflow",
        "optax",
        "dion",
        "soap",
        "distributed_shampoo",
        "deepspeed",
    }
)
"""Libraries whose figures come from earlier real runs that the project did not run again."""

_PROBED = "user"
"""Library of what the user added."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One thing that a prediction was compared with.

    Attributes:
        kind: What sort of comparison it was.
        what: What was compared, and how far apart it was.
    """

    kind: ProofKind
    what: Reason

    @property
    def label(self) -> Reason:
        """The kind in a few words."""
        return kind_label(self.kind)


def kind_label(kind: ProofKind) -> Reason:
    """A kind in a few words."""
    return Reason(f"proof.kind.{kind}")


def kind_of(implementation: Implementation) -> ProofKind:
    """How the state of an optimizer was proven."""
    library = implementation.library
    if not implementation.proven:
        return "source"
    if library == _PROBED:
        return "probed"
    if library in _RECORDED:
        return "recording"
    return "carried" if library in _CARRIED else "run"


def proof_of(implementation: Implementation) -> Proof:
    """How the state of an optimizer was proven, with the library and version it was compared with."""
    kind = kind_of(implementation)
    values = {"library": implementation.proven or implementation.library}
    return Proof(kind, Reason(f"proof.optimizer.{kind}", values))


def proven_with(implementation: Implementation) -> Reason:
    """The same in a few words, for a cell of a table."""
    kind = kind_of(implementation)
    return Reason(f"proof.with.{kind}", {"library": implementation.proven or implementation.library})
