"""pytorch_optimizer: classes that keep factors, squares, quantized or projected state.

Source of every rule: the class's ``init_group`` in pytorch_optimizer/optimizer of version 4.1.0. ``GaLore``,
``APOLLO`` and ``Fira`` project only parameters of groups that are given a ``rank``; without one they keep
Adam's state, which is what is counted here.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from optmem_gui.core.dtypes import BF16, DTYPES, F16, F32, INT8, UINT8
from optmem_gui.core.model import Shape, TensorGroup
from optmem_gui.core.optimizers.declare import Implementation, Option, Requirement, ShapeRule, State, Subject
from optmem_gui.core.optimizers.libraries.pytorch_optimizer_full import (
    AMS_BOUND,
    FOREACH_OFF,
    HAS_MOMENTUM,
    SHADOW,
    declared,
)
from optmem_gui.core.optimizers.options import MOMENTUM
from optmem_gui.core.optimizers.rules import (
    COLUMNS_OF_LAST_TWO,
    LIKE_DTYPE,
    LIKE_PARAMETER,
    ROWS_OF_LAST_TWO,
    SCALAR,
    VECTORS_ONLY,
    Not,
    fixed,
)
from optmem_gui.core.optimizers.rules_axes import (
    REST_OF_FIRST,
    SQUARE_OF_SMALLER,
    has_axes,
    is_matrix,
    squares,
)
from optmem_gui.core.optimizers.rules_parts import along_axis, only
from optmem_gui.core.optimizers.rules_quantized import Blocks
from optmem_gui.core.optimizers.rules_quantized import full as stored
from optmem_gui.core.optimizers.rules_triangles import FACTOR_AN_AXIS, MAX_SIZE, MIN_AXES, SAVE_MODE
from optmem_gui.core.optimizers.shorthand import Chosen, full, inert, numbers
from optmem_gui.core.optimizers.temporaries_batched import BatchedByShape, batched, looped
from optmem_gui.core.optimizers.temporaries_square import LargestSquare

LIMIT = Option("max_precondition_dim", "int", 10000, ("state", "temporaries"), minimum=1, maximum=1_000_000)
LONGEST = Option("max_dim", "int", 10000, ("state", "temporaries"), minimum=1, maximum=1_000_000)
VECTORS_TOO = Option("precondition_1d", "bool", False, ("state",))
QUANTIZE = Option("quantize", "bool", True, ("state", "temporaries"))
RANK = Option("rank", "int", 256, ("state",), minimum=40, maximum=100_000)

_TWO = full("exp_avg", "exp_avg_sq")
_AXES = 5
_FACTORED = has_axes(2)
_BLOCKS = Blocks(32, 0)


def _no_axes(subject: Subject) -> bool:
    return not _FACTORED(subject)


def _is_matrix(group: TensorGroup) -> bool:
    return len(group.shape) == 2


def _has_rows(subject: Subject) -> bool:
    """Nero sets a row of one element to 0 and then keeps a plain number as its scale."""
    return len(subject.shape) < 2 or prod(subject.shape[1:]) > 1


_SCALE = only(SCALAR, _has_rows)
_VECTORS = only(LIKE_PARAMETER, _no_axes, "not_factored")
_FIRST_AXIS, _OTHER_AXES = only(along_axis(0), _FACTORED), only(REST_OF_FIRST, _FACTORED)


def _states(rule: ShapeRule, *names: str) -> tuple[State, ...]:
    return tuple(State(name, rule, LIKE_DTYPE) for name in names)


def _as_matrix(subject: Subject) -> tuple[int, int]:
    """Rows and columns that a parameter of any shape is reshaped to."""
    shape = subject.shape
    return (shape[0], prod(shape[1:])) if len(shape) > 1 else (prod(shape), 1)


def _basis(place: int) -> ShapeRule:
    """Alice's low-rank matrices: the basis (rows x rank), its square, the moments (rank x columns)."""

    def shape(subject: Subject) -> Shape:
        rows, columns = _as_matrix(subject)
        rank = min(subject.settings.whole("rank"), rows)
        return ((rows, rank), (rank, rank), (rank, columns))[place]

    return ShapeRule(("basis", "basis_square", "basis_moment")[place], shape)


_COLUMNS = ShapeRule("rest_of_first", lambda subject: (_as_matrix(subject)[1],))


def _quantized(name: str, codes: State) -> tuple[State, ...]:
    return (
        codes,
        State(f"{name}::scales", _BLOCKS.scales(), fixed(F16), when=QUANTIZE),
        *full(name, when=Not(QUANTIZE)),
    )


_FACTORS = (
    *_states(ROWS_OF_LAST_TWO, "exp_avg_sq_row"),
    *_states(COLUMNS_OF_LAST_TWO, "exp_avg_sq_col"),
    *_states(VECTORS_ONLY, "exp_avg_sq"),
)
_HAT = full("exp_avg_sq_hat", when=AMS_BOUND)
_NUMBER = fixed(F32)

_WITHIN = squares(LIMIT.name, vectors=VECTORS_TOO)
_BELOW = squares(LONGEST.name, excluded=True, matrices_only=True)
_BY_HAND = Chosen("foreach", False)
"""The step without batches keeps the root mean square of the weights as a tensor, the other does not."""

PARTS: tuple[Implementation, ...] = (
    declared("AdaFactor", "adafactor", (*full("exp_avg", dtype=fixed(BF16)), *_FACTORS, *_HAT,
              *numbers("RMS", when=_BY_HAND)),
             batched(3, (2, 0), close=True,
                     narrow=batched(1, (1, 0), more=(AMS_BOUND, AMS_BOUND), close=True)),
             AMS_BOUND, belief=True),
    declared("CAME", "adafactor",
             (*full("exp_avg"), *_FACTORS, *_states(ROWS_OF_LAST_TWO, "exp_avg_res_row"),
              *_states(COLUMNS_OF_LAST_TWO, "exp_avg_res_col"), *_HAT, *numbers("RMS")),
             batched(2, (2, 1), (1, 2), close=True), AMS_BOUND),
    declared("Adalite", "adafactor",
             (*_states(_FIRST_AXIS, "v_avg_0", "m_avg_c"), *_states(_OTHER_AXES, "v_avg_1", "m_avg_r"),
              *_states(only(SCALAR, _FACTORED), "m_avg_u"),
              *_states(_VECTORS, "m_avg", "v_avg")),
             looped((6, 0), close=True), foreach=None),
    declared("EmoFact", "adafactor",
             (*_states(_FIRST_AXIS, "exp_avg_r"), *_states(_OTHER_AXES, "exp_avg_c"),
              *_states(_VECTORS, "exp_avg", "exp_avg_sq"), *full("shadow", when=SHADOW)),
             batched(3, (3, 1), close=True), SHADOW, file="emonavi"),
    declared("Nero", "adagrad", (*_states(along_axis(0), "exp_avg_sq"), *_states(_SCALE, "scale")),
             batched(1, (1, 1), close=True)),
    declared("RACS", "adafactor",
             (*_states(along_axis(0), "s"), *_states(REST_OF_FIRST, "q"), *numbers("theta")),
             batched(1, (1, 1), one=3, close=True), foreach=FOREACH_OFF),
    declared("Alice", "low-rank",
             (*_states(_basis(0), "U"), *_states(_basis(1), "Q"), *_states(_basis(2), "m", "v"),
              *_states(_COLUMNS, "p"), *numbers("phi")),
             looped((4, 2), close=True), RANK, file="racs", foreach=None, belief=True),
    declared("SM3", "sm3",
             (*full("momentum_buffer"),
              *(State(f"accumulator_{axis}", along_axis(axis), LIKE_DTYPE) for axis in range(_AXES))),
             batched(1, (1, 1), anywhere=False, narrow=looped((1, 1), close=True), close=True),
             inert(MOMENTUM, 0.0), aliases=("sm3",), belief=True),
    declared("SOAP", "soap",
             (*_TWO, State("GG", _WITHIN, LIKE_DTYPE),
              State("Q", _WITHIN, LIKE_DTYPE)),
             LargestSquare(_WITHIN, own=6, squares=5, plain=3, wide=True),
             LIMIT, VECTORS_TOO, foreach=None, aliases=("soap",), belief=True),
    declared("Shampoo", "shampoo",
             (*full("momentum_buffer"), State("pre_cond", squares(), LIKE_DTYPE),
              State("inv_pre_cond", squares(), LIKE_DTYPE)),
             LargestSquare(squares(), own=1, squares=4, wide=True), inert(MOMENTUM, 0.0), foreach=None,
             aliases=("shampoo",), belief=True),
    declared("SPlus", "shampoo",
             (*full("momentum", "ema"),
              State("sides", _BELOW, LIKE_DTYPE),
              State("q_sides", _BELOW, LIKE_DTYPE)),
             LargestSquare(_BELOW, own=2, squares=2, plain=2, cast=2),
             LONGEST, belief=True),
    declared("Kron", "kron",
             (*full("momentum_buffer"), State("Q", FACTOR_AN_AXIS, _NUMBER)),
             LargestSquare(FACTOR_AN_AXIS, own=6, squares=5, plain=6, wide=True, wide_own=True),
             replace(MAX_SIZE, default=8192), MIN_AXES, SAVE_MODE, file="psgd", foreach=None,
             aliases=("kron",)),
    declared("Conda", "low-rank", (*_TWO, *_states(SQUARE_OF_SMALLER, "projector")),
             looped((4, 1), close=True), belief=True),
    declared("FlashAdamW", "adam",
             (*_quantized("exp_avg", State("exp_avg::quantized", stored(), fixed(INT8), when=QUANTIZE)),
              *_quantized("exp_avg_sq", State("exp_avg_sq::quantized", stored(), fixed(UINT8),
                                              when=QUANTIZE))),
             batched(2, (7, 0), unless=QUANTIZE, narrow=looped((18, 0), close=True), close=True),
             QUANTIZE, file="flash_adamw", belief=True),
    declared("SPAM", "adam",
             (*_TWO, State("mask", only(stored(), is_matrix), fixed(DTYPES["bool"])),
              *numbers("warmup", dtype=_NUMBER, whole=True)),
             batched(2, (4, 1), one=2, anywhere=False, narrow=looped((4, 1), close=True), close=True)),
    declared("AliG", "sgd",
             (*numbers("step_size", dtype=_NUMBER, whole=True), *full("momentum_buffer", when=HAS_MOMENTUM)),
             batched(1, (0, 0), narrow=batched(4, (2, 0), close=True), close=True), HAS_MOMENTUM,
             cautions=("optimizer.needs_loss",)),
    declared("GaLore", "low-rank", _TWO, batched(2, (1, 1)), belief=True),
    declared("APOLLO", "low-rank", _TWO, batched(2, (1, 1)), belief=True),
    declared("Fira", "low-rank", _TWO, batched(2, (1, 1)), belief=True),
    replace(
        declared("Ranger21", "lookahead",
                 full("grad_ma", "variance_ma", "lookahead_params", "neg_grad_ma", "max_variance_ma"),
                 batched(2, (2, 1), close=True), belief=True),
        arguments=(("num_iterations", 100),),
    ),
    replace(
        declared("SpectralSphere", "muon", full("momentum_buffer"),
                 BatchedByShape(6, 6, (5, 0), anywhere=False,
                                narrow=BatchedByShape(11, 11, (9, 0), anywhere=False)),
                 inert(MOMENTUM, 0.9), file="sso"),
        requirement=Requirement(_is_matrix, "optimizer.only_matrices"),
    ),
)  # fmt: skip
"""Factored ones first, then squares, projections and the rest."""
