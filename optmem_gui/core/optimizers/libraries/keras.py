"""Keras 3, tf_keras and tf.compat.v1: state only.

Source: real builds and steps of keras 3.15.1 (backends torch 2.13.0, jax 0.10.2 and tensorflow 2.21.0),
tf_keras 2.21.0 and tensorflow 2.21.0. All slots have the type of their variable: fp32 under the mixed
policies, 16-bit under the pure ones. The three backends of Keras 3 keep the same slots and differ in the
type of counters alone.
"""

from __future__ import annotations

from optmem_gui.core.dtypes import F32, INT32, INT64, DType
from optmem_gui.core.model import Role
from optmem_gui.core.optimizers.declare import (
    DTypeRule,
    Implementation,
    Option,
    Settings,
    State,
    Subject,
)
from optmem_gui.core.optimizers.options import AMSGRAD, CENTERED, MOMENTUM
from optmem_gui.core.optimizers.other_runtime import (
    SCHEDULE,
    STATE_ONLY,
    not_predicted,
    placeholders,
    shared,
    slots,
)
from optmem_gui.core.optimizers.rules import (
    COLUMNS_OF_LAST_TWO,
    LIKE_DTYPE,
    LIKE_PARAMETER,
    ROWS_OF_LAST_TWO,
    SCALAR,
    Not,
    fixed,
)
from optmem_gui.core.optimizers.rules_parts import IsSet, only

BACKEND = Option(
    "backend", "choice", "tensorflow", ("state",), choices=("tensorflow", "torch", "jax"), keyword=False
)
EMA = Option("use_ema", "bool", False, ("state",))
ACCUMULATE = Option("gradient_accumulation_steps", "int", None, ("state",), minimum=2, maximum=1_000_000)
LOSS_SCALING = Option("loss_scaling", "bool", False, ("state",), keyword=False)
EXCLUDE_EMBEDDINGS = Option("exclude_embeddings", "bool", True, ("state",))

KERAS = "keras 3.15.1"
TF_KERAS = "tf_keras 2.21.0"
TENSORFLOW = "tensorflow 2.21.0"


def _counter(subject: Subject) -> DType:
    return INT64 if subject.settings.values.get("backend") == "tensorflow" else INT32


_COUNTER = DTypeRule("backend_counter", _counter)


def _pairs(settings: Settings, steps: int | None) -> int:
    """The optimizer's own, and one more of the loss scaling around it."""
    del steps
    return 1 + settings.on("loss_scaling")


def _rates(settings: Settings, steps: int | None) -> int:
    """A schedule takes the place of the optimizer's own learning rate, not of the loss scaling's."""
    return _pairs(settings, steps) - settings.on("schedule")


_KERAS_SHARED = (
    State("iteration", SCALAR, _COUNTER, whole=True, count=_pairs),
    State("learning_rate", SCALAR, fixed(F32), whole=True, count=_rates),
    State("step_counter", SCALAR, _COUNTER, when=LOSS_SCALING, whole=True),
    *shared("dynamic_scale", dtype=F32, when=LOSS_SCALING),
)
_ACCUMULATOR = slots("gradient_accumulator", when=IsSet("gradient_accumulation_steps"))


def _keras(
    name: str, family: str, states: tuple[State, ...], *options: Option, belief: bool = False
) -> Implementation:
    return Implementation(
        f"keras.{name}",
        path=f"keras.optimizers.{name}",
        family=family,
        options=(*options, EMA, ACCUMULATE, LOSS_SCALING, SCHEDULE, BACKEND),
        states=(*states, *slots("average", when=EMA), *_ACCUMULATOR, *_KERAS_SHARED),
        temporaries=not_predicted,
        source="keras/src/optimizers of keras 3.15.1",
        proven=KERAS,
        created="construction",
        cautions=(STATE_ONLY,),
        belief=belief,
        runtime="keras",
    )


def _by_muon(subject: Subject) -> bool:
    spared = subject.role is Role.EMBEDDING and subject.settings.on("exclude_embeddings")
    return len(subject.shape) == 2 and not spared


_ADAM = slots("momentum", "velocity")
_RMSPROP = (
    *slots("velocity"),
    *slots("momentum", when=MOMENTUM),
    *slots("average_gradient", when=CENTERED),
)
_FACTORS = (State("r", ROWS_OF_LAST_TWO, LIKE_DTYPE), State("c", COLUMNS_OF_LAST_TWO, LIKE_DTYPE))


def _dummies(*names: str) -> tuple[State, ...]:
    """Integers of no use that stand for the factors of vectors and single numbers."""
    rule = placeholders(1, (), matrices=False)
    return tuple(State(name, rule, fixed(INT32)) for name in names)


KERAS_3 = (
    _keras("SGD", "sgd", slots("momentum", when=MOMENTUM), MOMENTUM),
    _keras("Adam", "adam", (*_ADAM, *slots("velocity_hat", when=AMSGRAD)), AMSGRAD),
    _keras("AdamW", "adam", (*_ADAM, *slots("velocity_hat", when=AMSGRAD)), AMSGRAD),
    _keras("RMSprop", "adagrad", _RMSPROP, MOMENTUM, CENTERED),
    _keras("Adagrad", "adagrad", slots("accumulator")),
    _keras("Adadelta", "adagrad", slots("accumulated_grad", "accumulated_delta_var")),
    _keras("Adamax", "adam", slots("momentum", "norm")),
    _keras("Nadam", "adam", (*_ADAM, *shared("u_product"))),
    _keras("Ftrl", "ftrl", slots("accumulator", "linear")),
    _keras("Lion", "lion", slots("momentum")),
    _keras("Lamb", "lamb", _ADAM),
    _keras("Adafactor", "adafactor", (*slots("velocity"), *_FACTORS, *_dummies("r", "c")), belief=True),
    _keras(
        "Muon",
        "muon",
        (
            *slots("momentum"),
            State("velocity", only(LIKE_PARAMETER, lambda s: not _by_muon(s), "rest"), LIKE_DTYPE),
        ),
        EXCLUDE_EMBEDDINGS,
        belief=True,
    ),
    _keras("ScheduleFreeAdamW", "schedule-free", _ADAM),
)

_TF_SHARED = (
    *shared("iteration", dtype=INT64),
    *shared("learning_rate", dtype=F32, when=Not(SCHEDULE)),
    *shared("current_learning_rate", dtype=F32, when=SCHEDULE),
    *shared("current_loss_scale", dtype=F32, when=LOSS_SCALING),
    *shared("good_steps", dtype=INT64, when=LOSS_SCALING),
)


def _tf_keras(
    name: str, family: str, states: tuple[State, ...], *options: Option, belief: bool = False
) -> Implementation:
    return Implementation(
        f"tf_keras.{name}",
        path=f"tf_keras.optimizers.{name}",
        family=family,
        options=(*options, EMA, LOSS_SCALING, SCHEDULE),
        states=(*states, *slots("average", when=EMA), *_TF_SHARED),
        temporaries=not_predicted,
        source="tf_keras/src/optimizers of tf_keras 2.21.0",
        proven=TF_KERAS,
        created="construction",
        cautions=(STATE_ONLY,),
        belief=belief,
        runtime="tensorflow",
    )


_M_V = slots("m", "v")

TF_KERAS_NEW = (
    _tf_keras("SGD", "sgd", slots("m"), belief=True),
    _tf_keras("Adam", "adam", (*_M_V, *slots("vhat", when=AMSGRAD)), AMSGRAD),
    _tf_keras("AdamW", "adam", (*_M_V, *slots("vhat", when=AMSGRAD)), AMSGRAD),
    _tf_keras("RMSprop", "adagrad", _RMSPROP, MOMENTUM, CENTERED),
    _tf_keras("Adagrad", "adagrad", slots("accumulator")),
    _tf_keras("Adadelta", "adagrad", slots("accumulated_grad", "accumulated_delta_var")),
    _tf_keras("Adamax", "adam", slots("m", "u")),
    _tf_keras("Nadam", "adam", (*_M_V, *shared("u_product"))),
    _tf_keras("Ftrl", "ftrl", slots("accumulator", "linear")),
    _tf_keras("Lion", "lion", slots("m")),
    _tf_keras("Adafactor", "adafactor", (*slots("v"), *_FACTORS, *_dummies("r", "r")), belief=True),
)


def _legacy(
    name: str, family: str, states: tuple[State, ...], numbers: tuple[str, ...], *options: Option
) -> Implementation:
    return Implementation(
        f"tf_keras_legacy.{name}",
        path=f"tf_keras.optimizers.legacy.{name}",
        family=family,
        options=(*options, LOSS_SCALING, SCHEDULE),
        states=(
            *states,
            *shared("iter", dtype=INT64),
            *shared("learning_rate", dtype=F32, when=Not(SCHEDULE)),
            *shared("decay", *numbers, dtype=F32),
            *shared("current_loss_scale", dtype=F32, when=LOSS_SCALING),
            *shared("good_steps", dtype=INT64, when=LOSS_SCALING),
        ),
        temporaries=not_predicted,
        source="tf_keras/src/optimizers/legacy of tf_keras 2.21.0",
        proven=TF_KERAS,
        cautions=(STATE_ONLY,),
        runtime="tensorflow",
    )


_BETAS = ("beta_1", "beta_2")
_FTRL = ("learning_rate_power", "l1_regularization_strength", "l2_regularization_strength", "beta")

TF_KERAS_LEGACY = (
    _legacy("SGD", "sgd", slots("momentum", when=MOMENTUM), ("hyper_momentum",), MOMENTUM),
    _legacy("Adam", "adam", (*_M_V, *slots("vhat", when=AMSGRAD)), _BETAS, AMSGRAD),
    _legacy(
        "RMSprop",
        "adagrad",
        (*slots("rms"), *slots("momentum", when=MOMENTUM), *slots("mg", when=CENTERED)),
        ("rho", "hyper_momentum"),
        MOMENTUM,
        CENTERED,
    ),
    _legacy("Adagrad", "adagrad", slots("accumulator"), ()),
    _legacy("Adadelta", "adagrad", slots("accum_grad", "accum_var"), ("rho",)),
    _legacy("Adamax", "adam", _M_V, _BETAS),
    _legacy("Nadam", "adam", (*_M_V, *shared("momentum_cache")), _BETAS),
    _legacy("Ftrl", "ftrl", slots("accumulator", "linear"), _FTRL),
)


def _v1(
    name: str, family: str, states: tuple[State, ...], *options: Option, belief: bool = False
) -> Implementation:
    return Implementation(
        f"tensorflow.{name}",
        path=f"tensorflow.compat.v1.train.{name}",
        family=family,
        options=options,
        states=states,
        temporaries=not_predicted,
        source="tensorflow/python/training of tensorflow 2.21.0",
        proven=TENSORFLOW,
        cautions=(STATE_ONLY,),
        belief=belief,
        runtime="tensorflow",
    )


TENSORFLOW_V1 = (
    _v1("GradientDescentOptimizer", "sgd", ()),
    _v1("MomentumOptimizer", "sgd", slots("Momentum"), belief=True),
    _v1(
        "AdamOptimizer", "adam", (*slots("Adam", "Adam_1"), *shared("beta1_power", "beta2_power", dtype=F32))
    ),
    _v1("AdagradOptimizer", "adagrad", slots("Adagrad")),
    _v1("AdadeltaOptimizer", "adagrad", slots("Adadelta", "Adadelta_1")),
    _v1("AdagradDAOptimizer", "adagrad", slots("AdagradDA", "AdagradDA_1")),
    _v1("FtrlOptimizer", "ftrl", slots("Ftrl", "Ftrl_1")),
    _v1("ProximalAdagradOptimizer", "adagrad", slots("ProximalAdagrad")),
    _v1("ProximalGradientDescentOptimizer", "sgd", ()),
    _v1(
        "RMSPropOptimizer",
        "adagrad",
        (*slots("RMSProp", "RMSProp_1"), *slots("RMSProp_2", when=CENTERED)),
        CENTERED,
        belief=True,
    ),
)

KERAS_AND_TENSORFLOW = (*KERAS_3, *TF_KERAS_NEW, *TF_KERAS_LEGACY, *TENSORFLOW_V1)
"""In the order a list shows them."""
