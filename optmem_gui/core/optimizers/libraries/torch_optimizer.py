"""torch_optimizer, as declarations.

Source of every rule: the file of the class in torch_optimizer 0.3.0 (Ranger, RangerQH and RangerVA come from
pytorch_ranger 0.1.1, which it re-exports). Steps are plain numbers. Every class takes one parameter after
another; there is no foreach.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import TensorGroup
from optmem_gui.core.optimizers.declare import (
    Conflict,
    Implementation,
    Option,
    Requirement,
    State,
    TemporariesRule,
    always,
)
from optmem_gui.core.optimizers.options import AMSGRAD, MOMENTUM, NESTEROV, WEIGHT_DECAY
from optmem_gui.core.optimizers.rules import (
    COLUMNS_OF_LAST_TWO,
    LIKE_DTYPE,
    ROWS_OF_LAST_TWO,
    VECTORS_ONLY,
    Not,
    all_of,
    any_of,
    fixed,
)
from optmem_gui.core.optimizers.rules_axes import squares
from optmem_gui.core.optimizers.shorthand import Chosen, full, inert, numbers
from optmem_gui.core.optimizers.temporaries import Form, nothing
from optmem_gui.core.optimizers.temporaries_batched import BatchedOrLoop, looped
from optmem_gui.core.optimizers.temporaries_square import LargestSquare

PROVEN = "torch-optimizer 0.3.0"

AMSBOUND = Option("amsbound", "bool", False, ("state",))
BETA1 = Option("beta1", "float", None, ("state", "temporaries"), minimum=0, maximum=1)
HAS_MOMENTUM = replace(MOMENTUM, affects=("state",))

_FIRST = Not(Chosen("beta1", None))
_TWO = full("exp_avg", "exp_avg_sq")
_WIDE = fixed(F32)
_WIDE_TWO = full("exp_avg", "exp_avg_sq", dtype=_WIDE)
_MAX = full("max_exp_avg_sq", when=AMSGRAD)
_BUFFER = full("momentum_buffer", when=HAS_MOMENTUM)
_NESTEROV_ALONE = Conflict(all_of(NESTEROV, Not(MOMENTUM)), "optimizer.nesterov_needs_momentum")


def _declared(
    name: str,
    family: str,
    states: tuple[State, ...],
    step: TemporariesRule,
    *options: Option,
    source: str = "",
    aliases: tuple[str, ...] = (),
    belief: bool = False,
    requirement: Requirement | None = None,
    conflicts: tuple[Conflict, ...] = (),
) -> Implementation:
    return Implementation(
        f"torch_optimizer.{name}",
        path=f"torch_optimizer.{name}",
        family=family,
        options=options,
        states=states,
        temporaries=step,
        source=source or f"torch_optimizer/{name.lower()}.py",
        proven=PROVEN,
        aliases=aliases,
        belief=belief,
        requirement=requirement,
        conflicts=conflicts,
    )


def _decayed(current: int, previous: int = 0) -> BatchedOrLoop:
    """Weight decay makes a changed copy of the gradient."""
    return BatchedOrLoop(loop=(Form(current, previous),), copied=WEIGHT_DECAY, unless=always)


def _is_vector_or_matrix(group: TensorGroup) -> bool:
    return len(group.shape) in (1, 2)


_A2GRAD = tuple(
    _declared(f"A2Grad{variant}", "adagrad", full("avg_grad", "x_k"), looped((2, 0)),
              source="torch_optimizer/a2grad.py")
    for variant in ("Exp", "Inc", "Uni")
)  # fmt: skip

TORCH_OPTIMIZER: tuple[Implementation, ...] = (
    _declared("AdaBelief", "adam",
              (*full("exp_avg", "exp_avg_var"), *full("max_exp_avg_var", when=AMSGRAD)),
              looped((3, 1)), AMSGRAD),
    _declared("AdaBound", "adam", (*_TWO, *full("max_exp_avg_sq", when=AMSBOUND)), _decayed(3),
              AMSBOUND, WEIGHT_DECAY),
    _declared("Adafactor", "adafactor",
              (State("exp_avg_sq_row", ROWS_OF_LAST_TWO, LIKE_DTYPE),
               State("exp_avg_sq_col", COLUMNS_OF_LAST_TWO, LIKE_DTYPE),
               State("exp_avg_sq", VECTORS_ONLY, LIKE_DTYPE),
               *full("exp_avg", when=_FIRST), *numbers("RMS")),
              BatchedOrLoop(loop=(Form(2, when=_FIRST), Form(2, 1, when=Not(_FIRST))), unless=always,
                            close=True),
              BETA1, belief=True,
              requirement=Requirement(_is_vector_or_matrix, "optimizer.only_vectors_and_matrices")),
    _declared("AdaMod", "adam", (*_TWO, *full("exp_avg_lr")), looped((3, 0))),
    _declared("AdamP", "adam", _TWO, looped((3, 1), close=True), inert(NESTEROV, False)),
    _declared("Apollo", "adam", full("exp_avg_grad", "approx_hessian", "update"), looped((4, 0))),
    _declared("DiffGrad", "adam", (*_TWO, *full("previous_grad")), looped((5, 1), close=True)),
    _declared("Lamb", "lamb", (*_TWO, *numbers("weight_norm", "adam_norm", "trust_ratio")), looped((2, 1))),
    _declared("MADGRAD", "madgrad", (*full("grad_sum_sq", "s"), *full("x0", when=HAS_MOMENTUM)),
              BatchedOrLoop(loop=(Form(2, 1, when=MOMENTUM), Form(3, when=Not(MOMENTUM))), unless=always,
                            close=True),
              replace(MOMENTUM, default=0.9)),
    _declared("NovoGrad", "novograd",
              (*full("exp_avg"), *numbers("exp_avg_sq", dtype=_WIDE),
               *numbers("max_exp_avg_sq", dtype=_WIDE, when=AMSGRAD)),
              looped((1, 0)), AMSGRAD),
    _declared("QHAdam", "adam", _TWO, looped((3, 1), (1, 3))),
    _declared("RAdam", "adam", _WIDE_TWO, BatchedOrLoop(
        loop=(Form(1, 1),), narrow=looped((6, 2), close=True), unless=always), belief=True),
    _declared("Ranger", "lookahead", (*_WIDE_TWO, *full("slow_buffer")), BatchedOrLoop(
        loop=(Form(2, 0),), narrow=looped((7, 1), close=True), unless=always, close=True),
        source="pytorch_ranger/ranger.py", belief=True),
    _declared("RangerQH", "lookahead", (*_TWO, *full("slow_buffer")), looped((4, 0), close=True),
              source="pytorch_ranger/rangerqh.py"),
    _declared("RangerVA", "lookahead", (*_WIDE_TWO, *full("slow_buffer"), *_MAX), BatchedOrLoop(
        loop=(Form(4, 0),), narrow=looped((9, 1), close=True), unless=always, close=True),
        replace(AMSGRAD, default=True), source="pytorch_ranger/ranger913A.py", belief=True),
    _declared("SWATS", "adam", (*_TWO, *numbers("exp_avg2"), *_MAX), looped((3, 1), close=True),
              AMSGRAD, inert(NESTEROV, False)),
    _declared("Yogi", "adam", _TWO, _decayed(3, 1), WEIGHT_DECAY),
    *_A2GRAD,
    _declared("AccSGD", "sgd", full("momentum_buffer"), nothing),
    _declared("AggMo", "sgd", tuple(replace(state, count=lambda *_: 3) for state in full("momentum_buffer")),
              nothing),
    _declared("LARS", "lamb", _BUFFER,
              BatchedOrLoop(loop=(Form(1, when=any_of(WEIGHT_DECAY, NESTEROV)),), unless=always),
              MOMENTUM, WEIGHT_DECAY, NESTEROV, conflicts=(_NESTEROV_ALONE,)),
    _declared("PID", "sgd", full("i_buffer", "grad_buffer", "d_buffer", when=HAS_MOMENTUM),
              BatchedOrLoop(loop=(Form(1, when=MOMENTUM),), unless=always), MOMENTUM),
    _declared("QHM", "sgd", full("momentum_buffer"), nothing, inert(MOMENTUM, 0.0)),
    _declared("SGDP", "sgd", full("momentum"),
              BatchedOrLoop(loop=(Form(1, 1),), copied=NESTEROV, unless=always, close=True),
              inert(MOMENTUM, 0.0), NESTEROV, belief=True),
    _declared("SGDW", "sgd", _BUFFER, BatchedOrLoop(loop=(Form(1, when=NESTEROV),), unless=always),
              MOMENTUM, NESTEROV, conflicts=(_NESTEROV_ALONE,)),
    _declared("Shampoo", "shampoo",
              (*full("momentum_buffer"), State("precond", squares(), LIKE_DTYPE),
               State("inv_precond", squares(), LIKE_DTYPE)),
              LargestSquare(squares(), own=1, squares=4), inert(MOMENTUM, 0.0), belief=True),
)  # fmt: skip
"""Of the same families as pytorch_optimizer's classes, whose predecessor it is."""
