"""A model from its config alone: by the rules here, or as its own library builds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from optmem_gui.architectures.config import TEXT_PART_ONLY, Architecture
from optmem_gui.checkpoints.contents import Known, Reading, Row
from optmem_gui.core.describing import DescribeReport
from optmem_gui.core.dtypes import DTYPES, F32
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason

_CONFIG = "config.json"
_EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts")
"""Names that configs give the number of routed experts."""


@dataclass(frozen=True, slots=True)
class ConfigModel:
    """What a config stands for.

    Attributes:
        rows: Parameters, then buffers.
        known: Which is which, and what its class trains.
        tied: Pairs (other name, name it shares storage with).
        idle_count: Elements of experts that one token does not visit.
        warnings: What is not counted, and who built it.
    """

    rows: list[Row]
    known: Mapping[str, Known]
    tied: tuple[tuple[str, str], ...]
    idle_count: int
    warnings: tuple[Reason, ...]


def model_of(config: Mapping[str, Any], architecture: Architecture, reading: Reading) -> ConfigModel | None:
    """The model of a config; None where the family is not known and there is no library to ask.

    A library is asked for what is not known as a whole. Where it cannot build a model whose language part
    is known, that part is taken.

    Raises:
        UserError: The library is missing or refuses the config, and nothing of it is known.
        Cancelled: The user stopped it.
    """
    keys = {reason.key for reason in architecture.warnings}
    if reading.can_build and (architecture.layout is None or TEXT_PART_ONLY in keys):
        try:
            report = reading.built(json.dumps(config), _CONFIG)
        except UserError:
            if architecture.layout is None:
                raise
        else:
            return _described(report, config, architecture)
    spec = architecture.model("")
    if spec is None:
        return None
    rows: list[Row] = [(tensor.name, tensor.shape, tensor.dtype) for tensor in spec.parameters]
    known = {tensor.name: Known(True, tensor.trainable) for tensor in spec.parameters}
    rows += [(buffer.name, buffer.shape, buffer.dtype) for buffer in spec.buffers]
    known |= {buffer.name: Known(False) for buffer in spec.buffers}
    return ConfigModel(rows, known, spec.tied, spec.idle_count, architecture.warnings)


def _described(report: DescribeReport, config: Mapping[str, Any], architecture: Architecture) -> ConfigModel:
    said = (*report.parameters, *report.buffers)
    rows: list[Row] = [(one.name, one.shape, DTYPES.get(one.dtype, F32)) for one in said]
    known = {one.name: Known(True, one.trainable) for one in report.parameters}
    known |= {one.name: Known(False) for one in report.buffers}
    builder = Reason("config.built_by", {"name": report.name, "library": report.library})
    gone = (TEXT_PART_ONLY,) if architecture.layout is not None else ()
    rest = tuple(reason for reason in architecture.warnings if reason.key not in gone)
    return ConfigModel(rows, known, report.tied, _idle_count(rows, config), (builder, *rest))


def _idle_count(rows: list[Row], config: Mapping[str, Any]) -> int:
    """Elements of routed experts that one token does not visit, by the names that configs use for both."""
    inner = config.get("text_config")
    values = inner if isinstance(inner, dict) else config
    counts = [values.get(name) for name in _EXPERTS]
    experts = next((count for count in counts if type(count) is int and count > 0), 0)
    used = values.get("num_experts_per_tok")
    if not experts or type(used) is not int or not 0 < used <= experts:
        return 0
    routed = sum(prod(shape) for name, shape, _ in rows if ".experts." in name)
    return routed - routed * used // experts
