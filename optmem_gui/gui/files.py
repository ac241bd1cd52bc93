"""Files the user names: open, save, recent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from optmem_gui.core.errors import UserError
from optmem_gui.gui import settings as keys
from optmem_gui.gui.loading import Loader
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.store import Store
from optmem_gui.paths import SCENARIO_SUFFIX, SNAPSHOT_SUFFIXES


class Files(QObject):
    """Asks for names and does what was asked; what goes wrong becomes a notice.

    Emits:
        save_refused: Why a scenario was not saved; another place may do.
    """

    save_refused = Signal(object)

    def __init__(self, window: QWidget, store: Store, loader: Loader, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._store = store
        self._loader = loader
        self._settings = settings
        loader.opened.connect(self.remember)

    # -- opening

    def open(self, path: Path) -> None:
        """Open a file or folder."""
        self._loader.open(path)

    def ask_file(self) -> None:
        """Let the user choose a file."""
        from optmem_gui.checkpoints.registry import READERS  # noqa: PLC0415  # readers are loaded when a file is meant, not before the window

        suffixes = sorted(
            {suffix for reader in READERS for suffix in reader.suffixes}
            | {".json", SCENARIO_SUFFIX, *SNAPSHOT_SUFFIXES}
        )
        patterns = " ".join(f"*{suffix}" for suffix in suffixes)
        models, everything = self.tr("Models, scenarios and memory snapshots"), self.tr("All files")
        filters = f"{models} ({patterns});;{everything} (*)"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open"), self._folder(), filters)
        if name:
            self.open(Path(name))

    def ask_folder(self) -> None:
        """Let the user choose a folder that holds a model."""
        name = QFileDialog.getExistingDirectory(self._window, self.tr("Open folder"), self._folder())
        if name:
            self.open(Path(name))

    def fill_recent(self, menu: QMenu) -> None:
        """List the recent files; what is gone is grey, and stays listed in case a drive comes back."""
        menu.clear()
        recent: list[str] = self._settings.get(keys.RECENT)
        for number, name in enumerate(recent, start=1):
            path = Path(name)
            action = QAction(f"&{number % 10}  {_escaped(_short(path))}", menu)
            action.setToolTip(name)
            action.setEnabled(path.exists())
            action.triggered.connect(self._opener(path))
            menu.addAction(action)
        menu.addSeparator()
        clear = QAction(self.tr("Clear list"), menu)
        clear.setEnabled(bool(recent))
        clear.triggered.connect(self._clear_recent)
        menu.addAction(clear)

    def _opener(self, path: Path) -> Callable[[], None]:
        return lambda: self.open(path)

    def _clear_recent(self) -> None:
        self._settings.set(keys.RECENT, [])

    def remember(self, path: Path) -> None:
        """Put a file that was opened or saved at the head of the recent ones."""
        self._settings.add_recent(path)
        self._settings.set(keys.FOLDER, str(path.parent if path.is_file() else path))

    # -- saving

    def save(self) -> bool:
        """Save to the file at hand, or ask for one. Returns whether it was saved."""
        path = self._store.snapshot.file
        return self.ask_save() if path is None else self._save(path)

    def ask_save(self) -> bool:
        """Let the user choose where to save. Returns whether it was saved."""
        title = self._store.snapshot.inputs.scenario.model.title
        path = self.ask_path(self.tr("Save scenario"), title, SCENARIO_SUFFIX, self.tr("OptMem scenario"))
        return path is not None and self._save(path)

    def _save(self, path: Path) -> bool:
        from optmem_gui.report.scenario_file import save_scenario  # noqa: PLC0415  # the start does without it

        try:
            # What is saved is what the figures belong to: a file never holds an input that was refused.
            save_scenario(path, self._store.snapshot.scenario)
        except UserError as error:
            self.save_refused.emit(error.reason)
            return False
        self._store.saved(path)
        self.remember(path)
        return True

    def ask_path(self, title: str, stem: str, suffix: str, kind: str) -> Path | None:
        """A path with its suffix; the dialog asks before it overwrites."""
        dialog = QFileDialog(self._window, title, self._folder(), f"{kind} (*{suffix})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        # The dialog adds the suffix before it looks whether such a file exists, so the question is right.
        dialog.setDefaultSuffix(suffix.removeprefix("."))
        dialog.selectFile(_file_name(stem) + suffix)
        chosen = dialog.selectedFiles() if dialog.exec() else []
        dialog.deleteLater()
        return Path(chosen[0]) if chosen else None

    def _folder(self) -> str:
        remembered = self._settings.get(keys.FOLDER)
        if remembered and Path(remembered).is_dir():
            return remembered
        return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.HomeLocation)


def _short(path: Path) -> str:
    """A path that fits a menu: the name and the folder it lies in."""
    return f"{path.name}  ({path.parent.name})" if path.parent.name else path.name


def _escaped(text: str) -> str:
    """A menu takes ``&`` for a mnemonic."""
    return text.replace("&", "&&")


def _file_name(stem: str) -> str:
    """A name that every file system takes."""
    return "".join("-" if letter in '<>:"/\\|?*' or ord(letter) < 32 else letter for letter in stem).strip()
