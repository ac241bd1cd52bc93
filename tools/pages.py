"""Put the program's own figures into the pages about memory, and draw their pictures.

``python -m tools.pages`` rewrites the figures in ``resources/docs/pages/LANGUAGE/*.md`` and every drawing
beside them. The text is written by hand; what stands between ``<!--=NAME-->`` and ``<!--/-->``, and the
figures of a table below ``<!-- table NAME -->``, are the program's. A test finds what is out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.sizes import SMALL_SEGMENT_BYTES, segment_bytes
from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.blocks import MIN_BLOCK_BYTES, SMALL_BYTES
from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.dtypes import BF16
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.layout import place
from optmem_gui.core.model import ModelSpec, ParameterTensor, Role, Shape, Source, group_model
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.state import optimizer_state
from optmem_gui.core.overhead import CONTEXT_BYTES
from optmem_gui.core.proof import kind_of
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import MIB, format_bytes, format_count
from optmem_gui.engine.gpu_table import find_gpu
from tools.page_words import LANGUAGES, word

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "docs" / "pages"
GPU = "a100-80gb"
EXAMPLE = Scenario(preset_ref("llama-3.2-3b"), precision="bf16-master", batch=2, sequence=4096, gpu=GPU)
"""What most figures are of: AdamW as DeepSpeed and apex run it, on one GPU of 80 GB."""

SHOWN = (
    "weights",
    "gradients",
    "master_weights",
    "optimizer_state",
    "activations",
    "temporaries",
    "workspace",
    "rounding",
)
"""Components of the example, in the order they are stacked."""

SCHEMES = ("fp32", "amp-bf16", "bf16", "bf16-master", "megatron-bf16")

RECOMPUTED = replace(EXAMPLE, checkpointing="full")
FUSED = replace(RECOMPUTED, options=(("fused", True),))
STEPS: dict[str, Scenario] = {
    "base": EXAMPLE,
    "recomputed": RECOMPUTED,
    "fused": FUSED,
    "8bit": replace(RECOMPUTED, optimizer="bitsandbytes.AdamW8bit"),
    "pure": replace(FUSED, precision="bf16"),
}
"""One change after another, and where the peak goes."""

OPTIMIZERS: dict[str, tuple[str, str]] = {
    "AdamW, fp32": ("torch.AdamW", "fp32"),
    "AdamW, bf16": ("torch.AdamW", "bf16"),
    "Lion, bf16": ("lion_pytorch.Lion", "bf16"),
    "SGD, momentum": ("torch.SGD", "bf16"),
    "AdamW8bit": ("bitsandbytes.AdamW8bit", "bf16"),
    "AdamW4bit": ("torchao.AdamW4bit", "bf16"),
    "Adafactor (transformers)": ("transformers.Adafactor", "bf16"),
    "Adafactor (torch)": ("torch.Adafactor", "bf16"),
    "SGD": ("torch.SGD", "bf16"),
}
"""Optimizers by their name in the table, each with the precision it is shown in."""

MOMENTUM = (("momentum", 0.9),)
TENSORS: tuple[Shape, ...] = ((4096, 4096), (4096,), (4095,), (64, 64, 3, 3))
"""A matrix, vectors at and below the smallest that bitsandbytes quantizes, a convolution."""

Cells = Sequence[Sequence[str]]


@cache
def _gpu() -> Gpu:
    return find_gpu(GPU)


@cache
def estimate(scenario: Scenario) -> Breakdown:
    """The estimate on the example's GPU."""
    return compute(scenario, _gpu())


# -- figures


def figures() -> dict[str, str]:
    """Every figure in running text, by name."""
    base = estimate(EXAMPLE)
    hopper = compute(replace(EXAMPLE, gpu="h100-80gb"), find_gpu("h100-80gb"))
    return {
        "parameters": format_count(base.parameters.total),
        "peak": format_bytes(base.peak_bytes),
        "usable": format_bytes(_gpu().usable_bytes),
        "reserved": _range(base.reserved.low, base.reserved.high),
        "process": _range(base.process.low, base.process.high),
        "between": format_bytes(base.phase("between_steps").bytes),
        "workspace": format_bytes(base.component("workspace").bytes),
        "workspace.hopper": format_bytes(hopper.component("workspace").bytes),
        "recomputed": format_bytes(estimate(RECOMPUTED).peak_bytes),
        "fused": format_bytes(estimate(FUSED).peak_bytes),
        "activations": format_bytes(base.component("activations").bytes),
        "activations.recomputed": format_bytes(estimate(RECOMPUTED).component("activations").bytes),
        "temporaries": format_bytes(base.component("temporaries").bytes),
        "block": format_count(MIN_BLOCK_BYTES),
        "segment.small": _round(SMALL_SEGMENT_BYTES),
        "segment.shared": _round(segment_bytes(SMALL_BYTES + 1, AllocatorConfig())),
        "segment.end": _round(SMALL_BYTES),
        "context": f"{CONTEXT_BYTES.low // MIB} - {_round(CONTEXT_BYTES.high)}",
        "quantized.from": format_count(
            int(find("bitsandbytes.AdamW8bit").settings((), "cuda").whole("min_8bit_size"))
        ),
        "8bit.each": _each(_state("bitsandbytes.AdamW8bit", "bf16")),
        "4bit.each": _each(_state("torchao.AdamW4bit", "bf16")),
        "adafactor.each": _each(_state("transformers.Adafactor", "bf16")),
    }


def tables(language: str) -> dict[str, Cells]:
    """The figures of every table, row by row."""
    return {
        "components": tuple(_component_cells()),
        "phases": [[format_bytes(phase.bytes)] for phase in estimate(EXAMPLE).phases],
        "steps": tuple(_step_cells(language)),
        "schemes": tuple(_scheme_cells()),
        "tiers": tuple(_tier_cells()),
        "choices": tuple(_choice_cells()),
        "optimizers": tuple(_optimizer_cells(language)),
        "tensors": tuple(_tensor_cells()),
    }


def _component_cells() -> Iterator[tuple[str, ...]]:
    found = estimate(EXAMPLE)
    for name in SHOWN:
        row = found.component(name)
        yield (
            format_bytes(row.bytes),
            format_bytes(row.at_peak),
            _share(row.at_peak, found.peak_bytes),
        )


def _step_cells(language: str) -> Iterator[tuple[str, ...]]:
    for scenario in STEPS.values():
        found = estimate(scenario)
        assert found.fit is not None  # noqa: S101  # a GPU is chosen
        yield (
            format_bytes(found.peak_bytes),
            word(language, f"phase.{found.peak_phase}"),
            word(language, f"fits.{found.fit.fits}"),
        )


def scheme_bytes(scheme: str) -> tuple[float, ...]:
    """Bytes a parameter of weights, gradients, master weights, state; all four; and with the step's copy."""
    scenario = Scenario(synthetic_ref(10**9), precision=scheme, options=(("fused", True),))
    found = compute(scenario)
    kept = [
        found.component(name).bytes / found.parameters.total
        for name in ("weights", "gradients", "master_weights", "optimizer_state")
    ]
    at_step = found.phase("optimizer_step").parts
    copied = at_step.get("temporaries", 0) / found.parameters.total
    return (*kept, sum(kept), sum(kept) + copied)


def _scheme_cells() -> Iterator[tuple[str, ...]]:
    for scheme in SCHEMES:
        yield tuple(f"{round(each, 2):g}" for each in scheme_bytes(scheme))


def _tier_cells() -> Iterator[tuple[str, ...]]:
    for scenario in (EXAMPLE, RECOMPUTED, STEPS["8bit"]):
        found = estimate(scenario)
        yield (
            format_bytes(found.peak_bytes),
            _range(found.reserved.low, found.reserved.high),
            _range(found.process.low, found.process.high),
        )


def choices() -> dict[str, Scenario]:
    """Single settings that are easily overlooked, each changed alone."""
    return {
        "base": FUSED,
        "foreach": RECOMPUTED,
        "loop": replace(RECOMPUTED, options=(("foreach", False),)),
        "accumulate": replace(FUSED, accumulate=4),
        "zeroed": replace(FUSED, set_to_none=False),
        "clip": replace(FUSED, clip=True),
        "logits": replace(FUSED, keep_logits=True),
        "chunked": replace(FUSED, loss="chunked"),
        "stored": replace(FUSED, checkpointing="none"),
        "eager": replace(FUSED, checkpointing="none", attention="eager"),
    }


def _choice_cells() -> Iterator[tuple[str, ...]]:
    base = estimate(FUSED)
    for scenario in choices().values():
        found = estimate(scenario)
        difference = found.peak_bytes - base.peak_bytes
        sign = "+" if difference > 0 else "-" if difference < 0 else ""
        in_pass = max(found.phase("forward").bytes, found.phase("backward").bytes)
        yield (
            format_bytes(found.peak_bytes),
            f"{sign}{format_bytes(abs(difference))}" if difference else "0",
            format_bytes(in_pass),
            format_bytes(found.phase("optimizer_step").bytes),
        )


def _state(optimizer: str, scheme: str, *, momentum: bool = False) -> tuple[int, int]:
    """Bytes of state on the example's model, and its parameters."""
    options = MOMENTUM if momentum else ()
    found = compute(Scenario(EXAMPLE.model, optimizer, options, scheme))
    return found.component("optimizer_state").bytes, found.parameters.total


def states() -> dict[str, tuple[int, int]]:
    """Bytes of state and parameters, by the optimizer's name in the table."""
    return {
        name: _state(optimizer, scheme, momentum="momentum" in name)
        for name, (optimizer, scheme) in OPTIMIZERS.items()
    }


def _optimizer_cells(language: str) -> Iterator[tuple[str, ...]]:
    for name, (size, count) in states().items():
        proof = word(language, f"proof.{kind_of(find(OPTIMIZERS[name][0]))}")
        yield _each((size, count)), format_bytes(size), proof


def _tensor_cells() -> Iterator[tuple[str, ...]]:
    """State of one bf16 tensor, bytes a parameter."""
    for shape in TENSORS:
        role = Role.CONVOLUTION if len(shape) == 4 else Role.MLP
        spec = ModelSpec("one tensor", Source.FILE, (ParameterTensor("m.weight", shape, BF16, role),))
        layout = place(Scenario(group_model(spec), precision="bf16"))
        yield tuple(
            _each((optimizer_state(find(name), (), layout, "cuda").bytes, layout.total_count))
            for name in (
                "torch.AdamW",
                "bitsandbytes.AdamW8bit",
                "torchao.AdamW8bit",
                "transformers.Adafactor",
            )
        )


def _each(pair: tuple[int, int]) -> str:
    """Bytes a parameter, as the program writes them."""
    size, count = pair
    each = size / count
    return "< 0.01" if 0 < each < 0.005 else f"{each:.2f}".rstrip("0").rstrip(".")


def _round(size: int) -> str:
    """A constant that is a whole number of MiB."""
    return f"{size // MIB} MiB"


def _share(part: int, whole: int) -> str:
    """A share as the breakdown writes it: what rounds to nothing is not shown as nothing."""
    share = 100 * part / whole
    return "0" if not part else "< 0.1 %" if share < 0.05 else f"{share:.1f} %"


def _range(low: int, high: int) -> str:
    """Two sizes in one unit."""
    first, second = format_bytes(low), format_bytes(high)
    same = first.rpartition(" ")[2] == second.rpartition(" ")[2]
    return f"{first.rpartition(' ')[0] if same else first} - {second}"


# -- filling in

_FIGURE = re.compile(r"<!--=([\w.]+)-->(.*?)<!--/-->")
_TABLE = re.compile(r"(<!-- table (\w+) -->\n\n?\|.*\n\|[-:| ]+\|\n)((?:\|.*\|\n)+)")


def filled(text: str, language: str) -> str:
    """A page with the figures that the program says now.

    Raises:
        KeyError: The page asks for a figure or table that there is not.
        ValueError: A table has other rows than its figures.
    """
    known, rows = figures(), tables(language)
    text = _FIGURE.sub(lambda found: f"<!--={found[1]}-->{known[found[1]]}<!--/-->", text)
    return _TABLE.sub(lambda found: found[1] + _rows(found[3], rows[found[2]], found[2]), text)


def _rows(body: str, cells: Cells, name: str) -> str:
    lines = body.splitlines()
    if len(lines) != len(cells):
        raise ValueError(f"table {name}: {len(lines)} rows, {len(cells)} rows of figures")
    return "".join(f"{_row(line, row)}\n" for line, row in zip(lines, cells, strict=True))


def _row(line: str, cells: Sequence[str]) -> str:
    """The first cell stays, figures follow, and words behind them stay."""
    parts = [part.strip() for part in line.strip().strip("|").split("|")]
    return "| " + " | ".join((parts[0], *cells, *parts[1 + len(cells) :])) + " |"


def pages(language: str) -> Mapping[Path, str]:
    """Every page of a language as it should be now."""
    found = sorted((FOLDER / language).glob("*.md"))
    return {path: filled(path.read_text(encoding="utf-8"), language) for path in found}


def main() -> None:
    """Write pages and drawings."""
    from tools.page_drawings import drawings  # noqa: PLC0415  # it reads the figures of this module

    for language in LANGUAGES:
        for path, text in pages(language).items():
            path.write_text(text, encoding="utf-8")
        for name, svg in drawings(language).items():
            (FOLDER / language / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
