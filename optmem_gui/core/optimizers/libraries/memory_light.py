"""Optimizers made to keep little: Adam-mini, LOMO, AdaLOMO.

Source of every rule: the class's file in the package of the version named in ``proven``, or in ``source``.
"""

from __future__ import annotations

from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import Implementation, ShapeRule, State, Subject
from optmem_gui.core.optimizers.per_tensor import PerTensor
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, fixed
from optmem_gui.core.optimizers.rules_names import BIASES, DIM, HEADS, MEANS
from optmem_gui.core.optimizers.rules_parts import along_axis, only

ADAM_MINI = Implementation(
    "adam_mini.Adam_mini",
    path="adam_mini.Adam_mini",
    family="adam-mini",
    options=(DIM, HEADS),
    states=(
        State("m", LIKE_PARAMETER, LIKE_DTYPE),
        State("vmean", MEANS, LIKE_DTYPE),
        State("v", BIASES, LIKE_DTYPE),
    ),
    temporaries=PerTensor(own=2),
    source="adam_mini/adam_mini.py",
    arguments=(("verbose", False),),
    proven="adam-mini 1.1.1",
    aliases=("adam-mini",),
    belief=True,
    handing="named",
)

LOMO = Implementation(
    "lomo_optim.Lomo",
    path="lomo_optim.Lomo",
    family="lomo",
    options=(),
    states=(),
    temporaries=PerTensor(cast=2),
    source="lomo_optim/lomo.py",
    proven="lomo-optim 0.1.1",
    aliases=("lomo",),
    belief=True,
    handing="model",
    fused_backward="fused_backward",
)


def _factored(subject: Subject) -> bool:
    return len(subject.shape) > 1


def _vector(subject: Subject) -> Shape | None:
    return subject.shape if len(subject.shape) == 1 else None


ADALOMO = Implementation(
    "lomo_optim.AdaLomo",
    path="lomo_optim.AdaLomo",
    family="lomo",
    options=(),
    states=(
        State("exp_avg_sq_row", only(along_axis(0), _factored), fixed(F32)),
        State("exp_avg_sq_col", only(along_axis(1), _factored), fixed(F32)),
        State("exp_avg_sq", ShapeRule("vectors_only", _vector), fixed(F32)),
    ),
    temporaries=PerTensor(fp32=2, cast=2),
    source="lomo_optim/adalomo.py 0.1.1",
    aliases=("adalomo",),
    created="construction",
    cautions=("optimizer.gpu_only",),
    handing="model",
    fused_backward="fused_backward",
    state_attributes=("exp_avg_sq", "exp_avg_sq_row", "exp_avg_sq_col"),
)

MEMORY_LIGHT = (ADAM_MINI, LOMO, ADALOMO)
"""In the order a list shows them."""
