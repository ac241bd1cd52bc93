"""No header takes more than 256 MiB, however many tiny entries it has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.harness import PEAK_BYTES
from tests.fuzz.hostile import HOSTILE


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says how much memory a process had")
def test_very_many_tiny_entries(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.hostile", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    assert [row[0] for row in rows] == list(HOSTILE)
    assert {name: int(peak) for name, peak, *_ in rows if int(peak) << 20 > PEAK_BYTES} == {}
    answers = {name: answer for name, _, _, answer in rows}
    assert answers["tensors"] == answers["gguf names"] == answers["onnx tensors"] == "opened"
    assert all(answer == "opened" or answer.startswith("checkpoint.") for answer in answers.values())
