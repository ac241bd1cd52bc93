"""Packages that hold one algorithm each, or a few variants of it, as declarations.

Source of every rule: the class's file in the package of the version named in ``proven``. Counters of
steps are plain numbers in all of them, unless a ``step`` or ``k`` is listed. A quarter of an fp32 tensor
among the temporaries stands for a mask, one byte an element.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import BF16, F32, INT64
from optmem_gui.core.optimizers.declare import Implementation, Option, State, always
from optmem_gui.core.optimizers.options import AMSGRAD, CAPTURABLE, MAXIMIZE, MOMENTUM
from optmem_gui.core.optimizers.per_tensor import PerTensor
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
from optmem_gui.core.optimizers.rules_parts import FP32_FOR_FP16, along_axis

REGENERATE = Option("regen_reg_rate", "float", 0.0, ("state",), minimum=0)
GROKFAST = Option("grokfast", "bool", True, ("state",))


def _full(*names: str) -> tuple[State, ...]:
    return tuple(State(name, LIKE_PARAMETER, LIKE_DTYPE) for name in names)


def _wide(*names: str) -> tuple[State, ...]:
    return tuple(State(name, LIKE_PARAMETER, fixed(F32)) for name in names)


_INITIAL = State("param_init", LIKE_PARAMETER, LIKE_DTYPE, when=REGENERATE)

LION = Implementation(
    "lion_pytorch.Lion",
    path="lion_pytorch.Lion",
    family="lion",
    options=(),
    states=_full("exp_avg"),
    temporaries=PerTensor(own=2),
    source="lion_pytorch/lion_pytorch.py",
    proven="lion-pytorch 0.2.5",
    aliases=("lion",),
)

CAUTIOUS_LION = replace(
    LION,
    id="lion_pytorch.CautiousLion",
    aliases=(),
    path="lion_pytorch.cautious_lion.Lion",
    temporaries=PerTensor(own=3, fp32=0.25, previous=1),
    source="lion_pytorch/cautious_lion.py",
)

FOREACH_LION = replace(
    LION,
    id="lion_pytorch.ForeachLion",
    aliases=(),
    path="lion_pytorch.foreach.Lion",
    temporaries=PerTensor(lists=1, all_at_once=True),
    source="lion_pytorch/foreach.py",
)

ADAN = Implementation(
    "adan_pytorch.Adan",
    path="adan_pytorch.Adan",
    family="adan",
    options=(),
    states=_full("prev_grad", "m", "v", "n"),
    temporaries=PerTensor(own=6),
    source="adan_pytorch/adan.py",
    proven="adan-pytorch 0.1.0",
)

MADGRAD = Implementation(
    "madgrad.MADGRAD",
    path="madgrad.MADGRAD",
    family="madgrad",
    options=(replace(MOMENTUM, default=0.9),),
    states=(
        *_wide("grad_sum_sq", "s"),
        State("x0", LIKE_PARAMETER, fixed(F32), when=MOMENTUM),
        State("k", SCALAR, fixed(INT64), host=always, whole=True),
    ),
    temporaries=PerTensor(fp32=2, cast=2, previous_fp32=1),
    source="madgrad/madgrad.py",
    proven="madgrad 1.3",
    belief=True,
)

MIRROR_MADGRAD = Implementation(
    "madgrad.MirrorMADGRAD",
    path="madgrad.MirrorMADGRAD",
    family="madgrad",
    options=(),
    states=(
        *_wide("grad_sum_sq", "z"),
        State("k", SCALAR, fixed(INT64), host=always, whole=True),
    ),
    temporaries=PerTensor(fp32=1.25, cast=2, previous_fp32=1),
    source="madgrad/mirror_madgrad.py",
    proven="madgrad 1.3",
)

SOPHIA = Implementation(
    "sophia_opt.SophiaG",
    path="sophia_opt.SophiaG",
    family="sophia",
    options=(replace(MAXIMIZE, affects=()), CAPTURABLE),
    states=(*_full("exp_avg", "hessian"), State("step", SCALAR, fixed(F32), host=Not(CAPTURABLE))),
    temporaries=PerTensor(own=3, previous=1),
    source="sophia_opt/__init__.py",
    proven="sophia-opt 0.2.2",
)

CAME = Implementation(
    "came_pytorch.CAME",
    path="came_pytorch.CAME.CAME",
    family="adafactor",
    options=(),
    states=(
        *_wide("exp_avg"),
        *(
            State(f"{name}_{side}", rule, fixed(F32))
            for name in ("exp_avg_sq", "exp_avg_res")
            for side, rule in (("row", ROWS_OF_LAST_TWO), ("col", COLUMNS_OF_LAST_TWO))
        ),
        State("exp_avg_sq", VECTORS_ONLY, fixed(F32)),
        State("RMS", SCALAR, LIKE_DTYPE),
    ),
    temporaries=PerTensor(fp32=3, cast=1, previous_fp32=2),
    source="came_pytorch/CAME.py",
    arguments=(("lr", 1e-4),),
    proven="came-pytorch 0.1.3",
    belief=True,
)

SM3 = Implementation(
    "SM3.SM3",
    path="SM3.SM3",
    family="sm3",
    options=(MOMENTUM,),
    states=(
        *(State(f"accumulator_{axis}", along_axis(axis), LIKE_DTYPE) for axis in range(8)),
        State("momentum_buffer", LIKE_PARAMETER, LIKE_DTYPE, when=MOMENTUM),
    ),
    temporaries=PerTensor(own=1, previous=1),
    source="SM3/SM3.py",
    proven="torch-SM3 0.1.0",
)

ADABELIEF = Implementation(
    "adabelief_pytorch.AdaBelief",
    path="adabelief_pytorch.AdaBelief",
    family="adam",
    options=(AMSGRAD,),
    states=(
        State("exp_avg", LIKE_PARAMETER, FP32_FOR_FP16),
        State("exp_avg_var", LIKE_PARAMETER, FP32_FOR_FP16),
        State("max_exp_avg_var", LIKE_PARAMETER, FP32_FOR_FP16, when=AMSGRAD),
    ),
    temporaries=PerTensor(own=3, previous=1),
    source="adabelief_pytorch/AdaBelief.py",
    arguments=(("print_change_log", False),),
    proven="adabelief-pytorch 0.2.1",
)

ADAMW_BF16 = Implementation(
    "adamw_bf16.AdamWBF16",
    path="adamw_bf16.AdamWBF16",
    family="adam",
    options=(),
    states=tuple(State(name, LIKE_PARAMETER, fixed(BF16)) for name in ("exp_avg", "exp_avg_sq", "shift")),
    temporaries=PerTensor(own=5),
    source="adamw_bf16/__init__.py",
    proven="adamw-bf16 0.0.3",
    cautions=("optimizer.only_bf16",),
    belief=True,
)

ADAM_ATAN2 = Implementation(
    "adam_atan2_pytorch.AdamAtan2",
    path="adam_atan2_pytorch.AdamAtan2",
    family="adam",
    options=(REGENERATE,),
    states=(*_full("exp_avg", "exp_avg_sq"), _INITIAL),
    temporaries=PerTensor(own=2, previous=1),
    source="adam_atan2_pytorch/adam_atan2.py",
    proven="adam-atan2-pytorch 0.4.1",
)

ADAM_ATAN2_CLIP = replace(
    ADAM_ATAN2,
    id="adam_atan2_pytorch.AdamAtan2ClipGrok",
    path="adam_atan2_pytorch.AdamAtan2ClipGrok",
    temporaries=PerTensor(own=3),
    source="adam_atan2_pytorch/adam_atan2_clip_grok.py",
)

FOREACH_ADAM_ATAN2 = Implementation(
    "adam_atan2_pytorch.ForeachAdamAtan2",
    path="adam_atan2_pytorch.foreach.AdamAtan2",
    family="adam",
    options=(),
    states=_full("exp_avg", "exp_avg_sq", "param_init"),
    temporaries=PerTensor(lists=3, all_at_once=True),
    source="adam_atan2_pytorch/foreach.py",
    proven="adam-atan2-pytorch 0.4.1",
    belief=True,
)

ADOPT = Implementation(
    "adam_atan2_pytorch.Adopt",
    path="adam_atan2_pytorch.Adopt",
    family="adam",
    options=(),
    states=_full("m", "v"),
    temporaries=PerTensor(own=3, previous=1),
    source="adam_atan2_pytorch/adopt.py",
    proven="adam-atan2-pytorch 0.4.1",
)

ADOPT_ATAN2 = Implementation(
    "adam_atan2_pytorch.AdoptAtan2",
    path="adam_atan2_pytorch.AdoptAtan2",
    family="adam",
    options=(REGENERATE,),
    states=(*_full("m", "v"), _INITIAL),
    temporaries=PerTensor(own=3, previous=1),
    source="adam_atan2_pytorch/adopt_atan2.py",
    proven="adam-atan2-pytorch 0.4.1",
)

QHADAM = Implementation(
    "qhoptim.QHAdam",
    path="qhoptim.pyt.QHAdam",
    family="adam",
    options=(),
    states=_full("exp_avg", "exp_avg_sq"),
    temporaries=PerTensor(own=3, previous=1),
    source="qhoptim/pyt/qhadam.py",
    proven="qhoptim 1.1.0",
)

QHM = Implementation(
    "qhoptim.QHM",
    path="qhoptim.pyt.QHM",
    family="sgd",
    options=(),
    states=_full("momentum_buffer"),
    temporaries=PerTensor(),
    source="qhoptim/pyt/qhm.py",
    arguments=(("lr", 0.1), ("momentum", 0.9), ("nu", 0.7)),
    proven="qhoptim 1.1.0",
)

GROKFAST_ADAMW = Implementation(
    "grokfast_pytorch.GrokFastAdamW",
    path="grokfast_pytorch.GrokFastAdamW",
    family="adam",
    options=(GROKFAST, REGENERATE),
    states=(
        *_full("exp_avg", "exp_avg_sq"),
        State("grok_exp_avg", LIKE_PARAMETER, LIKE_DTYPE, when=GROKFAST),
        _INITIAL,
    ),
    temporaries=PerTensor(own=3, previous=1),
    source="grokfast_pytorch/grokfast.py",
    proven="grokfast-pytorch 0.0.11",
    belief=True,
)

SINGLE_ALGORITHM = (
    LION, CAUTIOUS_LION, FOREACH_LION, ADAN, ADABELIEF, SOPHIA, CAME, SM3, MADGRAD, MIRROR_MADGRAD,
    ADAMW_BF16, ADAM_ATAN2, ADAM_ATAN2_CLIP, FOREACH_ADAM_ATAN2, ADOPT, ADOPT_ATAN2, QHADAM, QHM,
    GROKFAST_ADAMW,
)  # fmt: skip
"""In the order a list shows them."""
