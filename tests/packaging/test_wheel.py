"""The built wheel: it carries its tables, icons and translations, and works away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import tomllib

from optmem_gui import __version__, paths
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content, as pip would lay it down."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    assert wheel.name.startswith(f"optmem_gui-{__version__}-py3")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_the_package_and_its_resources(unpacked: Path) -> None:
    assert (unpacked / "optmem_gui" / "resources" / "data" / "gpus.toml").is_file()
    for folder in ("data", "icons", "i18n", "docs/pages"):
        here = {path.name for path in (ROOT / "resources" / folder).rglob("*") if path.is_file()}
        there = {path.name for path in (unpacked / "optmem_gui" / "resources" / folder).rglob("*")}
        assert here <= there
    assert not (unpacked / "tests").exists()


def test_the_unpacked_wheel_estimates(unpacked: Path, tmp_path: Path) -> None:
    words = ["-m", "optmem_gui", "estimate", "--params", "1B", "--gpu", "h100-80gb", "--json"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["device"]["fits"] == "yes"


def test_a_frozen_bundle_finds_its_resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert paths.resource_dir.__wrapped__() == tmp_path / "resources"


def test_every_requirement_is_pinned_or_torch() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert [line for line in wanted if "==" not in line] == ["torch>=2.9"]


def test_the_readme_installs_the_torch_it_is_tested_with() -> None:
    for name in ("README.md", "README.zh-CN.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        commands = [line for line in text.splitlines() if "apt-get install" in line]
        assert commands
        assert all("pip install torch==2.13.0 && " in line for line in commands)


def test_ci_runs_the_command_that_the_readme_gives() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    mark = lines.index("<!-- test-command -->")
    assert lines[mark + 1] == "```bash"
    assert lines[mark + 3] == "```"
    command = lines[mark + 2]
    assert command.endswith("&& .venv/bin/python -m pytest -n 2 --dist loadfile")
    awk = next(
        line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("command=")
    )
    found = subprocess.run(
        ["bash", "-c", f'{awk}; printf %s "$command"'], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout == command
