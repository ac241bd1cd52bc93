"""heavyball: the classes whose states are as large as the parameters.

Source of every rule: heavyball/chainable.py and heavyball/heavyball.py of version 3.2.1. State is fp32 unless
``storage_dtype`` says otherwise; the step is one int64 tensor a group, the last learning rate an fp32 one.
Temporaries are those of eager steps; heavyball compiles its steps by default, which takes less.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import BF16, F16, F32, INT64, DType
from optmem_gui.core.optimizers.declare import DTypeRule, Implementation, Option, ShapeRule, State, Subject
from optmem_gui.core.optimizers.rules import LIKE_PARAMETER, SCALAR, Not, fixed
from optmem_gui.core.optimizers.rules_axes import has_axes
from optmem_gui.core.optimizers.rules_parts import only
from optmem_gui.core.optimizers.shorthand import Chosen, full, numbers
from optmem_gui.core.optimizers.temporaries import Form
from optmem_gui.core.optimizers.temporaries_batched import BatchedOrLoop

STORAGE = Option("storage_dtype", "choice", "float32", ("state",), choices=("float32", "bfloat16", "float16"))
_TYPES: dict[object, DType] = {"float32": F32, "bfloat16": BF16, "float16": F16}
_STORED = DTypeRule("stored", lambda subject: _TYPES[subject.settings.values[STORAGE.name]])
_CAST = Not(Chosen(STORAGE.name, "float32"))
"""State of another type is cast for the step: one more list."""

_WIDE = fixed(F32)
_MATRICES = has_axes(2)


def _no_rows(subject: Subject) -> bool:
    return not _MATRICES(subject)


def _of(rule: ShapeRule, *names: str) -> tuple[State, ...]:
    return tuple(State(name, rule, _STORED) for name in names)


_ADAM_PART = only(LIKE_PARAMETER, _no_rows, "not_factored")
_MUON_PART = only(LIKE_PARAMETER, _MATRICES)
_COMMON = (*numbers("step", dtype=fixed(INT64), whole=True), *numbers("prev_lr", dtype=_WIDE, whole=True))


def _full(*names: str) -> tuple[State, ...]:
    return full(*names, dtype=_STORED)


def _two(prefix: str) -> tuple[State, ...]:
    return _full(f"{prefix}_exp_avg", f"{prefix}_exp_avg_sq")


def _eager(eighths: int, narrow: int) -> BatchedOrLoop:
    """Lists and tensors measured on eight equal parameters, in eighths of all of them: fp32 and 16 bits."""
    rules = (
        BatchedOrLoop(
            lists=count // 8,
            more_lists=(_CAST,),
            foreach_moment=Form(count % 8) if count % 8 else None,
            always_all=True,
            close=True,
        )
        for count in (eighths, narrow)
    )
    wide, small = rules
    return replace(wide, narrow=small)


def _declared(
    name: str, family: str, states: tuple[State, ...], peak: tuple[int, int], *, belief: bool = False
) -> Implementation:
    return Implementation(
        f"heavyball.{name}",
        path=f"heavyball.{name}",
        family=family,
        options=(STORAGE,),
        states=(*_COMMON, *states),
        temporaries=_eager(*peak),
        source="heavyball/heavyball.py, heavyball/chainable.py",
        proven="heavyball 3.2.1",
        belief=belief,
    )


HEAVYBALL: tuple[Implementation, ...] = (
    _declared("AdamW", "adam", _two("update_by_adam"), (25, 78), belief=True),
    _declared("SGD", "sgd", _full("heavyball_momentum_momentum"), (10, 28), belief=True),
    _declared("ADOPT", "adam", _two("update_by_adopt"), (18, 60)),
    replace(_declared("AdamC", "adam", _two("update_by_adamc"), (25, 78)), arguments=(("max_lr", 0.0025),)),
    _declared("AdEMAMix", "ademamix",
              _full("update_by_ademamix_exp_avg_fast", "update_by_ademamix_exp_avg_slow",
                    "update_by_ademamix_exp_avg_sq"), (23, 72)),
    _declared("HyperBallAdamW", "adam",
              (*_full("scale_by_exp_avg_sq_exp_avg_sq"),
               State("update_by_hyperball_init_norm", only(SCALAR, _MATRICES), _STORED)), (23, 59)),
    _declared("LaProp", "adam", _two("update_by_laprop"), (25, 76)),
    _declared("LaPropOrtho", "muon", _two("scale_by_laprop"), (25, 61)),
    _declared("MSAMLaProp", "schedule-free",
              (*_full("scale_by_exp_avg_sq_exp_avg_sq"), *full("update_by_msam_z"),
               *_full("update_by_msam_exp_avg")), (22, 61)),
    _declared("Muon", "muon", _full("nesterov_ema_momentum"), (11, 28)),
    _declared("MuonAdamW", "muon",
              (*_of(_ADAM_PART, "scale_by_adam_exp_avg", "scale_by_adam_exp_avg_sq"),
               *_of(_MUON_PART, "nesterov_ema_momentum")), (10, 27)),
    _declared("MuonLaProp", "muon", _two("scale_by_laprop"), (25, 61)),
    _declared("NAdam", "adam",
              (*_two("update_by_nadam"), *numbers("update_by_nadam_mu_product", dtype=_STORED)),
              (26, 92)),
    _declared("OrthoLaProp", "muon", _two("update_by_laprop"), (25, 78)),
    _declared("RMSprop", "adagrad", _full("scale_by_exp_avg_sq_exp_avg_sq"), (23, 60)),
    _declared("SFAdamW", "schedule-free",
              (*_full("scale_by_exp_avg_sq_exp_avg_sq"), *full("update_by_schedule_free_z"),
               *numbers("weight_sum", dtype=_WIDE, whole=True)), (23, 61)),
    _declared("SUDSAdamW", "adam", (*_two("scale_by_suds"), *_full("scale_by_suds_fisher_approx")), (20, 35)),
    _declared("Scion", "muon", _full("exp_avg_exp_avg"), (12, 27)),
    _declared("SignLaProp", "adam", _two("scale_by_laprop"), (25, 60)),
    _declared("UnscaledAdamW", "adam", _two("scale_by_unscaled_adam"), (32, 62)),
)  # fmt: skip
"""The common ones first."""
