"""A short run over every reader, and the inputs that once went wrong. See ``python -m tests.fuzz --help``."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from optmem_gui.checkpoints import torch_files
from optmem_gui.checkpoints.bounds import PickleLimits
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import refusal, write_zip

PER_TARGET, TARGETS = 40, 25


def test_every_reader_holds_the_limits(tmp_path: Path) -> None:
    """In a process of its own: its memory is measured, and torch writes the first files in another."""
    words = ["--runs", str(TARGETS * PER_TARGET), "--turn", str(PER_TARGET), "--crashes", str(tmp_path)]
    words += ["--limit", "30"]  # an input takes a tenth of a second; a busy processor counts other work too
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert not list(tmp_path.iterdir())
    lines = run.stdout.splitlines()
    assert len(lines) == TARGETS + 1
    counts = [int(line.split()[1].replace(",", "")) for line in lines[:-1]]
    assert set(counts) == {PER_TARGET}


def test_a_limit_that_is_passed_is_seen(tmp_path: Path) -> None:
    """The run would notice: with no time at all for an input, every seed is a problem."""
    words = ["--reader", "npy", "--runs", "1", "--limit", "0", "--crashes", str(tmp_path)]
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "hang" in run.stdout
    assert list(tmp_path.iterdir())


def _zarr(folder: Path) -> Path:
    (folder / "w").mkdir()
    (folder / "w" / ".zarray").write_text('{"shape": [1], "dtype": {"a": "<f4"}}')
    (folder / "metadata.json").write_text('{"sharded_backend": "zarr", "sharded_backend_version": 1}')
    write_zip(folder / "common.pt", b"\x80\x02}.")
    return folder


def _long_tag(folder: Path) -> Path:
    (folder / "latest").write_text("g" * 300)
    (folder / "global_step1").mkdir()
    (folder / "zero_pp_rank_0_mp_rank_00_optim_states.pt").write_bytes(b"")
    return folder


def _snapshot(folder: Path, revision: str) -> Path:
    for name in ("refs", "snapshots/a", "snapshots/b"):
        (folder / name).mkdir(parents=True)
    (folder / "refs" / "main").write_text(revision)
    return folder


def _packed(data: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        with zipfile.ZipFile(folder / "m.pt", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("archive/data.pkl", data)
        return folder / "m.pt"

    return write


def _directory(folder: Path) -> Path:
    """A directory of 25 MB: 500,000 records that are all the same one."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("abcde", b"")
    data = stream.getvalue()
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    directory = data[start:end] * 500_000
    tail = bytearray(data[end:])
    tail[12:16] = len(directory).to_bytes(4, "little")
    (folder / "m.pt").write_bytes(data[:start] + directory + tail)
    return folder / "m.pt"


@pytest.mark.parametrize(
    ("write", "code"),
    [
        pytest.param(_long_tag, "unreadable", id="a tag longer than a name may be"),
        pytest.param(lambda folder: _snapshot(folder, "9" * 300), "unreadable", id="a revision as long"),
        pytest.param(lambda folder: _snapshot(folder, ".."), "several_snapshots", id="a revision above"),
        pytest.param(_packed(b"]" * (40 << 20)), "zip_unpacks", id="40 MB of lists in 40 kB"),
        pytest.param(
            _packed(b"\x80\x02" + b"]" * 100 + b"N" * 500_000), "pickle_damaged", id="lists in 500 kB"
        ),
        pytest.param(_directory, "directory_too_large", id="a zip of 500,000 records"),
    ],
)
def test_what_once_went_wrong(tmp_path: Path, write: Callable[[Path], Path], code: str) -> None:
    assert refusal(write(tmp_path)).code == f"checkpoint.{code}"


def test_a_zarr_type_that_is_no_text(tmp_path: Path) -> None:
    assert open_checkpoint(_zarr(tmp_path)).param_count == 1


def test_values_without_end_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty lists, more of them than the pieces of memory that a pickle may take."""
    monkeypatch.setattr(torch_files, "MODEL_PICKLE", PickleLimits(100_000, 1 << 20))
    path = write_zip(tmp_path / "m.pt", b"\x80\x02](" + b"]" * 90_000 + b"e(" + b"]" * 90_000 + b"e.")
    assert refusal(path).code == "checkpoint.pickle_too_much"
