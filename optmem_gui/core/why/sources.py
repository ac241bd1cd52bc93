"""Where the rule behind a number was read, and which page tells more."""

from __future__ import annotations

from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.precision import precision
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.why.answer import Subject

PAGES = (
    "where-the-memory-goes",
    "bytes-per-parameter",
    "allocated-reserved-process",
    "why-the-estimate-differs",
    "8-bit-and-factored-states",
)
"""The pages, in the order they are read."""

_PARAMETER_COPIES = ("weights", "gradients", "master_weights")
_ALLOCATOR = ("workspace", "rounding")


def page_about(subject: Subject, scenario: Scenario) -> str:
    """The page that tells more about a number."""
    if subject.kind == "tier":
        return "allocated-reserved-process"
    if subject.id in _PARAMETER_COPIES:
        return "bytes-per-parameter"
    if subject.id in _ALLOCATOR:
        return "allocated-reserved-process"
    if subject.id == "optimizer_state":
        return "8-bit-and-factored-states" if _is_small(scenario) else "bytes-per-parameter"
    if subject.id == "temporaries":
        return "why-the-estimate-differs"
    return "where-the-memory-goes"


def _is_small(scenario: Scenario) -> bool:
    """The optimizer keeps other shapes or fewer bits than the parameters have."""
    family, name = find(scenario.optimizer).family, scenario.optimizer.lower()
    return (
        family in ("adafactor", "sm3", "low-rank", "adam-mini")
        or "8bit" in name
        or "4bit" in name
        or "fp8" in name
    )


def sources_of(subject: Subject, scenario: Scenario) -> tuple[Reason, ...]:
    """Library, file and version, paper or recording that the rule was read in."""
    if subject.kind == "component":
        return tuple(_component(subject.id, scenario))
    if subject.kind == "tier" and subject.id != "allocated":
        where = "cpu" if scenario.target == "cpu" else "cuda"
        return (Reason(f"source.tier.{subject.id}.{where}"),)
    sources = [Reason("source.phases")]
    if subject.kind == "rank":
        sources.append(Reason(f"source.shard.{scenario.parallel.shard}"))
    return tuple(sources)


def _component(component_id: str, scenario: Scenario) -> list[Reason]:
    several = scenario.parallel.gpus > 1
    if component_id in ("optimizer_state", "temporaries"):
        implementation = find(scenario.optimizer)
        values = {"optimizer": implementation.id, "source": implementation.source}
        return [Reason("source.optimizer", values)]
    sources = [Reason(f"source.{component_id}")]
    if component_id in _PARAMETER_COPIES:
        sources = [Reason(_scheme_source(scenario))]
        if component_id == "weights" and scenario.lora is not None:
            sources.append(Reason("source.lora"))
        if component_id == "gradients":
            sources.append(Reason("source.gradients"))
    if several and component_id in (*_PARAMETER_COPIES, "communication"):
        sources.append(Reason(f"source.shard.{scenario.parallel.shard}"))
    return sources


def _scheme_source(scenario: Scenario) -> str:
    """The reference of a precision scheme."""
    scheme = precision(scenario.precision)
    if scheme.id in ("te-fp8", "te-fp8-fp32"):
        return "source.scheme.transformer_engine"
    if scheme.id in ("torchao-fp8", "msamp-o2", "megatron-bf16"):
        return f"source.scheme.{scheme.id}"
    if scheme.master is not None:
        return "source.scheme.master"
    return "source.scheme.autocast" if scheme.autocast is not None else "source.scheme.plain"
