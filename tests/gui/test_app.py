from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from optmem_gui.gui import settings as keys
from optmem_gui.gui.dialogs.about import AboutDialog
from optmem_gui.gui.dialogs.error_report import ErrorReport, report_text
from optmem_gui.gui.dialogs.settings import SettingsDialog
from optmem_gui.gui.exception_hook import ExceptionHook
from optmem_gui.gui.settings import Settings
from tests.gui.conftest import settle
from tests.waiting import PATIENCE_S


def start(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path)}
    return subprocess.run(
        [sys.executable, "-m", "optmem_gui", "--config", str(tmp_path / "optmem.ini"), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env=environment,
    )


@pytest.mark.parametrize("arguments", [(), ("--language", "zh_CN", "--theme", "dark")])
def test_the_window_opens_paints_and_says_ready(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = start(tmp_path, "--smoke", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ready\n", "")


def test_a_file_argument_is_opened_while_the_window_closes(tmp_path: Path) -> None:
    path = tmp_path / "broken.safetensors"
    path.write_bytes(b"\0" * 100)
    done = start(tmp_path, "--smoke", str(path))
    assert done.returncode == 0
    assert done.stdout == "ready\n"


def test_what_was_chosen_on_the_command_line_is_not_remembered(tmp_path: Path) -> None:
    start(tmp_path, "--smoke", "--theme", "dark", "--language", "zh_CN")
    settings = Settings(tmp_path / "optmem.ini")
    assert settings.get(keys.THEME) == "system"
    assert settings.get(keys.LANGUAGE) == "system"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no polite kill")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_as_the_user_would(tmp_path: Path, number: signal.Signals) -> None:
    config = tmp_path / "optmem.ini"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "optmem_gui", "--config", str(config), "--verbose"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "init finished" in line:
                break
        process.send_signal(number)
        process.stderr.read()
        assert process.wait(timeout=PATIENCE_S) == 0
    assert config.is_file()  # closing remembered the window's shape


def _fail() -> None:
    raise RuntimeError(f"a defect in {Path.home()}/secret.txt")


def _defect() -> tuple[type[BaseException], BaseException]:
    try:
        _fail()
    except RuntimeError as error:
        return type(error), error
    raise AssertionError("_fail did not")


def test_a_report_names_versions_and_cause_and_hides_the_home_folder(qapp: QApplication) -> None:
    kind, error = _defect()
    text = report_text(kind, error, error.__traceback__)
    assert "RuntimeError: a defect in ~/secret.txt" in text
    assert "PySide6" in text
    assert str(Path.home()) not in text


def test_one_dialog_for_many_defects(qapp: QApplication) -> None:
    hook = ExceptionHook()
    kind, error = _defect()
    shown: list[str] = []

    def look() -> None:
        dialogs = [w for w in QApplication.topLevelWidgets() if isinstance(w, ErrorReport) and w.isVisible()]
        hook(kind, error, error.__traceback__)  # a timer that keeps failing
        again = [w for w in QApplication.topLevelWidgets() if isinstance(w, ErrorReport) and w.isVisible()]
        assert len(dialogs) == len(again) == 1
        shown.append(dialogs[0].text.toPlainText())
        dialogs[0].copy.click()
        dialogs[0].go_on.click()

    QTimer.singleShot(0, look)
    hook(kind, error, error.__traceback__)
    settle()
    assert hook.count == 2
    assert "a defect in" in shown[0]
    assert QGuiApplication.clipboard().text() == shown[0]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_dialog_opens_in_every_language(qapp: QApplication, settings: Settings, language: str) -> None:
    from optmem_gui.gui.i18n import Translators

    translators = Translators(qapp)
    translators.set_language("zh_CN" if language == "zh_CN" else "en")
    try:
        for dialog in (AboutDialog(), SettingsDialog(settings), ErrorReport("text")):
            dialog.show()
            settle()
            assert not dialog.grab().toImage().isNull()
            dialog.close()
            dialog.deleteLater()
    finally:
        translators.set_language("en")


def test_settings_are_taken_over_when_accepted(qapp: QApplication, settings: Settings) -> None:
    dialog = SettingsDialog(settings)
    dialog.theme.setCurrentIndex(dialog.theme.findData("dark"))
    dialog.steps.setValue(5)
    dialog.sample_hz.setValue(1000)
    dialog.python.setText(" /usr/bin/python3 ")
    dialog.accept()
    assert settings.get(keys.THEME) == "system"  # accept() alone is the base class; the button saves
    dialog._accept()
    assert settings.get(keys.THEME) == "dark"
    assert settings.get(keys.STEPS) == 5
    assert settings.get(keys.SAMPLE_HZ) == 1000
    assert settings.get(keys.WORKER_PYTHON) == "/usr/bin/python3"
    dialog.deleteLater()


def test_about_tells_every_version_and_licence(qapp: QApplication) -> None:
    dialog = AboutDialog()
    text = dialog.text
    assert isinstance(text, QPlainTextEdit)
    for part in ("OptMem", "PySide6-Essentials", "LGPL-3.0", "torch"):
        assert part in text.toPlainText()
    dialog.deleteLater()
