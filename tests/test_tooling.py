"""The tools run as tests, so that one command checks everything."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from optmem_gui.core import texts
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 400
RUNS_ON_310 = ("core", "allocator", "worker")


def _run(command: Sequence[str | Path], **environment: str) -> str:
    """Output of a tool that succeeded; its whole output is the failure otherwise."""
    scripts = sysconfig.get_path("scripts")
    merged = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}", **environment}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env=merged,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=800,  # mypy without a cache, on a busy machine
        check=False,
    )
    assert done.returncode == 0, f"\n{done.stdout}"
    return done.stdout


def _sources() -> Iterator[Path]:
    for folder in ("optmem_gui", "tests"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def test_ruff_check() -> None:
    _run([sys.executable, "-m", "ruff", "check", "."])


def test_ruff_format() -> None:
    _run([sys.executable, "-m", "ruff", "format", "--check", "."])


def test_mypy_strict() -> None:
    _run([sys.executable, "-m", "mypy", "--cache-dir", ROOT / ".mypy_cache"])


def test_imports_point_one_way() -> None:
    _run(["lint-imports", "--no-cache"], PYTHONIOENCODING="utf-8")


def test_files_fit_a_reader() -> None:
    long = {}
    for path in _sources():
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_FILE:
            long[path.relative_to(ROOT).as_posix()] = lines
    assert not long


def test_a_template_stands_in_one_table_only() -> None:
    keys = [key for area in texts._AREAS for key in area.TEXTS]
    assert sorted(key for key in set(keys) if keys.count(key) > 1) == []


def test_core_uses_the_standard_library_alone() -> None:
    foreign = {
        (path.name, name)
        for path in sorted((ROOT / "optmem_gui" / "core").rglob("*.py"))
        for name in _imported(path)
        if name.partition(".")[0] not in sys.stdlib_module_names and not name.startswith("optmem_gui.core")
    }
    assert foreign == set()


def test_imports_by_name_stay_where_they_belong() -> None:
    """What import-linter cannot see: ``import_module("pynvml")`` outside its one module, and the like."""
    homes = {"pynvml": "engine/nvml.py", "torch": "worker/", "PySide6": "gui/", "pyqtgraph": "gui/"}
    misplaced = [
        (path.relative_to(ROOT).as_posix(), name)
        for path in sorted((ROOT / "optmem_gui").rglob("*.py"))
        for name in _imported_by_name(path)
        if homes.get(name.partition(".")[0], "") not in path.as_posix()
    ]
    assert misplaced == []


def _imported_by_name(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from (str(arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.fixture(scope="session")
def python310(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python 3.10, which the measuring side also has to run on."""
    beside = Path(sys.base_prefix).parent.glob("*3.10*/bin/python3.10")  # where version managers put it
    elsewhere = tmp_path_factory.mktemp("py310")
    for candidate in (shutil.which("python3.10"), *map(str, sorted(beside))):
        if candidate is not None and _is_310(candidate, elsewhere):
            return candidate
    pytest.skip("no python3.10 that starts on this machine")


def _is_310(python: str, folder: Path) -> bool:
    probe = [python, "-c", "import sys; print(sys.version_info[:2] == (3, 10))"]
    answer = subprocess.run(
        probe, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    return answer.stdout.strip() == "True"


def test_core_allocator_and_worker_run_on_python_310(python310: str, tmp_path: Path) -> None:
    """Every module that needs nothing but the standard library is imported, the others are compiled."""
    script = tmp_path / "probe.py"
    script.write_text(_PROBE, encoding="utf-8")
    out = _run(
        [python310, "-B", script, ROOT, *RUNS_ON_310], PYTHONPATH=str(ROOT), PYTHONDONTWRITEBYTECODE="1"
    )
    modules = list((ROOT / "optmem_gui" / "core").rglob("*.py"))
    assert f"imported {len(modules)}" in out


_PROBE = """
import importlib, sys
from pathlib import Path

root = Path(sys.argv[1])
for folder in sys.argv[2:]:
    for path in (root / "optmem_gui" / folder).rglob("*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
names = [
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    for path in (root / "optmem_gui" / "core").rglob("*.py")
]
for name in names:
    importlib.import_module(name)
print("imported", len(names))
"""
