"""Forward and backward of a step as requests to the allocator, in the order in which they come."""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.core.activations.course import Course
from optmem_gui.core.activations.memory import Memory, Places
from optmem_gui.core.activations.requests import (
    ENTRY,
    INPUT,
    MULTIPLIES,
    NOWHERE,
    Event,
    Requests,
)
from optmem_gui.core.activations.stages import Stage
from optmem_gui.core.blocks import Block

_LOSS, _EMBEDDING = -1, -2
"""In place of a layer's number."""

Gradients = dict[tuple[int, int], Block | None]
"""Gradients of parameters, by layer and place."""


class Passes:
    """Micro-batches of one run, played on its memory.

    Attributes:
        gradients: Gradients of the parameters that are there.

    Args:
        course: What is played.
        memory: Where.
        workspace_bytes: cuBLAS's workspace of one thread.
        logits_bytes: What the training loop holds through the step.
        added: Every gradient is added to a buffer and let go at once.
    """

    def __init__(
        self,
        course: Course,
        memory: Memory,
        *,
        workspace_bytes: int,
        logits_bytes: int,
        added: bool,
    ) -> None:
        self.gradients: Gradients = {}
        self._course, self._memory = course, memory
        self._workspace_bytes, self._logits_bytes, self._added = workspace_bytes, logits_bytes, added
        self._span = course.plan.span
        self._threads: set[bool] = set()
        self._in_backward = False
        self._layers: list[Places] = []
        self._inputs: list[Block | None] = []
        self._loss: Places = []
        self._logits: Block | None = None

    def forward(self) -> None:
        """From the tokens to the loss."""
        memory, course = self._memory, self._course
        self._in_backward = False
        self.drop_logits()
        self._layers, self._inputs, held = [], [], []
        result, owned = self._embedded(), True
        for index in range(self._course.plan.shape.layers):
            if self._span and index % self._span == 0:
                self._inputs.append(result)
                memory.share(result)
            stage = course.bare_layer(index) if self._span else course.layer(index)
            places = self._run(stage.requests, result, index)
            if owned:
                memory.let_go(result)
            held += [(places, place) for place in stage.requests.cached]
            result, owned = self._result(stage.requests, places)
            self._layers.append(places)
        self._loss = self._run(course.loss.requests, result, _LOSS)
        if owned:
            memory.let_go(result)
        self._logits = memory.take(self._logits_bytes)
        held += [(self._loss, place) for place in course.loss.requests.cached]
        self._release(held)

    def backward(self) -> None:
        """From the loss to the gradients."""
        self._in_backward = True
        course = self._course
        gradient, waiting = self._back(course.loss, self._loss, None, _LOSS)
        if not course.plan.heads:
            gradient = self._memory.take(course.first.input_bytes)  # another GPU sends it
        span = self._span or self._course.plan.shape.layers
        for start in range((self._course.plan.shape.layers - 1) // span * span, -1, -span):
            end = min(start + span, self._course.plan.shape.layers)
            if self._span:
                self._again(start, end)
            for index in reversed(range(start, end)):
                stage = course.layer(index)
                if stage.needs_grad:
                    gradient, _ = self._back(stage, self._layers[index], gradient, index)
            if self._span:
                self._memory.let_go(self._inputs[start // span])
        if course.body_needs_grad:
            self._embedding_back(waiting)
        self._memory.let_go(gradient)

    def drop_logits(self) -> None:
        """The training loop lets go of the logits."""
        self._memory.let_go(self._logits)
        self._logits = None

    def drop_gradients(self) -> None:
        """``zero_grad``."""
        for held in self.gradients.values():
            self._memory.let_go(held)
        self.gradients.clear()

    def _embedded(self) -> Block | None:
        """The first layer's input."""
        plan, size = self._course.plan, self._course.first.input_bytes
        result = self._memory.take(size)
        if plan.shape.positions and plan.embeds:
            positions = self._memory.take(size // plan.batch)
            words, result = result, self._memory.take(size)
            self._memory.let_go(positions)
            self._memory.let_go(words)
        return result

    def _run(self, requests: Requests, given: Block | None, index: int, *, again: bool = False) -> Places:
        """A stage's forward, or a second run of it up to what is saved last."""
        places: Places = [None] * requests.places
        places[INPUT] = given
        self._memory.share(given)
        events = requests.again if again else requests.forward
        self._play(events, places, index)
        return places

    def _again(self, start: int, end: int) -> None:
        """Run layers once more, this time saving."""
        memory, course = self._memory, self._course
        result, owned, held = self._inputs[start // self._span], False, []
        for index in range(start, end):
            requests = course.layer(index).requests
            places = self._run(requests, result, index, again=index == end - 1)
            if owned:
                memory.let_go(result)
            held += [(places, place) for place in requests.cached]
            result, owned = self._result(requests, places)
            self._layers[index] = places
        if owned:
            memory.let_go(result)
        self._release(held)

    def _back(
        self, stage: Stage, places: Places, entry: Block | None, index: int
    ) -> tuple[Block | None, list[Block | None]]:
        """A stage's backward: the gradient of its input, and gradients that wait for a second part."""
        requests = stage.requests
        places[ENTRY] = entry
        self._play(requests.backward, places, index)
        for place in requests.kept:
            self._keep(places[place], index, place)
        gradient = places[requests.gradient] if requests.gradient != NOWHERE else None
        return gradient, [places[place] for place in requests.waiting]

    def _play(self, events: Iterable[Event], places: Places, index: int) -> None:
        for place, block in self._memory.play(events, places):
            if place == MULTIPLIES:
                self._multiply()
            else:
                self._keep(block, index, place)

    def _multiply(self) -> None:
        if self._in_backward not in self._threads:
            self._threads.add(self._in_backward)
            self._memory.take(self._workspace_bytes)

    def _keep(self, gradient: Block | None, index: int, place: int) -> None:
        """A parameter's gradient, unless there is one that it was added to."""
        key = (index, place)
        if self._added or key in self.gradients:
            self._memory.let_go(gradient)
            return
        self.gradients[key] = gradient

    def _embedding_back(self, waiting: list[Block | None]) -> None:
        """Gradients of the embeddings; a tied head's has waited and is added to, or adds up with, one."""
        course, memory = self._course, self._memory
        for place, leaf in enumerate(("embed_positions", "embed_tokens")):
            size = course.gradient_bytes(leaf)
            if not size:
                continue
            gradient = memory.take(size)
            if leaf == "embed_tokens" and waiting:
                whole = memory.take(size) if course.waits_as_view() else waiting[0]
                memory.let_go(gradient)
                if whole is not waiting[0]:
                    memory.let_go(waiting[0])
                gradient = whole
            self._keep(gradient, _EMBEDDING, place)

    def _result(self, requests: Requests, places: Places) -> tuple[Block | None, bool]:
        """A stage's result, and whether nothing but the next stage needs it."""
        if requests.result == NOWHERE:
            return None, False
        return places[requests.result], not requests.result_saved

    def _release(self, held: Iterable[tuple[Places, int]]) -> None:
        for places, place in held:
            self._memory.let_go(places[place])
            places[place] = None
