"""What the numbers of a scenario were compared with.

A proof is that of the rule, not of this very scenario: it says what stood beside it, and how far apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.parallel import ONE_GPU
from optmem_gui.core.precision import precision
from optmem_gui.core.proof import Proof, ProofKind, kind_of, proof_of
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario

_RUN_OVER_GLOO = frozenset({"ddp", "fsdp1", "fsdp2", "hsdp", "zero-redundancy"})
"""Ways of sharing that the tests run with real processes."""

_SHARED_OUT = frozenset({"weights", "gradients", "master_weights", "optimizer_state"})
"""Components that each rank of those runs was compared by."""


def component_proofs(scenario: Scenario, component_id: str) -> tuple[Proof, ...]:
    """How one row of the breakdown was proven, the strongest first."""
    proofs = [_single(scenario, component_id)]
    if component_id in _SHARED_OUT and scenario.parallel != ONE_GPU:
        proofs.append(_shared(scenario))
    if component_id == "activations" and scenario.target == "cuda":
        proofs.append(_proof("source", "activations_gpu"))
    return tuple(proofs)


def moment_proofs(scenario: Scenario) -> tuple[Proof, ...]:
    """How the bytes of a phase, and so the peak, were proven."""
    proofs = [_proof("run", "step_cpu")]
    if not precision(scenario.precision).runs_in_torch:
        proofs = [_proof("source", "scheme")]
    if scenario.target == "cuda":
        proofs.append(_proof("run", "step_traced"))
    if scenario.parallel.shard == "megatron" and scenario.parallel != ONE_GPU:
        proofs.append(_proof("carried", "ranks_megatron"))
    elif scenario.parallel != ONE_GPU:
        proofs.append(_proof("source", "ranks_peak"))
    elif scenario.target == "cuda":
        proofs.append(_proof("source", "step_gpu"))
    return tuple(proofs)


def tier_proofs(scenario: Scenario, tier: str, assumptions: Iterable[Reason] = ()) -> tuple[Proof, ...]:
    """How a number of the headline was proven.

    Args:
        scenario: What is trained.
        tier: One of :data:`~optmem_gui.core.why.answer.TIERS`.
        assumptions: Of the estimate: they say whether the context was calibrated on the user's own GPU.
    """
    if tier == "allocated":
        return moment_proofs(scenario)
    calibrated = calibration_in(assumptions)
    if tier == "process" and calibrated is not None:
        return (Proof("probed", calibrated),)
    if scenario.target == "cpu":
        return (_proof("source", "process_cpu"),)
    return (_proof("carried", tier),)


def calibration_in(assumptions: Iterable[Reason]) -> Reason | None:
    """The assumption that a measurement on the user's own GPU takes the place of the general band."""
    return next((reason for reason in assumptions if reason.key == "assume.calibrated"), None)


def _single(scenario: Scenario, component_id: str) -> Proof:
    """On one GPU, or of one rank's whole tensors."""
    if component_id == "optimizer_state":
        return proof_of(find(scenario.optimizer))
    if component_id == "temporaries":
        return _of_the_step(scenario)
    if component_id in ("weights", "gradients", "master_weights", "autocast_copies"):
        if not precision(scenario.precision).runs_in_torch:
            return _proof("source", "scheme")
        if component_id == "weights" and scenario.lora is not None:
            return _proof("run", "weights_lora")
    if component_id == "other_models" and not scenario.residents:
        return _proof("given", "nothing")
    return _proof(*_SINGLE[component_id])


_SINGLE: dict[str, tuple[ProofKind, str]] = {
    "weights": ("run", "weights"),
    "gradients": ("run", "gradients"),
    "master_weights": ("run", "master_weights"),
    "buffers": ("run", "buffers"),
    "activations": ("run", "activations"),
    "autocast_copies": ("run", "autocast_copies"),
    "communication": ("source", "communication"),
    "workspace": ("carried", "workspace"),
    "other_models": ("given", "other_models"),
    "rounding": ("carried", "rounding"),
}


def _of_the_step(scenario: Scenario) -> Proof:
    """Those of torch's optimizers are exact or a bound; those of packages are close to what steps showed."""
    implementation = find(scenario.optimizer)
    if implementation.runtime != "torch":
        return _proof("source", "temporaries_elsewhere", optimizer=implementation.id)
    if implementation.library == "torch":
        return _proof("run", "temporaries")
    kind = kind_of(implementation)
    if kind in ("run", "recording", "probed"):
        return _proof(kind, "temporaries_close", optimizer=implementation.id)
    return _proof("source", "temporaries_source", optimizer=implementation.id)


def _shared(scenario: Scenario) -> Proof:
    shard = scenario.parallel.shard
    if shard in _RUN_OVER_GLOO:
        return _proof("run", "ranks", shard=shard)
    return _proof("carried" if shard == "megatron" else "source", f"ranks_{_engine(shard)}")


def _engine(shard: str) -> str:
    return "megatron" if shard == "megatron" else "deepspeed"


def _proof(kind: ProofKind, name: str, **values: str) -> Proof:
    return Proof(kind, Reason(f"proof.of.{name}", values))
