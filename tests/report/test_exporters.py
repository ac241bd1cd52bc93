"""The document of an estimate and the formats it is saved in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.report.exporters import EXPORTERS, export
from optmem_gui.report.json_document import estimate_document, to_text
from tests.report.samples import breakdown, scenario


def test_document_has_the_promised_keys() -> None:
    document = json.loads(to_text(estimate_document(scenario(), breakdown())))
    assert set(document) == {
        "schema", "scenario", "parameters", "components", "phases", "peak", "reserved", "process", "device",
        "assumptions", "warnings",
    }  # fmt: skip
    assert document["parameters"] == {"total": 1000, "trainable": 1000, "active": 1000}
    assert [row["id"] for row in document["components"]] == list(COMPONENT_IDS)
    assert [row["id"] for row in document["phases"]] == list(PHASE_IDS)
    assert document["peak"] == {"allocated": 20_000, "phase": "optimizer_step"}
    assert document["reserved"] == {"low": 20_000, "high": 22_000}
    assert document["device"] == {"id": "h100-80gb", "usable": 1_000_000, "fits": "yes", "free": 400_000}
    assert document["assumptions"][0].keys() == {"code", "message"}


def test_parts_at_the_peak_sum_to_it() -> None:
    document = estimate_document(scenario(), breakdown())
    assert sum(row["at_peak"] for row in document["components"]) == document["peak"]["allocated"]


def test_what_is_not_counted_is_null_never_zero() -> None:
    rows = {
        row["id"]: row for row in estimate_document(scenario(), breakdown(("activations",)))["components"]
    }
    assert rows["activations"]["bytes"] is None
    assert rows["weights"]["bytes"] == 4000
    assert isinstance(rows["weights"]["bytes_per_parameter"], float)


def test_without_a_batch_activations_are_zero_and_the_assumptions_say_so() -> None:
    known = replace(scenario(), model=synthetic_ref(10_000))
    document = estimate_document(known, compute(known))
    rows = {row["id"]: row for row in document["components"]}
    assert (rows["activations"]["bytes"], rows["workspace"]["bytes"]) == (0, 0)
    assert "assume.no_batch" in {note["code"] for note in document["assumptions"]}


def test_a_path_that_is_no_unicode_can_still_be_written() -> None:
    odd = replace(scenario(), model=replace(scenario().model, path="runs/\udcff.pt"))
    text = to_text(estimate_document(odd, breakdown()))
    assert json.loads(text.encode())["scenario"]["model"]["path"] == "runs/\udcff.pt"


@pytest.mark.parametrize("exporter_id", sorted(EXPORTERS))
def test_every_format_carries_every_component_and_exact_bytes(exporter_id: str, tmp_path: Path) -> None:
    path = tmp_path / f"result{EXPORTERS[exporter_id].suffix}"
    export(exporter_id, path, scenario(), breakdown())
    text = path.read_text(encoding="utf-8").casefold().replace(" ", "_")
    assert all(component in text for component in COMPONENT_IDS)
    assert "8004" in text


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        export("csv", tmp_path / "none" / "a.csv", scenario(), breakdown())
    assert refused.value.code == "output.not_written"
    assert "\n" not in str(refused.value)
