"""The options that optimizers share, and reading what a user set."""

from __future__ import annotations

import math
from collections.abc import Iterable

from optmem_gui.core.errors import UserError
from optmem_gui.core.optimizers.declare import Implementation, Option
from optmem_gui.core.reasons import Value
from optmem_gui.core.scenario import Options, OptionValue

MOMENTUM = Option("momentum", "float", 0.0, ("state", "temporaries"), minimum=0)
DAMPENING = Option("dampening", "float", 0.0, minimum=0)
NESTEROV = Option("nesterov", "bool", False, ("temporaries",))
WEIGHT_DECAY = Option("weight_decay", "float", 0.0, ("temporaries",), minimum=0)
MAXIMIZE = Option("maximize", "bool", False, ("temporaries",))
AMSGRAD = Option("amsgrad", "bool", False, ("state",))
CENTERED = Option("centered", "bool", False, ("state",))
FOREACH = Option("foreach", "bool", None, ("temporaries",))
FUSED = Option("fused", "bool", None, ("state", "temporaries"))
CAPTURABLE = Option("capturable", "bool", False, ("state", "temporaries"))
DECOUPLED = Option("decoupled_weight_decay", "bool", False, ("temporaries",))
TENSOR_LR = Option("tensor_lr", "bool", False, ("temporaries",), keyword=False)
ACCUMULATOR = Option("initial_accumulator_value", "float", 0.0, minimum=0)
HISTORY = Option("history_size", "int", 100, ("state",), minimum=1, maximum=100_000)
MAX_ITER = Option("max_iter", "int", 20, ("state", "temporaries"), minimum=1, maximum=100_000)
LINE_SEARCH = Option("line_search_fn", "choice", None, ("temporaries",), choices=("strong_wolfe",))

_TRUE = ("true", "1", "yes", "on")
_FALSE = ("false", "0", "no", "off")
_AUTOMATIC = ("none", "auto")


def parse_options(implementation: Implementation, pairs: Iterable[str]) -> Options:
    """Read ``name=value`` pairs as they are typed on the command line.

    Args:
        implementation: The optimizer they are for.
        pairs: Such as ``amsgrad=true``; the last one wins where a name is given twice.

    Returns:
        Options that differ from the implementation's defaults, sorted by name.

    Raises:
        UserError: A pair without ``=``, an option it does not have, a value of the wrong type or out of
            range, or options that cannot go together.
    """
    found: dict[str, OptionValue] = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not separator or not name.strip():
            raise UserError("optimizer.option_syntax", given=pair)
        option = option_of(implementation, name.strip().replace("-", "_"))
        found[option.name] = parse_value(implementation, option, text.strip())
    return checked(implementation, tuple(found.items()))


def checked(implementation: Implementation, options: Options) -> Options:
    """The same options, sorted and without those that only repeat a default.

    Raises:
        UserError: One does not exist, has a wrong value, or they cannot go together.
    """
    kept: dict[str, OptionValue] = {}
    for name, value in sorted(options):
        option = option_of(implementation, name)
        _check_value(implementation, option, value)
        if value != option.default or type(value) is not type(option.default):
            kept[name] = value
    chosen = tuple(kept.items())
    settings = implementation.settings(chosen, "cuda")
    for conflict in implementation.conflicts:
        if conflict.when(settings):
            raise UserError(conflict.key, optimizer=implementation.id)
    return chosen


def option_of(implementation: Implementation, name: str) -> Option:
    """The option of that name.

    Raises:
        UserError: The implementation has none; the message lists what it has.
    """
    option = implementation.option(name)
    if option is None:
        known = ", ".join(sorted(each.name for each in implementation.options)) or "none"
        raise UserError("optimizer.option_unknown", optimizer=implementation.id, given=name, known=known)
    return option


def parse_value(implementation: Implementation, option: Option, text: str) -> OptionValue:
    """Read one value as typed; ``auto`` stands for what an implementation decides itself.

    Raises:
        UserError: It is not of the option's type.
    """
    lowered = text.lower()
    if option.default is None and lowered in _AUTOMATIC:
        return None
    try:
        value = _typed(option, lowered)
    except ValueError:
        raise UserError(
            f"optimizer.option_{option.kind}", **_named(implementation, option), given=text
        ) from None
    _check_value(implementation, option, value)
    return value


def _typed(option: Option, text: str) -> OptionValue:
    if option.kind == "bool":
        if text not in _TRUE + _FALSE:
            raise ValueError(text)
        return text in _TRUE
    if option.kind == "int":
        return int(text)
    if option.kind == "float":
        return float(text)
    return text


def _check_value(implementation: Implementation, option: Option, value: OptionValue) -> None:
    """Refuse a value of the wrong type or out of range, wherever it came from."""
    if value is None and option.default is None:
        return
    named = _named(implementation, option)
    if not _fits(option, value):
        raise UserError(f"optimizer.option_{option.kind}", **named, given=str(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    low, high = option.minimum, option.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        if high is None:
            raise UserError("optimizer.option_too_small", **named, given=str(value), low=f"{low:g}")
        raise UserError("optimizer.option_range", **named, given=str(value), low=f"{low:g}", high=f"{high:g}")


def _fits(option: Option, value: OptionValue) -> bool:
    if option.kind == "bool":
        return isinstance(value, bool)
    if option.kind == "choice":
        return value in option.choices
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) if option.kind == "int" else math.isfinite(value)


def _named(implementation: Implementation, option: Option) -> dict[str, Value]:
    return {
        "optimizer": implementation.id,
        "option": option.name,
        "choices": ", ".join(option.choices),
    }
