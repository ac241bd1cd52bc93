"""Which parameters are trained, chosen by their names."""

from __future__ import annotations

import re
from dataclasses import replace

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelSpec

ALL = "all"


def train_only(spec: ModelSpec, pattern: str) -> ModelSpec:
    """Train the parameters whose name a pattern finds, and freeze the others.

    Args:
        spec: The model with its names.
        pattern: ``all``, or a regular expression that is searched for in each full name.

    Returns:
        The model with ``trainable`` set; a packed or whole-number tensor stays frozen.

    Raises:
        UserError: No regular expression, or one that no trainable parameter matches.
    """
    try:
        wanted = re.compile("" if pattern == ALL else pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UserError("trainable.pattern", given=pattern, why=str(error)) from None
    parameters = tuple(
        tensor
        if tensor.trainable
        is (trained := tensor.dtype.is_floating and wanted.search(tensor.name) is not None)
        else replace(tensor, trainable=trained)
        for tensor in spec.parameters
    )
    if not any(tensor.trainable for tensor in parameters):
        example = next((tensor.name for tensor in spec.parameters), "")
        raise UserError("trainable.nothing", given=pattern, example=example)
    return replace(spec, parameters=parameters)
