"""torch.optim, every class of it, as declarations.

Source of every rule: the file of the class in torch/optim of torch 2.13.0. Scalars (``step``,
``mu_product``) are fp32 and stay in host memory unless ``capturable`` or ``fused`` asks for the device
(``_init_group`` of each class); ASGD always keeps its scalars on the device.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import TensorGroup
from optmem_gui.core.optimizers.declare import Conflict, Implementation, Option, Requirement, Settings, State
from optmem_gui.core.optimizers.options import (
    ACCUMULATOR,
    AMSGRAD,
    CAPTURABLE,
    CENTERED,
    DAMPENING,
    DECOUPLED,
    FOREACH,
    FUSED,
    HISTORY,
    LINE_SEARCH,
    MAX_ITER,
    MAXIMIZE,
    MOMENTUM,
    NESTEROV,
    TENSOR_LR,
    WEIGHT_DECAY,
)
from optmem_gui.core.optimizers.rules import (
    COLUMNS_OF_LAST_TWO,
    FLAT_VECTOR,
    LIKE_DTYPE,
    LIKE_PARAMETER,
    ROWS_OF_LAST_TWO,
    SCALAR,
    VECTORS_ONLY,
    AtLeast,
    Not,
    all_of,
    any_of,
    fixed,
)
from optmem_gui.core.optimizers.temporaries import (
    AdafactorSteps,
    FlatVectors,
    ForeachOrLoop,
    Form,
    NewtonSchulz,
    TouchedRows,
    lbfgs_iterations,
)

PROVEN = "torch 2.13.0"

ON_HOST = Not(any_of(CAPTURABLE, FUSED))
L2 = all_of(WEIGHT_DECAY, Not(DECOUPLED))
"""Weight decay added to the gradient, which takes a changed copy of it."""

CHANGED = any_of(L2, MAXIMIZE)
"""The gradient is not used as it is: negated, or weight decay added."""

STEP = State("step", SCALAR, fixed(F32), host=ON_HOST)


def _full(name: str) -> State:
    return State(name, LIKE_PARAMETER, LIKE_DTYPE)


def _history(settings: Settings, steps: int | None) -> int:
    """History pairs after so many steps that do not converge: one each iteration but the very first."""
    size = settings.whole("history_size")
    return size if steps is None else max(0, min(size, steps * lbfgs_iterations(settings) - 1))


def _scale(settings: Settings, steps: int | None) -> int:
    """The first guess of the Hessian: a plain number until there is a history pair, then a tensor."""
    return min(1, _history(settings, steps))


def _is_matrix(group: TensorGroup) -> bool:
    return len(group.shape) == 2


def _inert(option: Option, default: float) -> Option:
    """An option that this class takes but that changes nothing in memory."""
    return replace(option, affects=(), default=default)


_FUSED_AND_FOREACH = Conflict(all_of(FUSED, FOREACH), "optimizer.fused_and_foreach")
_TENSOR_LR_FOREACH = Conflict(
    all_of(TENSOR_LR, FOREACH, Not(CAPTURABLE)), "optimizer.tensor_lr_needs_capturable"
)
_NESTEROV_ALONE = Conflict(
    all_of(NESTEROV, any_of(Not(MOMENTUM), DAMPENING)), "optimizer.nesterov_needs_momentum"
)

_ADAM_STATES = (_full("exp_avg"), _full("exp_avg_sq"), replace(_full("max_exp_avg_sq"), when=AMSGRAD), STEP)
_ADAM_STEP = ForeachOrLoop(
    lists=1, loop=(Form(2, 1),), copied=CHANGED, loop_forced=all_of(TENSOR_LR, Not(CAPTURABLE))
)

SGD = Implementation(
    "torch.SGD",
    path="torch.optim.SGD",
    family="sgd",
    options=(MOMENTUM, DAMPENING, NESTEROV, WEIGHT_DECAY, MAXIMIZE, FOREACH, FUSED),
    states=(replace(_full("momentum_buffer"), when=MOMENTUM),),
    temporaries=ForeachOrLoop(
        more_lists=(any_of(WEIGHT_DECAY, MAXIMIZE),),
        loop=(
            Form(2, when=AtLeast(2, (WEIGHT_DECAY, MAXIMIZE, NESTEROV))),
            Form(1, 1, when=all_of(MAXIMIZE, any_of(NESTEROV, Not(MOMENTUM)))),
            Form(1, when=any_of(WEIGHT_DECAY, MAXIMIZE, NESTEROV)),
        ),
    ),
    source="torch/optim/sgd.py",
    proven=PROVEN,
    conflicts=(_NESTEROV_ALONE, _FUSED_AND_FOREACH),
    aliases=("nag", "nesterov", "momentum"),
    belief=True,
)

ADAM = Implementation(
    "torch.Adam",
    path="torch.optim.Adam",
    family="adam",
    options=(AMSGRAD, WEIGHT_DECAY, DECOUPLED, MAXIMIZE, TENSOR_LR, FOREACH, FUSED, CAPTURABLE),
    states=_ADAM_STATES,
    temporaries=_ADAM_STEP,
    source="torch/optim/adam.py",
    proven=PROVEN,
    conflicts=(_FUSED_AND_FOREACH, _TENSOR_LR_FOREACH),
    aliases=("amsgrad",),
    belief=True,
)

ADAMW = Implementation(
    "torch.AdamW",
    path="torch.optim.AdamW",
    family="adam",
    options=(
        AMSGRAD,
        _inert(WEIGHT_DECAY, 0.01),
        MAXIMIZE,
        TENSOR_LR,
        FOREACH,
        FUSED,
        CAPTURABLE,
    ),
    states=_ADAM_STATES,
    temporaries=replace(_ADAM_STEP, copied=MAXIMIZE),
    source="torch/optim/adamw.py, torch/optim/adam.py",
    proven=PROVEN,
    conflicts=(_FUSED_AND_FOREACH, _TENSOR_LR_FOREACH),
    belief=True,
)

NADAM = Implementation(
    "torch.NAdam",
    path="torch.optim.NAdam",
    family="adam",
    options=(WEIGHT_DECAY, DECOUPLED, MAXIMIZE, FOREACH, CAPTURABLE),
    states=(_full("exp_avg"), _full("exp_avg_sq"), STEP, replace(STEP, name="mu_product")),
    temporaries=ForeachOrLoop(
        lists=1,
        more_lists=(CHANGED, CAPTURABLE),
        loop=(
            Form(3, 1, when=CHANGED),
            Form(2, 1, when=Not(CHANGED)),
            Form(3, when=CAPTURABLE),
            Form(1, 3, when=all_of(CAPTURABLE, MAXIMIZE)),
        ),
    ),
    source="torch/optim/nadam.py",
    proven=PROVEN,
)

RADAM = Implementation(
    "torch.RAdam",
    path="torch.optim.RAdam",
    family="adam",
    options=(WEIGHT_DECAY, DECOUPLED, MAXIMIZE, FOREACH, CAPTURABLE),
    states=(_full("exp_avg"), _full("exp_avg_sq"), STEP),
    temporaries=ForeachOrLoop(
        lists=1,
        loop=(Form(5, when=Not(CAPTURABLE)), Form(4, when=CAPTURABLE)),
        copied=CHANGED,
    ),
    source="torch/optim/radam.py",
    proven=PROVEN,
)

ADAMAX = Implementation(
    "torch.Adamax",
    path="torch.optim.Adamax",
    family="adam",
    options=(WEIGHT_DECAY, MAXIMIZE, FOREACH, CAPTURABLE),
    states=(_full("exp_avg"), _full("exp_inf"), STEP),
    temporaries=ForeachOrLoop(
        lists=1,
        more_lists=(CAPTURABLE,),
        loop=(Form(1, 1, when=CAPTURABLE), Form(1)),
        copied=CHANGED,
    ),
    source="torch/optim/adamax.py",
    proven=PROVEN,
)

ADADELTA = Implementation(
    "torch.Adadelta",
    path="torch.optim.Adadelta",
    family="adagrad",
    options=(WEIGHT_DECAY, MAXIMIZE, FOREACH, CAPTURABLE),
    states=(_full("square_avg"), _full("acc_delta"), STEP),
    temporaries=ForeachOrLoop(lists=2, more_lists=(CHANGED,), loop=(Form(2, 1), Form(1, 2)), copied=CHANGED),
    source="torch/optim/adadelta.py",
    proven=PROVEN,
)

ADAGRAD = Implementation(
    "torch.Adagrad",
    path="torch.optim.Adagrad",
    family="adagrad",
    options=(WEIGHT_DECAY, ACCUMULATOR, MAXIMIZE, FOREACH, FUSED),
    states=(_full("sum"), STEP),
    temporaries=ForeachOrLoop(lists=2, loop=(Form(1, 1),), copied=CHANGED),
    source="torch/optim/adagrad.py",
    proven=PROVEN,
    created="construction",
    conflicts=(_FUSED_AND_FOREACH,),
)

RMSPROP = Implementation(
    "torch.RMSprop",
    path="torch.optim.RMSprop",
    family="adagrad",
    options=(MOMENTUM, CENTERED, WEIGHT_DECAY, MAXIMIZE, TENSOR_LR, FOREACH, CAPTURABLE),
    states=(
        _full("square_avg"),
        replace(_full("momentum_buffer"), when=MOMENTUM),
        replace(_full("grad_avg"), when=CENTERED),
        STEP,
    ),
    temporaries=ForeachOrLoop(
        lists=1,
        more_lists=(CHANGED, all_of(CAPTURABLE, TENSOR_LR, MOMENTUM)),
        loop=(Form(1, 1),),
        copied=CHANGED,
    ),
    source="torch/optim/rmsprop.py",
    proven=PROVEN,
)

ASGD = Implementation(
    "torch.ASGD",
    path="torch.optim.ASGD",
    family="sgd",
    options=(WEIGHT_DECAY, MAXIMIZE, FOREACH, CAPTURABLE),
    states=(
        _full("ax"),
        State("step", SCALAR, fixed(F32)),
        State("eta", SCALAR, fixed(F32)),
        State("mu", SCALAR, fixed(F32)),
    ),
    temporaries=ForeachOrLoop(
        lists=1,
        more_lists=(MAXIMIZE,),
        loop=(
            Form(2, when=AtLeast(2, (WEIGHT_DECAY, MAXIMIZE, CAPTURABLE))),
            Form(1, when=any_of(WEIGHT_DECAY, MAXIMIZE, CAPTURABLE)),
        ),
    ),
    source="torch/optim/asgd.py",
    proven=PROVEN,
)

RPROP = Implementation(
    "torch.Rprop",
    path="torch.optim.Rprop",
    family="rprop",
    options=(MAXIMIZE, FOREACH, CAPTURABLE),
    states=(_full("prev"), _full("step_size"), STEP),
    temporaries=ForeachOrLoop(
        lists=1,
        loop=(Form(3, 1, when=MAXIMIZE), Form(3), Form(3, masks=1, when=CAPTURABLE)),
        foreach_moment=Form(1, masks=1),
    ),
    source="torch/optim/rprop.py",
    proven=PROVEN,
)

ADAFACTOR = Implementation(
    "torch.Adafactor",
    path="torch.optim.Adafactor",
    family="adafactor",
    options=(_inert(WEIGHT_DECAY, 0.0), MAXIMIZE, FOREACH),
    states=(
        State("row_var", ROWS_OF_LAST_TWO, LIKE_DTYPE),
        State("col_var", COLUMNS_OF_LAST_TWO, LIKE_DTYPE),
        State("variance", VECTORS_ONLY, LIKE_DTYPE),
        State("step", SCALAR, fixed(F32), host=ON_HOST),
    ),
    temporaries=AdafactorSteps(more_lists=(MAXIMIZE,), copied=MAXIMIZE),
    source="torch/optim/_adafactor.py",
    proven=PROVEN,
    belief=True,
)

MUON = Implementation(
    "torch.Muon",
    path="torch.optim.Muon",
    family="muon",
    options=(
        replace(NESTEROV, default=True),
        _inert(MOMENTUM, 0.95),
        _inert(WEIGHT_DECAY, 0.1),
    ),
    states=(_full("momentum_buffer"),),
    temporaries=NewtonSchulz(NESTEROV),
    source="torch/optim/_muon.py",
    proven=PROVEN,
    requirement=Requirement(_is_matrix, "optimizer.only_matrices"),
    belief=True,
)

SPARSE_ADAM = Implementation(
    "torch.SparseAdam",
    path="torch.optim.SparseAdam",
    family="adam",
    options=(MAXIMIZE,),
    states=(_full("exp_avg"), _full("exp_avg_sq")),
    temporaries=TouchedRows(),
    source="torch/optim/sparse_adam.py, torch/optim/_functional.py",
    proven=PROVEN,
    cautions=("optimizer.needs_sparse_gradients",),
    belief=True,
)

LBFGS = Implementation(
    "torch.LBFGS",
    path="torch.optim.LBFGS",
    family="quasi-newton",
    options=(HISTORY, MAX_ITER, LINE_SEARCH),
    states=(
        State("d", FLAT_VECTOR, LIKE_DTYPE, whole=True),
        State("prev_flat_grad", FLAT_VECTOR, LIKE_DTYPE, whole=True),
        State("old_dirs", FLAT_VECTOR, LIKE_DTYPE, count=_history, whole=True),
        State("old_stps", FLAT_VECTOR, LIKE_DTYPE, count=_history, whole=True),
        State("ro", SCALAR, LIKE_DTYPE, count=_history, whole=True),
        State("al", SCALAR, LIKE_DTYPE, count=_history, whole=True),
        State("H_diag", SCALAR, LIKE_DTYPE, count=_scale, whole=True),
    ),
    temporaries=FlatVectors(LINE_SEARCH),
    source="torch/optim/lbfgs.py",
    proven=PROVEN,
    cautions=("optimizer.needs_closure",),
    belief=True,
)

TORCH_OPTIM = (
    ADAMW, ADAM, SGD, ADAFACTOR, MUON, NADAM, RADAM, ADAMAX, ADADELTA, ADAGRAD, RMSPROP, ASGD, RPROP,
    SPARSE_ADAM, LBFGS,
)  # fmt: skip
"""In the order a list shows them: what people use most first."""
