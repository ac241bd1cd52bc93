from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox

from optmem_gui.gui import settings as keys
from optmem_gui.gui.dialogs.settings import SettingsDialog
from optmem_gui.gui.settings import FORMAT, SETTINGS, Settings
from optmem_gui.logs import LOG_FILE, log_dir


def test_keys_are_unique() -> None:
    names = [setting.key for setting in SETTINGS]
    assert len(names) == len(set(names))


def test_every_setting_comes_back_in_its_type(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "optmem.ini"
    first = Settings(path)
    for setting in SETTINGS:
        assert first.get(setting) == setting.default
    first.set(keys.THEME, "dark")
    first.set(keys.STEPS, 7)
    first.set(keys.RECENT, ["/a b/模型.pt"])
    first.set(keys.GEOMETRY, QByteArray(b"\x00\x01\xff"))
    first.save()
    again = Settings(path)
    assert again.get(keys.THEME) == "dark"
    assert again.get(keys.STEPS) == 7
    assert again.get(keys.RECENT) == ["/a b/模型.pt"]
    assert again.get(keys.GEOMETRY) == QByteArray(b"\x00\x01\xff")


@pytest.mark.parametrize(
    ("line", "setting"),
    [
        ("[window]\ntheme=purple\n", keys.THEME),
        ("[measure]\nsteps=many\n", keys.STEPS),
        ("[measure]\nsteps=-1\n", keys.STEPS),
        ("[measure]\nsteps=100000000000000000000\n", keys.STEPS),
        ("[window]\ngeometry=hello\n", keys.GEOMETRY),
    ],
)
def test_a_value_that_is_not_allowed_reads_as_the_default(
    tmp_path: Path, line: str, setting: keys.Setting[object]
) -> None:
    path = tmp_path / "optmem.ini"
    path.write_text(line, encoding="utf-8")
    assert Settings(path).get(setting) == setting.default


@pytest.mark.parametrize("damage", [b"\x00\x01\x02\xff\xfe garbage", b"\xff\xfe\xfa\xfb", b"[window\ntheme"])
def test_a_damaged_file_is_set_aside_and_said_once(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "optmem.ini"
    path.write_bytes(damage)
    settings = Settings(path)
    assert settings.get(keys.THEME) == "system"
    assert [notice.key for notice in settings.notices] == ["window.settings_reset"]
    assert (tmp_path / "optmem.ini.bad").read_bytes() == damage
    settings.set(keys.THEME, "dark")
    settings.save()
    assert Settings(path).notices == []


def test_a_place_that_cannot_be_written_to_survives(tmp_path: Path) -> None:
    # A file where the folder should be: not even root can make a folder there.
    (tmp_path / "config").write_text("in the way", encoding="utf-8")
    settings = Settings(tmp_path / "config" / "optmem.ini")
    assert [notice.key for notice in settings.notices] == ["window.settings_not_saved"]
    settings.set(keys.THEME, "dark")
    settings.save()
    assert settings.get(keys.THEME) == "dark"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_a_read_only_folder_survives(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert Settings(tmp_path / "optmem.ini").notices[0].key == "window.settings_not_saved"
    finally:
        tmp_path.chmod(0o700)


def test_recent_files_keep_ten_newest_first_and_once(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "optmem.ini")
    for number in range(12):
        settings.add_recent(tmp_path / f"{number}.pt")
    settings.add_recent(tmp_path / "5.pt")
    recent = [Path(name).name for name in settings.get(keys.RECENT)]
    assert recent == ["5.pt", "11.pt", "10.pt", "9.pt", "8.pt", "7.pt", "6.pt", "4.pt", "3.pt", "2.pt"]


# The page


def test_the_page_tells_where_settings_and_log_lie(qapp: QApplication, settings: Settings) -> None:
    dialog = SettingsDialog(settings)
    shown = [label.text().replace("\u200b", "") for label in dialog.findChildren(QLabel)]
    assert str(settings.path) in shown
    assert str(log_dir() / LOG_FILE) in shown
    dialog.deleteLater()


def test_accepting_the_page_writes_only_what_was_changed(qapp: QApplication, tmp_path: Path) -> None:
    path = tmp_path / "optmem.ini"
    path.write_text(f"[file]\nformat={FORMAT}\n\n[window]\ntheme=sepia\n", encoding="utf-8")
    settings = Settings(path)
    dialog = SettingsDialog(settings)
    dialog.steps.setValue(6)
    dialog._accept()
    settings.save()
    kept = path.read_text(encoding="utf-8")
    assert "steps=6" in kept
    assert "theme=sepia" in kept  # a theme that only another version knows
    assert "unit" not in kept
    dialog.deleteLater()


@pytest.mark.parametrize(
    ("answer", "theme"),
    [(QMessageBox.StandardButton.Reset, "system"), (QMessageBox.StandardButton.Cancel, "dark")],
)
def test_everything_is_forgotten_only_after_a_question(
    qapp: QApplication,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    answer: QMessageBox.StandardButton,
    theme: str,
) -> None:
    settings.set(keys.THEME, "dark")
    settings.add_recent(Path("/a.pt"))
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answer)
    dialog = SettingsDialog(settings)
    dialog.reset.click()
    assert settings.get(keys.THEME) == theme
    assert (settings.get(keys.RECENT) == []) == (theme == "system")
    assert bool(dialog.result()) == (theme == "system")
    dialog.deleteLater()
