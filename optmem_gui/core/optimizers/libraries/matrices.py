"""Optimizers that treat hidden matrices as matrices: Muon, Dion, SOAP, DistributedShampoo.

Source of every rule: the file of the class, at the version named in ``proven``. What the split leaves to
the second half is trained with AdamW (or Lion) inside the same optimizer.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from optmem_gui.core.dtypes import F32, INT64
from optmem_gui.core.model import Shape, TensorGroup
from optmem_gui.core.optimizers.declare import (
    Implementation,
    Option,
    Requirement,
    Settings,
    ShapeRule,
    State,
    Subject,
)
from optmem_gui.core.optimizers.declare import always as everywhere
from optmem_gui.core.optimizers.per_tensor import PerTensor
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR, fixed
from optmem_gui.core.optimizers.rules_blocks import (
    BLOCKS,
    LIMIT,
    MERGE,
    SOAP_LIMIT,
    SOAP_SQUARES,
    TRIANGLES,
    VECTORS_TOO,
)
from optmem_gui.core.optimizers.rules_parts import only
from optmem_gui.core.optimizers.rules_split import CHOSEN_FULL, REST_FULL, SPLIT, Halves, chosen, rest

FRACTION = Option("rank_fraction", "float", 1.0, ("state",), minimum=0.000001, maximum=1)
DION_RANK = Option("rank", "int", 768, ("state",), minimum=1, maximum=1_000_000)
SECOND = Option("rest", "choice", "adamw", ("state",), choices=("adamw", "lion"), keyword=False)

_MUON = "muon-optimizer 0.1.0"
_NEWTON_SCHULZ = PerTensor(fp32=3.5)
"""14 bytes an element whatever the type: the iterations are bf16."""


def _is_matrix(group: TensorGroup) -> bool:
    return len(group.shape) == 2


def _alone(name: str) -> Implementation:
    return Implementation(
        f"muon.{name}",
        path=f"muon.{name}",
        family="muon",
        options=(),
        states=(State("momentum_buffer", LIKE_PARAMETER, LIKE_DTYPE),),
        temporaries=_NEWTON_SCHULZ,
        source="muon.py",
        proven=_MUON,
        requirement=Requirement(_is_matrix, "optimizer.only_matrices"),
    )


def _with_adam(name: str) -> Implementation:
    return Implementation(
        f"muon.{name}",
        path=f"muon.{name}",
        family="muon",
        options=(SPLIT,),
        states=(
            State("momentum_buffer", CHOSEN_FULL, LIKE_DTYPE),
            State("exp_avg", REST_FULL, LIKE_DTYPE),
            State("exp_avg_sq", REST_FULL, LIKE_DTYPE),
        ),
        temporaries=Halves(_NEWTON_SCHULZ, PerTensor(own=4)),
        source="muon.py",
        proven=_MUON,
        belief=True,
        handing="muon",
    )


MUON = (
    replace(_with_adam("SingleDeviceMuonWithAuxAdam"), aliases=("muon-split", "muonwithauxadam")),
    _with_adam("MuonWithAuxAdam"),
    _alone("SingleDeviceMuon"),
    _alone("Muon"),
)


def _adamw(subject: Subject) -> bool:
    return rest(subject) and subject.settings.values.get("rest") != "lion"


def _thin(subject: Subject) -> Shape | None:
    if not chosen(subject):
        return None
    shorter = min(subject.shape)
    fraction = subject.settings.values["rank_fraction"]
    assert isinstance(fraction, float | int)  # noqa: S101  # a float option; whole numbers are floats too
    return shorter, min(ceil(fraction * shorter), shorter)


def _ranked(subject: Subject) -> Shape | None:
    if not chosen(subject):
        return None
    return subject.shape[1], min(subject.settings.whole("rank"), *subject.shape)


_SECOND_MOMENT = replace(only(LIKE_PARAMETER, _adamw, "rest"), full_size=False)
_NEURONS = only(ShapeRule("neurons", lambda subject: subject.shape[:1]), chosen)

_MOMENTUM = State("momentum", LIKE_PARAMETER, LIKE_DTYPE)
_VARIANCE = State("variance", _SECOND_MOMENT, LIKE_DTYPE)
_STEP = State("step_dev", only(SCALAR, _adamw), fixed(F32))
_NEURON = State("variance_neuron", _NEURONS, LIKE_DTYPE)


def _two_groups(settings: Settings, steps: int | None) -> int:
    """One tensor for each half of the split."""
    del settings, steps
    return 2


_RATE = State("lr", SCALAR, fixed(F32), host=everywhere, whole=True, count=_two_groups)


def _dion(
    name: str, states: tuple[State, ...], step: PerTensor, options: tuple[Option, ...] = ()
) -> Implementation:
    made_early = any(state is _STEP for state in states)
    return Implementation(
        f"dion.{name}",
        path=f"dion.{name}",
        family="muon",
        options=(*options, SPLIT, SECOND),
        states=states,
        temporaries=Halves(step, PerTensor(own=4)),
        source="microsoft/dion 0a059a4 (2026-08-07), dion/",
        proven="dion git 0a059a4",
        created="construction" if made_early else "first_step",
        handing="algorithm",
    )


_Q = State("Q", ShapeRule("basis", _thin), LIKE_DTYPE)
_Q_RANKED = State("Q", ShapeRule("basis", _ranked), LIKE_DTYPE)
_BATCHED = PerTensor(fp32=28)

DION = (
    replace(
        _dion("Dion", (_MOMENTUM, _VARIANCE, _Q), PerTensor(own=8), (FRACTION,)),
        belief=True,
    ),
    _dion(
        "DionSimple",
        (_MOMENTUM, _VARIANCE, _Q_RANKED, State("epsilon", SCALAR, fixed(F32), host=everywhere, whole=True)),
        PerTensor(own=2),
        (DION_RANK,),
    ),
    _dion("DionReference", (_MOMENTUM, _VARIANCE, _Q), PerTensor(own=6), (FRACTION,)),
    _dion("Muon", (_MOMENTUM, _VARIANCE, _STEP, _RATE), _BATCHED),
    replace(
        _dion(
            "MuonReference",
            (
                State("momentum_buffer", CHOSEN_FULL, LIKE_DTYPE),
                State("moment1", REST_FULL, LIKE_DTYPE),
                State("moment2", _SECOND_MOMENT, LIKE_DTYPE),
            ),
            PerTensor(fp32=4),
        ),
        options=(SPLIT,),
    ),
    _dion("Dion2", (_MOMENTUM, _VARIANCE, _STEP, _RATE), PerTensor(own=11)),
    _dion("NorMuon", (_MOMENTUM, _VARIANCE, _NEURON, _STEP, _RATE), _BATCHED),
    _dion("NorDion2", (_MOMENTUM, _VARIANCE, _NEURON, _STEP, _RATE), PerTensor(own=11, cast=2)),
)

SOAP = Implementation(
    "soap.SOAP",
    path="soap.SOAP",
    family="soap",
    options=(SOAP_LIMIT, MERGE, VECTORS_TOO),
    states=(
        State("exp_avg", LIKE_PARAMETER, LIKE_DTYPE),
        State("exp_avg_sq", LIKE_PARAMETER, LIKE_DTYPE),
        State("GG", SOAP_SQUARES, fixed(F32)),
        State("Q", SOAP_SQUARES, fixed(F32)),
    ),
    temporaries=PerTensor(own=4),
    source="nikhilvyas/SOAP a1e5535 (2024-12-02), soap.py",
    proven="SOAP git a1e5535",
    cautions=("optimizer.fp32_only",),
    belief=True,
)

GRAFTING = Option("grafting", "choice", "none", ("state",), choices=("none", "adam"), keyword=False)


def _grafted(settings: Settings) -> bool:
    return settings.values["grafting"] != "none"


def _corrections(settings: Settings, steps: int | None) -> int:
    """One bias correction for the preconditioner, one more for grafting."""
    del steps
    return 1 + _grafted(settings)


SHAMPOO = Implementation(
    "distributed_shampoo.DistributedShampoo",
    path="distributed_shampoo.DistributedShampoo",
    family="shampoo",
    options=(LIMIT, GRAFTING),
    states=(
        State("factor_matrices", TRIANGLES, fixed(F32)),
        State("inv_factor_matrices", TRIANGLES, fixed(F32)),
        State("filtered_grad", BLOCKS, LIKE_DTYPE),
        State("adagrad", BLOCKS, LIKE_DTYPE, when=_grafted),
        State("step", SCALAR, fixed(INT64), host=everywhere, whole=True),
        State("_bias_correction2", SCALAR, fixed(F32), whole=True, count=_corrections),
        State("lr_cpu_pinned", SCALAR, fixed(F32), host=everywhere, whole=True),
        *(
            State(name, SCALAR, fixed(F32), whole=True)
            for name in ("lr_tensor", "train_interp_coeff", "eval_interp_coeff")
        ),
    ),
    temporaries=PerTensor(fp32=4),
    source="facebookresearch/optimizers f606606 (2026-08-05), distributed_shampoo/",
    proven="distributed_shampoo git f606606",
    created="construction",
    belief=True,
)

MATRICES = (*MUON, *DION, SOAP, SHAMPOO)
"""In the order a list shows them."""
