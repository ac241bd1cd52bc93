"""Rows read from real torch optimizers elsewhere, on the mixed model: the same bytes, name by name."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from optmem_gui.core.optimizers.catalogue import CATALOGUE, find
from optmem_gui.core.optimizers.options import parse_options
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from optmem_gui.core.scenario import Options
from tests.core.optimizers.real import layout_of

SCALAR_BYTES = 128


@pytest.fixture(scope="module")
def rows(reference_data: Path) -> list[tuple[dict[str, Any], Options]]:
    """Rows of torch.optim that ran on dense gradients, and their options as the catalogue writes them.

    Left out: rows about ``betas`` (no bytes change), and LBFGS while its history still grows, which depends
    on the closure that was used.
    """
    with gzip.open(reference_data / "facts" / "optimizers.json.gz", "rt", encoding="utf-8") as file:
        read: list[dict[str, Any]] = json.load(file)
    return [
        (row, parse_options(find(f"torch.{row['optimizer']}"), _pairs(row)))
        for row in read
        if row["library"] == "torch.optim"
        and f"torch.{row['optimizer']}" in CATALOGUE
        and row["ran"]
        and row.get("step_mode") in ("grad", "closure")
        and "betas" not in row["options"]
        and (row["optimizer"] != "LBFGS" or "history_size=2," in row["options"])
    ]


def _pairs(row: dict[str, Any]) -> list[str]:
    given = [] if row["options"] == "defaults" else row["options"].split(", ")
    return [pair for pair in given if not pair.startswith("lr=")]


def test_state_of_every_row(rows: list[tuple[dict[str, Any], Options]]) -> None:
    assert len(rows) > 150
    for row, options in rows:
        shapes = [tuple(parameter["shape"]) for parameter in row["per_param"]]
        layout = layout_of(shapes, row["dtype"])
        estimated = optimizer_state(find(f"torch.{row['optimizer']}"), options, layout, "cpu")
        read: Counter[str] = Counter()
        for parameter in row["per_param"]:
            for tensor in parameter["state"]:
                read[tensor["key"].partition("[")[0]] += tensor["bytes"]
        label = f"{row['optimizer']} {row['options']} {row['dtype']}"
        assert {state.name: state.bytes for state in estimated.rows} == dict(read), label
        assert estimated.bytes == row["total_state_bytes"], label


def test_temporaries_of_every_row(rows: list[tuple[dict[str, Any], Options]]) -> None:
    """RAdam's rows stop before its rectification starts, LBFGS's include gradients made by the closure."""
    for row, options in rows:
        if row["optimizer"] in ("RAdam", "LBFGS"):
            continue
        shapes = [tuple(parameter["shape"]) for parameter in row["per_param"]]
        layout = layout_of(shapes, row["dtype"])
        estimated = step_temporaries(find(f"torch.{row['optimizer']}"), options, layout, "cpu")
        difference = row["transient_peak_bytes_later"] - estimated.bytes
        slack = 0 if estimated.exact else 4 * 4097  # Adafactor's loop: one vector more than it may hold
        label = f"{row['optimizer']} {row['options']} {row['dtype']}"
        assert -slack <= difference + SCALAR_BYTES, label
        assert difference <= SCALAR_BYTES * len(shapes), label
