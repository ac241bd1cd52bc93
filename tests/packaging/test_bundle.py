"""The built program: what is in it, and that it works away from the checkout and without its environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PyInstaller.archive.readers import CArchiveReader

from optmem_gui import __version__
from optmem_gui.core.errors import UserError
from optmem_gui.engine.pythons import PythonInfo, candidates, examine
from tests.packaging.bundle import BUILD_S, ROOT, Bundle
from tests.waiting import PATIENCE_S
from tools.bundling import parts

pytestmark = pytest.mark.timeout(BUILD_S + 300)  # the first test here builds

MOST_BYTES = 200_000_000
SMALL = ("--params", "1M", "--optimizer", "torch.AdamW", "--precision", "fp32", "--batch", 1, "--seq", 16)
linux = pytest.mark.skipif(sys.platform != "linux", reason="lists Linux's libraries")
posix = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")


def modules(bundle: Bundle, program: str) -> set[str]:
    """The Python modules in one of its programs."""
    archive = CArchiveReader(bundle.program(program))
    return set(archive.open_embedded_archive("PYZ.pyz").toc)


def files(bundle: Bundle) -> set[str]:
    return {path.relative_to(bundle.folder).as_posix() for path in bundle.folder.rglob("*")}


# -- what is in it


def test_it_is_small(bundle: Bundle) -> None:
    paths = [path for path in bundle.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    size = sum(path.stat().st_size for path in paths)
    print(f"\nbundle: {size / 1e6:.1f} MB in {len(paths)} files, built in {bundle.build_s:.0f} s")  # noqa: T201  # the figures
    assert size <= MOST_BYTES


def test_the_program_holds_every_module_of_ours_but_the_worker(bundle: Bundle) -> None:
    found = {name for name in modules(bundle, "optmem") if name.partition(".")[0] == "optmem_gui"}
    assert set(parts.program_modules(ROOT)) <= found
    assert len(found) > 300
    assert not {name for name in found if name.startswith("optmem_gui.worker")}


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("optmem", {"torch", "transformers", "safetensors", "scipy", "tkinter", "pytest", "setuptools"}),
        ("optmem-worker", {"torch", "PySide6", "shiboken6", "pyqtgraph", "numpy", "tkinter"}),
    ],
)
def test_nothing_is_in_it_that_it_does_not_need(bundle: Bundle, program: str, absent: set[str]) -> None:
    found = {name.partition(".")[0] for name in modules(bundle, program)}
    assert "optmem_gui" in found
    assert found & absent == set()


@linux
def test_of_qt_only_what_is_used(bundle: Bundle) -> None:
    folder = bundle.inside / "PySide6"
    used = {"QtCore", "QtGui", "QtWidgets", "QtSvg", "QtDBus", "QtTest", "QtOpenGL", "QtOpenGLWidgets"}
    assert {path.name.partition(".")[0] for path in folder.glob("Qt*.abi3.so")} <= used
    libraries = {path.name.partition(".")[0] for path in (folder / "Qt" / "lib").iterdir()}
    assert not {name for name in libraries if name.startswith(("libQt6Quick", "libQt6Qml", "libQt6Pdf"))}
    platforms = {path.name for path in (folder / "Qt" / "plugins" / "platforms").iterdir()}
    assert {"libqxcb.so", "libqoffscreen.so"} <= platforms
    assert {path.name for path in (folder / "Qt" / "translations").iterdir()} <= {
        "qtbase_en.qm",
        "qtbase_zh_CN.qm",
    }
    assert not list(bundle.inside.glob("libgtk*"))
    assert list(bundle.inside.glob("libxcb-cursor.so*"))  # missing on many systems since Qt 6.5


def test_resources_are_there(bundle: Bundle) -> None:
    for name in ("data", "icons", "i18n", "licences"):
        folder = ROOT / "resources" / name
        for file in folder.rglob("*"):
            inside = bundle.inside / "resources" / name / file.relative_to(folder)
            assert inside.exists(), inside


def test_the_workers_files_are_plain_and_complete(bundle: Bundle) -> None:
    folder = bundle.inside / "worker_files"
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}
    expected = {"optmem_gui/__init__.py"}
    for name in ("core", "allocator", "worker"):
        expected |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "optmem_gui" / name).rglob("*.py")}
    assert found == expected
    assert not list(folder.rglob("*.so"))


@linux
def test_the_desktops_files_are_beside_it(bundle: Bundle) -> None:
    name = "org.optmem.OptMem"
    assert {
        "install.sh",
        f"share/applications/{name}.desktop",
        f"share/mime/packages/{name}.xml",
        f"share/metainfo/{name}.metainfo.xml",
        f"share/icons/hicolor/scalable/apps/{name}.svg",
        f"share/icons/hicolor/256x256/apps/{name}.png",
    } <= files(bundle)
    metainfo = (bundle.folder / "share" / "metainfo" / f"{name}.metainfo.xml").read_text(encoding="utf-8")
    assert f'<release version="{__version__}"' in metainfo


# -- that it works


def test_the_window_comes_up(bundle: Bundle) -> None:
    ran = bundle.run("--smoke")
    assert (ran.code, ran.out) == (0, "ready\n"), ran.err


@pytest.mark.parametrize("home", ["file/home", "/proc"])
def test_a_home_that_cannot_be_written_to_is_no_obstacle(bundle: Bundle, home: str, tmp_path: Path) -> None:
    """Below a file nobody makes a folder, the superuser neither."""
    (tmp_path / "file").touch()
    ran = bundle.run("--smoke", HOME=str(tmp_path / home), LANG="C.UTF-8")
    assert (ran.code, ran.out) == (0, "ready\n"), ran.err


def test_it_says_its_version(bundle: Bundle) -> None:
    assert bundle.run("--version").out == f"optmem {__version__}\n"


def test_an_estimate_is_right(bundle: Bundle) -> None:
    ran = bundle.run("estimate", "--params", "1e9", "--optimizer", "adamw", "--json")
    assert ran.code == 0, ran.err
    assert ran.document["parameters"]["total"] == 10**9
    ran = bundle.run("estimate", "--params", "1e9", "--optimizer", "adamw", "--precision", "fp32", "--json")
    assert ran.code == 0, ran.err
    sizes = {row["id"]: row["bytes"] for row in ran.document["components"]}
    assert sizes["weights"] == sizes["gradients"] == 4 * 10**9
    tensors = ran.document["scenario"]["model"]["tensors"]
    assert sizes["optimizer_state"] == 8 * 10**9 + 4 * tensors  # two moments, and a step counter a tensor


def test_a_scenario_file_opens(bundle: Bundle, tmp_path: Path) -> None:
    from optmem_gui.gui.store import first_scenario
    from optmem_gui.report.scenario_file import scenario_text

    path = tmp_path / "方案.optmem"
    path.write_text(scenario_text(first_scenario()), encoding="utf-8")
    ran = bundle.run("estimate", path, "--json")
    assert ran.code == 0, ran.err
    assert ran.document["parameters"]["total"] == first_scenario().model.param_count
    config = tmp_path / "settings.ini"
    ran = bundle.run(path, "--smoke", "--config", config, LANG="C.UTF-8")
    assert (ran.code, ran.out) == (0, "ready\n"), ran.err


def test_a_checkpoint_is_read_by_the_reader_of_its_format(bundle: Bundle, tmp_path: Path) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(24))
    ran = bundle.run("inspect", path, "--json")
    assert ran.code == 0, ran.err
    assert (ran.document["format"], ran.document["parameters"]) == ("safetensors", 6)


def test_a_refusal_is_one_line(bundle: Bundle) -> None:
    ran = bundle.run("estimate", "--params", "7Q")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("optmem: ")


# -- under another Python


def _pythons() -> list[PythonInfo]:
    """Every Python here that has torch: this one, and others of the versions that users train with."""
    found: dict[str, PythonInfo] = {}
    for path in (sys.executable, *candidates(os.environ, Path.home())):
        try:
            info = examine(path)
        except UserError:
            continue
        found.setdefault(info.version.rpartition(".")[0], info)
    return list(found.values())


def _external(version: str) -> str:
    for info in _pythons():
        if info.version.startswith(f"{version}."):
            return info.path
    pytest.skip(f"no Python {version} with torch is installed here")


@pytest.mark.parametrize("version", ["3.10", "3.11"])
def test_measuring_under_another_python(bundle: Bundle, version: str) -> None:
    words = ("--steps", 2, "--device", "cpu", "--python", _external(version), "--json")
    ran = bundle.run("measure", *SMALL, *words)
    assert ran.code == 0, ran.err
    sizes = {row["id"]: row["bytes"] for row in ran.document["components"]}
    assert sizes["weights"] == sizes["gradients"] == 4 * 10**6
    # The second program has sampled the worker's host memory.
    assert any(row["rss"] for row in ran.document["timeline"]["samples"])


@pytest.mark.parametrize("version", ["3.10", "3.11"])
def test_simulating_under_another_python(bundle: Bundle, version: str) -> None:
    ran = bundle.run("simulate", *SMALL, "--python", _external(version), "--json")
    assert ran.code == 0, ran.err
    sizes = {row["id"]: row["bytes"] for row in ran.document["components"]}
    blocks = 512 * ran.document["scenario"]["model"]["tensors"]  # each tensor is rounded up on a GPU
    assert 4 * 10**6 <= sizes["weights"] == sizes["gradients"] <= 4 * 10**6 + blocks


def _bare_version(path: str) -> tuple[int, ...]:
    """The version of a Python without torch; nothing for any other."""
    try:
        examine(path)
    except UserError as error:
        if error.code == "python.no_torch":
            return tuple(map(int, str(error.reason.values["version"]).split(".")))
    return ()


def test_the_workers_files_run_under_a_python_without_torch(bundle: Bundle) -> None:
    """They get as far as to say what is missing, under the oldest Python that is here."""
    found = {_bare_version(path): path for path in candidates(os.environ, Path.home())}
    bare = {version: path for version, path in found.items() if version}
    if not bare:
        pytest.skip("no Python without torch is installed here")
    ran = bundle.run("measure", *SMALL, "--device", "cpu", "--python", bare[min(bare)])
    assert ran.code == 2
    assert ran.err.startswith(f"optmem: Measure: {bare[min(bare)]} has no torch")
    assert ran.err.count("\n") == 1


def test_the_active_environment_is_found(bundle: Bundle) -> None:
    ran = bundle.run("simulate", *SMALL, "--json", PATH=str(Path(sys.executable).parent))
    assert ran.code == 0, ran.err


@posix
def test_without_a_python_one_line_says_what_to_do(bundle: Bundle, tmp_path: Path) -> None:
    for command in ("simulate", "measure"):
        ran = bundle.run(command, *SMALL, HOME=str(tmp_path), PATH=str(tmp_path))
        assert ran.code == 2
        assert ran.err.startswith("optmem: No Python with torch was found"), ran.err
        assert ran.err.count("\n") == 1


@posix
def test_a_child_inherits_nothing_of_the_bundle(bundle: Bundle, tmp_path: Path) -> None:
    spy, said = tmp_path / "python", tmp_path / "said"
    spy.write_text(f"#!/bin/sh\n/usr/bin/env > '{said}'\n", encoding="utf-8")
    spy.chmod(0o755)
    ran = bundle.run(
        "simulate",
        *SMALL,
        *("--python", spy),
        LD_LIBRARY_PATH="/opt/mine",
        PYTHONHOME="/opt/other",
        QT_PLUGIN_PATH="/opt/qt",
    )
    assert ran.code == 2, ran.out
    seen = dict(line.split("=", 1) for line in said.read_text(encoding="utf-8").splitlines() if "=" in line)
    worker_files = str(bundle.inside / "worker_files")
    assert seen.pop("PYTHONPATH") == worker_files
    assert seen.pop("PWD") == worker_files
    assert seen.pop("LD_LIBRARY_PATH") == "/opt/mine"
    wrong = {name for name, value in seen.items() if str(bundle.folder) in value}
    wrong |= {name for name in seen if name.startswith(("QT_", "_PYI", "_MEI", "PYTHONHOME"))}
    assert wrong == set()


# -- its processes


@posix
def test_a_helper_of_multiprocessing_opens_no_window(bundle: Bundle) -> None:
    reading, writing = os.pipe()
    os.close(writing)
    code = f"from multiprocessing.resource_tracker import main;main({reading})"
    try:
        done = subprocess.run(
            [bundle.program(), "-B", "-S", "-I", "-c", code],
            pass_fds=[reading],
            env={"QT_QPA_PLATFORM": "offscreen"},
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    finally:
        os.close(reading)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr


def test_the_second_program_runs_nothing_else(bundle: Bundle) -> None:
    for words in ([], ["os"], ["-c", "print(1)"]):
        done = subprocess.run(
            [bundle.program("optmem-worker"), *words], capture_output=True, timeout=PATIENCE_S, check=False
        )
        assert done.returncode == 1
        assert b"started by OptMem" in done.stderr


def test_it_writes_nothing_into_its_folder(bundle: Bundle, tmp_path: Path) -> None:
    before = files(bundle)
    assert bundle.run("--smoke", HOME=str(tmp_path)).code == 0
    assert bundle.run("estimate", "--params", "1B").code == 0
    assert files(bundle) == before


def test_about_names_every_part(bundle: Bundle) -> None:
    for name in ("PySide6-Essentials", "numpy", "pyqtgraph", "nvidia-ml-py", "psutil"):
        folders = list(bundle.inside.glob(f"{name.lower().replace('-', '_')}-*.dist-info"))
        assert [folder for folder in folders if (folder / "METADATA").is_file()], name
    assert json.loads(bundle.run("optimizers", "--json").out)
