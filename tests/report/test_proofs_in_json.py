"""The estimate as JSON says of every number how it was proven."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.estimate import compute
from optmem_gui.core.proof import PROOF_KINDS
from optmem_gui.core.scenario import Scenario
from optmem_gui.report.json_document import estimate_document

PLAIN = Scenario(preset_ref("llama-3.2-1b"), batch=1, sequence=128)


def _document(optimizer: str) -> dict[str, Any]:
    scenario = replace(PLAIN, optimizer=optimizer)
    return estimate_document(scenario, compute(scenario))


def _kinds(proofs: list[dict[str, str]]) -> list[str]:
    return [proof["kind"] for proof in proofs]


def test_every_component_and_tier_says_how_it_was_proven() -> None:
    document = _document("torch.AdamW")
    groups = [row["proof"] for row in document["components"]] + list(document["proof"].values())
    for proofs in groups:
        assert proofs
        assert set(_kinds(proofs)) <= set(PROOF_KINDS)
        assert all(proof["message"] for proof in proofs)
    assert set(document["proof"]) == {"allocated", "reserved", "process"}
    assert _kinds(document["proof"]["process"]) == ["carried"]


def test_the_state_says_which_of_the_kinds() -> None:
    kinds = {}
    for optimizer in ("torch.AdamW", "timm.Lion", "optax.adamw", "apex.FusedAdam"):
        rows = _document(optimizer)["components"]
        (state,) = [row for row in rows if row["id"] == "optimizer_state"]
        kinds[optimizer] = _kinds(state["proof"])
    assert list(kinds.values()) == [["run"], ["recording"], ["carried"], ["source"]]
