"""optax, and what of optax.contrib trains by itself: state only.

Source: real ``init`` and updates of optax 0.2.8 on jax 0.10.2. The state has the type of the parameter at
``init`` and is complete then. With 16-bit parameters and fp32 gradients several moments turn fp32 at the
first update; that mix is not predicted here.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import BOOL, F32, INT32, UINT32, DType
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import (
    DTypeRule,
    Implementation,
    Option,
    Settings,
    ShapeRule,
    State,
    Subject,
)
from optmem_gui.core.optimizers.options import CENTERED, MOMENTUM
from optmem_gui.core.optimizers.other_runtime import (
    COVERS,
    SCHEDULE,
    STATE_ONLY,
    dtype_option,
    listed,
    not_predicted,
    shared,
    slots,
    typed,
)
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR, fixed
from optmem_gui.core.optimizers.rules_parts import IsSet, only

OPTAX = "optax 0.2.8"

MU_DTYPE = dtype_option("mu_dtype")
ACCUMULATOR_DTYPE = dtype_option("accumulator_dtype")
DTYPE_MOMENTUM = dtype_option("dtype_momentum")
STATE_DTYPE = dtype_option("state_dtype")
MOMENTUM_OR_NONE = replace(MOMENTUM, default=None)
MULTI_STEPS = Option("multi_steps", "bool", False, ("state",), keyword=False)
BIAS_CORRECTION = Option("bias_correction", "bool", False, ("state",))
MIN_SIZE = Option("min_dim_size_to_factor", "int", 128, ("state",), minimum=1, maximum=1_000_000)
FACTORED = Option("factored", "bool", True, ("state",))
MEMORY = Option("memory_size", "int", 10, ("state",), minimum=1, maximum=10_000)
RANK = Option("rank", "int", 128, ("state",), minimum=1, maximum=1_000_000)


def _promoted(subject: Subject) -> DType:
    """JAX's promotion of the first moment and the parameter: two different types give fp32."""
    moment = typed("mu_dtype").dtype(subject)
    return subject.dtype if moment is subject.dtype else F32


_PREVIOUS = slots("previous_gradient", dtype=DTypeRule("promoted", _promoted))
_MU = slots("mu", dtype=typed("mu_dtype"))
_COUNT = shared("count", dtype=INT32)
_TWO = (*_MU, *slots("nu"))
_BOTH = slots("mu", "nu")


def _optax(
    name: str, family: str, states: tuple[State, ...], *options: Option, belief: bool = False
) -> Implementation:
    return Implementation(
        f"optax.{name}",
        path=f"optax.{name}",
        family=family,
        options=(*options, SCHEDULE, MULTI_STEPS),
        states=(
            *states,
            *shared("count", dtype=INT32, when=SCHEDULE),
            *slots("acc_grads", dtype=fixed(F32), when=MULTI_STEPS),
            *shared("mini_step", "gradient_step", dtype=INT32, when=MULTI_STEPS),
        ),
        temporaries=not_predicted,
        source="optax/_src and optax/contrib of optax 0.2.8",
        proven=OPTAX,
        created="construction",
        cautions=(STATE_ONLY,),
        belief=belief,
        runtime="jax",
    )


def _factored(subject: Subject) -> bool:
    axes = sorted(subject.shape)
    large = len(axes) > 1 and axes[-2] >= subject.settings.whole("min_dim_size_to_factor")
    return large and subject.settings.on("factored")


def _factor(place: int) -> ShapeRule:
    """The variable without its largest axis (-1) or its second largest (-2); one element if not factored."""

    def shape(subject: Subject) -> Shape:
        if not _factored(subject):
            return (1,)
        axes = subject.shape
        away = sorted(range(len(axes)), key=lambda axis: (axes[axis], axis))[place]
        return (*axes[:away], *axes[away + 1 :])

    return ShapeRule("factor_or_placeholder", shape)


def _moment(subject: Subject) -> Shape:
    return (1,) if _factored(subject) else subject.shape


def _history(subject: Subject) -> Shape:
    return (subject.settings.whole("memory_size"), *subject.shape)


def _weights(subject: Subject) -> Shape:
    return (subject.settings.whole("memory_size"),)


def _rank(subject: Subject) -> int:
    return min(subject.settings.whole("rank"), *subject.shape)


def _projected(subject: Subject) -> Shape:
    return (_rank(subject), min(subject.shape)) if len(subject.shape) == 2 else subject.shape


def _projector(subject: Subject) -> Shape | None:
    """Variables that are not matrices have a projector without elements, which takes no memory."""
    return (max(subject.shape), _rank(subject)) if len(subject.shape) == 2 else None


def _pair(settings: Settings, steps: int | None) -> int:
    del settings, steps
    return 2


_MATRIX = only(LIKE_PARAMETER, lambda subject: len(subject.shape) != 2, "rest")
_TWO_COUNTS = (State("count", SCALAR, fixed(INT32), whole=True, count=_pair),)
_FREE = (*shared("b1", "weight_sum", "max_lr"), *shared("step_count", dtype=INT32))

OPTIMIZERS = (
    _optax(
        "sgd",
        "sgd",
        slots("trace", dtype=typed("accumulator_dtype"), when=IsSet("momentum")),
        MOMENTUM_OR_NONE,
        ACCUMULATOR_DTYPE,
        belief=True,
    ),
    _optax("adam", "adam", (*_TWO, *_COUNT), MU_DTYPE, belief=True),
    _optax("adamw", "adam", (*_TWO, *_COUNT), MU_DTYPE),
    _optax("nadam", "adam", (*_TWO, *_COUNT), MU_DTYPE),
    _optax("nadamw", "adam", (*_TWO, *_COUNT), MU_DTYPE),
    _optax("amsgrad", "adam", (*_TWO, *slots("nu_max"), *_COUNT), MU_DTYPE),
    _optax("adamax", "adam", (*_BOTH, *_COUNT)),
    _optax("adamaxw", "adam", (*_BOTH, *_COUNT)),
    _optax("adabelief", "adam", (*_BOTH, *_COUNT)),
    _optax("radam", "adam", (*_BOTH, *_COUNT)),
    _optax("yogi", "adam", (*_BOTH, *_COUNT)),
    _optax("lamb", "lamb", (*_BOTH, *_COUNT)),
    _optax("adadelta", "adagrad", slots("e_g", "e_x")),
    _optax("adagrad", "adagrad", slots("sum_of_squares")),
    _optax("adan", "adan", (*slots("m", "v", "n", "g"), *shared("t", dtype=INT32))),
    _optax(
        "adafactor",
        "adafactor",
        (
            State("v_row", _factor(-1), LIKE_DTYPE),
            State("v_col", _factor(-2), LIKE_DTYPE),
            State("v", ShapeRule("factor_or_placeholder", _moment), LIKE_DTYPE),
            *slots("ema", dtype=typed("dtype_momentum", fixed(F32)), when=IsSet("momentum")),
            *_COUNT,
            *shared("count", dtype=INT32, when=IsSet("momentum")),
        ),
        MIN_SIZE,
        FACTORED,
        MOMENTUM_OR_NONE,
        DTYPE_MOMENTUM,
        belief=True,
    ),
    _optax(
        "rmsprop",
        "adagrad",
        (
            *slots("nu"),
            *slots("mu", when=CENTERED),
            *slots("trace", when=IsSet("momentum")),
            *shared("count", dtype=INT32, when=BIAS_CORRECTION),
        ),
        CENTERED,
        MOMENTUM_OR_NONE,
        BIAS_CORRECTION,
        belief=True,
    ),
    _optax("lion", "lion", (*_MU, *_COUNT), MU_DTYPE),
    _optax("signum", "lion", (*slots("ema", dtype=typed("accumulator_dtype")), *_COUNT), ACCUMULATOR_DTYPE),
    _optax("novograd", "novograd", (*slots("mu"), State("nu", SCALAR, LIKE_DTYPE), *_COUNT)),
    _optax("rprop", "rprop", slots("step_sizes", "prev_updates")),
    _optax("lars", "sgd", slots("trace"), belief=True),
    _optax("sm3", "sm3", (State("mu", COVERS, LIKE_DTYPE), *slots("nu")), belief=True),
    _optax("sign_sgd", "sgd", ()),
    _optax("fromage", "sgd", ()),
    _optax("polyak_sgd", "sgd", ()),
    _optax("noisy_sgd", "sgd", (*_COUNT, listed("rng_key", 2, UINT32))),
    _optax(
        "optimistic_gradient_descent",
        "sgd",
        (*slots("previous_gradient"), *shared("is_initial_step", dtype=BOOL)),
    ),
    _optax(
        "optimistic_adam",
        "adam",
        (*_TWO, *_PREVIOUS, *_COUNT, *shared("is_initial_step", dtype=BOOL)),
        MU_DTYPE,
    ),
    _optax(
        "optimistic_adam_v2",
        "adam",
        (*_TWO, *_PREVIOUS, *_COUNT, *shared("is_initial_step", dtype=BOOL)),
        MU_DTYPE,
    ),
    _optax(
        "lbfgs",
        "quasi-newton",
        (
            *slots("params", "updates", "grad"),
            State("diff_params_memory", ShapeRule("history", _history), LIKE_DTYPE),
            State("diff_updates_memory", ShapeRule("history", _history), LIKE_DTYPE),
            State("weights_memory", ShapeRule("vector", _weights), fixed(F32), whole=True),
            *shared("count", "num_linesearch_steps", dtype=INT32),
            *shared("decrease_error", "curvature_error", dtype=F32),
            *shared("learning_rate", "value"),
        ),
        MEMORY,
        belief=True,
    ),
)

CONTRIB = (
    _optax("contrib.acprop", "adam", (*_BOTH, *_COUNT)),
    _optax(
        "contrib.ademamix", "ademamix", (*slots("m1", "m2", "nu"), *_COUNT, *shared("count_m2", dtype=INT32))
    ),
    _optax("contrib.simplified_ademamix", "ademamix", (*slots("m", "n"), *shared("t", dtype=INT32))),
    _optax("contrib.adopt", "adam", (*_TWO, *_COUNT), MU_DTYPE),
    _optax(
        "contrib.cocob",
        "learning-rate-free",
        slots("init_particles", "cumulative_gradients", "scale", "subgradients", "reward"),
    ),
    _optax(
        "contrib.dog",
        "learning-rate-free",
        (
            *slots("init_params"),
            *shared("is_init_step", dtype=BOOL),
            *shared("max_dist", "sum_sq_norm_grads"),
        ),
    ),
    _optax(
        "contrib.dowg",
        "learning-rate-free",
        (*slots("init_params"), *shared("weighted_sq_norm_grads", "estim_sq_dist")),
    ),
    _optax("contrib.madgrad", "madgrad", (*slots("grad_sum_sq", "s", "x0"), *_COUNT), belief=True),
    _optax("contrib.momo", "sgd", (*slots("exp_avg"), *shared("barf", "gamma", "lb"), *_COUNT)),
    _optax(
        "contrib.momo_adam",
        "adam",
        (*slots("exp_avg", "exp_avg_sq"), *shared("barf", "gamma", "lb"), *_COUNT),
    ),
    _optax(
        "contrib.muon",
        "muon",
        (
            *_MU,
            State("nu", _MATRIX, LIKE_DTYPE),
            *_TWO_COUNTS,
            listed("ns_coeffs", 3, F32),
        ),
        MU_DTYPE,
        belief=True,
    ),
    _optax(
        "contrib.prodigy",
        "learning-rate-free",
        (
            *slots("exp_avg", "exp_avg_sq", "grad_sum", "params0"),
            *shared("estim_lr", "numerator_weighted"),
            *_COUNT,
        ),
    ),
    _optax(
        "contrib.dadapt_adamw",
        "learning-rate-free",
        (
            *slots("exp_avg", "exp_avg_sq", "grad_sum"),
            *shared("estim_lr", "numerator_weighted"),
            *_COUNT,
        ),
    ),
    _optax("contrib.schedule_free_sgd", "schedule-free", (*slots("z"), *_FREE)),
    _optax(
        "contrib.schedule_free_adamw",
        "schedule-free",
        (*slots("z", dtype=typed("state_dtype")), *slots("nu"), *_FREE, *_COUNT),
        STATE_DTYPE,
    ),
    _optax("contrib.sophia", "sophia", (*_TWO, *_COUNT, listed("key", 2, UINT32)), MU_DTYPE),
    _optax(
        "contrib.galore",
        "low-rank",
        (
            State("mu", ShapeRule("low_rank_moment", _projected), LIKE_DTYPE),
            State("nu", ShapeRule("low_rank_moment", _projected), LIKE_DTYPE),
            State("projector", ShapeRule("projection", _projector), LIKE_DTYPE),
            *_TWO_COUNTS,
        ),
        RANK,
    ),
    _optax(
        "contrib.dpsgd",
        "sgd",
        (*slots("trace", when=IsSet("momentum")), listed("rng_key", 2, UINT32)),
        MOMENTUM_OR_NONE,
    ),
)

OPTAX_ALL = (*OPTIMIZERS, *CONTRIB)
"""In the order a list shows them."""
