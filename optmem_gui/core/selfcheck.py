"""Which runs show how far this program's numbers are from a real step, on the device at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

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


@dataclass(frozen=True, slots=True)
class Workload:
    """One run.

    Attributes:
        id: Its name, unique.
        shape: Key of :data:`SHAPES`.
        scenario: The run itself; the device is settled where it runs.
        quick: Among those of a short check.
    """

    id: str
    shape: str
    scenario: Scenario
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
_QUICK = ("gpt2", "grouped", "torch.SGD momentum=0.9", "torch.Adafactor", "amp-bf16", "bf16-master", "full")


def workloads() -> tuple[Workload, ...]:
    """Every run, in the order of the table."""
    return tuple(
        Workload(name, shape, scenario, quick=name in _QUICK) for name, shape, scenario in _scenarios()
    )


def _scenarios() -> Iterator[tuple[str, str, Scenario]]:
    base = Scenario(model_of("llama"), precision="fp32", batch=2, sequence=64)
    for shape in SHAPES:
        yield shape, shape, replace(base, model=model_of(shape))
    for optimizer, options in _OPTIMIZERS:
        name = " ".join((optimizer, *(f"{key}={value}" for key, value in options)))
        yield name, "llama", replace(base, optimizer=find(optimizer).id, options=options)
    for precision in _PRECISIONS:
        yield precision, "llama", replace(base, precision=precision)
    for checkpointing in ("full", "attention", "every-2"):
        yield checkpointing, "llama", replace(base, checkpointing=checkpointing)
        mixed = replace(base, checkpointing=checkpointing, precision="amp-bf16")
        yield f"{checkpointing} amp-bf16", "llama", mixed
    yield "clip", "llama", replace(base, clip=True)
    yield "accumulate", "llama", replace(base, accumulate=2)
    yield "zeroed gradients", "llama", replace(base, set_to_none=False)
    yield "kept logits", "llama", replace(base, keep_logits=True)
    yield "chunked loss", "llama", replace(base, loss="chunked")
    yield "math attention", "llama", replace(base, attention="math")
    yield "eager attention", "llama", replace(base, attention="eager")


def model_of(shape: str) -> ModelRef:
    """The model of a shape."""
    return transformer_ref(shape, Source.PRESET, SHAPES[shape])
