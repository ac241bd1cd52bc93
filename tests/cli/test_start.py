"""The start of the program as a user's shell sees it, and what can go wrong before a window opens."""

from __future__ import annotations

import faulthandler
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from optmem_gui import __version__, logs
from optmem_gui.core.errors import UserError
from optmem_gui.display import check_display, missing_library
from tests.cli.conftest import Optmem, words_as_id
from tests.waiting import PATIENCE_S


def _start(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {
        k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return subprocess.run(
        [sys.executable, "-m", "optmem_gui", *words],
        env=clean | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )


def test_version() -> None:
    done = _start("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"optmem {__version__}")


def test_estimate_from_a_shell() -> None:
    done = _start("estimate", "--params", "1B", "--precision", "fp32", "--json")
    assert done.returncode == 0, done.stderr
    assert '"allocated": 20000000000' in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("estimat",), "optmem estimate"),
        (("nowhere.pt",), "nowhere.pt: there is no such file"),
        (("--them", "dark"), "--them"),
        (("--theme", "purple"), "purple"),
        (("a", "b"), "b"),
    ],
    ids=words_as_id,
)
def test_a_mistake_before_the_window_is_one_line(words: tuple[str, ...], said: str) -> None:
    done = _start(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can lack a display")
def test_without_a_display_one_line_says_what_to_do() -> None:
    done = _start()
    assert done.returncode == 2
    assert "no display" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_defect_does_not_look_like_a_verdict(optmem: Optmem, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("optmem_gui.cli.commands.compute", broken)
    answer = optmem("estimate", "--params", "1M", "--gpu", "t4", "--check")
    assert answer.code == 70
    assert "ZeroDivisionError: a defect" in answer.err


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m optmem_gui optimizers --json | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "{\n", "")


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libGL.so.1", "libgl1"),
    ],
)
def test_a_missing_library_is_named_with_its_package(library: str, package: str) -> None:
    line = str(missing_library(f"{library}: cannot open shared object file: No such file or directory"))
    assert f"{library} is missing" in line
    assert f"apt-get install {package}`" in line


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can lack a library of Qt's")
def test_a_display_is_looked_for_before_qt_is() -> None:
    with pytest.raises(UserError) as refused:
        check_display({})
    assert refused.value.code == "start.no_display"
    check_display({"QT_QPA_PLATFORM": "offscreen"})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can lack a library of Qt's")
def test_a_qt_that_does_not_load_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "PySide6" / "Qt" / "lib" / "libQt6Gui.so.6"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"")
    spec = ModuleSpec("PySide6", None, origin=str(tmp_path / "PySide6" / "__init__.py"))
    monkeypatch.setattr("optmem_gui.display.find_spec", lambda name: spec)
    with pytest.raises(UserError, match="file too short") as refused:
        check_display({"QT_QPA_PLATFORM": "offscreen"})
    assert refused.value.code == "start.qt_broken"


def test_without_qt_the_command_line_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("optmem_gui.display.find_spec", lambda name: None)
    with pytest.raises(UserError, match="optmem estimate"):
        check_display({})


@pytest.fixture
def _root_logger() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in set(root.handlers) - set(handlers):
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


@pytest.mark.usefixtures("_root_logger")
def test_the_log_is_written_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LOG_BYTES", 2000)
    monkeypatch.setattr(faulthandler, "enable", lambda stream: stream.close())
    path = logs.start_log(folder=tmp_path / "logs")
    assert path is not None
    for index in range(200):
        logging.getLogger("optmem_gui.test").info("line %d of the log", index)
    files = sorted(file.name for file in path.parent.glob("optmem.log*"))
    assert files == ["optmem.log", "optmem.log.1", "optmem.log.2"]
    assert "line 199" in path.read_text(encoding="utf-8")
    assert all(file.stat().st_size <= 2000 for file in path.parent.glob("optmem.log*"))


@pytest.mark.usefixtures("_root_logger")
def test_a_folder_that_cannot_be_written_does_not_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert logs.start_log(folder=tmp_path / "file" / "logs") is None


def test_streams_that_are_missing_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    logs.repair_streams()
    for stream in (sys.stdout, sys.stderr):
        stream.write("no one reads this")
    assert sys.stdin.read() == ""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()
