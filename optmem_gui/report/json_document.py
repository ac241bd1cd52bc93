"""The estimate as a JSON document, the same from the command line and from the window's export."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from optmem_gui.core.breakdown import Band, Breakdown, Component, Fit, RankRow
from optmem_gui.core.gpu_fits import GpuFit
from optmem_gui.core.model import ModelRef
from optmem_gui.core.networks import KINDS, Network
from optmem_gui.core.proof import Proof
from optmem_gui.core.reasons import Reason
from optmem_gui.core.recipes import changed_fields
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.side_by_side import SideRow
from optmem_gui.core.solve import Solution
from optmem_gui.core.ways import Way
from optmem_gui.core.why.answer import TIERS
from optmem_gui.core.why.proofs import component_proofs, tier_proofs

SCHEMA = 1
"""Version of the document; raised when a key changes its meaning or goes away."""

Document = dict[str, Any]


def estimate_document(scenario: Scenario, breakdown: Breakdown) -> Document:
    """Everything the program predicts for one GPU; with several, for the rank that needs the most.

    Sizes are integers in bytes, counts integers, ratios decimals; ``at_peak`` of all components sums to
    ``peak.allocated``. What no batch was given for is 0, and the assumptions say so. What cannot be counted,
    because nothing is known of the model's architecture, has ``bytes`` null, never 0.
    """
    total = breakdown.parameters.total
    countable = scenario.model.is_known
    return {
        "schema": SCHEMA,
        "scenario": scenario_document(scenario),
        "parameters": asdict(breakdown.parameters),
        "components": [
            _component(row, total, known=countable or row.counted, proofs=component_proofs(scenario, row.id))
            for row in breakdown.components
        ],
        "phases": [{"id": phase.id, "bytes": phase.bytes} for phase in breakdown.phases],
        "peak": {"allocated": breakdown.peak_bytes, "phase": breakdown.peak_phase},
        "reserved": band_document(breakdown.reserved),
        "process": band_document(breakdown.process),
        "proof": {tier: _proofs(tier_proofs(scenario, tier, breakdown.assumptions)) for tier in TIERS},
        "device": device_document(breakdown.fit),
        **_ranks(breakdown),
        "assumptions": reason_documents(breakdown.assumptions),
        "warnings": reason_documents(breakdown.warnings),
    }


def scenario_document(scenario: Scenario) -> Document:
    """What was asked, with the model by its identity instead of its tensors."""
    return {
        "model": _model(scenario.model),
        "optimizer": scenario.optimizer,
        "options": dict(scenario.options),
        "precision": scenario.precision,
        "batch": scenario.batch,
        "sequence": scenario.sequence,
        "checkpointing": scenario.checkpointing,
        "attention": scenario.attention,
        "loss": scenario.loss,
        "accumulate": scenario.accumulate,
        "clip": scenario.clip,
        "set_to_none": scenario.set_to_none,
        "keep_logits": scenario.keep_logits,
        "lora": None if scenario.lora is None else asdict(scenario.lora),
        "gpu": scenario.gpu,
        "target": scenario.target,
        "parallel": asdict(scenario.parallel),
        "residents": [asdict(resident) for resident in scenario.residents],
        "recipe": _recipe(scenario),
    }


def _recipe(scenario: Scenario) -> Document | None:
    """The recipe that the choices began with, and the fields that were changed since."""
    if scenario.recipe is None:
        return None
    return {"id": scenario.recipe, "changed": list(changed_fields(scenario))}


def _model(model: ModelRef) -> Document:
    return {
        "title": model.title,
        "source": str(model.source),
        "path": model.path,
        "fingerprint": model.fingerprint,
        "parameters": model.param_count,
        "tensors": model.tensor_count,
        "tied": model.tied_count,
        "architecture": None if model.architecture is None else asdict(model.architecture),
        "network": None if model.network is None else network_document(model.network),
    }


def network_document(network: Network) -> Document:
    """Dimensions of what is no decoder, and which kind it is of."""
    return {"kind": KINDS[type(network)], **asdict(network)}


def _ranks(breakdown: Breakdown) -> Document:
    """With several GPUs, every kind of rank and which of them the figures are of."""
    if not breakdown.ranks:
        return {}
    return {"ranks": [_rank(row) for row in breakdown.ranks], "worst_rank": breakdown.rank}


def _rank(row: RankRow) -> Document:
    return {
        "stage": row.stage,
        "parameters": row.param_count,
        "peak": {"allocated": row.peak_bytes, "phase": row.peak_phase},
        "host_bytes": row.host_bytes,
        "why": str(row.why),
    }


def _component(row: Component, total: int, *, known: bool, proofs: Iterable[Proof]) -> Document:
    return {
        "id": row.id,
        "bytes": row.bytes if known else None,
        "at_peak": row.at_peak,
        "host_bytes": row.host_bytes,
        "dtype": row.dtype,
        "bytes_per_parameter": row.bytes_per_parameter(total) if known else None,
        "formula": str(row.formula),
        "why": str(row.why),
        "proof": _proofs(proofs),
    }


def _proofs(proofs: Iterable[Proof]) -> list[Document]:
    """What a number was compared with: the kind for scripts, a sentence for people."""
    return [{"kind": proof.kind, "message": str(proof.what)} for proof in proofs]


def band_document(band: Band) -> Document:
    """Two bounds in bytes."""
    return {"low": band.low, "high": band.high}


def device_document(fit: Fit | None) -> Document | None:
    """The verdict, null without a GPU."""
    return None if fit is None else {"id": fit.gpu, "usable": fit.usable, "fits": fit.fits, "free": fit.free}


def gpu_fit_document(found: GpuFit) -> Document:
    """The verdict of one GPU of many, with how many of it would be enough; null where no number is known."""
    fit = found.fit
    document: Document = {"id": fit.gpu, "usable": fit.usable, "fits": fit.fits, "free": fit.free}
    return {**document, "needed": found.needed}


def solution_document(scenario: Scenario, breakdown: Breakdown, solution: Solution) -> Document:
    """The largest batch or sequence, and the estimate at the largest that surely fits, or at 1."""
    solved = {"what": solution.what, "sure": solution.sure, "perhaps": solution.perhaps}
    return {**estimate_document(scenario, breakdown), "solved": solved}


def side_document(first: Document, second: Document, rows: Iterable[SideRow]) -> Document:
    """Two estimates, and what the second changes; null where one of them is not counted."""
    changes = [
        {
            "id": row.id,
            "first": row.first,
            "second": row.second,
            "difference": row.difference,
            "share": row.share,
        }
        for row in rows
    ]
    return {"schema": SCHEMA, "first": first, "second": second, "changes": changes}


def ways_documents(ways: Iterable[Way]) -> list[Document]:
    """Single changes, the one that saves most first."""
    return [
        {
            "id": way.id,
            "saved": way.saved_bytes,
            "peak": way.peak_bytes,
            "device": device_document(way.fit),
            "cost": str(way.cost),
        }
        for way in ways
    ]


def reason_documents(reasons: Iterable[Reason]) -> list[Document]:
    """Reasons with a stable code for scripts and a sentence for people."""
    return [{"code": reason.key, "message": str(reason)} for reason in reasons]


def to_text(document: Document) -> str:
    """The document as it is printed or saved: indented, a line end at the end.

    A path that is no valid Unicode keeps its odd bytes as JSON escapes, so the text can be encoded.
    """
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "backslashreplace").decode()
