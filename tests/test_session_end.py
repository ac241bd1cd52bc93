"""A test session that copied something ends with its own exit code, not with a crash of Qt's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parent.parent

_COPIES = """
def test_copy(qapp):
    from PySide6.QtCore import QMimeData
    data = QMimeData()
    data.setText("copied")
    qapp.clipboard().setMimeData(data)
"""


def test_what_was_copied_does_not_crash_the_end(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.conftest import pytest_sessionfinish\n", encoding="utf-8"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = " + str(ROOT), encoding="utf-8")
    (tmp_path / "test_copies.py").write_text(_COPIES, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
