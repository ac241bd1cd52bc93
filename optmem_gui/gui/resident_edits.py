"""Edits of what else lives on the GPU: rows of a name, a count and a type, and templates to begin with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TypeVar

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef
from optmem_gui.core.observing import OtherProcess
from optmem_gui.core.residents import Resident
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import CountError, format_count, parse_count

T = TypeVar("T")

PREFIX = "resident."
MOST_ELEMENTS = 10**15
"""Largest count accepted."""

DTYPES = ("fp32", "bf16", "fp16", "fp8_e4m3", "int8", "nf4")
"""Types that are offered."""

_TIMES = re.compile(r"\s*[x*×]\s*")  # the sign of multiplication itself


@dataclass(frozen=True, slots=True)
class Template:
    """What one kind of resident begins as.

    Attributes:
        id: Which kind; the name on screen belongs to it.
        resident: The row.
        text: What stands in its count: a product shows where it comes from.
    """

    id: str
    resident: Resident
    text: str


VAE_COUNT = 83_653_863
"""Parameters of the VAE of Stable Diffusion and SDXL: AutoencoderKL of diffusers."""

TEXT_ENCODER_COUNT = 4_762_310_656
"""Parameters of the T5-XXL encoder that Stable Diffusion 3 and FLUX use."""

_ROLLOUT_TOKENS = 65_536


def templates(model: ModelRef, names: Mapping[str, str]) -> tuple[Template, ...]:
    """What is offered for a model.

    Args:
        model: The model that is trained.
        names: Names on screen by kind.
    """
    own = model.param_count
    rows = [("ema", own, "fp32"), ("reference", own, "bf16"), ("teacher", own, "bf16")]
    rows += [("reward", own, "bf16"), ("vae", VAE_COUNT, "bf16"), ("text", TEXT_ENCODER_COUNT, "bf16")]
    found = [
        Template(kind, Resident(names[kind], count, dtype), format_count(count))
        for kind, count, dtype in rows
    ]
    shape = model.architecture
    if shape is not None:
        # keys and values of every layer, for as many tokens as the engine may hold at once
        # keys and values apart, unless both are cached compressed
        one = (2, shape.kv_heads, shape.head_dim) if shape.latent is None else (shape.cached_count,)
        sizes = (shape.layers, *one, _ROLLOUT_TOKENS)
        text = " x ".join(map(str, sizes))
        found.append(Template("kv_cache", Resident(names["kv_cache"], prod(sizes), "bf16"), text))
    return tuple(found)


def program_name(process: OtherProcess) -> str:
    """The program of a process without its folder; empty where the driver does not tell."""
    return re.split(r"[/\\]", process.name.strip())[-1]


def taken(processes: Iterable[OtherProcess]) -> tuple[Template, ...]:
    """Other processes as rows, each by its program and its bytes; one without a figure is left out."""
    found = []
    for process in processes:
        if process.used_bytes:
            name = program_name(process) or str(process.pid)
            resident = Resident.of_bytes(name, process.used_bytes)
            found.append(Template("process", resident, format_count(resident.count)))
    return tuple(found)


def read_count(text: str) -> int:
    """A number of elements: ``7B``, ``84,000,000``, or a product of such numbers.

    Raises:
        UserError: It is none, or too large.
    """
    given = text.strip()
    try:
        count = prod(parse_count(part) for part in _TIMES.split(given))
    except CountError:
        raise UserError("resident.count", given=given[:60] or "''") from None
    if count > MOST_ELEMENTS:
        raise UserError("resident.size", given=given[:60], limit_count=MOST_ELEMENTS)
    return count


def place_of(name: str) -> tuple[int, str]:
    """Row and part of a field such as ``resident.0.count``."""
    _, row, part = name.split(".")
    return int(row), part


def resident_text(scenario: Scenario, name: str) -> str:
    """The text of a field that follows from the scenario; empty for a row that is gone."""
    row, part = place_of(name)
    if row >= len(scenario.residents):
        return ""
    resident = scenario.residents[row]
    return resident.name if part == "name" else format_count(resident.count)


def with_part(scenario: Scenario, name: str, value: str) -> Scenario:
    """One part of one row changed.

    Raises:
        UserError: The text cannot be read.
    """
    row, part = place_of(name)
    resident = scenario.residents[row]
    if part == "name":
        if not value.strip():
            raise UserError("resident.name")
        resident = replace(resident, name=value.strip())
    elif part == "count":
        resident = replace(resident, count=read_count(value))
    else:
        resident = replace(resident, dtype=value)
    rows = (*scenario.residents[:row], resident, *scenario.residents[row + 1 :])
    return replace(scenario, residents=rows)


def without_row(texts: Mapping[str, T], row: int) -> dict[str, T]:
    """What stands in fields, by name, once a row is gone: those behind it move up."""
    kept: dict[str, T] = {}
    for name, value in texts.items():
        if not name.startswith(PREFIX):
            kept[name] = value
            continue
        place, part = place_of(name)
        if place != row:
            kept[f"{PREFIX}{place - (place > row)}.{part}"] = value
    return kept
