"""Export five results as the window exports them, for the documentation and to be looked at.

``python tools/exports.py`` writes what the documentation shows to ``resources/docs``: a picture of each
result, one of them as SVG too, and one report as PDF. With a folder it writes each in every format there.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtGui import QImage
from screenshots import FOLDER, few_colours

from optmem_gui.architectures.presets import preset_ref, preset_spec
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Lora, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.gui.app import Application, identify
from optmem_gui.gui.edits import Inputs
from optmem_gui.gui.exported import content_from, exported_from
from optmem_gui.gui.i18n import Language, Translators
from optmem_gui.gui.panels.headline import HeadlinePanel
from optmem_gui.gui.paper.page import PARTS, Content, Part
from optmem_gui.gui.pdf_report import pdf_report
from optmem_gui.gui.picture import picture, png, svg
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.theme import apply_fonts
from optmem_gui.report.exporters import EXPORTERS, export
from optmem_gui.report.files import write_whole

CHARTS: frozenset[Part] = frozenset({"bar", "breakdown", "course"})
SCALE = 2


@dataclass(frozen=True, slots=True)
class Example:
    """One result.

    Attributes:
        name: Its files begin so.
        scenario: What is exported.
        gpu: Id of the GPU.
        language: Language of the window.
    """

    name: str
    scenario: Scenario
    gpu: str
    language: Language = "en"


def examples(folder: Path) -> tuple[Example, ...]:
    """The five; the checkpoint among them is written to a folder first."""
    llama = preset_ref("llama-3.1-8b")
    lora = Lora(16, ("all-linear",), "nf4")
    shared = Parallel(gpus=16, shard="zero3")
    return (
        Example(
            "lora",
            Scenario(llama, batch=2, sequence=2048, checkpointing="full", lora=lora),
            "rtx-4090",
        ),
        Example("count", Scenario(synthetic_ref(7 * 10**9), precision="fp32"), "h100-80gb"),
        Example("checkpoint", Scenario(open_checkpoint(_gpt2(folder)).ref, precision="amp-bf16"), "t4"),
        Example(
            "zero3",
            Scenario(
                preset_ref("llama-3.1-70b"),
                precision="bf16-master",
                batch=1,
                sequence=8192,
                checkpointing="full",
                parallel=shared,
            ),
            "h100-80gb",
        ),
        Example(
            "zh",
            Scenario(preset_ref("qwen3-8b"), batch=4, sequence=4096, checkpointing="full", loss="chunked"),
            "a100-80gb",
            "zh_CN",
        ),
    )


def _gpt2(folder: Path) -> Path:
    """A safetensors file with the tensors of GPT-2: its header, and a hole where the figures would be."""
    path, end = folder / "gpt2.safetensors", 0
    header: dict[str, dict[str, object]] = {}
    for tensor in preset_spec("gpt2").parameters:
        start, end = end, end + 4 * tensor.numel
        header[tensor.name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + end)
    return path


def drawn(example: Example, folder: Path, *, every_format: bool) -> Content:
    """What is drawn of an example; with every format, its reports are written as well."""
    gpu = find_gpu(example.gpu)
    scenario = replace(example.scenario, gpu=gpu.id)
    shown = Snapshot(Inputs(scenario), scenario, compute(scenario, gpu), gpu=gpu)
    headline = HeadlinePanel()
    headline.render(shown)
    exported = exported_from(shown, headline)
    if exported is None:
        raise RuntimeError("a computed snapshot has a result")
    if every_format:
        for exporter in EXPORTERS.values():
            export(exporter.id, folder / f"export-{example.name}{exporter.suffix}", exported)
    return content_from(exported, headline)


def small_png(content: Content) -> bytes:
    """The charts in the colours they use most, a third of the size."""
    image: QImage = few_colours(picture(content, CHARTS, SCALE))
    return png(image)


def main() -> int:
    """Write them."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    every_format = len(sys.argv) == 2
    folder = Path(sys.argv[1]) if every_format else FOLDER
    app = Application(sys.argv[:1])
    identify(app)
    apply_fonts(app)
    translators = Translators(app)
    with tempfile.TemporaryDirectory() as place:
        for example in examples(Path(place)):
            translators.set_language(example.language)
            content = drawn(example, folder, every_format=every_format)
            start = folder / f"export-{example.name}"
            write_whole(start.with_suffix(".png"), small_png(content))
            if every_format or example.name == "lora":
                write_whole(
                    start.with_suffix(".svg"), svg(content, frozenset(PARTS) if every_format else CHARTS)
                )
            if every_format or example.name == "zero3":
                write_whole(start.with_suffix(".pdf"), pdf_report(content))
    return 0


if __name__ == "__main__":
    sys.exit(main())
