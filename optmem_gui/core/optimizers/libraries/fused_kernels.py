"""Optimizers of DeepSpeed, apex, TransformerEngine and flashoptim: kernels of their own, most for CUDA alone.

Sources: deepspeed/ops/adam and ops/lion of deepspeed 0.19.8; apex/optimizers at commit 6424da3;
transformer_engine/pytorch/optimizers/fused_adam.py at commit d0067d0; flashoptim/optimizers.py of flashoptim
0.1.4. Only DeepSpeed's CPU Adam was compared with real steps; the others need a GPU and were read.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import BF16, DTYPES, F16, F32, INT8, INT32, INT64, UINT8, DType
from optmem_gui.core.optimizers.declare import (
    Conflict,
    DTypeRule,
    Implementation,
    Option,
    Predicate,
    Settings,
    State,
    Subject,
    always,
)
from optmem_gui.core.optimizers.options import CAPTURABLE, MOMENTUM
from optmem_gui.core.optimizers.per_tensor import KernelOnGpu, PerTensor
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR, Not, all_of, fixed
from optmem_gui.core.optimizers.rules_parts import only
from optmem_gui.core.optimizers.rules_quantized import ONE_A_GROUP, Blocks, full
from optmem_gui.core.optimizers.temporaries import nothing

FP32_STATES = Option("fp32_optimizer_states", "bool", True, ("state",))
MASTER = Option("master_weights", "bool", False, ("state",))
REMAINDERS = Option("store_param_remainders", "bool", False, ("state",))
QUANTIZE = Option("quantize", "bool", True, ("state",))
MASTER_BITS = Option("master_weight_bits", "int", 24, ("state",), minimum=24, maximum=32)

OVERFLOW = State("overflow_buffer", ONE_A_GROUP, fixed(INT32), whole=True)
_APEX = "apex/optimizers/{}.py, apex at commit 6424da3"


def _sixteen_bits(subject: Subject) -> bool:
    return subject.dtype in (BF16, F16)


def _fp32_or_own(subject: Subject) -> DType:
    return F32 if subject.settings.on("fp32_optimizer_states") else subject.dtype


_CHOSEN = DTypeRule("fp32_if", _fp32_or_own)


def _like(*names: str, when: Predicate = always) -> tuple[State, ...]:
    return tuple(State(name, LIKE_PARAMETER, LIKE_DTYPE, when=when) for name in names)


def _wide(*names: str, when: Predicate = always) -> tuple[State, ...]:
    return tuple(State(name, full(), fixed(F32), when=when) for name in names)


def _on_host(*names: str) -> tuple[State, ...]:
    return tuple(State(name, full(), _CHOSEN, host=always) for name in names)


CPU_ADAM = Implementation(
    "deepspeed.DeepSpeedCPUAdam",
    path="deepspeed.ops.adam.DeepSpeedCPUAdam",
    family="adam",
    options=(FP32_STATES,),
    states=_on_host("exp_avg", "exp_avg_sq"),
    temporaries=nothing,
    source="deepspeed/ops/adam/cpu_adam.py, deepspeed 0.19.8",
    proven="deepspeed 0.19.8",
    belief=True,
)

CPU_LION = Implementation(
    "deepspeed.DeepSpeedCPULion",
    path="deepspeed.ops.lion.DeepSpeedCPULion",
    family="lion",
    options=(FP32_STATES,),
    states=_on_host("exp_avg"),
    temporaries=nothing,
    source="deepspeed/ops/lion/cpu_lion.py, deepspeed 0.19.8",
)

DEEPSPEED_ADAM = Implementation(
    "deepspeed.FusedAdam",
    path="deepspeed.ops.adam.FusedAdam",
    family="adam",
    options=(),
    states=(*_like("exp_avg", "exp_avg_sq"), OVERFLOW),
    temporaries=KernelOnGpu(PerTensor()),
    source="deepspeed/ops/adam/fused_adam.py, deepspeed 0.19.8",
)


def _apex(
    name: str, family: str, file: str, states: tuple[State, ...], options: tuple[Option, ...] = ()
) -> Implementation:
    return Implementation(
        f"apex.{name}",
        path=f"apex.optimizers.{name}",
        family=family,
        options=options,
        states=(*states, OVERFLOW),
        temporaries=KernelOnGpu(PerTensor()),
        source=_APEX.format(file),
    )


_STEP_OF_GROUP = State("step", ONE_A_GROUP, fixed(INT32), whole=True)
_RATE_OF_GROUP = State("lr", ONE_A_GROUP, fixed(F32), whole=True)

APEX_ADAM = replace(
    _apex(
        "FusedAdam",
        "adam",
        "fused_adam",
        (
            *_wide("exp_avg", "exp_avg_sq"),
            *_wide("master_param", when=MASTER),
            replace(_STEP_OF_GROUP, when=CAPTURABLE),
            replace(_RATE_OF_GROUP, when=CAPTURABLE),
        ),
        (CAPTURABLE, MASTER),
    ),
    conflicts=(Conflict(all_of(MASTER, Not(CAPTURABLE)), "optimizer.master_needs_capturable"),),
    aliases=("adamw_apex_fused",),
    belief=True,
    low_precision_gradients=True,
)

APEX = (
    APEX_ADAM,
    _apex("FusedLAMB", "lamb", "fused_lamb", _like("exp_avg", "exp_avg_sq")),
    _apex("FusedSGD", "sgd", "fused_sgd", _like("momentum_buffer", when=MOMENTUM), (MOMENTUM,)),
    _apex(
        "FusedNovoGrad",
        "novograd",
        "fused_novograd",
        (*_like("exp_avg"), State("exp_avg_sq", SCALAR, fixed(F32))),
    ),
    _apex("FusedAdagrad", "adagrad", "fused_adagrad", _like("sum")),
)


def _remainder(subject: Subject) -> bool:
    """The fp32 master is the bf16 parameter and 16 further bits."""
    return subject.dtype is BF16 and subject.settings.on("store_param_remainders")


def _whole_master(subject: Subject) -> bool:
    return not _remainder(subject)


TE_ADAM = Implementation(
    "transformer_engine.FusedAdam",
    path="transformer_engine.pytorch.optimizers.FusedAdam",
    family="adam",
    options=(CAPTURABLE, MASTER, REMAINDERS),
    states=(
        *_wide("exp_avg", "exp_avg_sq"),
        State("master_param", only(full(), _whole_master), fixed(F32), when=MASTER),
        State("master_param", only(full(), _remainder), fixed(DTYPES["int16"]), when=MASTER),
        replace(_STEP_OF_GROUP, when=CAPTURABLE),
        replace(_RATE_OF_GROUP, when=CAPTURABLE),
        OVERFLOW,
    ),
    temporaries=KernelOnGpu(PerTensor()),
    source="transformer_engine/pytorch/optimizers/fused_adam.py, TransformerEngine at commit d0067d0",
    conflicts=(Conflict(all_of(REMAINDERS, CAPTURABLE), "optimizer.remainders_not_capturable"),),
    belief=True,
    low_precision_gradients=True,
)


FLASH_BLOCKS = Blocks(32, 0)


def _flash_moment(name: str, codes: DType, when: Predicate = always) -> tuple[State, ...]:
    quantized = all_of(QUANTIZE, when)
    return (
        State(name, FLASH_BLOCKS.codes(), fixed(codes), when=quantized),
        State(f"{name}.scales", FLASH_BLOCKS.scales(), fixed(F16), when=quantized),
        State(name, full(), LIKE_DTYPE, when=all_of(Not(QUANTIZE), when)),
    )


def _error_type(subject: Subject) -> DType:
    return INT8 if subject.settings.values.get("master_weight_bits") == 24 else DTYPES["int16"]


def _odd_bits(settings: Settings) -> bool:
    return settings.values.get("master_weight_bits") not in (24, 32)


_ERROR_BITS = State("error_bits", only(full(), _sixteen_bits, "error_bits"), DTypeRule("chosen", _error_type))


def _flash(
    name: str, family: str, states: tuple[State, ...], options: tuple[Option, ...] = ()
) -> Implementation:
    return Implementation(
        f"flashoptim.{name}",
        path=f"flashoptim.{name}",
        family=family,
        options=(*options, QUANTIZE, MASTER_BITS),
        states=(*states, _ERROR_BITS),
        temporaries=KernelOnGpu(PerTensor()),
        source="flashoptim/optimizers.py, flashoptim 0.1.4",
        conflicts=(Conflict(_odd_bits, "optimizer.bits_24_or_32"),),
        belief=name == "FlashAdamW",
    )


_FLASH_ADAM = (
    *_flash_moment("exp_avg", INT8),
    *_flash_moment("exp_avg_sq", UINT8),
    State("step", SCALAR, fixed(INT64), host=always),
)
_FLASH_SGD = _flash_moment("momentum_buffer", INT8, when=MOMENTUM)

FLASHOPTIM = (
    _flash("FlashAdamW", "adam", _FLASH_ADAM),
    _flash("FlashAdam", "adam", _FLASH_ADAM),
    _flash("FlashLion", "lion", _flash_moment("exp_avg", INT8)),
    _flash("FlashSGD", "sgd", _FLASH_SGD, (MOMENTUM,)),
    _flash("FlashSGDW", "sgd", _FLASH_SGD, (MOMENTUM,)),
)

FUSED_KERNELS = (CPU_ADAM, CPU_LION, DEEPSPEED_ADAM, *APEX, TE_ADAM, *FLASHOPTIM)
