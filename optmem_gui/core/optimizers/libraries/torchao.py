"""torchao's low-bit optimizers, as declarations.

Source: torchao/optim (adam.py, subclass_8bit.py, subclass_4bit.py, subclass_fp8.py, cpu_offload.py) of
torchao 0.18.0. A moment is quantized if its parameter has at least 4096 elements and blocks divide it, else
it is a plain tensor in the type of the parameter. ``step`` and the learning rate are fp32 in host memory.
"""

from __future__ import annotations

from math import prod

from optmem_gui.core.dtypes import F8_E4M3, F32, UINT8
from optmem_gui.core.optimizers.declare import Implementation, Option, State, Subject, always
from optmem_gui.core.optimizers.options import AMSGRAD
from optmem_gui.core.optimizers.per_tensor import PerTensor
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR, fixed
from optmem_gui.core.optimizers.rules_quantized import ONE_A_GROUP, Blocks, full

PROVEN = "torchao 0.18.0"

STEP = State("step", SCALAR, fixed(F32), host=always)
RATE = State("lr", ONE_A_GROUP, fixed(F32), host=always, whole=True)
ROUNDING = Option("bf16_stochastic_round", "bool", False, ("temporaries",))

_COMPILED = {"8bit": PerTensor(fp32=2), "4bit": PerTensor(fp32=6.5), "Fp8": PerTensor()}
"""What torch.compile leaves of one parameter's update, measured on the CPU."""


def _moment(name: str, width: str, blocks: Blocks) -> tuple[State, ...]:
    codes = blocks.packed_codes() if width == "4bit" else blocks.codes()
    states = [
        State(f"{name}.codes", codes, fixed(F8_E4M3 if width == "Fp8" else UINT8)),
        State(f"{name}.scale", blocks.scales(), fixed(F32)),
    ]
    if width != "Fp8":
        states.append(State(f"{name}.qmap", blocks.table(16 if width == "4bit" else 256), fixed(F32)))
    return (*states, State(name, blocks.rest(), LIKE_DTYPE))


_TRAINER_NAMES = {"AdamW8bit": ("adamw_torch_8bit",), "AdamW4bit": ("adamw_torch_4bit",)}
"""What ``optim=`` of transformers' TrainingArguments calls them."""


def _low_bit(name: str, width: str) -> Implementation:
    block = Option("block_size", "int", 128 if width == "4bit" else 256, ("state",), minimum=2)
    blocks = Blocks("block_size", 4096, whole=True)
    return Implementation(
        f"torchao.{name}{width}",
        path=f"torchao.optim.{name}{width}",
        family="adam",
        options=(block, ROUNDING),
        states=(*_moment("exp_avg", width, blocks), *_moment("exp_avg_sq", width, blocks), STEP, RATE),
        temporaries=_COMPILED[width],
        source=f"torchao/optim/adam.py, subclass_{width.lower()}.py, torchao 0.18.0",
        proven=PROVEN,
        aliases=_TRAINER_NAMES.get(f"{name}{width}", ()),
        belief=name == "AdamW",
    )


ADAMW = Implementation(
    "torchao._AdamW",
    path="torchao.optim._AdamW",
    family="adam",
    options=(AMSGRAD, ROUNDING),
    states=(
        State("exp_avg", LIKE_PARAMETER, LIKE_DTYPE),
        State("exp_avg_sq", LIKE_PARAMETER, LIKE_DTYPE),
        State("max_exp_avg_sq", LIKE_PARAMETER, LIKE_DTYPE, when=AMSGRAD),
        STEP,
        RATE,
    ),
    temporaries=PerTensor(),
    source="torchao/optim/adam.py, torchao 0.18.0",
    proven=PROVEN,
)


def _offloaded(subject: Subject) -> bool:
    return prod(subject.shape) >= subject.settings.whole("minimal_size")


CPU_OFFLOAD = Implementation(
    "torchao.CPUOffloadOptimizer",
    path="torchao.optim.CPUOffloadOptimizer",
    family="adam",
    options=(Option("minimal_size", "int", 4096, ("state",), minimum=0),),
    states=(
        State("exp_avg", full(), LIKE_DTYPE, paged=_offloaded),
        State("exp_avg_sq", full(), LIKE_DTYPE, paged=_offloaded),
        State("step", SCALAR, fixed(F32), paged=_offloaded),
    ),
    temporaries=PerTensor(),
    source="torchao/optim/cpu_offload.py, torchao 0.18.0, over its default torch.optim.AdamW(fused=True)",
    cautions=("optimizer.offload_copies",),
    belief=True,
)

TORCHAO = (
    *(_low_bit(name, width) for name in ("AdamW", "Adam") for width in ("8bit", "4bit", "Fp8")),
    ADAMW,
    CPU_OFFLOAD,
)
