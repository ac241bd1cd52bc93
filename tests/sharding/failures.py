"""Runs that needed more than their engine or another program had promised, as scenarios of this program."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.model import Source
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref, transformer_ref
from optmem_gui.core.transformer import TransformerShape


@dataclass(frozen=True, slots=True)
class Failure:
    """One report.

    Attributes:
        report: Where it was told.
        about: What was run.
        promised: What had been said.
        real: What was seen, GiB from the least to the most; None where it ran out of memory.
        scenario: The same here; what the report leaves open is in ``assumed``.
        assumed: What had to be assumed.
    """

    report: str
    about: str
    promised: str
    real: tuple[float, float] | None
    scenario: Scenario
    assumed: str


_LLAMA = TransformerShape(
    vocab=32_000, hidden=4096, layers=32, heads=32, kv_heads=32, head_dim=128, ffn=11_008, norm="rms"
)
_GPT2 = TransformerShape(
    vocab=50_257, hidden=1280, layers=36, heads=20, kv_heads=20, head_dim=64, ffn=5120, gated=False,
    biases=True, tied_head=True, positions=1024, dropout=0.1,
)  # fmt: skip


def _deepspeed(params: int, batch: int, sequence: int, checkpointing: str) -> Scenario:
    return Scenario(
        synthetic_ref(params),
        optimizer="torch.Adam",
        precision="fp16-master",
        batch=batch,
        sequence=sequence,
        checkpointing=checkpointing,
        parallel=Parallel(gpus=4, shard="zero3", offload="all"),
    )


FAILURES = (
    Failure(
        "DeepSpeed issue 4527",
        "6,805 million parameters, 4 GPUs, ZeRO-3, everything offloaded",
        "0.49 GiB",
        (14.3, 20.8),
        _deepspeed(6_805_000_000, 1, 2048, "none"),
        "batch 1, 2,048 tokens, nothing recomputed",
    ),
    *(
        Failure(
            "DeepSpeed issue 1830",
            f"100 billion parameters, 4 GPUs, ZeRO-Infinity, batch {batch}",
            f"{promised} GB",
            (real / 1.073741824, real / 1.073741824),
            _deepspeed(100_000_000_000, batch, 1024, "full"),
            "1,024 tokens, every layer recomputed",
        )
        for batch, promised, real in ((4, 3.1, 19), (8, 4.7, 31), (16, 8, 51))
    ),
    Failure(
        "DeepSpeed issue 485",
        "GPT-2 of 774 million, 2 GPUs, tensor parallel 2, 1,024 tokens, batch 1",
        "about 6 GB",
        (11 / 1.073741824, 11 / 1.073741824),
        Scenario(
            transformer_ref("GPT-2", Source.CONFIG, _GPT2),
            optimizer="torch.Adam",
            precision="fp16-master",
            batch=1,
            sequence=1024,
            attention="eager",
            parallel=Parallel(gpus=2, tp=2, shard="zero1"),
        ),
        "Adam in fp16 with fp32 master weights, plain attention",
    ),
    Failure(
        "LLaMA-Factory issue 1221",
        "LLaMA-7B, ZeRO-2, 8 V100 of 32 GB, batch 1",
        "just enough",
        None,
        Scenario(
            transformer_ref("LLaMA-7B", Source.CONFIG, _LLAMA),
            precision="fp16-master",
            batch=1,
            sequence=512,
            checkpointing="full",
            parallel=Parallel(gpus=8, shard="zero2"),
        ),
        "512 tokens, every layer recomputed",
    ),
)
