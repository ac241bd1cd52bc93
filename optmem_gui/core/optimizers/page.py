"""Everything there is to say about one optimizer on one model, as data for its page."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import Layout, place
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.declare import Implementation, Option
from optmem_gui.core.optimizers.state import OptimizerState, Temporaries, optimizer_state, step_temporaries
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Options, OptionValue, Scenario


@dataclass(frozen=True, slots=True)
class PageOption:
    """One option that changes memory.

    Attributes:
        option: Its declaration.
        value: What it is set to.
    """

    option: Option
    value: OptionValue

    @property
    def changed(self) -> bool:
        """Whether it is set to something other than the default."""
        return self.value != self.option.default


@dataclass(frozen=True, slots=True)
class OptimizerPage:
    """One optimizer on one model.

    Attributes:
        implementation: Its declaration.
        options: Those of its options that change memory, as they are set.
        param_count: Parameters of the model, adapters included.
        state: What it keeps on this model, None where it cannot train it.
        temporaries: What its step takes, None where that is not predicted.
        absent: Names of states that exist with other options only.
        refused: Why it cannot train this model.
    """

    implementation: Implementation
    options: tuple[PageOption, ...]
    param_count: int
    state: OptimizerState | None = None
    temporaries: Temporaries | None = None
    absent: tuple[str, ...] = ()
    refused: Reason | None = None

    def per_parameter(self, size_bytes: int) -> float:
        """Bytes a parameter of the whole model."""
        return size_bytes / self.param_count if self.param_count else 0.0


def optimizer_page(scenario: Scenario, optimizer: str) -> OptimizerPage:
    """Describe an optimizer on the model and the precision of a scenario.

    Args:
        scenario: What is trained; its options count where it is about the same optimizer.
        optimizer: Id of the optimizer the page is about.

    Raises:
        UserError: There is no such optimizer, or the scenario itself is impossible.
    """
    implementation = find(optimizer)
    options = scenario.options if implementation.id == scenario.optimizer else ()
    layout = place(scenario)
    settings = implementation.settings(options, scenario.target)
    shown = tuple(
        PageOption(option, settings.values[option.name])
        for option in implementation.options
        if option.affects
    )
    kept = {state.name for state in implementation.states if state.when(settings)}
    absent = tuple(dict.fromkeys(s.name for s in implementation.states if s.name not in kept))
    try:
        state, temporaries = _figures(implementation, options, layout, scenario)
    except UserError as error:
        return OptimizerPage(implementation, shown, layout.total_count, None, None, absent, error.reason)
    return OptimizerPage(implementation, shown, layout.total_count, state, temporaries, absent)


def _figures(
    implementation: Implementation, options: Options, layout: Layout, scenario: Scenario
) -> tuple[OptimizerState, Temporaries | None]:
    state = optimizer_state(implementation, options, layout, scenario.target)
    if implementation.runtime != "torch":
        return state, None
    return state, step_temporaries(implementation, options, layout, scenario.target)
