"""How the window looks and speaks: theme, language, unit, and the dialog that sets them all."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from optmem_gui.gui import settings as keys
from optmem_gui.gui.actions import ACTIONS
from optmem_gui.gui.i18n import Language, Translators, system_language
from optmem_gui.gui.live_actions import Actions
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.store import Store
from optmem_gui.gui.theme import ThemeChoice, apply_theme


class Appearance(QObject):
    """Puts themes, languages and units on; the ``choose_`` methods remember the choice as well."""

    def __init__(self, window: QWidget, store: Store, settings: Settings, translators: Translators) -> None:
        super().__init__(window)
        self._window, self._store, self._settings = window, store, settings
        self._translators = translators
        self._theme: ThemeChoice = "system"
        self._table: Actions | None = None
        self._hints = QGuiApplication.styleHints()
        self._hints.colorSchemeChanged.connect(self._follow_system_theme)
        self._hints.accessibility().contrastPreferenceChanged.connect(self._follow_system_contrast)

    def slots(self) -> dict[str, Callable[[], object]]:
        """What the actions of its groups do, by id."""
        setters: dict[str, Callable[[str], None]] = {
            "unit": self.set_unit,
            "theme": self.choose_theme,
            "language": self.choose_language,
        }
        return {
            spec.id: _call(setters[spec.group], spec.id.partition(".")[2]) for spec in ACTIONS if spec.group
        }

    def check_in(self, table: Actions) -> None:
        """Show in these actions what is chosen."""
        self._table = table

    def _check(self, action_id: str) -> None:
        if self._table is not None:
            self._table[action_id].setChecked(True)

    def set_unit(self, unit: str) -> None:
        """Show sizes in GiB or GB, and remember it."""
        self._settings.set(keys.UNIT, unit)
        self._store.set_unit("GB" if unit == "GB" else "GiB")

    def choose_theme(self, choice: str) -> None:
        """Put a theme on, and remember it."""
        self._settings.set(keys.THEME, choice)
        self.set_theme(choice)

    def set_theme(self, choice: str) -> None:
        """Put a theme on."""
        self._theme = "light" if choice == "light" else "dark" if choice == "dark" else "system"
        self._check(f"theme.{self._theme}")
        app = QApplication.instance()
        if isinstance(app, QApplication):
            high = self._settings.get(keys.CONTRAST) == "high"
            apply_theme(app, self._theme, "high" if high else "system")

    def _follow_system_theme(self) -> None:
        if self._theme == "system":
            self.set_theme("system")

    def _follow_system_contrast(self) -> None:
        self.set_theme(self._theme)

    def choose_language(self, language: str) -> None:
        """Speak another language, and remember it."""
        self._settings.set(keys.LANGUAGE, language)
        self.set_language(language)

    def set_language(self, choice: str) -> None:
        """Speak another language; ``system`` stands for the user's own."""
        language: Language = "zh_CN" if choice == "zh_CN" else "en" if choice == "en" else system_language()
        self._check(f"language.{language}")
        if language != self._translators.language:
            self._translators.set_language(language)

    def show_settings(self) -> None:
        """Let the user change settings."""
        from optmem_gui.gui.dialogs.settings import SettingsDialog  # noqa: PLC0415  # the start does without it

        dialog = SettingsDialog(self._settings, self._window)
        if dialog.exec():
            self.set_theme(self._settings.get(keys.THEME))
            self.set_language(self._settings.get(keys.LANGUAGE))
            self.set_unit(self._settings.get(keys.UNIT))
            if self._table is not None:
                after_edit = self._settings.get(keys.SIMULATE_AFTER_EDIT)
                self._table["simulate_after_edit"].setChecked(after_edit)
            self._settings.save()
        dialog.deleteLater()

    def show_about(self) -> None:
        """Show versions and licences."""
        from optmem_gui.gui.dialogs.about import AboutDialog  # noqa: PLC0415  # the start does without it

        dialog = AboutDialog(self._window)
        dialog.exec()
        dialog.deleteLater()


def _call(function: Callable[[str], object], value: str) -> Callable[[], object]:
    return lambda: function(value)
