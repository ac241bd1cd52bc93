"""From a subject and a scenario to what *Why?* answers."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.breakdown import Band, Breakdown
from optmem_gui.core.components import Sizes
from optmem_gui.core.estimate import compute, sizes_of
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.ground import grounds_of
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.overhead import NCCL_BYTES
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.why.answer import Subject, Term, Why
from optmem_gui.core.why.beliefs import belief_about
from optmem_gui.core.why.proofs import calibration_in, component_proofs, moment_proofs, tier_proofs
from optmem_gui.core.why.sources import page_about, sources_of
from optmem_gui.core.why.terms import component_terms, parts_terms


@dataclass(frozen=True, slots=True)
class _Case:
    """What is asked, about which estimate."""

    subject: Subject
    scenario: Scenario
    breakdown: Breakdown


def explain(
    subject: Subject, scenario: Scenario, gpu: Gpu | None = None, breakdown: Breakdown | None = None
) -> Why:
    """Take one number of the estimate apart.

    Args:
        subject: Which one.
        scenario: The set-up.
        gpu: The GPU the verdict is for.
        breakdown: The estimate of just this, where it is there already.

    Returns:
        The answer; its terms make exactly its result.

    Raises:
        UserError: The scenario is impossible.
        KeyError: The estimate has no such subject.
    """
    case = _Case(subject, scenario, compute(scenario, gpu) if breakdown is None else breakdown)
    if subject.kind == "tier":
        return _tier(case)
    if subject.kind == "rank":
        return _rank(case, gpu)
    if subject.kind == "phase":
        return _phase(case)
    return _component(case, gpu)


def _sizes(case: _Case, gpu: Gpu | None, rank: int) -> Sizes:
    ground = grounds_of(case.scenario, gpu)[rank]
    return sizes_of(ground, find(case.scenario.optimizer))


def _component(case: _Case, gpu: Gpu | None) -> Why:
    row = case.breakdown.component(case.subject.id)
    sizes = _sizes(case, gpu, case.breakdown.rank)
    taken = component_terms(row, sizes)
    return Why(
        subject=case.subject,
        why=row.why,
        formula=row.formula,
        terms=taken.terms,
        operation=taken.operation,
        result=Band(row.bytes, row.bytes) if row.counted else None,
        sources=sources_of(case.subject, case.scenario),
        proofs=component_proofs(case.scenario, row.id),
        belief=belief_about(case.subject, case.scenario),
        page=page_about(case.subject, case.scenario),
    )


def _phase(case: _Case) -> Why:
    row = case.breakdown.phase(case.subject.id)
    return Why(
        subject=case.subject,
        why=Reason(f"why.phase.{row.id}"),
        formula=Reason("formula.moment"),
        terms=parts_terms(row.parts),
        operation="sum",
        result=Band(row.bytes, row.bytes),
        sources=sources_of(case.subject, case.scenario),
        proofs=moment_proofs(case.scenario),
        belief=belief_about(case.subject, case.scenario),
        page=page_about(case.subject, case.scenario),
    )


def _rank(case: _Case, gpu: Gpu | None) -> Why:
    place = int(case.subject.id)
    row = case.breakdown.ranks[place]
    peak = _sizes(case, gpu, place).peak
    return Why(
        subject=case.subject,
        why=row.why,
        formula=Reason("formula.rank", {"phase": peak.id}),
        terms=parts_terms(peak.parts),
        operation="sum",
        result=Band(peak.bytes, peak.bytes),
        sources=sources_of(case.subject, case.scenario),
        proofs=moment_proofs(case.scenario),
        belief=belief_about(case.subject, case.scenario),
        page=page_about(case.subject, case.scenario),
    )


def _tier(case: _Case) -> Why:
    breakdown, tier = case.breakdown, case.subject.id
    terms, result = {
        "allocated": _allocated,
        "reserved": _reserved,
        "process": _process,
    }[tier](case)
    where = "cpu" if case.scenario.target == "cpu" else "cuda"
    return Why(
        subject=case.subject,
        why=Reason(f"why.tier.{tier}" if tier == "allocated" else f"why.tier.{tier}.{where}"),
        formula=Reason(f"formula.tier.{tier}", {"phase": breakdown.peak_phase}),
        terms=terms,
        operation="sum",
        result=result,
        sources=_tier_sources(case),
        proofs=tier_proofs(case.scenario, tier, breakdown.assumptions),
        belief=belief_about(case.subject, case.scenario),
        page=page_about(case.subject, case.scenario),
    )


def _tier_sources(case: _Case) -> tuple[Reason, ...]:
    calibrated = calibration_in(case.breakdown.assumptions)
    if case.subject.id == "process" and calibrated is not None:
        return (calibrated,)
    return sources_of(case.subject, case.scenario)


def _allocated(case: _Case) -> tuple[tuple[Term, ...], Band]:
    peak = case.breakdown.phase(case.breakdown.peak_phase)
    return parts_terms(peak.parts), Band(peak.bytes, peak.bytes)


def _reserved(case: _Case) -> tuple[tuple[Term, ...], Band]:
    peak, reserved = case.breakdown.peak_bytes, case.breakdown.reserved
    terms = [Term.exact(Reason("term.allocated"), peak)]
    if (reserved.low, reserved.high) != (peak, peak):
        terms.append(Term(Reason("term.fragmentation"), reserved.low - peak, reserved.high - peak))
    return tuple(terms), reserved


def _process(case: _Case) -> tuple[tuple[Term, ...], Band]:
    reserved, process = case.breakdown.reserved, case.breakdown.process
    on_gpu = case.scenario.target == "cuda"
    low, high = process.low - reserved.low, process.high - reserved.high
    terms = [Term(Reason("term.reserved" if on_gpu else "term.allocated"), reserved.low, reserved.high)]
    if on_gpu and case.scenario.parallel.gpus > 1:
        terms.append(Term(Reason("term.nccl"), NCCL_BYTES.low, NCCL_BYTES.high))
        low, high = low - NCCL_BYTES.low, high - NCCL_BYTES.high
    terms.append(Term(Reason("term.context" if on_gpu else "term.interpreter"), low, high))
    return tuple(terms), process
