"""What an edit does: pure functions from what stands in the fields to what stands there next.

A field is named by a string: a field of :class:`~optmem_gui.core.scenario.Scenario`, ``params``,
``lora.rank``, ``option.amsgrad`` ..., or ``several`` for more than one at once. Text that cannot be read is
kept as a value with its reason beside it, and the scenario keeps the last value that could.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef, Source
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.options import checked, option_of, parse_value
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.reasons import Reason
from optmem_gui.core.recipes import find_recipe, with_recipe
from optmem_gui.core.scenario import BaseDType, Lora, OptionValue, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import CountError, format_count, format_short_count, parse_count
from optmem_gui.gui import resident_edits
from optmem_gui.gui.parallel_edits import (
    PREFIX,
    SIZES,
    parallel_text,
    read_host,
    read_size,
    read_stage_layers,
    with_shard,
)
from optmem_gui.gui.snapshot import CheckpointSummary

LIMIT = 10**9
"""Largest batch, sequence, accumulation or rank accepted."""

_WHOLE = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that stands in the fields; what undo goes back to.

    Attributes:
        scenario: The choices, each field at its last readable value.
        texts: What stands in the text fields, as typed, by field name.
        issues: Why a text cannot be used, by field name.
        checkpoint: What is known about the file behind the model, if there is one.
    """

    scenario: Scenario
    texts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    issues: Mapping[str, Reason] = field(default_factory=lambda: MappingProxyType({}))
    checkpoint: CheckpointSummary | None = None

    def text(self, name: str) -> str:
        """What stands in a text field."""
        typed = self.texts.get(name)
        return shown_text(self.scenario, name) if typed is None else typed


def shown_text(scenario: Scenario, name: str) -> str:
    """The text of a field that follows from the scenario."""
    match name:
        case "params":
            return _count_text(scenario.model.param_count)
        case "batch" | "sequence" | "accumulate":
            number = getattr(scenario, name)
            return "" if number is None else str(number)
        case "lora.rank" | "lora.targets":
            lora = scenario.lora or DEFAULT_LORA
            return str(lora.rank) if name == "lora.rank" else ", ".join(lora.targets)
    if name.startswith(resident_edits.PREFIX):
        return resident_edits.resident_text(scenario, name)
    if name.startswith(PREFIX):
        return parallel_text(scenario.parallel, name.removeprefix(PREFIX))
    if name.startswith("option."):
        implementation = find(scenario.optimizer)
        return str(implementation.settings(scenario.options, scenario.target).values[name[7:]])
    raise KeyError(name)


def _count_text(count: int) -> str:
    """The short form where it says the same number, else every digit."""
    short = format_short_count(count)
    try:
        same = parse_count(short) == count
    except CountError:
        same = False
    return short if same else format_count(count)


DEFAULT_LORA = Lora(rank=16)


def apply_edit(inputs: Inputs, name: str, value: Any) -> Inputs:  # noqa: ANN401  # each field has a type of its own
    """What stands in the fields after one edit.

    Args:
        inputs: What stands there now.
        name: The field.
        value: Text for text fields, the value itself for the others.
    """
    if name in _TEXTS:
        changed = _with_text(inputs, name, value, _TEXTS[name])
        return _without(changed, "parallel.stages") if name == "parallel.pp" else changed
    if name.startswith("option."):
        return _with_option(inputs, name, value)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(inputs, value)
    if name.startswith(resident_edits.PREFIX):
        return _with_resident(inputs, name, value)
    if name.startswith(PREFIX):
        return _with_layout(inputs, replace(inputs.scenario.parallel, **{name.removeprefix(PREFIX): value}))
    return replace(inputs, scenario=replace(inputs.scenario, **{name: value}))


def _with_model(inputs: Inputs, value: tuple[ModelRef, CheckpointSummary | None]) -> Inputs:
    """Put another model in; a typed count no longer describes it."""
    model, checkpoint = value
    kept = _without(inputs, "params")
    return replace(kept, scenario=replace(inputs.scenario, model=model), checkpoint=checkpoint)


def _with_several(inputs: Inputs, value: tuple[Mapping[str, Any], CheckpointSummary | None]) -> Inputs:
    """Set several choices at once; what was typed about any of them is gone."""
    changes, checkpoint = value
    kept = inputs
    for name in changes:
        kept = _without(kept, {"optimizer": "option.", "lora": "lora.", "model": "params"}.get(name, name))
    return replace(kept, scenario=replace(inputs.scenario, **changes), checkpoint=checkpoint)


def _with_optimizer(inputs: Inputs, optimizer: str) -> Inputs:
    """Choose an optimizer; the options of another one mean nothing to it."""
    kept = _without(inputs, "option.")
    return replace(kept, scenario=replace(inputs.scenario, optimizer=optimizer, options=()))


def _with_option(inputs: Inputs, name: str, value: OptionValue) -> Inputs:
    """Set one option; text is read by the option's own rule."""
    implementation = find(inputs.scenario.optimizer)
    option = option_of(implementation, name.removeprefix("option."))

    def read(scenario: Scenario, text: str) -> Scenario:
        return _set_option(scenario, option.name, parse_value(implementation, option, text.strip()))

    if isinstance(value, str) and option.kind in ("int", "float"):
        return _with_text(inputs, name, value, read)
    return replace(inputs, scenario=_set_option(inputs.scenario, option.name, value))


def _set_option(scenario: Scenario, name: str, value: OptionValue) -> Scenario:
    """Options without those that repeat a default, so that equal choices are equal scenarios."""
    implementation = find(scenario.optimizer)
    default = option_of(implementation, name).default
    values = dict(scenario.options)
    values.pop(name, None)
    if value != default or type(value) is not type(default):
        values[name] = value
    return replace(scenario, options=tuple(sorted(values.items())))


def check_options(scenario: Scenario) -> None:
    """Refuse options that cannot go together.

    Raises:
        UserError: Such a combination, or an option or value that does not exist.
    """
    checked(find(scenario.optimizer), scenario.options)


def _with_lora(inputs: Inputs, on: bool) -> Inputs:
    lora = DEFAULT_LORA if on else None
    return replace(_without(inputs, "lora."), scenario=replace(inputs.scenario, lora=lora))


def _with_base(inputs: Inputs, base_dtype: BaseDType) -> Inputs:
    lora = replace(inputs.scenario.lora or DEFAULT_LORA, base_dtype=base_dtype)
    return replace(inputs, scenario=replace(inputs.scenario, lora=lora))


def _with_layout(inputs: Inputs, parallel: Parallel) -> Inputs:
    return replace(inputs, scenario=replace(inputs.scenario, parallel=parallel))


def _with_parallel(inputs: Inputs, parallel: Parallel) -> Inputs:
    """Put a whole layout in; what was typed about the one before is gone."""
    return _with_layout(_without(inputs, PREFIX), parallel)


def _with_shard(inputs: Inputs, shard: str) -> Inputs:
    return _with_layout(_without(inputs, "parallel.replicas"), with_shard(inputs.scenario.parallel, shard))


def _with_recipe(inputs: Inputs, recipe_id: str) -> Inputs:
    """Begin with what a library does by default; no recipe leaves everything as it is."""
    if not recipe_id:
        return replace(inputs, scenario=replace(inputs.scenario, recipe=None))
    scenario = with_recipe(inputs.scenario, find_recipe(recipe_id))
    kept = inputs
    for prefix in ("option.", "lora.", PREFIX):
        kept = _without(kept, prefix)
    return replace(kept, scenario=scenario)


def _with_resident(inputs: Inputs, name: str, value: str) -> Inputs:
    def read(scenario: Scenario, text: str) -> Scenario:
        return resident_edits.with_part(scenario, name, text)

    if name.endswith(".dtype"):
        return replace(inputs, scenario=read(inputs.scenario, value))
    return _with_text(inputs, name, value, read)


def _with_new_residents(inputs: Inputs, templates: Sequence[resident_edits.Template]) -> Inputs:
    """More rows, whose counts say where they come from."""
    before = inputs.scenario.residents
    residents = (*before, *(template.resident for template in templates))
    rows = enumerate(templates, start=len(before))
    typed = {f"{resident_edits.PREFIX}{row}.count": template.text for row, template in rows}
    texts = {**inputs.texts, **typed}
    return replace(
        inputs, scenario=replace(inputs.scenario, residents=residents), texts=MappingProxyType(texts)
    )


def _without_resident(inputs: Inputs, row: int) -> Inputs:
    residents = inputs.scenario.residents
    texts = resident_edits.without_row(inputs.texts, row)
    issues = resident_edits.without_row(inputs.issues, row)
    return replace(
        inputs,
        scenario=replace(inputs.scenario, residents=residents[:row] + residents[row + 1 :]),
        texts=MappingProxyType(texts),
        issues=MappingProxyType(issues),
    )


def _with_text(inputs: Inputs, name: str, text: str, read: Callable[[Scenario, str], Scenario]) -> Inputs:
    texts, issues = dict(inputs.texts), dict(inputs.issues)
    texts[name] = text
    issues.pop(name, None)
    scenario, checkpoint = inputs.scenario, inputs.checkpoint
    try:
        scenario = read(scenario, text)
    except CountError as error:
        issues[name] = Reason(error.key, {"given": error.text.strip()})
    except UserError as error:
        issues[name] = error.reason
    else:
        if name == "params":
            checkpoint = None
    return replace(
        inputs,
        scenario=scenario,
        texts=MappingProxyType(texts),
        issues=MappingProxyType(issues),
        checkpoint=checkpoint,
    )


def _without(inputs: Inputs, prefix: str) -> Inputs:
    """Forget what was typed into some fields, and what was wrong with it."""
    texts = {name: text for name, text in inputs.texts.items() if not name.startswith(prefix)}
    issues = {name: reason for name, reason in inputs.issues.items() if not name.startswith(prefix)}
    return replace(inputs, texts=MappingProxyType(texts), issues=MappingProxyType(issues))


def _read_params(scenario: Scenario, text: str) -> Scenario:
    count = parse_count(text)
    if scenario.model.source is Source.SYNTHETIC and scenario.model.param_count == count:
        return scenario
    return replace(scenario, model=synthetic_ref(count))


def _whole(text: str, area: str) -> int:
    """A whole number from 1 to :data:`LIMIT`; ``1,024`` is accepted, ``1.5`` is not."""
    given = text.strip()
    if _WHOLE.fullmatch(given) is None:
        raise UserError(f"{area}not_a_number", given=given or "''")
    number = int(given.replace(",", "")) if len(given) < 20 else LIMIT + 1
    if not 1 <= number <= LIMIT:
        raise UserError(f"{area}out_of_range", given=given, limit_count=LIMIT)
    return number


def _read_batch(scenario: Scenario, text: str) -> Scenario:
    return replace(scenario, batch=_whole(text, "batch.") if text.strip() else None)


def _read_sequence(scenario: Scenario, text: str) -> Scenario:
    return replace(scenario, sequence=_whole(text, "sequence.") if text.strip() else None)


def _read_accumulate(scenario: Scenario, text: str) -> Scenario:
    return replace(scenario, accumulate=_whole(text, "accumulate."))


def _read_rank(scenario: Scenario, text: str) -> Scenario:
    return replace(scenario, lora=replace(scenario.lora or DEFAULT_LORA, rank=_whole(text, "lora.rank_")))


def _read_targets(scenario: Scenario, text: str) -> Scenario:
    targets = tuple(name for name in re.split(r"[\s,;]+", text) if name)
    if not targets:
        raise UserError("lora.targets_empty")
    return replace(scenario, lora=replace(scenario.lora or DEFAULT_LORA, targets=targets))


_TEXTS: dict[str, Callable[[Scenario, str], Scenario]] = {
    "params": _read_params,
    "batch": _read_batch,
    "sequence": _read_sequence,
    "accumulate": _read_accumulate,
    "lora.rank": _read_rank,
    "lora.targets": _read_targets,
    **{f"{PREFIX}{name}": read_size(name) for name in SIZES},
    "parallel.host_bytes": read_host,
    "parallel.stages": read_stage_layers,
}
"""Every field into which text is typed, and how it is read."""

_SPECIAL: dict[str, Callable[[Inputs, Any], Inputs]] = {
    "model": _with_model,
    "several": _with_several,
    "optimizer": _with_optimizer,
    "lora": _with_lora,
    "lora.base_dtype": _with_base,
    "parallel": _with_parallel,
    "recipe": _with_recipe,
    "residents_added": _with_new_residents,
    "resident_removed": _without_resident,
    "parallel.shard": _with_shard,
}
"""Fields whose change reaches further than one attribute of the scenario."""
