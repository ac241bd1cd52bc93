"""Which parameters are trained, chosen by their names."""

from __future__ import annotations

import re
from dataclasses import replace

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef, ModelSpec, group_model
from optmem_gui.core.synthetic import synthetic_model, synthetic_ref

ALL = "all"

MOST_NAMES = 1_000_000
"""Tensors of a model made from a size alone that are named one by one."""


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


def trained_ref(spec: ModelSpec, pattern: str) -> ModelRef:
    """The model by its groups, with the pattern that chose what is trained.

    Args:
        spec: The model with its names.
        pattern: As :func:`train_only` takes it; empty as the model comes.

    Raises:
        UserError: No regular expression, or one that no trainable parameter matches.
    """
    if not pattern:
        return group_model(spec)
    return replace(group_model(train_only(spec, pattern)), trained=pattern)


def named_model(param_count: int) -> ModelSpec:
    """A model of a size with a name for each tensor.

    Raises:
        UserError: It has too many tensors to name.
    """
    tensor_count = synthetic_ref(param_count).tensor_count
    if tensor_count > MOST_NAMES:
        raise UserError("trainable.too_many", tensor_count=tensor_count)
    return synthetic_model(param_count)
