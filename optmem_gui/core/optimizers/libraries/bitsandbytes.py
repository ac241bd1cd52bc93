"""bitsandbytes, every optimizer of it, as declarations.

Source: bitsandbytes/optim 0.50.2. One class of the library keeps one or two states (``Optimizer1State``,
``Optimizer2State``); its variants ``32bit``, ``8bit`` and ``Paged`` differ in width and placement. State
is fp32 whatever the type of the parameter, or 8-bit in blocks of 256 with an fp32 scale each; ``step`` is a
Python number. The CUDA kernels update in place; on the CPU the same arithmetic runs in PyTorch operators.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.dtypes import F32, UINT8
from optmem_gui.core.optimizers.declare import (
    Conflict,
    Implementation,
    Option,
    Predicate,
    Settings,
    State,
    always,
    never,
)
from optmem_gui.core.optimizers.per_tensor import KernelOnGpu, PerTensor
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, Not, fixed
from optmem_gui.core.optimizers.rules_quantized import ONE_NUMBER, Blocks, Paged, full, shared_table
from optmem_gui.core.scenario import Options

PROVEN = "bitsandbytes 0.50.2"

BITS = Option("optim_bits", "int", 32, ("state",), minimum=8, maximum=32)
MINIMUM = Option("min_8bit_size", "int", 4096, ("state",), minimum=1)
MAX_NORM = Option("max_unorm", "float", 0.0, ("state",), minimum=0)
"""Each class has its own default."""

IS_PAGED = Option("is_paged", "bool", False, ("state",))

BLOCKS = Blocks(256, "min_8bit_size")


def _eight(settings: Settings) -> bool:
    return settings.values.get("optim_bits") == 8


def _odd_width(settings: Settings) -> bool:
    return settings.values.get("optim_bits") not in (8, 32)


_WIDTH = Conflict(_odd_width, "optimizer.bits_8_or_32")


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What the variants of one algorithm share.

    Attributes:
        name: Name of the plain class.
        family: What it belongs to.
        module: File under bitsandbytes/optim.
        moments: Copies of the parameter that each of its states holds: one or two states.
        norm: Default of ``max_unorm``, None where it has no such option.
        arguments: Keywords that the constructor insists on.
        paged: There are ``Paged`` classes.
        chooses_paging: The plain classes take ``is_paged``.
        on_cpu: fp32 tensors that a step makes on the CPU, with 32-bit and with 8-bit state.
    """

    name: str
    family: str
    module: str
    moments: tuple[int, ...]
    norm: float | None = None
    arguments: Options = ()
    paged: bool = False
    chooses_paging: bool = False
    on_cpu: tuple[float, float] = (3, 5)


def _keeps_norm(settings: Settings) -> bool:
    """Where the option is not even there, its default is above 0."""
    return bool(settings.values.get("max_unorm", True))


def _states(algorithm: Algorithm, eight: Predicate, paged: Predicate, doubled: bool) -> tuple[State, ...]:
    """States of one variant; ``eight`` says when they are 8-bit."""
    states: list[State] = []
    where = Paged(paged)
    for place, copies in enumerate(algorithm.moments if doubled else (1, 1), start=1):
        name = f"state{place}"
        if eight is not never:
            states += (
                State(name, BLOCKS.codes(copies), fixed(UINT8), when=eight, paged=where),
                State(name, BLOCKS.rest(copies), fixed(F32), when=eight, paged=where),
                State(f"absmax{place}", BLOCKS.scales(copies), fixed(F32), when=eight),
            )
        if eight is not always:
            states.append(State(name, full(copies), fixed(F32), when=Not(eight), paged=where))
    if eight is not never:
        single = len(algorithm.moments) == 1
        unused = "udynamic" if single else "qmap2"
        states.append(shared_table("qmap1", 256, eight, never))
        states.append(shared_table(unused, 256, eight, always if single else never))
    if algorithm.norm is not None:
        states.append(State("unorm_vec", ONE_NUMBER, fixed(F32), when=_keeps_norm))
    return tuple(states)


def _options(algorithm: Algorithm, width: str, *own: Option) -> tuple[Option, ...]:
    """The class's own options; LAMB8bit takes ``max_unorm`` and refuses any value but its default."""
    if algorithm.norm is None or (algorithm.name, width) == ("LAMB", "8bit"):
        return own
    return (*own, replace(MAX_NORM, default=algorithm.norm))


def _variant(algorithm: Algorithm, prefix: str, width: str) -> Implementation:
    eight: Predicate = {"": _eight, "8bit": always, "32bit": never}[width]
    paging = algorithm.chooses_paging and not prefix
    paged: Predicate = always if prefix else IS_PAGED if paging else never
    own = {"": (BITS, MINIMUM), "8bit": (MINIMUM,), "32bit": ()}[width]
    name = f"{prefix}{algorithm.name}{width}"
    doubled = algorithm.name == "AdEMAMix"
    broken = doubled and width == "32bit"
    return Implementation(
        f"bitsandbytes.{name}",
        path=f"bitsandbytes.optim.{name}",
        family=algorithm.family,
        options=_options(algorithm, width, *own, *((IS_PAGED,) if paging else ())),
        states=_states(algorithm, eight, paged, doubled=not broken),
        temporaries=KernelOnGpu(PerTensor(fp32=algorithm.on_cpu[width == "8bit"])),
        source=f"bitsandbytes/optim/{algorithm.module}.py, optimizer.py, bitsandbytes 0.50.2",
        arguments=algorithm.arguments,
        aliases=_TRAINER_NAMES.get(name, ()),
        proven="" if broken or (doubled and prefix) else PROVEN,
        conflicts=(_WIDTH,) if width == "" else (),
        cautions=("optimizer.ademamix_32bit_short",) if broken else (),
        belief=(prefix, algorithm.name, width) in _BELIEFS,
    )


_BELIEFS = (("", "AdamW", "8bit"), ("Paged", "AdamW", "8bit"), ("", "AdamW", ""))

_TRAINER_NAMES = {
    "AdamW8bit": ("adamw_8bit", "adamw_bnb_8bit"),
    "PagedAdamW8bit": ("paged_adamw_8bit",),
    "PagedAdamW32bit": ("paged_adamw_32bit",),
    "Lion8bit": ("lion_8bit",),
    "Lion32bit": ("lion_32bit",),
    "PagedLion8bit": ("paged_lion_8bit",),
    "PagedLion32bit": ("paged_lion_32bit",),
    "AdEMAMix": ("ademamix",),
    "AdEMAMix8bit": ("ademamix_8bit",),
    "PagedAdEMAMix8bit": ("paged_ademamix_8bit",),
    "PagedAdEMAMix": ("paged_ademamix_32bit",),
    "RMSprop8bit": ("rmsprop_bnb_8bit",),
    "RMSprop32bit": ("rmsprop_bnb", "rmsprop_bnb_32bit"),
}
"""What ``optim=`` of transformers' TrainingArguments calls them."""

_MOMENTUM: Options = (("momentum", 0.9),)
"""The library refuses SGD without momentum, which is its own default."""

ALGORITHMS = (
    Algorithm("AdamW", "adam", "adamw", (1, 1), paged=True, chooses_paging=True),
    Algorithm("Adam", "adam", "adam", (1, 1), paged=True, chooses_paging=True),
    Algorithm("Lion", "lion", "lion", (1,), paged=True, chooses_paging=True),
    Algorithm("AdEMAMix", "ademamix", "ademamix", (2, 1), paged=True, chooses_paging=True, on_cpu=(4, 9.25)),
    Algorithm("SGD", "sgd", "sgd", (1,), arguments=_MOMENTUM, on_cpu=(1, 2.25)),
    Algorithm("Adagrad", "adagrad", "adagrad", (1,), on_cpu=(3, 3)),
    Algorithm("RMSprop", "adagrad", "rmsprop", (1,), on_cpu=(3, 3)),
    Algorithm("LAMB", "lamb", "lamb", (1, 1), norm=1.0),
    Algorithm("LARS", "lamb", "lars", (1,), norm=0.02, arguments=_MOMENTUM, on_cpu=(1, 2.25)),
)

PYTORCH_LARS = Implementation(
    "bitsandbytes.PytorchLARS",
    path="bitsandbytes.optim.PytorchLARS",
    family="lamb",
    options=(),
    states=(State("momentum_buffer", LIKE_PARAMETER, LIKE_DTYPE),),
    temporaries=PerTensor(own=1),
    source="bitsandbytes/optim/lars.py, bitsandbytes 0.50.2",
    arguments=_MOMENTUM,
    proven=PROVEN,
    cautions=("optimizer.fp32_only",),
)

BITSANDBYTES = (
    *(
        _variant(algorithm, prefix, width)
        for algorithm in ALGORITHMS
        for prefix in (("", "Paged") if algorithm.paged else ("",))
        for width in ("8bit", "", "32bit")
    ),
    PYTORCH_LARS,
)
"""By algorithm: 8-bit, the plain class, 32-bit, then the same paged."""
