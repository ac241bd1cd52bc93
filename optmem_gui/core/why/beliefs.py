"""What people often believe about a number, where it matters for the scenario, and how it really is.

One belief a number: the first whose condition holds. To add one: a line here and its text.
"""

from __future__ import annotations

from collections.abc import Callable

from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.precision import precision
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.why.answer import Subject

_Condition = Callable[[Scenario], bool]


def _always(scenario: Scenario) -> bool:
    del scenario
    return True


def _autocasts(scenario: Scenario) -> bool:
    scheme = precision(scenario.precision)
    return scheme.autocast is not None and scheme.weights.bits > scheme.autocast.bits


def _fp8(scenario: Scenario) -> bool:
    return bool(precision(scenario.precision).cached_weight_bits) or "fp8" in scenario.precision


def _packed(scenario: Scenario) -> bool:
    return scenario.lora is not None and scenario.lora.base_dtype in ("nf4", "nf4-dq", "int8")


def _lora(scenario: Scenario) -> bool:
    return scenario.lora is not None


def _pure(scenario: Scenario) -> bool:
    scheme = precision(scenario.precision)
    return scheme.master is None and scheme.weights.bits == 16


def _named(*parts: str) -> _Condition:
    return lambda scenario: any(part in scenario.optimizer.lower() for part in parts)


def _family(*families: str) -> _Condition:
    return lambda scenario: find(scenario.optimizer).family in families


def _several(scenario: Scenario) -> bool:
    return scenario.parallel.gpus > 1


RULES: dict[str, tuple[tuple[str, _Condition], ...]] = {
    "component.weights": (
        ("four_bits", _packed),
        ("lora_small", _lora),
        ("amp_halves", _autocasts),
        ("fp8_halves", _fp8),
        ("sixteen_always", _pure),
        ("inference_is_training", _always),
    ),
    "component.gradients": (
        ("lora_activations", _lora),
        ("accumulation_copies", lambda scenario: scenario.accumulate > 1),
        ("amp_gradients", _autocasts),
        ("gradients_shrink", _always),
    ),
    "component.master_weights": (
        ("amp_master", _autocasts),
        ("pure_master", _pure),
        ("master_free", _always),
    ),
    "component.optimizer_state": (
        ("eight_bit_everything", _named("8bit", "4bit", "fp8")),
        ("sgd_nothing", _family("sgd")),
        ("adam_eight", _family("adam")),
        ("state_at_start", _always),
    ),
    "component.buffers": (("buffers_trained", _always),),
    "component.activations": (
        ("checkpointing_removes", lambda scenario: scenario.checkpointing != "none"),
        ("attention_square", lambda scenario: scenario.attention not in ("eager", "math")),
        ("activations_parameters", _always),
    ),
    "component.autocast_copies": (("fp8_halves", _fp8), ("amp_halves", _always)),
    "component.temporaries": (
        ("clip_free", lambda scenario: scenario.clip),
        ("step_free", _always),
    ),
    "component.communication": (("sharded_all", _several), ("one_gpu_buckets", _always)),
    "component.workspace": (("only_my_tensors", _always),),
    "component.other_models": (("frozen_free", _always),),
    "component.rounding": (("rounding_small", _always),),
    "phase.load": (("load_is_all", _always),),
    "phase.forward": (("forward_inference", _always),),
    "phase.backward": (("backward_double", _always),),
    "phase.optimizer_step": (("step_activations", _always),),
    "phase.between_steps": (("between_is_peak", _always),),
    "tier.allocated": (("peak_is_sum", _always),),
    "tier.reserved": (("empty_cache", _always),),
    "tier.process": (("nvidia_smi", _always),),
    "rank": (
        ("ranks_alike", lambda scenario: scenario.parallel.pp > 1),
        ("sharded_all", _always),
    ),
}
"""Beliefs by kind and id of the number, each with when it matters."""


def belief_about(subject: Subject, scenario: Scenario) -> Reason | None:
    """What is often believed about a number; that of the optimizer itself comes first."""
    if subject.id == "optimizer_state":
        own = find(scenario.optimizer).belief_reason
        if own is not None:
            return own
    name = subject.kind if subject.kind == "rank" else f"{subject.kind}.{subject.id}"
    found = next((key for key, holds in RULES.get(name, ()) if holds(scenario)), None)
    return None if found is None else Reason(f"belief.{found}")
