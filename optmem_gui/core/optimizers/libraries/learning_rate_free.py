"""Optimizers that find their own learning rate or need no schedule: D-Adaptation, Prodigy, Schedule-Free.

Source of every rule: the class's file in the package of the version named in ``proven``.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import F32
from optmem_gui.core.optimizers.declare import Implementation, Option, State
from optmem_gui.core.optimizers.options import MOMENTUM
from optmem_gui.core.optimizers.per_tensor import PerTensor
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR, Not, all_of, fixed
from optmem_gui.core.optimizers.rules_parts import (
    AT_MOST_16_BITS,
    TwoLargest,
    every_nth,
    every_nth_of,
    fp32_if,
)

SLICE = Option("slice_p", "int", 1, ("state",), minimum=1, maximum=1_000_000)
FOREACH_ON = Option("foreach", "bool", True, ("temporaries",))
FACTORED = Option("factored", "bool", True, ("state",))
FACTORED_FP32 = Option("factored_fp32", "bool", True, ("state",))
USE_SCHEDULE_FREE = Option("use_schedulefree", "bool", True)
USE_SPEED = Option("use_speed", "bool", False, ("state",))
USE_FOCUS = Option("use_focus", "bool", False, ("state",))


def _full(*names: str) -> tuple[State, ...]:
    return tuple(State(name, LIKE_PARAMETER, LIKE_DTYPE) for name in names)


PRODIGY = Implementation(
    "prodigyopt.Prodigy",
    path="prodigyopt.Prodigy",
    family="learning-rate-free",
    options=(SLICE,),
    states=(
        State("s", every_nth("slice_p"), LIKE_DTYPE),
        State("p0", every_nth("slice_p"), LIKE_DTYPE),
        *_full("exp_avg", "exp_avg_sq"),
    ),
    temporaries=PerTensor(own=1, previous=1),
    source="prodigyopt/prodigy.py",
    proven="prodigyopt 1.1.2",
    aliases=("prodigy",),
    belief=True,
)

_FACTORS = TwoLargest(32, all_of(FACTORED, Not(USE_FOCUS)))

PRODIGY_PLUS = Implementation(
    "prodigyplus.ProdigyPlusScheduleFree",
    path="prodigyplus.ProdigyPlusScheduleFree",
    family="learning-rate-free",
    options=(FACTORED, FACTORED_FP32, USE_SCHEDULE_FREE, USE_SPEED, USE_FOCUS),
    states=(
        State("exp_avg_sq_row", _FACTORS.rows, fp32_if("factored_fp32")),
        State("exp_avg_sq_col", _FACTORS.columns, fp32_if("factored_fp32")),
        State("exp_avg_sq", _FACTORS.rest, LIKE_DTYPE),
        State("p0", every_nth_of(11), AT_MOST_16_BITS),
        State("s", every_nth_of(11), AT_MOST_16_BITS, when=Not(USE_SPEED)),
        State("z", LIKE_PARAMETER, LIKE_DTYPE, when=USE_SCHEDULE_FREE),
        State("exp_avg", LIKE_PARAMETER, LIKE_DTYPE, when=Not(USE_SCHEDULE_FREE)),
        State("running_d_numerator", SCALAR, fixed(F32), whole=True),
        State("running_d_denom", SCALAR, fixed(F32), whole=True),
    ),
    temporaries=PerTensor(fp32=2, cast=2),
    source="prodigyplus/core_optimiser.py, prodigyplus/prodigy_plus_schedulefree.py",
    proven="prodigy-plus-schedule-free 2.0.1",
)


def _adapted(name: str, states: tuple[State, ...], tensors: int, previous: int = 0) -> Implementation:
    """One class of dadaptation: another optimizer, and what estimates the distance to the solution."""
    return Implementation(
        f"dadaptation.{name}",
        path=f"dadaptation.{name}",
        family="learning-rate-free",
        options=(),
        states=states,
        temporaries=PerTensor(own=tensors, previous=previous),
        source=f"dadaptation/dadapt_{name.removeprefix('DAdapt').lower()}.py",
        proven="dadaptation 3.2",
    )


_STEADY_MOMENTUM = replace(MOMENTUM, affects=())

DADAPTATION = (
    _adapted("DAdaptAdam", _full("s", "exp_avg", "exp_avg_sq"), 2),
    replace(
        _adapted("DAdaptSGD", _full("z", "s", "x0"), 1),
        options=(_STEADY_MOMENTUM,),
        belief=True,
    ),
    replace(
        _adapted("DAdaptAdaGrad", _full("alphak", "sk", "x0"), 3),
        options=(_STEADY_MOMENTUM,),
    ),
    _adapted(
        "DAdaptAdan",
        _full("s", "exp_avg", "exp_avg_diff", "exp_avg_sq", "pre_grad"),
        6,
        previous=1,
    ),
    _adapted("DAdaptLion", _full("exp_avg", "s"), 2),
)

_ADAMW_STEP = PerTensor(own=2, lists=1)


def _schedule_free(name: str, module: str, states: tuple[State, ...], step: PerTensor) -> Implementation:
    """One class of schedulefree; those with Closure in their name evaluate the model inside the step."""
    return Implementation(
        f"schedulefree.{name}",
        path=f"schedulefree.{name}",
        family="schedule-free",
        options=(FOREACH_ON,),
        states=states,
        temporaries=step,
        source=f"schedulefree/{module}.py",
        proven="schedulefree 1.4.1",
        cautions=("optimizer.needs_closure",) if "Closure" in name else (),
    )


SCHEDULE_FREE = (
    replace(
        _schedule_free("AdamWScheduleFree", "adamw_schedulefree", _full("z", "exp_avg_sq"), _ADAMW_STEP),
        belief=True,
    ),
    _schedule_free("SGDScheduleFree", "sgd_schedulefree", _full("z"), PerTensor()),
    _schedule_free("RAdamScheduleFree", "radam_schedulefree", _full("z", "exp_avg_sq"), _ADAMW_STEP),
    _schedule_free(
        "AdamWScheduleFreePaper", "adamw_schedulefree_paper", _full("z", "exp_avg_sq"), _ADAMW_STEP
    ),
    replace(
        _schedule_free(
            "AdamWScheduleFreeReference",
            "adamw_schedulefree_reference",
            _full("z", "exp_avg_sq", "x", "y"),
            PerTensor(own=2),
        ),
        options=(replace(FOREACH_ON, default=False, affects=()),),
    ),
    replace(
        _schedule_free(
            "SGDScheduleFreeReference", "sgd_schedulefree_reference", _full("z", "x", "y"), PerTensor(own=1)
        ),
        options=(replace(FOREACH_ON, affects=()),),
    ),
    _schedule_free(
        "AdamWScheduleFreeClosure", "adamw_schedulefree_closure", _full("z", "exp_avg_sq"), _ADAMW_STEP
    ),
    _schedule_free("SGDScheduleFreeClosure", "sgd_schedulefree_closure", _full("z"), PerTensor()),
    _schedule_free(
        "RAdamScheduleFreeClosure", "radam_schedulefree_closure", _full("z", "exp_avg_sq"), _ADAMW_STEP
    ),
)

LEARNING_RATE_FREE = (PRODIGY, PRODIGY_PLUS, *DADAPTATION, *SCHEDULE_FREE)
"""In the order a list shows them."""
