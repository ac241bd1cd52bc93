from __future__ import annotations

import subprocess
import sys

import pytest

from tests.waiting import PATIENCE_S

START = "from optmem_gui.core.lifeline import die_with_parent;"


def run(code: str, text: str | None = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START + code]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's death signal is Linux's")
def test_a_child_whose_parent_is_gone_already_ends_at_once() -> None:
    assert run("die_with_parent(1); print('still here')").stdout == ""


def test_a_child_whose_parent_lives_goes_on() -> None:
    assert run("import os; die_with_parent(os.getppid()); print('still here')").stdout == "still here\n"
