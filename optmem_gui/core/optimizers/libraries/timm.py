"""timm's own optimizers, as declarations.

Source: timm/optim/*.py of timm 1.0.31, the file of each class. State follows the parameter unless said
otherwise; ``step`` is a Python number or an fp32 tensor in host memory. On a GPU the classes that have a
``foreach`` path take it by default, in chunks where the GPU's L2 cache is large.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from optmem_gui.core.dtypes import BF16, F16, F32
from optmem_gui.core.optimizers.declare import (
    Conflict,
    Implementation,
    Option,
    Predicate,
    Settings,
    State,
    Subject,
    TemporariesRule,
    always,
)
from optmem_gui.core.optimizers.options import AMSGRAD, CAPTURABLE, CENTERED, FOREACH, MOMENTUM, NESTEROV
from optmem_gui.core.optimizers.per_tensor import PerTensor
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR, Not, all_of, fixed
from optmem_gui.core.optimizers.rules_factored import MIN_SIZE, Factored, leading_or_last_two, two_largest
from optmem_gui.core.optimizers.rules_parts import only
from optmem_gui.core.optimizers.rules_quantized import ONE_A_GROUP, full, named
from optmem_gui.core.optimizers.rules_triangles import (
    FACTOR_AN_AXIS,
    MAX_SIZE,
    MIN_AXES,
    SAVE_MODE,
    FactorSteps,
)
from optmem_gui.core.optimizers.temporaries import ForeachOrLoop, Form

PROVEN = "timm 1.0.31"

STEP = State("step", SCALAR, fixed(F32), host=always)
CAPTURABLE_STEP = replace(STEP, host=Not(CAPTURABLE))
NUMBER = State("exp_avg_sq", SCALAR, fixed(F32))
MOMENTUM_TYPE = Option(
    "momentum_dtype", "choice", "bfloat16", ("state",), choices=("float16", "bfloat16", "float32")
)
MIN_LENGTH = Option(MIN_SIZE, "int", 16, ("state",), minimum=1)
MARS_TYPE = Option("mars_type", "choice", "adamw", ("temporaries",), choices=("adamw", "lion"))
ALGORITHM = Option("algo", "choice", "muon", ("state", "temporaries"), choices=("muon", "adamuon"))

_TYPES = {"float16": F16, "bfloat16": BF16, "float32": F32}


_NESTEROV_ALONE = Conflict(all_of(NESTEROV, Not(MOMENTUM)), "optimizer.nesterov_needs_momentum")


def _full(*names: str, when: Predicate = always) -> tuple[State, ...]:
    return tuple(State(name, LIKE_PARAMETER, LIKE_DTYPE, when=when) for name in names)


def _wide(*names: str, when: Predicate = always) -> tuple[State, ...]:
    """fp32 for 16-bit parameters; the parameter's own type is fp32 otherwise."""
    return tuple(State(name, full(), fixed(F32), when=when) for name in names)


def _declared(
    name: str,
    family: str,
    file: str,
    states: tuple[State, ...],
    temporaries: TemporariesRule,
    *options: Option,
    belief: bool = False,
    path: str | None = None,
) -> Implementation:
    return Implementation(
        f"timm.{name}",
        path=path or f"timm.optim.{name}",
        family=family,
        options=options,
        states=states,
        temporaries=temporaries,
        source=f"timm/optim/{file}.py, timm 1.0.31",
        proven=PROVEN,
        conflicts=(_NESTEROV_ALONE,) if NESTEROV in options and MOMENTUM in options else (),
        belief=belief,
    )


def _orthogonalized(subject: Subject) -> bool:
    """Whether Muon takes a parameter rather than its AdamW (``_is_suitable_for_muon``)."""
    shape = subject.shape
    if len(shape) < 2 or sum(size > 1 for size in shape) < 2 or 1 in shape[:2]:
        return False
    sides = (shape[0], prod(shape[1:]))
    return min(sides) >= 4 and max(sides) / min(sides) <= 128


def _left_over(subject: Subject) -> bool:
    return not _orthogonalized(subject)


def _lion(settings: Settings) -> bool:
    return settings.values.get("mars_type") == "lion"


def _adaptive(settings: Settings) -> bool:
    return settings.values.get("algo") == "adamuon"


_ORTHOGONALIZED = only(LIKE_PARAMETER, _orthogonalized, "orthogonalized")
_LEFT_OVER = only(LIKE_PARAMETER, _left_over, "left_to_adam")
_MUON_STATES = (
    State("momentum_buffer", _ORTHOGONALIZED, LIKE_DTYPE),
    State("exp_avg_sq", _ORTHOGONALIZED, LIKE_DTYPE, when=_adaptive),
    replace(CAPTURABLE_STEP, shape=only(SCALAR, _orthogonalized), when=_adaptive),
    State("exp_avg", _LEFT_OVER, LIKE_DTYPE),
    State("exp_avg_sq", _LEFT_OVER, LIKE_DTYPE),
    replace(CAPTURABLE_STEP, shape=only(SCALAR, _left_over)),
)

_CHANNELS = Factored(leading_or_last_two)
_LONGEST = Factored(two_largest, kept=True)
_MOMENTS = _full("exp_avg", "exp_avg_sq")
_LOOP = PerTensor(own=2, previous=1)
_RADAM_STEP = PerTensor(fp32=1, previous_fp32=1, cast=2)
_MARS_STEP = PerTensor(own=4, more=(Not(_lion),))
_MUON_STEP = PerTensor(own=1, fp32=2, previous_fp32=0.5, more=(_adaptive, _adaptive))
"""For a square matrix, four of the tensors are bf16: half as large as fp32."""


TIMM = (
    _declared("Lion", "lion", "lion", _full("exp_avg"), PerTensor(own=1, previous=1, lists=1), FOREACH),
    _declared(
        "AdamWLegacy",
        "adam",
        "adamw",
        (*_MOMENTS, *_full("max_exp_avg_sq", when=AMSGRAD), CAPTURABLE_STEP),
        replace(_LOOP, lists=1),
        AMSGRAD,
        CAPTURABLE,
        FOREACH,
    ),
    _declared(
        "NAdamW",
        "adam",
        "nadamw",
        (*_MOMENTS, CAPTURABLE_STEP),
        PerTensor(own=3, previous=1, lists=3),
        CAPTURABLE,
        FOREACH,
    ),
    _declared("NAdamLegacy", "adam", "nadam", _MOMENTS, _LOOP),
    _declared(
        "RAdamLegacy",
        "adam",
        "radam",
        _wide("exp_avg", "exp_avg_sq"),
        PerTensor(fp32=1, previous_fp32=1, cast=2),
        belief=True,
    ),
    _declared(
        "AdaBelief",
        "adam",
        "adabelief",
        (*_wide("exp_avg", "exp_avg_var"), *_wide("max_exp_avg_var", when=AMSGRAD)),
        PerTensor(fp32=3, previous_fp32=1, cast=2, lists=1, lists_cast=2.5),
        AMSGRAD,
        FOREACH,
        belief=True,
    ),
    _declared("AdamP", "adam", "adamp", _MOMENTS, PerTensor(own=5)),
    _declared(
        "Adopt",
        "adam",
        "adopt",
        (*_MOMENTS, CAPTURABLE_STEP),
        PerTensor(own=2, previous=2, lists=2),
        CAPTURABLE,
        FOREACH,
    ),
    _declared(
        "LaProp",
        "adam",
        "laprop",
        (*_MOMENTS, STEP, replace(STEP, name="exp_avg_lr_2")),
        PerTensor(own=2, previous=1, lists=2),
        FOREACH,
    ),
    _declared(
        "Adahessian",
        "second-order",
        "adahessian",
        (*_full("exp_avg", "exp_hessian_diag_sq"), *_wide("hess")),
        PerTensor(own=3, lists=2, lists_cast=1, all_at_once=True),
        belief=True,
    ),
    _declared(
        "Adafactor",
        "adafactor",
        "adafactor",
        (
            State("exp_avg_sq_row", _CHANNELS.rows, fixed(F32)),
            State("exp_avg_sq_col", _CHANNELS.columns, fixed(F32)),
            State("exp_avg_sq", _CHANNELS.rest, fixed(F32)),
            State("RMS", SCALAR, fixed(F32)),
            State("lr", ONE_A_GROUP, fixed(F32), whole=True),
        ),
        PerTensor(fp32=2, previous_fp32=1, cast=2),
        MIN_LENGTH,
        belief=True,
    ),
    _declared(
        "AdafactorBigVision",
        "adafactor",
        "adafactor_bv",
        (
            State("exp_avg_sq_r", _LONGEST.rows, LIKE_DTYPE),
            State("exp_avg_sq_c", _LONGEST.columns, LIKE_DTYPE),
            State("exp_avg_sq", _LONGEST.rest, LIKE_DTYPE),
            State("exp_avg", full(), named(_TYPES, "momentum_dtype")),
            STEP,
        ),
        PerTensor(own=3, previous=1),
        MOMENTUM_TYPE,
        MIN_LENGTH,
        belief=True,
    ),
    _declared(
        "Adan",
        "adan",
        "adan",
        _full("exp_avg", "exp_avg_sq", "exp_avg_diff", "neg_pre_grad"),
        replace(_LOOP, lists=1),
        FOREACH,
    ),
    _declared(
        "Lamb",
        "lamb",
        "lamb",
        (*_MOMENTS, State("step", ONE_A_GROUP, fixed(F32), host=always, whole=True)),
        PerTensor(own=3, previous=2, lists=3),
        FOREACH,
    ),
    _declared(
        "Lars",
        "lamb",
        "lars",
        _full("momentum_buffer", when=MOMENTUM),
        PerTensor(more=(NESTEROV,), lists=0),
        MOMENTUM,
        NESTEROV,
        FOREACH,
    ),
    _declared(
        "MADGRAD",
        "madgrad",
        "madgrad",
        (*_full("grad_sum_sq", "s"), *_full("x0", when=MOMENTUM)),
        ForeachOrLoop(loop=(Form(2, 1), Form(1, 2), Form(3, when=Not(MOMENTUM))), foreach_default=False),
        replace(MOMENTUM, default=0.9),
    ),
    _declared(
        "Mars",
        "mars",
        "mars",
        _full("exp_avg", "last_grad", "exp_avg_sq"),
        PerTensor(own=4, more=(Not(_lion),)),
        MARS_TYPE,
    ),
    _declared(
        "Muon",
        "muon",
        "muon",
        _MUON_STATES,
        PerTensor(own=1, fp32=2, previous_fp32=0.5, more=(_adaptive, _adaptive)),
        ALGORITHM,
        NESTEROV,
        CAPTURABLE,
        belief=True,
    ),
    _declared(
        "NvNovoGrad",
        "novograd",
        "nvnovograd",
        (*_full("exp_avg"), NUMBER, replace(NUMBER, name="max_exp_avg_sq", when=AMSGRAD)),
        PerTensor(own=1, previous=1),
        AMSGRAD,
    ),
    _declared(
        "RMSpropTF",
        "adagrad",
        "rmsprop_tf",
        (
            *_full("square_avg"),
            *_full("momentum_buffer", when=MOMENTUM),
            *_full("grad_avg", when=CENTERED),
            STEP,
        ),
        replace(_LOOP, lists=2),
        MOMENTUM,
        CENTERED,
        FOREACH,
    ),
    _declared(
        "SGDW",
        "sgd",
        "sgdw",
        _full("momentum_buffer", when=MOMENTUM),
        PerTensor(more=(NESTEROV,), lists=0),
        MOMENTUM,
        NESTEROV,
        FOREACH,
    ),
    replace(
        _declared("SGDP", "sgd", "sgdp", _full("momentum"), PerTensor(own=4), belief=True),
        arguments=(("lr", 1e-3),),
    ),
    _declared(
        "Kron",
        "kron",
        "kron",
        (*_full("momentum_buffer"), State("Q", FACTOR_AN_AXIS, LIKE_DTYPE)),
        FactorSteps(own=6, square=6, previous=2),
        MAX_SIZE,
        MIN_AXES,
        SAVE_MODE,
        path="timm.optim.kron.Kron",
        belief=True,
    ),
)
