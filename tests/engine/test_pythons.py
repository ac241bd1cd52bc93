"""The Python that simulates and measures: what real and damaged ones answer, and where they are found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from optmem_gui.core.errors import UserError
from optmem_gui.engine import pythons
from optmem_gui.engine.pythons import PythonInfo, candidates, examine, find_python
from optmem_gui.engine.worker_process import worker_launch

posix = pytest.mark.skipif(os.name != "posix", reason="the stand-ins are shell scripts")


def script(path: Path, text: str) -> str:
    """A program that is no Python, or says that it is another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def answering(path: Path, **answer: Any) -> str:
    """A stand-in that answers as a Python would."""
    given = {"version": [3, 12, 1], "bits": 64, **answer}
    return script(path, f"echo noise; echo 'optmem-python {json.dumps(given)}'")


def refusal(python: str | Path, seconds: float = pythons.ANSWER_S) -> UserError:
    """Why a Python is refused, in one line that names it."""
    with pytest.raises(UserError) as caught:
        examine(str(python), seconds=seconds)
    text = str(caught.value)
    assert "\n" not in text
    assert str(python) in text
    return caught.value


def test_this_python_says_which_torch_it_has() -> None:
    info = examine(sys.executable)
    assert info.version == ".".join(map(str, sys.version_info[:3]))
    assert info.torch == torch.__version__
    assert bool(info.accelerators) == any((torch.version.cuda, torch.version.hip))


def test_a_cpu_build_is_usable_with_a_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    remark = PythonInfo("/opt/py", "3.12.1", "2.13.0+cpu", ()).remark
    assert remark is not None
    assert str(remark).startswith("torch 2.13.0+cpu of /opt/py is a CPU build")
    assert PythonInfo("/opt/py", "3.12.1", "2.13.0+cu130", ("CUDA 13.0",)).remark is None
    monkeypatch.setattr(sys, "platform", "darwin")
    assert PythonInfo("/opt/py", "3.12.1", "2.13.0", ()).remark is None


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real environment without torch."""
    folder = tmp_path_factory.mktemp("bare") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def test_without_torch(bare: Path) -> None:
    assert refusal(bare).code == "python.no_torch"


def test_a_torch_folder_without_a_version_is_damaged(bare: Path) -> None:
    packages = next(bare.parent.parent.rglob("site-packages"))
    package = packages / "torch"
    package.mkdir()
    (package / "__init__.py").touch()
    try:
        assert refusal(bare).code == "python.torch_broken"
        (package / "version.py").write_text("__version__ = '2.4.1+cu121'\ncuda = '12.1'\n", encoding="utf-8")
        error = refusal(bare)
        assert error.code == "python.old_torch"
        assert "2.4.1+cu121" in str(error)
        assert "older than 2.5" in str(error)
        (package / "version.py").write_text("__version__ = '2.5.0a0+git1'\ncuda = '12.4'\n", encoding="utf-8")
        assert examine(str(bare)).accelerators == ("CUDA 12.4",)
    finally:
        for file in package.rglob("*.py"):
            file.unlink()


def _old_pythons() -> list[str]:
    home = Path.home() / ".pyenv" / "versions"
    found = [path for version in ("2.7", "3.6", "3.9") for path in home.glob(f"{version}.*/bin/python")]
    return [str(path) for path in found]


@pytest.mark.parametrize("python", _old_pythons() or [pytest.param("", marks=pytest.mark.skip("none here"))])
def test_a_real_python_that_is_too_old(python: str) -> None:
    error = refusal(python)
    assert error.code == "python.too_old"
    assert "older than 3.10" in str(error)


@posix
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"version": [3, 9, 18], "torch": "2.8.0", "accelerators": []}, "python.too_old"),
        ({"version": [2, 7, 18]}, "python.too_old"),
        ({"bits": 32, "torch": "2.8.0", "accelerators": []}, "python.other_machine"),
        ({}, "python.no_torch"),
        ({"broken": "SyntaxError('x')"}, "python.torch_broken"),
        ({"torch": "1.13.1", "accelerators": []}, "python.old_torch"),
    ],
)
def test_an_answer_is_judged(tmp_path: Path, answer: dict[str, Any], code: str) -> None:
    assert refusal(answering(tmp_path / "python", **answer)).code == code


@posix
def test_what_cannot_be_started(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nothing").code == "python.missing"
    assert refusal(tmp_path).code == "python.not_a_program"
    text = tmp_path / "notes.txt"
    text.write_text("hello", encoding="utf-8")
    assert refusal(text).code == "python.not_a_program"
    text.chmod(0o755)
    assert refusal(text).code == "python.not_a_program"
    shebang = tmp_path / "shebang"
    shebang.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    shebang.chmod(0o755)
    assert refusal(shebang).code == "python.not_started"


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's loader reads ELF here")
def test_a_program_for_another_processor(tmp_path: Path) -> None:
    header = bytearray(Path(sys.executable).read_bytes()[:64])
    header[18:20] = (8).to_bytes(2, "little")  # e_machine = EM_MIPS, which no machine of ours is
    foreign = tmp_path / "python"
    foreign.write_bytes(bytes(header))
    foreign.chmod(0o755)
    assert refusal(foreign).code == "python.other_machine"


@posix
def test_programs_that_are_no_python(tmp_path: Path) -> None:
    quiet = refusal(script(tmp_path / "quiet", "exit 7"))
    assert quiet.code == "python.no_answer"
    assert "status 7" in str(quiet)
    assert "not today" in str(refusal(script(tmp_path / "loud", "echo not today >&2; exit 1")))
    assert refusal(script(tmp_path / "json", "echo 'optmem-python [1'")).code == "python.no_answer"
    assert refusal(script(tmp_path / "flood", "while :; do echo y; done")).code == "python.no_answer"


@posix
def test_one_that_hangs_is_given_up_and_ended(tmp_path: Path) -> None:
    """That nothing of it is left is seen at the end of every test here."""
    error = refusal(script(tmp_path / "hangs", "exec sleep 3600"), seconds=1.0)
    assert error.code == "python.silent"


@posix
def test_the_question_can_be_taken_back(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        examine(script(tmp_path / "hangs", "exec sleep 3600"), seconds=3600, cancelled=lambda: True)


# -- where they are


@posix
def test_places_in_their_order(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    places = (
        tmp_path / "conda" / "bin" / "python3",
        folder / ".venv" / "bin" / "python",
        tmp_path / "path" / "python3",
        tmp_path / "listed" / "bin" / "python",
        home / ".pyenv" / "versions" / "3.12.1" / "bin" / "python3",
    )
    for place in places:
        script(place, "")
    (home / ".conda").mkdir()
    (home / ".conda" / "environments.txt").write_text(
        f"{tmp_path / 'listed'}\nrelative\n\n", encoding="utf-8"
    )
    environment = {
        "CONDA_PREFIX": str(tmp_path / "conda"),
        "PATH": os.pathsep.join((".", "", str(tmp_path / "missing"), str(tmp_path / "path"))),
    }
    assert candidates(environment, home, folder) == tuple(map(str, places))
    without = candidates(environment, home)
    assert without == tuple(str(place) for place in places if not place.is_relative_to(folder))


@posix
def test_none_is_looked_at_twice(tmp_path: Path) -> None:
    real = tmp_path / "usr" / "bin" / "python3.12"
    script(real, "")
    for name in ("python3", "python"):
        (real.parent / name).symlink_to(real.name)
    (tmp_path / "bin").symlink_to(real.parent, target_is_directory=True)
    env = tmp_path / "env"  # a link to the same program, and yet another Python
    (env / "bin").mkdir(parents=True)
    (env / "pyvenv.cfg").touch()
    for name in ("python3", "python"):
        (env / "bin" / name).symlink_to(real)
    path = os.pathsep.join(map(str, (tmp_path / "bin", real.parent, env / "bin")))
    found = candidates({"PATH": path}, tmp_path)
    assert found == (str(tmp_path / "bin" / "python3"), str(env / "bin" / "python3"))


@posix
def test_a_torch_for_a_gpu_goes_first(tmp_path: Path) -> None:
    bad = script(tmp_path / "bad", "exit 1")
    cpu = answering(tmp_path / "cpu", torch="2.13.0+cpu", accelerators=[])
    gpu = answering(tmp_path / "gpu", torch="2.12.0", accelerators=["CUDA 12.8"])
    assert find_python((bad, cpu, gpu)).path == gpu
    assert find_python((bad, cpu)).path == cpu
    with pytest.raises(UserError, match="No Python with torch was found"):
        find_python((bad,))


@posix
def test_a_bundle_without_torch_takes_one_that_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = answering(tmp_path / "env" / "bin" / "python3", torch="2.13.0", accelerators=[])
    (tmp_path / "worker_files").mkdir()
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "env"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    pythons.default_python.cache_clear()
    try:
        launch = worker_launch()
    finally:
        pythons.default_python.cache_clear()
    assert launch.command[:4] == (python, "-u", "-m", "optmem_gui.worker")
    assert launch.folder == str(tmp_path / "worker_files")
    (tmp_path / "torch").mkdir()  # a bundle with torch asks nobody
    program = Path(worker_launch().command[0])
    assert program.name.startswith("optmem-worker")
