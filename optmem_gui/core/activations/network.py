"""From a network's step to its activations: the course over all layers, and what is saved, itemised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from optmem_gui.core.activations.bert import bert_chain, bert_weights
from optmem_gui.core.activations.chain import DRAWN_LAYERS, Chain, Walk, Walked
from optmem_gui.core.activations.choice import Kernel
from optmem_gui.core.activations.forms import kernel_of
from optmem_gui.core.activations.moments import ActivationItem, ActivationMoment, Activations, Step
from optmem_gui.core.activations.sampling import end_layers, sampled_layers
from optmem_gui.core.activations.setting import Setting, make_setting
from optmem_gui.core.activations.tape import Point
from optmem_gui.core.activations.vit import vit_chain, vit_weights
from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.layout import Layout
from optmem_gui.core.networks import Network, VitShape
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario


def network_setting(
    network: Network, scenario: Scenario, layout: Layout, processors: Processors | None = None
) -> Setting | Reason:
    """Reduce a scenario, or say why what it keeps is not known.

    Args:
        network: Dimensions.
        scenario: The set-up; it is sized.
        layout: Where its parameters live.
        processors: The GPU's; None where they are not known.
    """
    tokens = scenario.tokens or 1
    if tokens > network.most_tokens:
        return Reason("network.too_long", {"tokens": tokens, "most": network.most_tokens})
    weights = vit_weights(network) if isinstance(network, VitShape) else bert_weights(network)
    return make_setting(network, weights, scenario, layout, tokens, processors=processors)


def chain_of(setting: Setting, *, every_layer: bool = False) -> Chain:
    """The step, written down.

    Args:
        setting: The step.
        every_layer: Write down all layers, not a few that stand for the others.
    """
    network = setting.network
    drawn = network.layers if every_layer else DRAWN_LAYERS
    if isinstance(network, VitShape):
        return vit_chain(setting, network, drawn)
    return bert_chain(setting, network, drawn)


@lru_cache(maxsize=256)
def network_activations(setting: Setting, *, ends_only: bool = False) -> Activations:
    """Activations of one micro-batch; no workspace yet.

    Args:
        setting: The step.
        ends_only: Of the course, give the ends of each straight line alone.

    Raises:
        UserError: The attention kernel cannot take these types.
    """
    query = "q_proj" if isinstance(setting.network, VitShape) else "query"
    kernel, why = kernel_of(setting, setting.network.attention, query)
    chain = chain_of(setting)
    walked = Walk(chain, setting.unit, accumulating=setting.accumulating).run()
    course = _Course(chain, walked)
    items = tuple(course.items())
    saved = course.saved()
    return Activations(
        moments=tuple(course.moments(end_layers if ends_only else sampled_layers)),
        items=items,
        saved_bytes=saved.activations,
        autocast_bytes=saved.autocast_copies,
        logits_bytes=sum(item.bytes for item in items if item.name == "kept_logits"),
        workspace_bytes=0,
        attention_used=kernel,
        attention_why=why,
        not_counted=tuple(_not_counted(setting, kernel)),
    )


def _not_counted(setting: Setting, kernel: Kernel) -> Iterator[Reason]:
    if not setting.cpu:
        if setting.processors is None:
            yield Reason("activation.no_kernel_buffers")
            yield Reason("network.no_partial_results")
        else:
            yield Reason("network.other_buffers")
        if kernel in ("flash", "cudnn"):
            yield Reason("activation.not_compared", {"kernel": kernel})


class _Course:
    """The walk over three layers of each stack, drawn out to all of them."""

    def __init__(self, chain: Chain, walked: Walked) -> None:
        self._chain, self._walked = chain, walked
        self._others = [max(0, layers - DRAWN_LAYERS) for layers in chain.stacks]

    def saved(self) -> Point:
        """Bytes at the end of forward."""
        point = self._walked.saved
        for others, more in zip(self._others, self._walked.more, strict=True):
            point += more.kept * others
        return point

    def moments(self, choose: Callable[[int, int], Iterable[int]]) -> Iterator[ActivationMoment]:
        """The course, forward then backward, of the layers that ``choose`` names."""
        places = list(self._places(choose))
        for index, label, beyond in places:
            yield self._moment(
                "forward", label, self._walked.forward[index] + self._before(index, beyond, "forward")
            )
        for index, label, beyond in reversed(places):
            peak = self._walked.backward[index]
            if peak is not None:
                gradients = Point(gradients=self._behind(index, beyond))
                yield self._moment("backward", label, peak + self._before(index, beyond, "kept") + gradients)
        yield self._moment("backward", "end", self._walked.end + Point(gradients=self._behind(-1, 0)))

    def _moment(self, phase: Step, label: str, point: Point) -> ActivationMoment:
        return ActivationMoment(
            phase, label, point.activations, point.autocast_copies, point.gradients, point.temporaries
        )

    def _places(self, choose: Callable[[int, int], Iterable[int]]) -> Iterator[tuple[int, str, int]]:
        """Stage, label, and how many layers that are not written down stand before it in its stack."""
        first = number = 0
        for index, stage in enumerate(self._chain.stages):
            if stage.stack < 0:
                yield index, stage.label, 0
                first = index + 1
                continue
            if index > first and stage.stack == self._chain.stages[first].stack:
                continue
            first = index
            layers = self._chain.stacks[stage.stack]
            drawn = min(layers, DRAWN_LAYERS)
            for layer in choose(layers, 1):
                place = (
                    layer if layer < drawn - 1 or layers == drawn else 1 if layer < layers - 1 else drawn - 1
                )
                yield index + place, f"layer {number + layer}", layer - place
            number += layers

    def _before(self, index: int, beyond: int, what: str) -> Point:
        """What layers that are not written down hold when a stage runs."""
        point = Point()
        own = self._chain.stages[index].stack
        for stack, (others, more) in enumerate(zip(self._others, self._walked.more, strict=True)):
            held = more.forward if what == "forward" else more.kept
            if stack == own:
                point += held * beyond
            elif self._last_of(stack) < index:
                point += held * others
        return point

    def _behind(self, index: int, beyond: int) -> int:
        """Gradients of layers that are not written down and behind a stage; of all of them for -1."""
        own = self._chain.stages[index].stack if index >= 0 else -1
        total = 0
        for stack, (others, more) in enumerate(zip(self._others, self._walked.more, strict=True)):
            if stack == own:
                total += more.gradients * (others - beyond)
            elif self._last_of(stack) > index:
                total += more.gradients * others
        return total

    def _last_of(self, stack: int) -> int:
        return max(index for index, stage in enumerate(self._chain.stages) if stage.stack == stack)

    def items(self) -> Iterator[ActivationItem]:
        """What is saved at the end of forward, by kind."""
        times = {
            middle: 1 + self._others[stack]
            for stack in range(len(self._chain.stacks))
            if (middle := self._chain.middle(stack)) is not None
        }
        found: dict[str, tuple[int, int]] = {}
        for stage, label, size, count in self._walked.items:
            before = found.get(label, (0, 0))
            often = times.get(stage, 1)
            found[label] = (before[0] + size * often, before[1] + count * often)
        for label, (size, count) in found.items():
            yield ActivationItem(label, size, count, Reason(f"activation.{label}"))
