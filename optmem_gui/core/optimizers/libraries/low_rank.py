"""Optimizers that keep their moments in a low-rank space: GaLore, APOLLO, Fira.

Source of every rule: the class's file in the package of the version named in ``proven``. ``rank``,
``proj_type`` and ``proj`` stand in the parameter groups; the defaults here are those of the packages'
examples. APOLLO's step works with ``proj_type="std"`` alone, Fira's with all but ``full``: the others stop at
shapes that do not match, so they are no options here.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import F32
from optmem_gui.core.optimizers.declare import Implementation, Option, State
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, SCALAR, VECTORS_ONLY, Not, fixed
from optmem_gui.core.optimizers.rules_lowrank import (
    CHOSEN_NUMBER,
    COLUMNS,
    FACTORS,
    MOMENT,
    PROJECTOR,
    PROJECTORS,
    RANK,
    ROWS,
    SIDE,
    SIDES,
    Projected,
    notices,
)
from optmem_gui.core.optimizers.rules_parts import IsSet
from optmem_gui.core.optimizers.rules_split import SPLIT

NO_LIMITER = Option("disable_nl", "bool", False, ("state",))
FIRST_MOMENT = Option("beta1", "float", None, ("state",), minimum=0, maximum=1)

_MOMENTS = (State("exp_avg", MOMENT, LIKE_DTYPE), State("exp_avg_sq", MOMENT, LIKE_DTYPE))
_QUIET = (("no_deprecation_warning", True),)

GALORE_ADAMW = Implementation(
    "galore_torch.GaLoreAdamW",
    path="galore_torch.GaLoreAdamW",
    family="low-rank",
    options=(RANK, SIDE, SPLIT),
    states=(State("ortho_matrix", PROJECTORS, LIKE_DTYPE), *_MOMENTS),
    temporaries=Projected(full=2, low=3, plain=3),
    source="galore_torch/adamw.py, galore_torch/galore_projector.py",
    arguments=_QUIET,
    proven="galore-torch 1.0",
    aliases=("galore",),
    belief=True,
    notices=notices,
    handing="low_rank",
)

GALORE_ADAFACTOR = Implementation(
    "galore_torch.GaLoreAdafactor",
    path="galore_torch.GaLoreAdafactor",
    family="low-rank",
    options=(RANK, SIDE, SPLIT, FIRST_MOMENT),
    states=(
        State("ortho_matrix", FACTORS, fixed(F32)),
        State("exp_avg", MOMENT, fixed(F32), when=IsSet("beta1")),
        State("exp_avg_sq_row", ROWS, fixed(F32)),
        State("exp_avg_sq_col", COLUMNS, fixed(F32)),
        State("exp_avg_sq", VECTORS_ONLY, fixed(F32)),
        State("RMS", SCALAR, fixed(F32)),
    ),
    temporaries=Projected(full=2, low=2, plain=3, wide=True, cast=1),
    source="galore_torch/adafactor.py, galore_torch/galore_projector.py",
    proven="galore-torch 1.0",
    belief=True,
    notices=notices,
    handing="low_rank",
)

APOLLO_ADAMW = Implementation(
    "apollo_torch.APOLLOAdamW",
    path="apollo_torch.APOLLOAdamW",
    family="low-rank",
    options=(replace(RANK, default=256), PROJECTOR, SPLIT, NO_LIMITER),
    states=(
        State("ortho_matrix", PROJECTORS, LIKE_DTYPE),
        *_MOMENTS,
        State("scaled_grad", CHOSEN_NUMBER, LIKE_DTYPE, when=Not(NO_LIMITER)),
    ),
    temporaries=Projected(full=2, low=3, plain=3),
    source="apollo_torch/apollo.py, apollo_torch/random_projector.py, apollo_torch/svd_projector.py",
    proven="apollo-torch 1.0.3",
    aliases=("apollo",),
    belief=True,
    notices=notices,
    handing="low_rank",
)

FIRA_ADAMW = Implementation(
    "fira.FiraAdamW",
    path="fira.FiraAdamW",
    family="low-rank",
    options=(replace(RANK, default=8), replace(SIDE, choices=SIDES[:-1]), SPLIT),
    states=(
        State("ortho_matrix", PROJECTORS, LIKE_DTYPE),
        *_MOMENTS,
        State("scaling_grad", CHOSEN_NUMBER, LIKE_DTYPE),
    ),
    temporaries=Projected(full=4, low=3, plain=3),
    source="fira/fira_adamw.py, fira/gradient_projection.py",
    arguments=_QUIET,
    proven="fira 1.0.2",
    notices=notices,
    handing="low_rank",
)

LOW_RANK = (GALORE_ADAMW, GALORE_ADAFACTOR, APOLLO_ADAMW, FIRA_ADAMW)
"""In the order a list shows them."""
