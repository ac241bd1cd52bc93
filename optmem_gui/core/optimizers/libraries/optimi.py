"""optimi (torch-optimi), as declarations.

Source: optimi/*.py of torch-optimi 0.3.3 (``_init_state`` of each class). State follows the parameter. 16-bit
parameters also get a Kahan compensation unless ``kahan_sum`` is false, which is the default for Adan alone.
``step`` is one int32 number in host memory for each parameter group. On a GPU Triton kernels update in place
unless ``foreach`` or ``triton=False`` says otherwise.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import BF16, F16, INT32
from optmem_gui.core.optimizers.declare import Implementation, Option, Settings, State, Subject, always
from optmem_gui.core.optimizers.options import FOREACH, MOMENTUM
from optmem_gui.core.optimizers.per_tensor import KernelOnGpu, PerTensor
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR, any_of, fixed
from optmem_gui.core.optimizers.rules_parts import only
from optmem_gui.core.optimizers.rules_quantized import ONE_A_GROUP

PROVEN = "torch-optimi 0.3.3"

KAHAN = Option("kahan_sum", "bool", None, ("state",))
TRITON = Option("triton", "bool", None, ("temporaries",))
STEP = State("step", ONE_A_GROUP, fixed(INT32), host=always, whole=True)


def _compensated(settings: Settings) -> bool:
    return settings.values.get("kahan_sum") is not False


def _no_triton(settings: Settings) -> bool:
    return settings.values.get("triton") is False


def _sixteen_bits(subject: Subject) -> bool:
    return subject.dtype in (BF16, F16)


COMPENSATION = State(
    "kahan_comp", only(LIKE_PARAMETER, _sixteen_bits, "compensation"), LIKE_DTYPE, when=_compensated
)


def _full(*names: str) -> tuple[State, ...]:
    return tuple(State(name, LIKE_PARAMETER, LIKE_DTYPE) for name in names)


def _declared(
    name: str,
    family: str,
    states: tuple[State, ...],
    loop: PerTensor,
    *,
    options: tuple[Option, ...] = (),
    kahan: Option = KAHAN,
) -> Implementation:
    return Implementation(
        f"optimi.{name}",
        path=f"optimi.{name}",
        family=family,
        options=(*options, kahan, FOREACH, TRITON),
        states=(*states, COMPENSATION),
        temporaries=KernelOnGpu(loop, unless=any_of(FOREACH, _no_triton)),
        source=f"optimi/{name.lower()}.py, torch-optimi 0.3.3",
        proven=PROVEN,
        belief=name in ("AdamW", "SGD"),
    )


_ADAM = (*_full("exp_avg", "exp_avg_sq"), STEP)

OPTIMI = (
    _declared("AdamW", "adam", _ADAM, PerTensor(own=1, lists=0, foreach_default=False)),
    _declared("Adam", "adam", _ADAM, PerTensor(own=1, lists=0, foreach_default=False)),
    _declared(
        "StableAdamW",
        "adam",
        (*_ADAM, State("eps_sq", SCALAR, LIKE_DTYPE)),
        PerTensor(own=2, lists=1, foreach_default=False),
    ),
    _declared("Lion", "lion", _full("exp_avg"), PerTensor(own=1, lists=1, foreach_default=False)),
    _declared(
        "SGD",
        "sgd",
        (replace(_full("exp_avg")[0], when=MOMENTUM),),
        PerTensor(lists=0, foreach_default=False),
        options=(replace(MOMENTUM, affects=("state",)),),
    ),
    _declared("RAdam", "adam", _ADAM, PerTensor(own=1, lists=0, foreach_default=False)),
    _declared(
        "Ranger",
        "lookahead",
        (*_full("exp_avg", "exp_avg_sq", "la_param"), STEP),
        PerTensor(own=1, lists=0, foreach_default=False),
    ),
    _declared(
        "Adan",
        "adan",
        (*_full("exp_avg", "exp_avg_diff", "exp_avg_sq", "prev_grad"), STEP),
        PerTensor(own=1, lists=0, foreach_default=False),
        kahan=replace(KAHAN, default=False),
    ),
)
