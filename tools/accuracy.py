"""How far the program's figures are from recordings and published ones: ``python tools/accuracy.py``.

It replays every recording, simulates or computes every published run whose inputs are known, and writes
``resources/docs/accuracy.md`` and the summary in both READMEs. ``OPTMEM_REFERENCE_DATA`` names the folder
that holds ``cuda-traces``; without it the recordings' part of the page stays as it is. The error is
(said - real) / real.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from optmem_gui.allocator.replay import replay
from optmem_gui.architectures.config import read_config
from optmem_gui.core.estimate import compute
from optmem_gui.core.model import ModelRef, group_model
from optmem_gui.core.scenario import Lora, Scenario
from optmem_gui.core.simulated import simulate_request
from optmem_gui.core.simulation_target import target_of
from optmem_gui.core.units import GIB, MIB
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.engine.simulation import Simulator
from optmem_gui.report.snapshot_file import open_snapshot

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "resources" / "docs" / "accuracy.md"
DATA = ROOT / "tests" / "accuracy" / "data"
READMES = {"README.md": "en", "README.zh-CN.md": "zh"}
HEAD = ("real figures", "tier", "inputs", "figures", "median error", "largest")
CHINESE = {
    "real figures": "真实数值",
    "tier": "层次",
    "inputs": "输入条件",
    "figures": "数量",
    "median error": "误差中位数",
    "largest": "最大误差",
    "recorded": "有记录的运行",
    "published": "公开发表",
    "published, from their code": "公开发表，追踪其代码",
    "state": "状态",
    "allocated": "已分配",
    "reserved": "已保留",
    "process": "进程占用",
    "all known": "全部已知",
    "not all known": "并非全部已知",
}
UNITS = {"B": 1, "MiB": MIB, "GiB": GIB, "GB": 10**9}
TIERS = ("state", "allocated", "reserved", "process")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure beside the real one.

    Attributes:
        tier: What is compared: ``state``, ``allocated``, ``reserved`` or ``process``.
        source: Who published or recorded it.
        name: The run.
        said: Bytes by the program.
        real: Bytes as read.
        known: Every input of the run is known.
        note: What was not counted, or what is not known.
    """

    tier: str
    source: str
    name: str
    said: int
    real: int
    known: bool = True
    note: str = ""

    @property
    def error(self) -> float:
        """(said - real) / real."""
        return (self.said - self.real) / self.real


@dataclass(frozen=True, slots=True)
class Replayed:
    """One recording through the model of the allocator.

    Attributes:
        name: Its file.
        events: How many.
        allocations: How many blocks were asked for.
        mismatches: How many lie at another address.
        gaps: Model less recording: allocated peak, reserved peak, reserved at the end.
        start_known: The state before the first event is known.
    """

    name: str
    events: int
    allocations: int
    mismatches: int
    gaps: tuple[int, int, int]
    start_known: bool


def replayed(folder: Path) -> list[Replayed]:
    """Every recording of a folder, by name."""
    rows = []
    for path in sorted(folder.glob("*.json.gz")):
        for recording in open_snapshot(path):
            outcome = replay(recording)
            model, real = outcome.model, outcome.recorded
            gaps = (
                model.allocated_peak - real.allocated_peak,
                model.reserved_peak - real.reserved_peak,
                model.reserved - real.reserved,
            )
            name = path.name.removesuffix(".json.gz")
            events = len(recording.events)
            rows.append(
                Replayed(name, events, outcome.allocations, outcome.mismatches, gaps, outcome.start_known)
            )
    return rows


def reproduced() -> list[Figure]:
    """Runs whose public code was traced, as committed beside the tests."""
    data = json.loads((DATA / "reproduced.json").read_text(encoding="utf-8"))
    rows = []
    for row in data["runs"]:
        known, note, source = row["history_known"], row["note"], row["source"]
        rise, reserved = row["rise"], row["reserved"]
        rows.append(Figure("allocated", source, row["name"], rise["said"], rise["recorded"], note=note))
        rows.append(
            Figure("reserved", source, row["name"], reserved["said"], reserved["recorded"], known, note)
        )
    return rows


def traced() -> list[Figure]:
    """Published figures of public code that was traced, as committed beside the tests."""
    data = json.loads((DATA / "reproduced.json").read_text(encoding="utf-8"))
    return [
        Figure(
            "allocated",
            row["source"],
            row["name"],
            row["said"],
            round(row["real"] * UNITS[row["unit"]]),
            note=row["note"],
        )
        for row in data["published"]
    ]


def published() -> list[Figure]:
    """Published figures of runs that the program can describe."""
    data = json.loads((DATA / "published.json").read_text(encoding="utf-8"))
    with Simulator() as simulator:
        return [_published(row, data["configs"], simulator) for row in data["rows"]]


def _published(row: dict[str, Any], configs: dict[str, Any], simulator: Simulator) -> Figure:
    config = configs[row["config"]]
    if row["way"] == "components":
        said = _components(config, row["scenario"], row["components"])
        said -= _components(config, row["less"], row["components"]) if "less" in row else 0
    else:
        said = _reserved(config, row, simulator) + row["context_mib"] * MIB
    real = round(row["real"] * UNITS[row["unit"]])
    return Figure(row["tier"], row["source"], row["name"], said, real, row["known"], row["note"])


def scenario_of(config: dict[str, Any], fields: dict[str, Any]) -> Scenario:
    """The scenario of a published run."""
    given = dict(fields)
    if "options" in given:
        given["options"] = tuple(sorted(given["options"].items()))
    if "lora" in given:
        given["lora"] = Lora(**given["lora"])
    return Scenario(_model(config), **given)


def _model(config: dict[str, Any]) -> ModelRef:
    spec = read_config(config, "config.json").model(config["model_type"])
    if spec is None:
        raise ValueError(f"no tensors are known for {config['model_type']}")
    return group_model(spec)


def _components(config: dict[str, Any], fields: dict[str, Any], wanted: Sequence[str]) -> int:
    breakdown = compute(scenario_of(config, fields))
    return sum(row.bytes or 0 for row in breakdown.components if row.id in wanted)


def _reserved(config: dict[str, Any], row: dict[str, Any], simulator: Simulator) -> int:
    scenario = scenario_of(config, row["scenario"])
    target = replace(target_of(find_gpu(row["gpu"]), row["torch"]), capacity_bytes=None)
    request = simulate_request(scenario, target, config=json.dumps(config))
    outcome = simulator.simulate(request, lambda _event: None)
    if outcome.report is None:
        raise RuntimeError(f"{row['name']}: {outcome.reason}\n{outcome.detail}")
    return outcome.report.peak_reserved_bytes


def size(size_bytes: int) -> str:
    """Bytes for people, and exactly below a mebibyte."""
    if abs(size_bytes) < MIB:
        return f"{size_bytes:,} B"
    return f"{size_bytes / MIB:,.2f} MiB"


def share(error: float) -> str:
    """An error as a percentage; 0 only where it is."""
    return "0" if error == 0 else f"{error:+.2%}"


def summary(figures: Iterable[Figure]) -> list[tuple[str, str, int, str, str]]:
    """Tier, whether all inputs are known, figures, median and largest error."""
    figures = list(figures)
    rows = []
    for tier in TIERS:
        for known in (True, False):
            errors = [figure.error for figure in figures if (figure.tier, figure.known) == (tier, known)]
            if errors:
                middle = median(abs(error) for error in errors)
                worst = max(errors, key=abs)
                inputs = "all known" if known else "not all known"
                rows.append((tier, inputs, len(errors), share(middle).lstrip("+"), share(worst)))
    return rows


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return [*lines, ""]


def figure_lines(figures: Sequence[Figure]) -> list[str]:
    """A table for every source."""
    lines: list[str] = []
    for source in dict.fromkeys(figure.source for figure in figures):
        lines += [f"**{source}**", ""]
        rows = [
            (f.tier, f.name, size(f.said), size(f.real), share(f.error), f.note)
            for f in figures
            if f.source == source
        ]
        lines += _table(("tier", "run", "said", "real", "error", "not counted, not known"), rows)
    return lines


def recordings_part(rows: Sequence[Replayed]) -> list[str]:
    """The replay of every recording."""
    known = [row for row in rows if row.start_known]
    allocations = sum(row.allocations for row in known)
    right = allocations - sum(row.mismatches for row in known)
    apart = sum(any(row.gaps[1:]) for row in known)
    sentence = (
        f"{len(rows)} recordings; in {len(known)} the state before the first event is known. There the model "
        f"puts {right:,} of {allocations:,} blocks at the recorded address, and reserved differs in {apart}."
    )
    lines = [sentence, ""]
    return lines + _table(
        ("recording", "events", "other addresses", "allocated peak", "reserved peak", "reserved", "start"),
        (
            (
                row.name,
                f"{row.events:,}",
                row.mismatches,
                *(size(gap) for gap in row.gaps),
                "known" if row.start_known else "not known",
            )
            for row in rows
        ),
    )


def _between(name: str, lines: Sequence[str]) -> str:
    return "\n".join([f"<!-- {name} -->", "", *lines, f"<!-- /{name} -->"])


def swap(text: str, name: str, lines: Sequence[str]) -> str:
    """Put lines between the marks of a part.

    Raises:
        ValueError: The marks are not there.
    """
    pattern = re.compile(rf"<!-- {name} -->.*?<!-- /{name} -->", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"no part called {name}")
    return pattern.sub(lambda _match: _between(name, lines), text)


def summary_lines(printed: Sequence[Figure], language: str = "en") -> list[str]:
    """The table of the page and of the READMEs.

    Args:
        printed: The published runs.
        language: ``en`` or ``zh``.
    """
    groups = {"recorded": reproduced(), "published, from their code": traced(), "published": printed}
    rows = [(group, *row) for group, figures in groups.items() for row in summary(figures)]
    words = CHINESE if language == "zh" else {}
    return _table(
        [words.get(word, word) for word in HEAD],
        [[words.get(str(cell), cell) for cell in row] for row in rows],
    )


def main() -> int:
    """Write the page and both summaries."""
    printed = published()
    left = json.loads((DATA / "published.json").read_text(encoding="utf-8"))["left_out"]
    text = PAGE.read_text(encoding="utf-8")
    folder = os.environ.get("OPTMEM_REFERENCE_DATA", "")
    if folder:
        text = swap(text, "replay", recordings_part(replayed(Path(folder) / "cuda-traces")))
    text = swap(text, "summary", summary_lines(printed))
    text = swap(text, "reproduced", figure_lines([*reproduced(), *traced()]))
    text = swap(text, "published", figure_lines(printed))
    text = swap(text, "left-out", _table(("source", "why"), ((row["source"], row["why"]) for row in left)))
    PAGE.write_text(text, encoding="utf-8")
    for name, language in READMES.items():
        path = ROOT / name
        readme = path.read_text(encoding="utf-8")
        lines = summary_lines(printed, language)
        path.write_text(swap(readme, "accuracy", lines), encoding="utf-8")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
