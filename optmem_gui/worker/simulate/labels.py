"""What allocations are: weights, gradients, state, activations, told by who holds them when a phase ends."""

from __future__ import annotations

from collections.abc import Iterator

from torch import nn

from optmem_gui.worker.job import Job
from optmem_gui.worker.simulate.tape import Tape
from optmem_gui.worker.simulate.tracker import Tracker
from optmem_gui.worker.training import Passes
from optmem_gui.worker.update import Update, tensors_in


def after_load(tracker: Tracker, job: Job, update: Update) -> None:
    """Model and optimizer stand; what else is there the program keeps beside them."""
    for parameter in job.parameters:
        tracker.label((parameter,), "weights", tracker.places.owner(parameter))
    for master, parameter in zip(update.masters, update.trainable, strict=False):
        tracker.label((master,), "master_weights", tracker.places.owner(parameter))
    for main, parameter in zip(update.main_gradients, update.trainable, strict=False):
        tracker.label((main,), "gradients", tracker.places.owner(parameter))
    label_state(tracker, update)
    tracker.label_new("buffers", "load")


def after_phase(tracker: Tracker, phase: str, passes: Passes) -> None:
    """A phase of a step ended."""
    if phase == "forward":
        tracker.label(passes.batch, "inputs")
        tracker.label_new("activations", phase)
    elif phase == "backward":
        label_gradients(tracker, passes.update)
    elif phase == "optimizer_step":
        label_state(tracker, passes.update)


def label_gradients(tracker: Tracker, update: Update) -> None:
    """What backward left for the optimizer."""
    if not update.main_gradients:
        for parameter in update.trainable:
            if parameter.grad is not None:
                tracker.label((parameter.grad,), "gradients", tracker.places.owner(parameter))


def label_state(tracker: Tracker, update: Update) -> None:
    """What the optimizer holds."""
    owners = dict(_owners(tracker, update))
    for key, held in update.optimizer.state.items():
        tracker.label(tensors_in(held), "optimizer_state", owners.get(id(key), ""))
    tracker.label((tensor for _, tensor in update.state()), "optimizer_state")


def _owners(tracker: Tracker, update: Update) -> Iterator[tuple[int, str]]:
    optimized: tuple[nn.Parameter, ...] = update.masters or update.trainable
    for one, parameter in zip(optimized, update.trainable, strict=True):
        yield id(one), tracker.places.owner(parameter)


def finish(tape: Tape) -> None:
    """Nothing more will be known: the rest came and went."""
    for block in tape.events:
        if not block.category:
            block.category = "temporaries"
