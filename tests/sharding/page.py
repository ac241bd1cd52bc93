"""Writes ``resources/docs/several-gpus.md``: ``python -m tests.sharding.page``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.deepspeed_estimators import engine_estimate, zero3_estimate
from optmem_gui.core.sharding.per_rank import held_by
from optmem_gui.core.synthetic import synthetic_ref
from tests.sharding.failures import FAILURES
from tests.sharding.golden import read, rows
from tests.sharding.jobs import REFUSED, Case, cases

PAGE = Path(__file__).parents[2] / "resources" / "docs" / "several-gpus.md"
GIB = 2**30
_STATES = ("weights", "gradients", "master_weights", "optimizer_state")


def page() -> str:
    """The whole page."""
    parts = (
        _head(),
        _proof(),
        _matrices(),
        _bytes(),
        _estimators(),
        _failures(),
        _megatron(),
        _not_compared(),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head() -> Iterator[str]:
    yield "# Several GPUs: proofs, published figures, reported failures"
    yield ""
    yield "Written by `python -m tests.sharding.page`; a test compares it with what the program says now."


def _proof() -> Iterator[str]:
    yield "## Every rank against real processes"
    yield ""
    yield "Weights, gradients and optimizer state of every rank, over gloo on one machine: 0 bytes apart."
    yield ""
    yield "| engine | processes | runs | optimizers |"
    yield "|---|---|---|---|"
    found: dict[str, tuple[set[int], int, set[str]]] = {}
    for case in cases():
        name = case.parallel.shard + (" with tensor parallel" if case.parallel.tp > 1 else "")
        worlds, count, optimizers = found.get(name, (set(), 0, set()))
        found[name] = (worlds | {case.parallel.gpus}, count + 1, optimizers | {case.optimizer})
    for name, (worlds, count, optimizers) in sorted(found.items()):
        processes, ids = ", ".join(map(str, sorted(worlds))), ", ".join(sorted(optimizers))
        yield f"| {name} | {processes} | {count} | {ids} |"
    yield ""
    yield "FSDP2 pads the storage of the last ranks' parameters and gradients to the first rank's rows, not"
    yield "their state; both are counted. Refused, because the real step ends in an error: "
    yield "; ".join(f"{optimizer} under {shard}" for shard, optimizer in REFUSED) + "."


_LOOK_AT_ROWS = (
    "torch.Muon",
    "pytorch_optimizer.SOAP",
    "pytorch_optimizer.Shampoo",
    "galore_torch.GaLoreAdamW",
    "torch.Adafactor",
    "came_pytorch.CAME",
    "bitsandbytes.AdamW8bit",
    "torchao.AdamW8bit",
)
_ENGINES = ("ddp", "zero-redundancy", "zero2", "zero3", "fsdp1", "fsdp2", "megatron")


def _matrices() -> Iterator[str]:
    yield "## Matrix, low-rank, factored and 8-bit optimizers"
    yield ""
    yield "State of the first of 2 ranks as a part of one GPU's, three matrices of 256 x 256; `-`: refused."
    yield "ZeroRedundancyOptimizer deals whole matrices, 2 and 1 of them."
    yield ""
    yield f"| optimizer | {' | '.join(_ENGINES)} |"
    yield "|---" * (len(_ENGINES) + 1) + "|"
    for optimizer in _LOOK_AT_ROWS:
        yield f"| {optimizer} | {' | '.join(_part(optimizer, engine) for engine in _ENGINES)} |"


def _part(optimizer: str, engine: str) -> str:
    def state(shard: str) -> int:
        case = Case(Parallel(gpus=2, shard=shard), optimizer, model="matrices")
        return held_by(case.scenario, 0).state_bytes

    try:
        return f"{state(engine) / state('ddp'):.3g}"
    except UserError:
        return "-"


def _bytes() -> Iterator[str]:
    yield "## Why 16, 18 or 20 bytes a parameter"
    yield ""
    yield "Adam, one GPU's part of 1 (before sharing):"
    yield ""
    yield "| scheme | weights | gradients | master | state | kept | at the step |"
    yield "|---|---|---|---|---|---|---|"
    for scheme, shard in (
        ("fp32", "ddp"),
        ("bf16", "ddp"),
        ("bf16-master", "zero1"),
        ("megatron-bf16", "megatron"),
    ):
        model = synthetic_ref(1_000_000_000)
        scenario = Scenario(
            model,
            optimizer="torch.Adam",
            options=(("fused", True),),
            precision=scheme,
            parallel=Parallel(gpus=1, shard=shard, replicas=1, bucket_view=shard == "ddp"),
        )
        found = compute(scenario)
        each = [round(found.component(name).bytes / model.param_count, 1) for name in _STATES]
        step = next(phase for phase in found.phases if phase.id == "optimizer_step")
        copy = round(step.parts.get("temporaries", 0) / model.param_count, 1)
        cells = " | ".join(f"{size:g}" for size in (*each, round(sum(each), 1), round(sum(each) + copy, 1)))
        yield f"| {scheme} | {cells} |"


def _estimators() -> Iterator[str]:
    yield "## DeepSpeed's own estimators"
    yield ""
    yield "2,851 million parameters, 8 GPUs, GiB a GPU. Theirs leave out activations, buckets, gathered"
    yield "parameters, temporaries, the context and any optimizer but Adam; for ZeRO-3 they ask the largest"
    cold = zero3_estimate(2_851_000_000, 32_000_000, 8)
    yield f"module ({cold.gpu_bytes / GIB:.2f} with one of 32 million parameters, as in their documentation)."
    yield ""
    yield "| stage | DeepSpeed says | model states here | with what exists at the peak |"
    yield "|---|---|---|---|"
    for shard in ("zero1", "zero2", "zero3"):
        scenario = Scenario(
            synthetic_ref(2_851_000_000),
            optimizer="torch.Adam",
            options=(("fused", True),),
            precision="fp16-master",
            parallel=Parallel(gpus=8, shard=shard),
        )
        own, found = engine_estimate(scenario), compute(scenario)
        held = sum(found.component(name).bytes for name in _STATES)
        said = "no estimator" if own is None else f"{own.gpu_bytes / GIB:.2f}"
        yield f"| {shard} | {said} | {held / GIB:.2f} | {found.peak_bytes / GIB:.2f} |"


def _failures() -> Iterator[str]:
    yield "## Reported failures"
    yield ""
    yield "| report | run | promised | seen | here: process | assumed |"
    yield "|---|---|---|---|---|---|"
    for failure in FAILURES:
        process = compute(failure.scenario).process
        low, high = failure.real or (0.0, 0.0)
        seen = f"{low:.1f}" if low == high else f"{low:.1f} to {high:.1f}"
        seen = "out of memory" if failure.real is None else f"{seen} GiB"
        here = f"{process.low / GIB:.1f} to {process.high / GIB:.1f} GiB"
        cells = (failure.report, failure.about, failure.promised, seen, here, failure.assumed)
        yield f"| {' | '.join(cells)} |"


def _megatron() -> Iterator[str]:
    found = list(rows())
    errors = [abs(row.error) for row in found]
    signed = sorted(row.error for row in found)
    yield "## Megatron-LM's recorded peaks (allocated)"
    yield ""
    yield f"{len(found)} records of {read()['source']}."
    yield ""
    yield f"Median error {median(errors):.2%}; half lie between {signed[len(signed) // 4]:+.1%} and"
    yield f"{signed[3 * len(signed) // 4]:+.1%}; within 5 %: {sum(error <= 0.05 for error in errors)}."
    yield f"Largest {max((row.error for row in found), key=abs):+.1%}: of those beyond 20 %, some come to the"
    yield "record with unfused attention, which may be what ran; this was not checked for all of them."
    yield "The rules were chosen while looking at these records: they are fitted, none was held out."


def _not_compared() -> Iterator[str]:
    yield "## Not compared"
    yield ""
    yield "| records | what is missing |"
    yield "|---|---|"
    for reason, count in sorted(read()["not_compared"].items(), key=lambda item: -item[1]):
        yield f"| Megatron-LM: {count} | {reason} |"
    yield "| torchtitan: 18 | reserved only; torch.compile, fp8 or recomputation by operator in every row |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
