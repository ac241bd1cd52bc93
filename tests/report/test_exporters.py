"""The document of an estimate and the formats it is saved in."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from optmem_gui import __version__
from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.report.estimate_report import Exported
from optmem_gui.report.exporters import EXPORTERS, export, exporter_for
from optmem_gui.report.json_document import estimate_document, to_text
from tests.report.samples import breakdown, scenario


def test_document_has_the_promised_keys() -> None:
    document = json.loads(to_text(estimate_document(scenario(), breakdown())))
    assert set(document) == {
        "schema", "scenario", "parameters", "components", "phases", "peak", "reserved", "process", "device",
        "assumptions", "warnings", "proof",
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


def exported(**changes: Any) -> Exported:
    values: dict[str, Any] = {"scenario": scenario(), "breakdown": breakdown(), "gpu": find_gpu("h100-80gb")}
    return Exported(**{**values, "made": "2026-11-30", **changes})


@pytest.mark.parametrize("exporter_id", sorted(EXPORTERS))
def test_every_format_carries_every_component_and_exact_bytes(exporter_id: str, tmp_path: Path) -> None:
    path = tmp_path / f"result{EXPORTERS[exporter_id].suffix}"
    export(exporter_id, path, exported())
    text = path.read_text(encoding="utf-8").casefold().replace(" ", "_")
    assert all(component in text for component in COMPONENT_IDS)
    assert "8004" in text


@pytest.mark.parametrize("exporter_id", sorted(EXPORTERS))
def test_every_format_carries_version_assumptions_warnings_and_proof(exporter_id: str) -> None:
    shown = compute(replace(scenario(), model=synthetic_ref(10_000), precision="fp16"), find_gpu("h100-80gb"))
    full = exported(breakdown=shown)
    text = EXPORTERS[exporter_id].text(full)
    assert (__version__ in text, "2026-11-30" in text) == (True, True)
    assert shown.assumptions
    assert shown.warnings
    proofs = [proof.what for _, proof in full.proofs]
    assert {about for about, _ in full.proofs} > {"allocated", "reserved", "process", "optimizer_state"}
    for reason in (*shown.assumptions, *shown.warnings, *proofs):
        assert _letters(str(reason)) in _letters(text), reason.key


def _letters(text: str) -> str:
    """What is left of a sentence in any notation: its letters and figures."""
    plain = re.sub(r"&[a-z]+;|&#x?[0-9a-f]+;|\\\\text[a-z]+\\{\\}", "", text)
    return "".join(letter for letter in plain if letter.isalnum())


def test_csv_is_the_breakdown_first_and_opens_with_any_reader() -> None:
    lines = list(csv.reader(io.StringIO(EXPORTERS["csv"].text(exported()), newline="")))
    first = lines[: lines.index([])]
    assert [row[0].casefold().replace(" ", "_") for row in first[1:]] == list(COMPONENT_IDS)
    assert dict(zip(first[0], first[4], strict=True))["bytes"] == "8004"


def test_csv_marks_its_encoding_only_where_a_spreadsheet_would_guess_it_wrong() -> None:
    assert EXPORTERS["csv"].text(exported()).isascii()
    chinese = EXPORTERS["csv"].text(exported(title="\u6a21\u578b"))
    assert chinese.startswith("\ufeff")


def test_json_is_the_document_with_the_program_and_the_day() -> None:
    document = json.loads(EXPORTERS["json"].text(exported()))
    assert document.pop("made") == {
        "program": {"name": "OptMem", "version": __version__},
        "date": "2026-11-30",
    }
    assert document == json.loads(to_text(estimate_document(scenario(), breakdown())))


def test_html_is_well_formed_and_loads_nothing() -> None:
    text = EXPORTERS["html"].text(exported(title="<script>alert(1)</script>"))
    assert "<script" not in text
    assert re.search(r"(src|href|url)\s*[=(]", text) is None
    body = re.sub(r"<meta[^>]*>", "", text.removeprefix("<!DOCTYPE html>"))
    assert ElementTree.fromstring(body).tag == "html"  # noqa: S314  # written by this test


def test_several_gpus_have_a_table_of_ranks() -> None:
    several = Scenario(preset_ref("llama-3.1-8b"), parallel=Parallel(gpus=8, shard="zero3", pp=2))
    result = compute(several)
    text = EXPORTERS["markdown"].text(exported(scenario=several, breakdown=result, gpu=None))
    assert "### Ranks" in text
    assert text.count("worst") >= 2
    assert "8 x zero3, pp 2" in text
    assert all(str(row.peak_bytes) in text for row in result.ranks)


def test_the_ending_names_the_format() -> None:
    assert exporter_for(Path("a/b.TEX")).id == "latex"
    with pytest.raises(UserError, match="drawn by the window") as drawn:
        exporter_for(Path("a.pdf"))
    assert drawn.value.code == "export.needs_window"
    with pytest.raises(UserError, match=r"\.csv, \.json"):
        exporter_for(Path("a.docx"))


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        export("csv", tmp_path / "none" / "a.csv", exported())
    assert refused.value.code == "output.not_written"
    assert "\n" not in str(refused.value)


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "a.csv"
    path.write_text("before", encoding="utf-8")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="No space left"):
        export("csv", path, exported())
    assert path.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [path]
