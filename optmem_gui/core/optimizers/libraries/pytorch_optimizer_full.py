"""pytorch_optimizer: classes whose states are as large as the parameters, or one number a tensor.

Source of every rule: the class's ``init_group`` in pytorch_optimizer/optimizer of version 4.1.0. The state
takes the type of the parameter; steps are plain numbers. All parameters of one type are updated in batches by
default, on a CPU too, so a step takes lists as large as all of them. ``weight_decay`` and ``maximize`` work
in place.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.dtypes import F32, INT64
from optmem_gui.core.optimizers.declare import (
    Implementation,
    Option,
    Settings,
    State,
    Subject,
    TemporariesRule,
)
from optmem_gui.core.optimizers.options import CENTERED, FOREACH, MAXIMIZE, MOMENTUM
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, Not, fixed
from optmem_gui.core.optimizers.rules_parts import FP32_FOR_FP16, only
from optmem_gui.core.optimizers.shorthand import Chosen, full, inert, numbers
from optmem_gui.core.optimizers.temporaries import Form, nothing
from optmem_gui.core.optimizers.temporaries_batched import (
    BatchedByShape,
    BatchedOrLoop,
    batched,
    looped,
)

PROVEN = "pytorch_optimizer 4.1.0"

AMS_BOUND = Option("ams_bound", "bool", False, ("state",))
KAHAN_SUM = Option("kahan_sum", "bool", True, ("state", "temporaries"))
KEEP_NUM = Option("keep_num", "int", 10, ("state",), minimum=1, maximum=1000)
VARIANT = Option("variant", "choice", "uni", ("state",), choices=("uni", "inc", "exp"))
SHADOW = Option("use_shadow", "bool", False, ("state",))
FOREACH_OFF = replace(FOREACH, default=False)
HAS_MOMENTUM = replace(MOMENTUM, affects=("state",))
DECLARED_MAXIMIZE = inert(MAXIMIZE, False)

_TWO = full("exp_avg", "exp_avg_sq")
_BELIEF = full("exp_avg", "exp_avg_var")
_WIDE = fixed(F32)


def declared(
    name: str,
    family: str,
    states: tuple[State, ...],
    step: TemporariesRule,
    *options: Option,
    file: str = "",
    foreach: Option | None = FOREACH,
    aliases: tuple[str, ...] = (),
    belief: bool = False,
    cautions: tuple[str, ...] = (),
) -> Implementation:
    """One class of pytorch_optimizer.

    Args:
        name: The class.
        family: Its algorithm.
        states: What it keeps.
        step: What a step takes.
        options: Options beside foreach and maximize.
        file: Its module where that is not its name in lower case.
        foreach: The option as the class takes it; None where it does not.
        aliases: Short names.
        belief: Whether a text corrects what people expect of it.
        cautions: What to know before relying on it.
    """
    batching = () if foreach is None else (foreach,)
    return Implementation(
        f"pytorch_optimizer.{name}",
        path=f"pytorch_optimizer.{name}",
        family=family,
        options=(*options, *batching, DECLARED_MAXIMIZE),
        states=states,
        temporaries=step,
        source=f"pytorch_optimizer/optimizer/{file or name.lower()}.py",
        proven=PROVEN,
        aliases=aliases,
        belief=belief,
        cautions=cautions,
    )


def _ams(name: str = "max_exp_avg_sq") -> tuple[State, ...]:
    return full(name, when=AMS_BOUND)


def _queue(settings: Settings, steps: int | None) -> int:
    """Gradients that AdaShift keeps: one more each step until there are ``keep_num``."""
    size = settings.whole("keep_num")
    return size if steps is None else min(size, steps)


def _sixteen_bits(subject: Subject) -> bool:
    return subject.dtype.bits == 16


_KAHAN = State("kahan_comp", only(LIKE_PARAMETER, _sixteen_bits, "compensation"), LIKE_DTYPE, when=KAHAN_SUM)

_ADAM = (
    declared("AdamP", "adam", _TWO, batched(2, (4, 0), one=4, close=True), foreach=FOREACH_OFF),
    declared("AdamS", "adam", (*_TWO, *_ams()), batched(1, (1, 1)), AMS_BOUND),
    declared("AdamC", "adam", (*_TWO, *_ams()), batched(2, (2, 0)), AMS_BOUND),
    declared("AdamWSN", "adam", _TWO, batched(2, (2, 1), (1, 2)), file="snsm"),
    declared("AdaBelief", "adam", (*_BELIEF, *_ams("max_exp_avg_var")),
             batched(2, (2, 1), (1, 2), unless=AMS_BOUND), AMS_BOUND),
    declared("AdaBound", "adam", (*_TWO, *_ams()), batched(1, (1, 1)), AMS_BOUND),
    declared("AdaGC", "adam", (*_TWO, *numbers("gamma")), looped((2, 1), (1, 2))),
    declared("AdaMax", "adam", full("exp_avg", "exp_inf"), batched(1, (1, 0))),
    declared("AdaMod", "adam", (*_TWO, *full("exp_avg_lr")), batched(1, (1, 1))),
    declared(
        "AdaNorm", "adam",
        (*_BELIEF, *numbers("exp_grad_norm"), *_ams("max_exp_avg_var")),
        batched(2, (1, 1)), AMS_BOUND,
    ),
    declared(
        "AdaPNM", "adam",
        (*_TWO, *full("neg_exp_avg"), *_ams()),
        batched(2, (2, 1), (1, 2)), replace(AMS_BOUND, default=True), belief=True,
    ),
    declared(
        "AdaShift", "adam",
        (*_TWO, *(replace(state, count=_queue) for state in full("grad_queue"))),
        batched(3, (3, 1)), KEEP_NUM, belief=True,
    ),
    declared("Adai", "adam", (*_TWO, *full("beta1_prod")), batched(4, (5, 1), (3, 3))),
    declared("AdamG", "adam", full("m", "v", "r"), batched(2, (1, 1))),
    declared("ADOPT", "adam", _TWO, batched(2, (1, 1))),
    declared("Aida", "adam", (*_BELIEF, *_ams("max_exp_avg_var")), batched(4, (4, 1), (1, 4)), AMS_BOUND),
    declared("Ano", "adam", _TWO, batched(5, (4, 1), (3, 2))),
    declared(
        "ApolloDQN", "adam", full("exp_avg_grad", "approx_hessian", "update"),
        batched(4, (4, 0), anywhere=False), file="apollo",
    ),
    declared("AvaGrad", "adam", _TWO, batched(2, (2, 2))),
    declared("BCOS", "adam", full("m"), batched(5, (4, 1))),
    declared("DiffGrad", "adam", (*_TWO, *full("previous_grad"), *_ams()), batched(1, (1, 1)), AMS_BOUND),
    declared("DualAdam", "adam", _TWO, batched(3, (3, 1), (1, 3)), file="dual_adam"),
    declared("EXAdam", "adam", _TWO, batched(5, (5, 1)), foreach=FOREACH_OFF),
    declared("EmoNavi", "adam", (*_TWO, *full("shadow", when=SHADOW)), batched(1, (1, 1)), SHADOW),
    declared("FAdam", "adam", full("momentum", "fim", dtype=_WIDE),
             batched(3, (3, 0), narrow=batched(6, (6, 0)))),
    declared("FOCUS", "adam", full("exp_avg", "pbar"), batched(3, (3, 1))),
    declared("Grams", "adam", _TWO, batched(3, (3, 0)), foreach=FOREACH_OFF),
    declared("GrokFastAdamW", "adam", (*_TWO, *full("grok_exp_avg")), batched(1, (1, 1)), file="grokfast"),
    declared(
        "LaProp", "adam",
        (*_TWO, *full("exp_mean_avg_beta2", when=CENTERED), *_ams()),
        batched(1, (1, 1), more=(CENTERED,)), CENTERED, AMS_BOUND,
    ),
    declared("MSVAG", "adam", _TWO, batched(3, (3, 2))),
    declared("PAdam", "adam", _TWO, batched(1, (1, 1))),
    declared("QHAdam", "adam", (*numbers("beta1_weight", "beta2_weight", dtype=_WIDE), *_TWO),
             batched(2, (2, 1), (1, 2))),
    declared("RAdam", "adam", _TWO, batched(1, (1, 1))),
    declared("Ranger", "lookahead", (*_TWO, *full("slow_buffer")), batched(1, (1, 1)),
             aliases=("lookahead",), belief=True),
    declared("StableAdamW", "adam", (*full("exp_avg"), *full("exp_avg_sq", dtype=FP32_FOR_FP16), _KAHAN),
             batched(1, (2, 1), apart=2, narrow=batched(3, (8, 2), apart=8, close=True), close=True),
             KAHAN_SUM, file="adamw", belief=True),
    declared(
        "StableSPAM", "adam", (*_TWO, *numbers("m_norm_t", "v_norm_t", "m_max_t")),
        BatchedOrLoop(lists=1, loop=(Form(1, 1, masks=2),), foreach_moment=Form(5, masks=1), close=True),
        foreach=FOREACH_OFF, file="spam",
    ),
    declared(
        "SWATS", "adam", (*_TWO, *numbers("exp_avg2"), *_ams()),
        batched(3, (1, 1), anywhere=False, narrow=looped((1, 1))), AMS_BOUND,
    ),
    declared("Yogi", "adam", _TWO, batched(2, (2, 1), (1, 2))),
)  # fmt: skip

_SGD = (
    declared("AccSGD", "sgd", full("momentum_buffer"), nothing, file="sgd"),
    declared("AggMo", "sgd", tuple(replace(state, count=lambda *_: 3) for state in full("momentum_buffer")),
             nothing, belief=True),
    declared("ASGD", "sgd",
             numbers("prev_param_norm", "prev_grad_norm", "curr_param_norm", "curr_grad_norm",
                     dtype=_WIDE, whole=True),
             batched(0, (0, 0), narrow=looped((2, 0))), file="sgd", belief=True),
    declared("Fromage", "sgd", (), batched(1, (1, 0))),
    declared("Gravity", "sgd", full("v"), batched(2, (2, 1))),
    declared("LARS", "lamb", full("momentum_buffer", when=HAS_MOMENTUM), nothing,
             replace(HAS_MOMENTUM, default=0.9), aliases=("lars",)),
    declared("PID", "sgd", full("grad_buffer", "i_buffer", "d_buffer", when=HAS_MOMENTUM), nothing,
             HAS_MOMENTUM),
    declared("PNM", "sgd", full("pos_momentum", "neg_momentum"), batched(1, (1, 1))),
    declared("QHM", "sgd", full("momentum_buffer"), nothing, inert(MOMENTUM, 0.0), foreach=FOREACH_OFF,
             belief=True),
    declared("SGDP", "sgd", full("momentum"), batched(1, (4, 0), one=4, close=True), inert(MOMENTUM, 0.0),
             foreach=FOREACH_OFF, file="adamp", belief=True),
    declared("SGDW", "sgd", full("momentum_buffer", when=HAS_MOMENTUM), nothing, HAS_MOMENTUM, file="sgd"),
    declared("SGDSaI", "sgd", (*full("momentum_buffer", when=HAS_MOMENTUM), *numbers("gsnr")),
             batched(1), replace(HAS_MOMENTUM, default=0.9), file="sgd"),
    declared("SignSGD", "sgd", full("momentum_buffer", when=HAS_MOMENTUM), batched(1, (1, 0)),
             replace(HAS_MOMENTUM, default=0.9), file="sgd"),
    declared("SRMM", "sgd", full("mov_avg_grad", "mov_avg_param"), nothing),
    declared("TAM", "sgd", full("s", "momentum_buffer"), batched(3, (3, 1), (2, 2))),
    declared("VSGD", "sgd", full("mug", "bg", "bhg"), batched(10, (10, 0)), file="sgd"),
)  # fmt: skip

_OTHERS = (
    declared("A2Grad", "adagrad",
             (*numbers("v_k"), *full("avg_grad", "x_k"), *numbers("v_kk", when=Chosen("variant", "exp"))),
             batched(1, (1, 1)), VARIANT),
    declared("AdaDelta", "adagrad", full("square_avg", "acc_delta"), batched(2, (2, 1), (1, 2))),
    declared("AdaSmooth", "adagrad", full("prev_param", "s", "n", "exp_avg_sq"), batched(3, (6, 0))),
    declared("AdaTAM", "adam", (*full("s"), *_TWO), batched(3, (3, 1), (2, 2)), file="tam"),
    declared("AdEMAMix", "ademamix", (*_TWO, *full("exp_avg_slow")), batched(2, (2, 1), (1, 2))),
    declared("SimplifiedAdEMAMix", "ademamix", _TWO, batched(2, (2, 1), (1, 2)), file="ademamix"),
    declared("Adan", "adan", (*_TWO, *full("exp_avg_diff", "previous_grad")), batched(1, (1, 1)),
             aliases=("adan",)),
    declared("Amos", "adagrad",
             (*numbers("exp_avg_sq", "decay"), *full("exp_avg", when=HAS_MOMENTUM)),
             batched(2, (2, 0)), HAS_MOMENTUM),
    declared("EmoLynx", "lion", (*full("exp_avg"), *full("shadow", when=SHADOW)), batched(1, (1, 1)), SHADOW,
             file="emonavi"),
    declared("FTRL", "adagrad", full("z", "n"),
             BatchedOrLoop(lists=5, loop=(Form(3, masks=1),), foreach_moment=Form(1, masks=1))),
    declared("Kate", "adagrad", full("m", "b"), batched(2, (2, 1), (1, 2))),
    declared("Lamb", "lamb", (*_TWO, *numbers("weight_norm", "adam_norm", "trust_ratio")), batched(1, (1, 0)),
             aliases=("lamb",), belief=True),
    declared("Lion", "lion", full("exp_avg"), batched(1, (1, 1))),
    declared("Tiger", "lion", full("exp_avg"), batched(1, (1, 0))),
    declared("MADGRAD", "madgrad",
             (*full("grad_sum_sq", "s"), *full("x0", when=HAS_MOMENTUM),
              *numbers("k", dtype=fixed(INT64), whole=True)),
             batched(2, (2, 1), (1, 2), more=(Not(HAS_MOMENTUM),)), replace(HAS_MOMENTUM, default=0.9)),
    declared("MARS", "mars", (*_TWO, *full("last_grad"), *_ams()), batched(3, (3, 1), close=True), AMS_BOUND),
    declared("NovoGrad", "novograd", (*numbers("grads_ema"), *full("moments")), looped((1, 0)),
             aliases=("novograd",)),
    declared("ROSE", "sgd", (), BatchedOrLoop(
        lists=4, loop=(Form(4, 2),), narrow=batched(8, (10, 0), close=True), close=True),
        foreach=FOREACH_OFF),
    declared("SCION", "muon", full("d"),
             BatchedByShape(3, 2, (2, 1), narrow=BatchedByShape(5, 4, (4, 1)))),
    declared("SCIONLight", "muon", (), BatchedByShape(3, 2, (2, 1), narrow=BatchedByShape(5, 4, (4, 1))),
             file="scion", belief=True),
    declared("DAdaptAdaGrad", "learning-rate-free",
             (*full("alpha_k", "sk", "x0"),
              *numbers("gsq_weighted", "sk_sq_weighted", "sk_l1", dtype=_WIDE, whole=True)),
             batched(6, (3, 0), anywhere=False), file="dadapt"),
    declared("DAdaptAdam", "learning-rate-free",
             (*full("s"), *_TWO, *numbers("numerator_weighted", dtype=_WIDE, whole=True)),
             batched(1, (2, 0), one=1), file="dadapt"),
    declared("DAdaptAdan", "learning-rate-free",
             (*full("s"), *_TWO, *full("exp_avg_diff", "previous_grad"),
              *numbers("gsq_weighted", dtype=_WIDE, whole=True)),
             batched(5, (4, 0), anywhere=False, narrow=looped((4, 0))), file="dadapt"),
    declared("DAdaptLion", "learning-rate-free",
             (*full("exp_avg", "s"), *numbers("numerator_weighted", dtype=_WIDE, whole=True)),
             batched(1, (2, 0), one=1), file="dadapt"),
    declared("DAdaptSGD", "learning-rate-free",
             (*full("z", "s", "x0"), *numbers("numerator_weighted", dtype=_WIDE, whole=True)),
             batched(1, (1, 0)), file="dadapt"),
    declared("Prodigy", "learning-rate-free",
             (*full("s", "p0"), *_TWO, *numbers("d_numerator", "d_de_nom", dtype=_WIDE, whole=True)),
             batched(1, (1, 1), one=1, anywhere=False)),
    declared("ScheduleFreeAdamW", "schedule-free", (*full("z", "exp_avg_sq"), *_ams()), batched(2, (2, 1)),
             AMS_BOUND, file="schedulefree"),
    declared("ScheduleFreeRAdam", "schedule-free", full("z", "exp_avg_sq"), batched(1, (1, 1)),
             file="schedulefree"),
    declared("ScheduleFreeSGD", "schedule-free", full("z"), nothing, file="schedulefree"),
)  # fmt: skip

FULL: tuple[Implementation, ...] = (*_ADAM, *_SGD, *_OTHERS)
"""By algorithm, as the library's own list is too long to have an order."""
