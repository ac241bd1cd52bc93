"""Which runs show how far this program's numbers are from a real step, on the device at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from optmem_gui.core.model import ModelRef, Source
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import transformer_ref
from optmem_gui.core.transformer import TransformerShape

_LLAMA = TransformerShape(
    vocab=1000, hidden=192, layers=3, heads=6, kv_heads=6, head_dim=32, ffn=512, norm="rms"
)
SHAPES: dict[str, TransformerShape] = {
    "llama": _LLAMA,
    "gpt2": replace(
        _LLAMA, ffn=768, gated=False, norm="layer", biases=True, qkv_biases=True, tied_head=True, positions=64
    ),
    "grouped": replace(_LLAMA, kv_heads=2, qkv_biases=True, tied_head=True),
    "qwen3": replace(_LLAMA, kv_heads=2, head_norms=True),
    "multi-query": replace(_LLAMA, kv_heads=1, norm="layer"),
    "dropout": replace(_LLAMA, dropout=0.1),
}
"""Small transformers of the shapes that common families have."""


Kind = Literal["architecture", "optimizer", "precision", "checkpointing", "loop", "head"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Workload:
    """One run.

    Attributes:
        id: Its name, unique.
        kind: What sets it apart from the others.
        shape: Key of :data:`SHAPES`.
        scenario: The run itself; the device is settled where it runs.
        steps: Optimizer steps, the last of which is a steady one.
        quick: Among those of a short check, which has one of each kind.
    """

    id: str
    kind: Kind
    shape: str
    scenario: Scenario
    steps: int = 2
    quick: bool = False


_OPTIMIZERS = (
    ("torch.SGD", ()),
    ("torch.SGD", (("momentum", 0.9),)),
    ("torch.Adam", (("amsgrad", True),)),
    ("torch.AdamW", (("foreach", True),)),
    ("torch.AdamW", (("fused", True),)),
    ("torch.Adafactor", ()),
    ("torch.Adagrad", ()),
    ("torch.Adadelta", ()),
    ("torch.Adamax", ()),
    ("torch.NAdam", ()),
    ("torch.RAdam", ()),
    ("torch.RMSprop", ()),
    ("torch.Rprop", ()),
    ("torch.ASGD", ()),
)
_PRECISIONS = ("bf16", "amp-bf16", "bf16-autocast", "bf16-master", "megatron-bf16", "fp16-master", "amp-fp16")
_STEPS = {"torch.RAdam": 6}
"""RAdam rectifies from the sixth step on, and only then takes what it takes (``rho_t > 5`` in
torch/optim/radam.py); any other is steady in its second step."""

_QUICK = ("gpt2", "torch.Adafactor", "bf16-master", "full amp-bf16", "accumulate", "long chunked loss")


def workloads() -> tuple[Workload, ...]:
    """Every run, in the order of the table."""
    return tuple(
        replace(each, steps=_STEPS.get(each.id, each.steps), quick=each.id in _QUICK) for each in _all()
    )


def _all() -> Iterator[Workload]:
    base = Scenario(model_of("llama"), precision="fp32", batch=2, sequence=64)
    for shape in SHAPES:
        yield Workload(shape, "architecture", shape, replace(base, model=model_of(shape)))
    for kind, name, scenario in _scenarios(base):
        yield Workload(name, kind, "llama", scenario)


def _scenarios(base: Scenario) -> Iterator[tuple[Kind, str, Scenario]]:
    for optimizer, options in _OPTIMIZERS:
        name = " ".join((optimizer, *(f"{key}={value}" for key, value in options)))
        yield "optimizer", name, replace(base, optimizer=find(optimizer).id, options=options)
    for precision in _PRECISIONS:
        yield "precision", precision, replace(base, precision=precision)
    for checkpointing in ("full", "attention", "every-2"):
        yield "checkpointing", checkpointing, replace(base, checkpointing=checkpointing)
        mixed = replace(base, checkpointing=checkpointing, precision="amp-bf16")
        yield "checkpointing", f"{checkpointing} amp-bf16", mixed
    yield "loop", "clip", replace(base, clip=True)
    yield "loop", "accumulate", replace(base, accumulate=2)
    yield "loop", "zeroed gradients", replace(base, set_to_none=False)
    yield "loop", "kept logits", replace(base, keep_logits=True)
    yield "head", "math attention", replace(base, attention="math")
    yield "head", "eager attention", replace(base, attention="eager")
    long = replace(base, batch=4, sequence=128)
    yield "head", "long", long
    yield "head", "long chunked loss", replace(long, loss="chunked")


def model_of(shape: str) -> ModelRef:
    """The model of a shape."""
    return transformer_ref(shape, Source.PRESET, SHAPES[shape])
