"""Everything the user can do, as one table: menus, tool bar, shortcuts and tool tips come from it.

To add an action, add a line to :data:`ACTIONS`, its id to a menu, and the method it calls;
:mod:`optmem_gui.gui.live_actions` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence

from optmem_gui.gui.i18n import LANGUAGES, QT_TRANSLATE_NOOP
from optmem_gui.report.exporters import EXPORTERS
from optmem_gui.report.notations import NOTATIONS, SHORTCUTS

_KEY = QKeySequence.StandardKey
_ROLE = QAction.MenuRole


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action.

    Attributes:
        id: Name; ``group.value`` for one of several of which one is chosen.
        text: Menu text with its mnemonic, English; empty for a name that is the same in every language.
        tip: What it does, one sentence.
        shortcut: Keys, or the platform's own for a common action.
        icon: File in ``resources/icons``.
        role: Place in the application menu on macOS.
        name: Text that is not translated.
        checkable: It is on or off.
    """

    id: str
    text: str = ""
    tip: str = ""
    shortcut: QKeySequence.StandardKey | str | None = None
    icon: str = ""
    role: QAction.MenuRole = _ROLE.NoRole
    name: str = ""
    checkable: bool = False

    @property
    def group(self) -> str:
        """Name of the exclusive group it belongs to, if it does."""
        head = self.id.partition(".")[0]
        return head if head in ("unit", "theme", "language") else ""


def _export_specs() -> tuple[ActionSpec, ...]:
    """One action for each format the reports can be written in."""
    tip = QT_TRANSLATE_NOOP("Actions", "Save the figures in this format")
    return tuple(ActionSpec(f"export.{e.id}", tip=tip, name=f"{e.title}...") for e in EXPORTERS.values())


def _copy_specs() -> tuple[ActionSpec, ...]:
    """One action for each notation a table can be copied in."""
    tip = QT_TRANSLATE_NOOP("Actions", "Copy the table that has the keyboard, else the breakdown")
    return tuple(
        ActionSpec(f"copy_as.{n.id}", tip=tip, name=n.title, shortcut=SHORTCUTS.get(n.id))
        for n in NOTATIONS.values()
    )


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "open",
        QT_TRANSLATE_NOOP("Actions", "&Open..."),
        QT_TRANSLATE_NOOP(
            "Actions", "Open a checkpoint, a config.json, a saved scenario or a memory snapshot"
        ),
        _KEY.Open,
        "open",
    ),
    ActionSpec(
        "open_folder",
        QT_TRANSLATE_NOOP("Actions", "Open &folder..."),
        QT_TRANSLATE_NOOP("Actions", "Open a folder that holds a model"),
        "Ctrl+Shift+O",
        "folder",
    ),
    ActionSpec(
        "close_snapshot",
        QT_TRANSLATE_NOOP("Actions", "&Close memory snapshot"),
        QT_TRANSLATE_NOOP("Actions", "Go back to the estimate"),
        _KEY.Close,
    ),
    ActionSpec(
        "save",
        QT_TRANSLATE_NOOP("Actions", "&Save"),
        QT_TRANSLATE_NOOP("Actions", "Save what stands in the fields as a scenario"),
        _KEY.Save,
        "save",
    ),
    ActionSpec(
        "save_as",
        QT_TRANSLATE_NOOP("Actions", "Save &as..."),
        QT_TRANSLATE_NOOP("Actions", "Save the scenario under another name"),
        "Ctrl+Shift+S",
    ),
    *_export_specs(),
    ActionSpec(
        "export.png",
        tip=QT_TRANSLATE_NOOP("Actions", "Save a picture of the results"),
        name="PNG...",
    ),
    ActionSpec(
        "export.svg",
        tip=QT_TRANSLATE_NOOP("Actions", "Save a scalable picture of the results"),
        name="SVG...",
    ),
    ActionSpec(
        "export.pdf",
        tip=QT_TRANSLATE_NOOP("Actions", "Save everything as a report of one page"),
        name="PDF...",
    ),
    ActionSpec(
        "copy_table",
        QT_TRANSLATE_NOOP("Actions", "&Copy table"),
        QT_TRANSLATE_NOOP("Actions", "Copy the breakdown for a spreadsheet, a document or a web page"),
        "Ctrl+Shift+C",
        "copy",
    ),
    *_copy_specs(),
    ActionSpec(
        "quit",
        QT_TRANSLATE_NOOP("Actions", "&Quit"),
        QT_TRANSLATE_NOOP("Actions", "Stop what runs and close the window"),
        "Ctrl+Q",
        role=_ROLE.QuitRole,
    ),
    ActionSpec(
        "undo",
        QT_TRANSLATE_NOOP("Actions", "&Undo"),
        QT_TRANSLATE_NOOP("Actions", "Take the last edit back"),
        _KEY.Undo,
        "undo",
    ),
    ActionSpec(
        "redo",
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        QT_TRANSLATE_NOOP("Actions", "Make the edit again"),
        "Ctrl+Shift+Z",
        "redo",
    ),
    ActionSpec(
        "settings",
        QT_TRANSLATE_NOOP("Actions", "Se&ttings..."),
        QT_TRANSLATE_NOOP("Actions", "Theme, language, and how a measurement runs"),
        "Ctrl+,",
        "settings",
        _ROLE.PreferencesRole,
    ),
    ActionSpec("unit.GiB", tip=QT_TRANSLATE_NOOP("Actions", "Sizes in 2^30 bytes"), name="GiB"),
    ActionSpec("unit.GB", tip=QT_TRANSLATE_NOOP("Actions", "Sizes in 10^9 bytes"), name="GB"),
    ActionSpec("theme.system", QT_TRANSLATE_NOOP("Actions", "As the &system")),
    ActionSpec("theme.light", QT_TRANSLATE_NOOP("Actions", "&Light")),
    ActionSpec("theme.dark", QT_TRANSLATE_NOOP("Actions", "&Dark")),
    *(ActionSpec(f"language.{language}", name=name) for language, name in LANGUAGES.items()),
    ActionSpec(
        "checkpoint",
        QT_TRANSLATE_NOOP("Actions", "&Checkpoint"),
        QT_TRANSLATE_NOOP(
            "Actions", "The modules of the opened file, the optimizer in it, and how it is understood"
        ),
        "F4",
        checkable=True,
    ),
    ActionSpec(
        "results",
        QT_TRANSLATE_NOOP("Actions", "&Measurements"),
        QT_TRANSLATE_NOOP("Actions", "Every measurement that is kept: see it again, compare two, export"),
        "F8",
        checkable=True,
    ),
    ActionSpec(
        "pin",
        QT_TRANSLATE_NOOP("Actions", "&Pin as A"),
        QT_TRANSLATE_NOOP("Actions", "Keep the present scenario and read what later edits change"),
        "Ctrl+Shift+A",
    ),
    ActionSpec(
        "reset_layout",
        QT_TRANSLATE_NOOP("Actions", "&Reset window layout"),
        QT_TRANSLATE_NOOP("Actions", "Put every panel back to its first size"),
    ),
    ActionSpec(
        "simulate",
        QT_TRANSLATE_NOOP("Actions", "Simulat&e"),
        QT_TRANSLATE_NOOP(
            "Actions", "Trace the real step without a GPU and replay it through PyTorch's allocator"
        ),
        "F6",
        "simulate",
    ),
    ActionSpec(
        "simulate_function",
        QT_TRANSLATE_NOOP("Actions", "Simulate a f&unction..."),
        QT_TRANSLATE_NOOP("Actions", "Trace the step of a function in a Python file of your own"),
        "Shift+F6",
    ),
    ActionSpec(
        "simulate_after_edit",
        QT_TRANSLATE_NOOP("Actions", "Simulate &after an edit"),
        QT_TRANSLATE_NOOP(
            "Actions", "After the first simulation, start another one a moment after each edit"
        ),
        checkable=True,
    ),
    ActionSpec(
        "measure",
        QT_TRANSLATE_NOOP("Actions", "&Measure"),
        QT_TRANSLATE_NOOP(
            "Actions", "Run real training steps in a process of their own and watch the memory"
        ),
        "F5",
        "measure",
    ),
    ActionSpec(
        "measure_with",
        QT_TRANSLATE_NOOP("Actions", "Measure &with..."),
        QT_TRANSLATE_NOOP(
            "Actions", "Measure compiled, with the checkpoint's own values, or with the allocator's history"
        ),
        "Ctrl+F5",
    ),
    ActionSpec(
        "measure_function",
        QT_TRANSLATE_NOOP("Actions", "Measure a fu&nction..."),
        QT_TRANSLATE_NOOP("Actions", "Run real steps of a function in a Python file of your own"),
    ),
    ActionSpec(
        "stop",
        QT_TRANSLATE_NOOP("Actions", "S&top"),
        QT_TRANSLATE_NOOP("Actions", "Stop the simulation or the measurement"),
        "Shift+F5",
        "stop",
    ),
    ActionSpec(
        "plan",
        QT_TRANSLATE_NOOP("Actions", "Find &layouts that fit..."),
        QT_TRANSLATE_NOOP("Actions", "How few GPUs are enough, and how they share the model"),
        "F7",
    ),
    ActionSpec(
        "probe",
        QT_TRANSLATE_NOOP("Actions", "&Add an optimizer of your own..."),
        QT_TRANSLATE_NOOP(
            "Actions", "Name any optimizer class; a process of its own finds out what it keeps"
        ),
    ),
    ActionSpec(
        "why",
        QT_TRANSLATE_NOOP("Actions", "&Why this number?"),
        QT_TRANSLATE_NOOP("Actions", "Formula, numbers put in, source and proof of the selected number"),
        "Shift+F1",
    ),
    ActionSpec(
        "pages",
        QT_TRANSLATE_NOOP("Actions", "&How memory is used"),
        QT_TRANSLATE_NOOP("Actions", "Short pages: where the memory goes, and what tools show of it"),
        "Ctrl+F1",
    ),
    ActionSpec(
        "selfcheck",
        QT_TRANSLATE_NOOP("Actions", "&Self-check..."),
        QT_TRANSLATE_NOOP("Actions", "Put every number beside real steps on this computer"),
    ),
    ActionSpec(
        "about_optimizer",
        QT_TRANSLATE_NOOP("Actions", "About this &optimizer"),
        QT_TRANSLATE_NOOP("Actions", "What the optimizer keeps, why, and where that is known from"),
        "F1",
    ),
    ActionSpec(
        "about",
        QT_TRANSLATE_NOOP("Actions", "&About OptMem"),
        QT_TRANSLATE_NOOP("Actions", "Versions and licences"),
        role=_ROLE.AboutRole,
    ),
)
"""Every action, once."""

SEPARATOR = "-"
MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        QT_TRANSLATE_NOOP("Actions", "&File"),
        ("open", "open_folder", "recent>", "close_snapshot", "-", "save", "save_as", "export>", "-", "quit"),
    ),
    (QT_TRANSLATE_NOOP("Actions", "&Edit"), ("undo", "redo", "-", "copy_table", "copy_as>", "-", "settings")),
    (
        QT_TRANSLATE_NOOP("Actions", "&View"),
        (
            "checkpoint",
            "results",
            "pin",
            "-",
            "unit.GiB",
            "unit.GB",
            "-",
            "theme>",
            "language>",
            "-",
            "reset_layout",
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Actions", "&Run"),
        (
            "simulate",
            "simulate_function",
            "simulate_after_edit",
            "-",
            "measure",
            "measure_with",
            "measure_function",
            "-",
            "stop",
            "-",
            "plan",
            "probe",
        ),
    ),
    (
        QT_TRANSLATE_NOOP("Actions", "&Help"),
        ("why", "about_optimizer", "pages", "-", "selfcheck", "-", "about"),
    ),
)
"""Menus and what they hold; an entry that ends in ``>`` is a submenu of the actions that begin so."""

SUBMENUS: dict[str, str] = {
    "recent": QT_TRANSLATE_NOOP("Actions", "Open &recent"),
    "export": QT_TRANSLATE_NOOP("Actions", "&Export"),
    "copy_as": QT_TRANSLATE_NOOP("Actions", "Copy table &as"),
    "theme": QT_TRANSLATE_NOOP("Actions", "&Theme"),
    "language": QT_TRANSLATE_NOOP("Actions", "&Language"),
}
