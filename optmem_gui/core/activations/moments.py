"""What is known of the activations of one micro-batch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from optmem_gui.core.reasons import Reason

Step = Literal["forward", "backward"]


@dataclass(frozen=True, slots=True)
class ActivationMoment:
    """The largest moment of one stage, bytes on the device.

    Attributes:
        phase: Part of the step.
        label: ``embedding``, ``layer N``, ``loss`` or ``end``.
        activations: Saved for backward, and what is being computed from.
        autocast_copies: 16-bit copies of fp32 weights.
        gradients: Parameter gradients produced so far in this micro-batch.
        temporaries: Everything else, gradients of activations included.
    """

    phase: Step
    label: str
    activations: int
    autocast_copies: int
    gradients: int
    temporaries: int

    @property
    def in_layer(self) -> bool:
        """Whether a layer runs: not the embedding, not the loss."""
        return self.label.startswith("layer")

    @property
    def total_bytes(self) -> int:
        """Bytes of all four."""
        return self.activations + self.autocast_copies + self.gradients + self.temporaries


@dataclass(frozen=True, slots=True)
class ActivationItem:
    """One kind of tensor that waits for backward.

    Attributes:
        name: Kind, such as ``attention`` or ``logits``.
        bytes: All of them together.
        count: How many there are.
        why: What keeps them.
    """

    name: str
    bytes: int
    count: int
    why: Reason


@dataclass(frozen=True, slots=True)
class Activations:
    """What one micro-batch holds beside weights, gradients and optimizer state.

    Attributes:
        moments: Course over forward, then backward.
        items: What is saved at the end of forward, itemised; sums to ``saved_bytes`` + ``autocast_bytes``.
        saved_bytes: Saved for backward at the end of forward, the batch itself included.
        autocast_bytes: 16-bit copies of fp32 weights that are alive then.
        logits_bytes: Of ``saved_bytes``, what a loop that keeps the logits holds through the step.
        workspace_bytes: cuBLAS workspaces of the forward and the autograd thread.
        attention_used: Kernel that runs.
        attention_why: Why that one.
        not_counted: What this leaves out, and what it takes for granted.
    """

    moments: tuple[ActivationMoment, ...]
    items: tuple[ActivationItem, ...]
    saved_bytes: int
    autocast_bytes: int
    logits_bytes: int
    workspace_bytes: int
    attention_used: str
    attention_why: Reason
    not_counted: tuple[Reason, ...]

    def peak(self, phase: Step) -> ActivationMoment:
        """The largest moment of a phase."""
        return max((m for m in self.moments if m.phase == phase), key=lambda m: m.total_bytes)


def leading(activations: Activations) -> Activations:
    """The moments that can be the largest of their phase, whatever stands beside them.

    What stands beside them can make a moment with fewer gradients or smaller temporaries the larger one,
    but none that has at most as much of everything as an earlier one, or less as a later one.
    """
    kept: list[ActivationMoment] = []
    for moment in activations.moments:
        if any(_covers(earlier, moment) for earlier in kept):
            continue
        while kept and _covers(moment, kept[-1]) and _saved(moment) > _saved(kept[-1]):
            kept.pop()
        kept.append(moment)
    return replace(activations, moments=tuple(kept))


def _covers(one: ActivationMoment, other: ActivationMoment) -> bool:
    return (
        one.phase == other.phase
        and one.in_layer >= other.in_layer  # beside a layer stands what ranks send each other
        and _saved(one) >= _saved(other)
        and one.gradients >= other.gradients
        and one.temporaries >= other.temporaries
    )


def _saved(moment: ActivationMoment) -> int:
    return moment.activations + moment.autocast_copies
