"""What a start loads, seen from a fresh process: heavy libraries only where they are needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"torch", "PySide6", "shiboken6", "pyqtgraph", "numpy", "pynvml", "transformers", "safetensors"}


def _loaded(code: str) -> set[str]:
    """Top-level modules that are there after running some code in a fresh interpreter."""
    return {name.partition(".")[0] for name in _modules(code)}


def _modules(code: str) -> set[str]:
    """Every module that is there then."""
    report = "import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_opening_the_window_loads_no_torch() -> None:
    loaded = _loaded("import optmem_gui.gui.app")
    assert "PySide6" in loaded
    assert not loaded & {"torch", "transformers", "safetensors", "pynvml"}


def test_opening_the_window_loads_nothing_that_only_a_file_a_run_or_an_export_needs() -> None:
    loaded = _modules("import optmem_gui.gui.app")
    meant_later = {
        "checkpoints",
        "core.protocol",
        "core.requests",
        "core.why.explain",
        "engine.measurement",
        "gui.dialogs.error_report",
        "report.estimate_report",
        "report.files",
        "report.json_document",
    }
    assert "optmem_gui.gui.main_window" in loaded
    assert not loaded & {f"optmem_gui.{name}" for name in meant_later}


@pytest.mark.parametrize(
    "arguments",
    [
        ["estimate", "--params", "7B", "--gpu", "h100-80gb", "--batch", "1", "--seq", "128", "--json"],
        ["optimizers", "--json"],
        ["simulate"],
    ],
    ids=lambda words: words[0],
)
def test_a_subcommand_loads_no_qt_and_no_torch(arguments: list[str]) -> None:
    code = (
        "import contextlib, io\n"
        "from optmem_gui.__main__ import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):\n"
        f"    main({arguments!r})"
    )
    assert not _loaded(code) & HEAVY


def test_core_loads_nothing_but_the_standard_library() -> None:
    bare = _loaded("")
    assert _loaded("import optmem_gui.core.estimate") - bare - set(sys.stdlib_module_names) == {"optmem_gui"}
