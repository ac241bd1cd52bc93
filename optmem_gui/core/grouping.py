"""How an optimizer that does not take a plain list is handed its parameters.

The halves are those of the estimate (:func:`optmem_gui.core.optimizers.rules_split.chosen`), so that what
is predicted and what is run split a model alike. What a group says beside its parameters is what the
classes read there: ``use_muon`` (muon.py), ``algorithm`` (dion/), ``rank``, ``proj_type`` and their company
(galore_torch/adamw.py, apollo_torch/apollo.py, fira/fira_adamw.py; values as in their examples).
"""

from __future__ import annotations

from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import place
from optmem_gui.core.optimizers.declare import Implementation, Settings
from optmem_gui.core.optimizers.rules_split import chosen, subjects
from optmem_gui.core.requests import Alike, ParameterGroup
from optmem_gui.core.scenario import Options, Scenario

_PROJECTION: Options = (("update_proj_gap", 200), ("scale", 0.25), ("alpha", 1.0), ("scale_type", "channel"))
"""A projector is made anew every 200 steps: the steady step makes none."""


def parameter_groups(
    implementation: Implementation, scenario: Scenario, *, function: bool = False
) -> tuple[ParameterGroup, ...]:
    """The groups that a constructor takes; none where it takes a list, pairs with names or the model.

    Args:
        implementation: The optimizer.
        scenario: What it trains.
        function: The model comes from a user's function: only the worker sees its tensors, and what they do
            is not known.

    Raises:
        UserError: The split asks for what tensors do and that is not known.
    """
    if implementation.handing in ("list", "named", "model"):
        return ()
    settings = implementation.settings(scenario.options, scenario.target)
    first, second = _values(implementation, settings)
    if function:
        if settings.values["split"] != "matrices":
            raise UserError("measure.roles_of_function", optimizer=implementation.id)
        return ParameterGroup(first, matrices=True), ParameterGroup(second, rest=True)
    picked = {
        Alike(f"{subject.leaf}.{subject.field}".strip("."), subject.shape)
        for subject, _ in subjects(place(scenario), settings)
        if chosen(subject)
    }
    halves = ParameterGroup(first, tuple(sorted(picked, key=_order))), ParameterGroup(second, rest=True)
    return halves if picked else halves[1:]


def _order(alike: Alike) -> tuple[str, tuple[int, ...]]:
    return alike.name, alike.shape


def _values(implementation: Implementation, settings: Settings) -> tuple[Options, Options]:
    """What the two halves say beside their parameters."""
    values = settings.values
    if implementation.handing == "muon":
        return (("use_muon", True),), (("use_muon", False),)
    if implementation.handing == "algorithm":
        return (), (("algorithm", values.get("rest", "adamw")),)
    projected = {"rank": values["rank"], "proj_type": values.get("proj_type", "std"), **dict(_PROJECTION)}
    if "proj" in values:
        projected["proj"] = values["proj"]
    return tuple(projected.items()), ()
