"""The course of one micro-batch: what forward builds up and backward takes down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from optmem_gui.core.activations.choice import loss_chunk_tokens
from optmem_gui.core.activations.layer_runs import LayerRuns
from optmem_gui.core.activations.layers import stream_dtype
from optmem_gui.core.activations.loss import logits_bytes, loss_stage
from optmem_gui.core.activations.moments import ActivationItem, ActivationMoment, Step
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import promote
from optmem_gui.core.activations.requests import NO_REQUESTS
from optmem_gui.core.activations.rotary import table_bytes
from optmem_gui.core.activations.sampling import end_layers, sampled_layers
from optmem_gui.core.activations.stages import Stage
from optmem_gui.core.activations.tape import Point, in_block
from optmem_gui.core.dtypes import F32
from optmem_gui.core.reasons import Reason


class Course:
    """Puts the stages in a row."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        embedding = plan.matrix("embed_tokens")
        positions = plan.shape.positions > 0 and plan.matrix("embed_positions").trained
        needs = embedding.trained or positions or plan.inputs_need_grad or not plan.embeds
        self.body_needs_grad = needs
        self.runs = LayerRuns(plan, needs_grad=needs)
        self.first, self.later = self.runs.first, self.runs.later
        later = self.first.needs_grad
        self.loss = loss_stage(plan, input_needs_grad=later) if plan.heads else _handed_on(self.later)
        self.base = self._outside()
        self.rest = self.gradient_bytes("remainder")
        self.kept_logits = 0
        if plan.keep_logits and plan.loss == "full" and plan.heads:
            self.kept_logits = self._rounded(logits_bytes(plan))
        self.saved = self.base + self._body(plan.shape.layers) + self.loss.kept
        self.saved += Point(activations=self.kept_logits + self._loss_value())

    def _loss_value(self) -> int:
        return self._rounded(F32.bytes_for(1)) if self.plan.heads else 0

    def _rounded(self, size: int) -> int:
        return in_block(size, self.plan.unit)

    def _outside(self) -> Point:
        """Tokens and labels, and the rotary tables that all layers share."""
        return Point(activations=sum(size for _, size, _ in self._outside_items()))

    def _outside_items(self) -> Iterator[tuple[str, int, int]]:
        plan, shape = self.plan, self.plan.shape
        ends = plan.embeds + plan.heads
        yield "batch", ends * self._rounded(8 * plan.token_count), ends
        if shape.positions and plan.embeds and plan.matrix("embed_positions").trained:
            rows = plan.token_count if shape.form.position_rows else plan.sequence
            yield "batch", self._rounded(8 * rows), 1
        if shape.form.embedding_norm and plan.embeds:
            yield from self._embedding_norm()
        if shape.form.scores == "masked" and self._attends():
            # what is masked is overwritten, and all layers keep where
            yield "attention_mask", self._rounded(plan.batch * plan.sequence**2), 1
        if self._attends():
            size, count = table_bytes(plan, stream_dtype(plan))
            yield "rotary", count * self._rounded(size), count
        rest = plan.matrix("remainder")
        if shape.remainder and rest.trained and rest.dtype != F32:
            yield "other", self._rounded(4 * shape.remainder), 1

    def _embedding_norm(self) -> Iterator[tuple[str, int, int]]:
        """The embedding's output, which its norm keeps, with one mean and one deviation a token."""
        plan, norm = self.plan, self.plan.matrix("embed_norm")
        if not (norm.trained or self.body_needs_grad):
            return
        stream = stream_dtype(plan)
        wide = plan.autocast is not None and not plan.cpu
        yield (
            "norm",
            self._rounded((F32 if wide else stream).bytes_for(plan.stream_count * plan.shape.hidden)),
            1,
        )
        kind = promote(stream, norm.dtype) if plan.cpu else F32
        yield "norm_statistics", 2 * self._rounded(kind.bytes_for(plan.stream_count)), 2

    def _attends(self) -> bool:
        """Whether some layer saves queries, and with them the rotary tables."""
        stages = (self.first, self.later)[: self.plan.shape.layers]
        return any(label == "attention" for stage in stages for label, _, _ in stage.saved)

    def layer(self, index: int) -> Stage:
        """A layer by its number, run saving."""
        return self.runs.at(index).stage

    def bare_layer(self, index: int) -> Stage:
        """The same run without saving."""
        return self.runs.at(index).bare

    def _segment(self, index: int) -> int:
        """First layer of the unit that is recomputed together with this one."""
        return index // self.plan.span * self.plan.span

    def _body(self, end: int) -> Point:
        """Kept by the first ``end`` layers at that point of the forward."""
        if not self.plan.span:
            return self.runs.kept(0, end)
        units = -(-end // self.plan.span)
        return Point(activations=units * self.first.input_bytes)

    def moments(self, *, ends_only: bool = False) -> Iterator[ActivationMoment]:
        """The course, forward then backward."""
        choose = end_layers if ends_only else sampled_layers
        shown = list(choose(self.plan.shape.layers, self.plan.span or 1, self.runs.dense))
        yield self._moment("forward", "embedding", self._embedding())
        for index in shown:
            yield self._moment("forward", f"layer {index}", self._forward(index))
        yield self._moment("forward", "loss", self._before_loss() + self.loss.forward_peak)
        after = self.saved
        if self.loss.needs_grad:
            after = self._before_loss(cached=False) + self.loss.backward_peak
            after += Point(activations=self.kept_logits, gradients=self.rest)
        yield self._moment("backward", "loss", after)
        for index in reversed(shown):
            if self.layer(index).needs_grad:
                yield self._moment("backward", f"layer {index}", self._backward(index))
        if self.body_needs_grad:
            yield self._moment("backward", "embedding", self._embedding_backward())
        done = Point(activations=self.kept_logits, gradients=self._all_gradients())
        yield self._moment("backward", "end", self.base + done)

    def _moment(self, phase: Step, label: str, point: Point) -> ActivationMoment:
        return ActivationMoment(
            phase, label, point.activations, point.autocast_copies, point.gradients, point.temporaries
        )

    def _cached(self, layers: int) -> Point:
        """Autocast's cache after some layers, where nothing else holds the copies."""
        runs, bare = self.runs.counted(0, layers), self.plan.span > 0
        return Point(
            autocast_copies=sum((run.bare if bare else run.stage).cached * count for run, count in runs)
        )

    def _embedding(self) -> Point:
        return self.base + Point(activations=self.first.input_bytes)

    def _forward(self, index: int) -> Point:
        point = self.base + self._cached(index)
        if not self.plan.span:
            return point + self._body(index) + self.layer(index).forward_peak
        start = self._segment(index)
        held = start // self.plan.span + (1 if index > start else 0)
        return (
            point + Point(activations=held * self.first.input_bytes) + self.runs.at(index).bare.forward_peak
        )

    def _before_loss(self, *, cached: bool = True) -> Point:
        layers = self.plan.shape.layers
        return self.base + self._body(layers) + (self._cached(layers) if cached else Point())

    def _backward(self, index: int) -> Point:
        """The larger of the recomputation that ends with this layer and its backward."""
        plan, layers = self.plan, self.plan.shape.layers
        point = self.base + Point(activations=self.kept_logits)
        point += Point(
            gradients=self.rest + self.loss.gradients + self.runs.gradients(index + 1, layers),
            temporaries=self._waiting(),
        )
        stage = self.layer(index)
        if not plan.span:
            return point + self.runs.kept(0, index) + stage.backward_peak
        start = self._segment(index)
        point += Point(activations=start // plan.span * self.first.input_bytes)
        if not self.layer(start).keeps_input:
            point += Point(activations=self.first.input_bytes)
        point += self.runs.kept(start, index)
        again = point + stage.again_peak + Point(temporaries=stage.lead)
        if index == start and not stage.keeps_input:
            # the unit's input is both its own and the recomputed layer's: one tensor
            again += Point(activations=-self.first.input_bytes)
        back = point + stage.backward_peak
        return max((again, back), key=lambda p: p.total)

    def _waiting(self) -> int:
        """A tied head's gradient, which autograd holds until the embedding's arrives."""
        waits = self.plan.matrix("lm_head").waits and self.plan.embeds and self.plan.heads
        return self._rounded(self.gradient_bytes("lm_head")) if waits else 0

    def _embedding_backward(self) -> Point:
        """The last node: the embedding's gradient, and for a tied head its sum with the one that waited."""
        plan, stage = self.plan, self.first
        sizes = [self.gradient_bytes(leaf) for leaf in ("embed_positions", "embed_tokens")]
        incoming = stage.input_bytes if stage.needs_grad else 0
        made, waiting = sum(sizes), self._waiting()
        rise = max(incoming, sizes[1] if waiting and self.waits_as_view() else 0)
        return self.base + Point(
            activations=self.kept_logits,
            gradients=self._all_gradients(),
            temporaries=rise + waiting + (made if plan.accumulating else 0),
        )

    def _all_gradients(self) -> int:
        layers = self.runs.gradients(0, self.plan.shape.layers)
        ends = sum(self.gradient_bytes(leaf) for leaf in ("embed_positions", "embed_tokens"))
        return self.rest + self.loss.gradients + layers + ends

    def gradient_bytes(self, leaf: str) -> int:
        """Bytes of the gradient of a weight outside the layers; 0 where it gets none on this GPU."""
        matrix = self.plan.matrix(leaf)
        elsewhere = not self.plan.embeds and leaf in ("embed_tokens", "embed_positions")
        if not matrix.trained or elsewhere or (leaf == "remainder" and not self.plan.heads):
            return 0
        return matrix.gradient.bytes_for(matrix.rows * matrix.columns)

    def waits_as_view(self) -> bool:
        """Whether the tied head's gradient is the view that one product gave: not added into in place."""
        head, plan = self.plan.matrix("lm_head"), self.plan
        slices = -(-plan.token_count // loss_chunk_tokens(plan.token_count, plan.shape))
        direct = plan.loss == "full" or (plan.loss == "chunked" and slices == 1)
        return direct and (plan.autocast or head.dtype) == head.gradient

    def items(self) -> Iterator[ActivationItem]:
        """What is saved at the end of forward, by kind."""
        found: dict[str, tuple[int, int]] = {}
        for label, size, count in self._saved():
            if size:
                before = found.get(label, (0, 0))
                found[label] = (before[0] + size, before[1] + count)
        for label, (size, count) in found.items():
            yield ActivationItem(label, size, count, Reason(f"activation.{label}"))

    def _saved(self) -> Iterable[tuple[str, int, int]]:
        layers, span = self.plan.shape.layers, self.plan.span
        yield from self._outside_items()
        if span:
            units = -(-layers // span)
            yield "checkpoint", units * self.first.input_bytes, units
        else:
            for run, many in self.runs.counted(0, layers):
                for label, size, count in run.stage.saved:
                    yield label, size * many, count * many
        yield from self.loss.saved
        yield "loss", self._loss_value(), 1
        if self.kept_logits:
            yield "kept_logits", self.kept_logits, 1


@lru_cache(maxsize=16)
def course_of(plan: Plan) -> Course:
    """The course of a plan: moments, items and ends of segments are read from one.

    Raises:
        UserError: The attention kernel cannot take these types.
    """
    return Course(plan)


def _handed_on(layer: Stage) -> Stage:
    """In place of the loss: the result goes to the next GPU, whose gradient of it comes back."""
    nothing = Point()
    return replace(
        layer,
        forward_peak=nothing,
        kept=nothing,
        saved=(),
        cached=0,
        backward_peak=Point(temporaries=layer.input_bytes),
        gradients=0,
        keeps_input=False,
        lead=0,
        again_peak=nothing,
        requests=NO_REQUESTS,
    )
