"""The first start shows an example that says it is one; what cannot be read or written is no dead end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from optmem_gui import paths
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.gui import settings as keys
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.settings import FORMAT, Settings
from optmem_gui.report.scenario_file import MAX_FILE_BYTES, save_scenario, scenario_text
from tests.gui.conftest import settle
from tests.gui.test_files import choose, open_and_wait
from tests.waiting import PATIENCE_S

MakeWindow = Callable[..., MainWindow]

# The first start


def test_the_first_start_shows_figures_and_says_that_they_are_an_example(window: MainWindow) -> None:
    assert window.store.snapshot.breakdown is not None
    assert window.first_run.isVisible()
    assert window.first_run.text.text().startswith("This is an example.")
    names = [button.text() for button in (window.first_run.open, window.first_run.preset)]
    assert names == ["Open file...", "Choose a preset"]


def test_the_line_offers_the_list_of_known_models(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    window.first_run.preset.click()
    settle()
    combo = window.inputs.model.preset.combo
    assert combo.isVisible()
    assert combo.view().isVisible()
    combo.hidePopup()
    assert window.first_run.isVisible()  # looking is not choosing


def test_the_line_offers_the_dialog_that_opens_files(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def no_file(*given: Any) -> tuple[str, str]:
        asked.append(str(given[1]))
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", no_file)
    window.first_run.open.click()
    assert asked == ["Open"]
    assert window.first_run.isVisible()


@pytest.mark.parametrize("how", ["model", "close"])
def test_the_line_goes_for_good_once_a_model_was_chosen_or_it_was_closed(
    make_window: MakeWindow, how: str
) -> None:
    window = make_window()
    window.store.edit("batch", "2")
    assert window.first_run.isVisible()  # another batch is still the example
    if how == "model":
        window.store.edit("params", "1B")
    else:
        window.first_run.close_button.click()
    assert not window.first_run.isVisible()
    window.close()
    again = make_window()
    assert not again.first_run.isVisible()


# What cannot be opened, and where nothing can be written


def _bad_scenarios(folder: Path) -> dict[Path, str]:
    """Scenario files that are refused, and what is said about each."""
    text = scenario_text(Scenario(synthetic_ref(1_000_000), batch=2))
    document = json.loads(text)

    def template(**fields: object) -> str:
        return json.dumps({**document, "scenario": {**document["scenario"], **fields}})

    contents = {
        "newer": (json.dumps({**document, "schema": 99, "scenario": {"x": 1}}), "update OptMem"),
        "half": (text[: len(text) // 2], "half written"),
        "empty field": (template(batch=""), "$.scenario.batch was left empty"),
        "wrong type": (template(clip="yes"), "$.scenario.clip does not fit"),
        "empty": ("", "not an OptMem scenario"),
        "other": ("[1, 2]", "not an OptMem scenario"),
    }
    files = {folder / f"{name}.optmem": (content, said) for name, (content, said) in contents.items()}
    for path, (content, _said) in files.items():
        path.write_text(content, encoding="utf-8")
    huge = folder / "huge.optmem"
    with huge.open("wb") as stream:
        stream.truncate(MAX_FILE_BYTES + 1)
    return {**{path: said for path, (_content, said) in files.items()}, huge: "too large"}


def test_a_scenario_that_is_refused_is_one_line_and_nothing_is_lost(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.store.edit("params", "3B")
    before = window.store.snapshot
    for path, said in _bad_scenarios(tmp_path).items():
        open_and_wait(window, path, qtbot)
        assert window.notice.isVisible()
        line = window.notice.text.text()
        assert said in line, path.name
        assert path.name in line
        assert "\n" not in line
        after = window.store.snapshot
        assert after.scenario is before.scenario
        assert after.inputs is before.inputs
        assert after.file is None
        assert window.store.undo_stack.count() == 1
    assert window.isWindowModified()


def test_a_scenario_that_names_what_is_not_known_is_said_and_changes_nothing(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "tomorrow.optmem"
    save_scenario(path, Scenario(synthetic_ref(1_000_000), optimizer="torch.OptimizerOfTomorrow"))
    before = window.store.snapshot
    open_and_wait(window, path, qtbot)
    assert "torch.OptimizerOfTomorrow is not known" in window.notice.text.text()
    after = window.store.snapshot
    assert after.scenario is before.scenario
    assert after.inputs is before.inputs
    assert after.file is None  # saving must not write over a file that was not taken
    assert not window.isWindowModified()


def test_a_scenario_that_cannot_be_saved_stays_changed_and_another_place_is_offered(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.store.edit("batch", "3")
    choose(monkeypatch, tmp_path / "no such folder" / "run.optmem")
    window.actions_table["save"].trigger()
    assert "no such folder" in window.notice.text.text()
    assert window.isWindowModified()
    assert window.store.snapshot.file is None
    assert window.notice.offer.text() == "Save as..."
    choose(monkeypatch, tmp_path / "run.optmem")
    window.notice.offer.click()
    assert (tmp_path / "run.optmem").is_file()
    assert not window.isWindowModified()
    assert not window.notice.isVisible()
    window.store.notice(Reason("drop.nothing_local"))
    assert not window.notice.offer.isVisible()  # an offer belongs to its own line only


def test_closing_stays_open_where_the_changes_cannot_be_saved(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder" / "run.optmem"
    path.parent.mkdir()
    save_scenario(path, window.store.snapshot.scenario)
    window.store.saved(path)
    window.store.edit("batch", "3")
    path.unlink()
    path.parent.rmdir()
    answers = [QMessageBox.StandardButton.Save, QMessageBox.StandardButton.Discard]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    assert not window.close()
    assert window.notice.offer.isVisible()
    assert window.close()


def test_without_a_home_everything_works_and_is_said_once() -> None:
    """A home that is no folder: not even the superuser can make one in it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment |= {"QT_QPA_PLATFORM": "offscreen", "HOME": os.devnull, "USERPROFILE": os.devnull}
    for name in ("APPDATA", "LOCALAPPDATA"):
        environment.pop(name, None)
    code = (
        "from optmem_gui.gui.app import *\n"
        "from optmem_gui.logs import start_log, take_crash\n"
        "assert take_crash() is None\n"
        "assert start_log() is None\n"
        "app = Application([])\n"
        "window = build_window(app, Settings())\n"
        "window.show()\n"
        "app.processEvents()\n"
        "print(window.notice.text.text())\n"
        "window.store.edit('batch', '2')\n"
        "window.appearance.choose_theme('dark')\n"
        "window.close()\n"
    )
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=PATIENCE_S, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "Settings cannot be saved" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_user_without_a_home_gets_no_folder_of_that_name_where_the_program_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in (paths.in_home("~/.config/OptMem"), paths.in_home("~/.local/state/OptMem/log")):
        assert place.is_absolute()
        with pytest.raises(OSError, match=r".+"):
            place.mkdir(parents=True)
    settings = Settings(paths.in_home("~/.config/OptMem") / "optmem.ini")
    settings.set(keys.THEME, "dark")
    settings.save()
    assert settings.get(keys.THEME) == "dark"
    assert [notice.key for notice in settings.notices] == ["window.settings_not_saved"]
    assert list(tmp_path.iterdir()) == []


# Settings that others write as well


_OTHER_WINDOW = """
import sys
from pathlib import Path
from optmem_gui.gui import settings as keys
from optmem_gui.gui.settings import Settings
settings = Settings(Path(sys.argv[1]))
settings.set(keys.UNIT, "GB")
settings.add_recent(Path(sys.argv[2]))
settings.save()
"""


def test_two_windows_keep_what_the_other_one_wrote(tmp_path: Path) -> None:
    path = tmp_path / "optmem.ini"
    settings = Settings(path)
    settings.set(keys.THEME, "dark")
    settings.save()
    subprocess.run(
        [sys.executable, "-c", _OTHER_WINDOW, str(path), str(tmp_path / "b.pt")],
        check=True,
        timeout=PATIENCE_S,
    )
    settings.add_recent(tmp_path / "a.pt")
    settings.save()
    assert (settings.get(keys.THEME), settings.get(keys.UNIT)) == ("dark", "GB")
    assert [Path(name).name for name in settings.get(keys.RECENT)] == ["a.pt", "b.pt"]


def test_settings_of_a_newer_program_are_used_kept_and_told_of_once(tmp_path: Path) -> None:
    path = tmp_path / "optmem.ini"
    path.write_text(
        f"[file]\nformat={FORMAT + 1}\n\n[window]\ntheme=sepia\nunit=GB\nhologram=true\n", encoding="utf-8"
    )
    settings = Settings(path)
    assert [notice.key for notice in settings.notices] == ["window.settings_newer"]
    assert settings.get(keys.UNIT) == "GB"
    assert settings.get(keys.THEME) == "system"
    settings.set(keys.STEPS, 4)
    settings.save()
    kept = path.read_text(encoding="utf-8")
    assert f"format={FORMAT + 1}" in kept
    assert "theme=sepia" in kept
    assert "hologram=true" in kept
    assert Settings(path).notices == []


@pytest.mark.parametrize("value", ["--5", "5-", "²", "1e3", "", "-"])
def test_a_number_that_is_none_reads_as_the_default(tmp_path: Path, value: str) -> None:
    path = tmp_path / "optmem.ini"
    path.write_text(f"[measure]\nsteps={value}\n", encoding="utf-8")
    assert Settings(path).get(keys.STEPS) == keys.STEPS.default


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    assert [notice.key for notice in settings.notices] == ["window.settings_not_saved"]
    settings.set(keys.THEME, "dark")
    settings.save()
    assert settings.get(keys.THEME) == "dark"
