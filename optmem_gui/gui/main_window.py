"""The window: lays the parts out, wires them to the store, remembers its shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QLabel,
    QMainWindow,
    QMessageBox,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.core.reasons import Reason
from optmem_gui.gui import settings as keys
from optmem_gui.gui.appearance import Appearance
from optmem_gui.gui.checkpoint_view import CheckpointView
from optmem_gui.gui.deciding import Deciding
from optmem_gui.gui.drop import DropFrame, dropped_path
from optmem_gui.gui.explaining import Explaining
from optmem_gui.gui.exporting import Exporting
from optmem_gui.gui.files import Files
from optmem_gui.gui.first_run import FirstRunBar
from optmem_gui.gui.focus_ring import FocusRing
from optmem_gui.gui.i18n import Translators, model_title
from optmem_gui.gui.inputs_column import InputsColumn
from optmem_gui.gui.live_actions import Actions
from optmem_gui.gui.loading import Loader
from optmem_gui.gui.measured_results import MeasuredResults
from optmem_gui.gui.memory_snapshots import MemorySnapshots
from optmem_gui.gui.notice import NoticeBar
from optmem_gui.gui.optimizer_tools import OptimizerTools
from optmem_gui.gui.planning import Planning
from optmem_gui.gui.pythons import worker_python
from optmem_gui.gui.results import Results, ResultsView
from optmem_gui.gui.runs import Runs
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.gui.tab_order import order_tabs
from optmem_gui.gui.top_bar import TopBar
from optmem_gui.gui.window_shape import WindowShape

if TYPE_CHECKING:
    from optmem_gui.gui.freezing import Freezer

ANNOUNCE_MS = 1500
"""Pause after the last edit before the result is announced."""


class MainWindow(QMainWindow):
    """The one window of the program."""

    def __init__(self, store: Store, settings: Settings, translators: Translators) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.store, self._settings = store, settings
        self.appearance = Appearance(self, store, settings, translators)
        self.runs = Runs(self, store, settings)
        self.loader = Loader(store, self, lambda: worker_python(settings))
        self.files = Files(self, store, self.loader, settings)
        self.inputs, self.results = InputsColumn(), Results()
        self.exporting = Exporting(
            self, store, settings, self.files, self.results.headline, self._page_of_its_own
        )
        self.optimizers = OptimizerTools(
            self, store, settings, self.inputs.optimizer, self.results.comparison
        )
        self.planning = Planning(self, store)
        self.deciding = Deciding(self, store, self.results.headline, self.results.decide)
        self.explaining = Explaining(self, store, self.results)
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        self.shape = WindowShape(self, settings, self.columns, self.inputs, self.results)
        self.right = QStackedWidget()
        self.checkpoint = CheckpointView(self.right, store, self, lambda: worker_python(settings))
        self.measured = MeasuredResults(self.right, store, self.files, settings.path.parent, self)
        self.pages = QStackedWidget()
        self.memory_snapshots = MemorySnapshots(self.pages, store, self)
        self.actions_table = Actions(self._slots(), self)
        self.appearance.check_in(self.actions_table)
        self.runs.check_in(self.actions_table)
        self.notice, self.first_run = NoticeBar(), FirstRunBar(settings, store.snapshot)
        self.units = QLabel()
        self._announcement = QTimer(self)
        self._announcement.setSingleShot(True)
        self._announcement.setInterval(ANNOUNCE_MS)
        self._announcement.timeout.connect(self._announce)
        self._build()
        self.drop_frame, self.focus_ring = DropFrame(self), FocusRing(self)
        self.setAcceptDrops(True)
        self._connect()
        self._retranslate()
        self._show(store.snapshot)
        self._place_widgets()
        self.inputs.optimizer.rebuilt.connect(self._place_widgets)
        self.inputs.residents.rebuilt.connect(self._place_widgets)
        self.results.timeline.plots.widgetAdded.connect(self._place_widgets)
        self.results.decide.page_made.connect(self._place_widgets)

    # -- what the start does without, made when it is meant

    @cached_property
    def freezer(self) -> Freezer:
        """The choice of trained parameters."""
        from optmem_gui.gui.freezing import Freezer  # noqa: PLC0415  # as said above

        return Freezer(self.store, self)

    # -- building

    def _slots(self) -> dict[str, Callable[[], object]]:
        """What each action of the table does."""
        slots: dict[str, Callable[[], object]] = {
            "open": self.files.ask_file,
            "open_folder": self.files.ask_folder,
            "close_snapshot": self.memory_snapshots.leave,
            "save": self.files.save,
            "save_as": self.files.ask_save,
            "copy_table": self.results.breakdown.table.copy,
            "checkpoint": self.checkpoint.toggle,
            "results": self.measured.toggle,
            "pin": self.deciding.pin,
            "quit": self.close,
            "undo": self.store.undo_stack.undo,
            "redo": self.store.undo_stack.redo,
            "settings": self.appearance.show_settings,
            "reset_layout": self.shape.reset,
            "about_optimizer": self.optimizers.show_about,
            "probe": self.optimizers.show_probe,
            "plan": self.planning.show,
            "about": self.appearance.show_about,
        }
        slots |= self.exporting.slots(self.results.breakdown.table.copy_actions)
        return slots | self.appearance.slots() | self.runs.slots() | self.explaining.slots()

    def _build(self) -> None:
        em = self.fontMetrics().height()
        self.actions_table.fill(self.menuBar())
        self.bar = TopBar(self.actions_table, self.store.gpus)
        self.gpu = self.bar.gpu
        self.addToolBar(self.bar)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.columns.setObjectName("splitter.columns")
        self.columns.setChildrenCollapsible(False)
        self.columns.setHandleWidth(em // 2)
        self.columns.addWidget(self.inputs)
        self.right.addWidget(ResultsView(self.results))
        self.columns.addWidget(self.right)
        self.columns.setStretchFactor(0, 0)
        self.columns.setStretchFactor(1, 1)
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(em // 2, em // 4, em // 2, 0)
        column.setSpacing(em // 2)
        column.addWidget(self.notice)
        column.addWidget(self.first_run)
        self.pages.addWidget(self.columns)
        column.addWidget(self.pages, 1)
        self.setCentralWidget(central)
        self.statusBar().setSizeGripEnabled(False)
        self.units.setContentsMargins(em // 2, 0, 0, em // 4)
        self.statusBar().addWidget(self.units, 1)
        self.resize(80 * em, 50 * em)

    def _connect(self) -> None:
        store, table = self.store, self.actions_table
        self.inputs.edited.connect(store.edit)
        self.gpu.edited.connect(store.edit)
        self.inputs.sharding.plan_wanted.connect(self.planning.show)
        self.inputs.model.open_wanted.connect(self.files.ask_file)
        self.inputs.model.folder_wanted.connect(self.files.ask_folder)
        self.inputs.model.cancel_wanted.connect(self.loader.cancel)
        self.inputs.model.inspect_wanted.connect(self.checkpoint.show)
        self.inputs.model.trained_wanted.connect(lambda pattern: self.freezer.want(pattern))  # noqa: PLW0108  # made when it is meant
        self.results.comparison.chosen.connect(self._choose_optimizer)
        self.results.view_made.connect(self._connect_view)
        self.loader.read.connect(self.checkpoint.hold)
        self.checkpoint.shown.connect(self._show_checkpoint_page)
        self.checkpoint.possible.connect(table["checkpoint"].setEnabled)
        table["checkpoint"].setEnabled(False)
        self.loader.opened.connect(self.memory_snapshots.leave)
        self.loader.snapshot_found.connect(self.memory_snapshots.open)
        self.loader.result_found.connect(self.measured.open)
        self.measured.shown.connect(self._show_results_page)
        self.measured.picture_wanted.connect(lambda: self.exporting.ask_picture(".png"))
        self.memory_snapshots.opened.connect(self.files.remember)
        self.memory_snapshots.shown.connect(self._show_snapshot_page)
        store.changed.connect(self._show)
        store.comparison_changed.connect(self.results.comparison.render)
        store.measurement_changed.connect(lambda snapshot: self._show_run(snapshot, "measurement"))
        store.simulation_changed.connect(lambda snapshot: self._show_run(snapshot, "simulation"))
        store.load_changed.connect(self.inputs.model.show_load)
        store.noticed.connect(self.notice.show_reason)
        self.files.save_refused.connect(lambda reason: self.notice.show_reason(reason, table["save_as"]))
        self.first_run.open_wanted.connect(self.files.ask_file)
        self.first_run.preset_wanted.connect(self.inputs.model.ask_preset)
        stack = store.undo_stack
        stack.canUndoChanged.connect(table["undo"].setEnabled)
        stack.canRedoChanged.connect(table["redo"].setEnabled)
        stack.cleanChanged.connect(self._show_title)
        table["close_snapshot"].setEnabled(False)
        table["undo"].setEnabled(False)
        table["redo"].setEnabled(False)
        recent = table.submenus["recent"]
        recent.aboutToShow.connect(lambda: self.files.fill_recent(recent))
        self.files.fill_recent(recent)

    # -- showing

    def _show(self, snapshot: Snapshot) -> None:
        self.inputs.render(snapshot)
        self.first_run.render(snapshot)
        self.gpu.render(snapshot)
        self.results.render(snapshot)
        self._show_title()
        self._show_units(snapshot)
        self._show_run_actions(snapshot)
        self._announcement.start()

    def _place_widgets(self) -> None:
        """Order Tab as things are laid out, and let no child keep a dropped file: as text, or for nothing."""
        order_tabs(self)
        for child in self.findChildren(QWidget):
            child.setAcceptDrops(False)

    def _announce(self) -> None:
        """Tell assistive technology the result once typing pauses; the figures themselves are only drawn."""
        headline = self.results.headline
        text = f"{headline.peak.text()}. {headline.verdict.text()}"
        if self.store.snapshot.simulated is not None:
            text += f". {headline.simulated.number.accessibleName()}"
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def _connect_view(self, name: str) -> None:
        """A view was made that was not there at the start."""
        if name == "measurement":
            self.results.measurement.answered.connect(self.runs.answer)
        self._place_widgets()

    def _show_run(self, snapshot: Snapshot, name: str) -> None:
        self.results.render_run(snapshot, name)
        if name == "simulation" and not snapshot.simulation.stage.is_busy:
            self._announcement.start()
        self._show_run_actions(snapshot)

    def _show_run_actions(self, snapshot: Snapshot) -> None:
        self.runs.show_actions(snapshot, elsewhere=self.memory_snapshots.is_shown)

    def _show_title(self) -> None:
        snapshot = self.store.snapshot
        name = snapshot.file.name if snapshot.file else model_title(snapshot.inputs.scenario.model)
        self.setWindowModified(not self.store.undo_stack.isClean())
        self.setWindowFilePath(str(snapshot.file) if snapshot.file else "")
        self.setWindowTitle(f"{name}[*] - OptMem")

    def _show_units(self, snapshot: Snapshot) -> None:
        power = "2^30" if snapshot.unit == "GiB" else "10^9"
        text = self.tr("All figures in {unit} ({power} bytes). Offline: nothing leaves this computer.")
        self.units.setText(text.format(unit=snapshot.unit, power=power))
        self.actions_table[f"unit.{snapshot.unit}"].setChecked(True)

    def _retranslate(self) -> None:
        self.actions_table.retranslate()
        self.columns.setAccessibleName(self.tr("Inputs and results"))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._show_title()
            self._show_units(self.store.snapshot)
            self._show_run_actions(self.store.snapshot)

    # -- what actions do

    def _choose_optimizer(self, optimizer: object) -> None:
        self.store.edit("optimizer", optimizer)

    def _show_snapshot_page(self, shown: bool) -> None:
        """What runs the inputs has no place beside a memory snapshot."""
        self.actions_table["close_snapshot"].setEnabled(shown)
        self._show_run_actions(self.store.snapshot)
        if shown:
            self._place_widgets()

    def _show_checkpoint_page(self, shown: bool) -> None:
        self.actions_table["checkpoint"].setChecked(shown)
        if shown:
            self.actions_table["results"].setChecked(False)
            self._place_widgets()

    def _show_results_page(self, shown: bool) -> None:
        self.actions_table["results"].setChecked(shown)
        if shown:
            self.actions_table["checkpoint"].setChecked(False)
            self._place_widgets()

    def _page_of_its_own(self) -> QWidget | None:
        """What is shown in place of the results, if anything is."""
        page = self.memory_snapshots.page
        if page is not None and self.memory_snapshots.is_shown:
            return page
        if self.measured.is_shown:
            return self.measured.pictured
        return self.checkpoint.page if self.checkpoint.is_shown else None

    # -- files that are dropped

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802  # Qt's name
        """Say what dropping would do; what is refused is accepted too, so that the reason can be read."""
        if event.mimeData().hasUrls():
            self.drop_frame.show_for(dropped_path(event.mimeData()))
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802  # Qt's name
        """Take the frame away."""
        self.drop_frame.hide()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802  # Qt's name
        """Open what was dropped, or say why not."""
        self.drop_frame.hide()
        found = dropped_path(event.mimeData())
        event.acceptProposedAction()
        if isinstance(found, Reason):
            self.store.notice(found)
        else:
            self.open(found)

    def open(self, path: Path) -> None:
        """Open a file or folder; what is being read is given up."""
        self.notice.clear()
        self.files.open(path)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Keep the drop frame over the whole window."""
        super().resizeEvent(event)
        self.drop_frame.setGeometry(self.rect())

    # -- the end

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        """Stop what runs and wait for it; ask only about changes to a file that has a name."""
        snapshot = self.store.snapshot
        if snapshot.file is not None and self.isWindowModified() and not self._may_close(snapshot.file):
            event.ignore()
            return
        self.shape.remember()
        self._settings.set(keys.GPU, snapshot.scenario.gpu or "")
        self._settings.save()
        self.loader.close()
        self.runs.close()
        if "freezer" in self.__dict__:  # nothing is made only to be closed
            self.freezer.close()
        self.memory_snapshots.close()
        self.checkpoint.close()
        self.optimizers.close()
        self.planning.close()
        self.deciding.close()
        self.exporting.close()
        super().closeEvent(event)

    def _may_close(self, path: Path) -> bool:
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self,
            self.tr("Save changes"),
            self.tr("{name} was changed. Save it?").format(name=path.name),
            buttons.Save | buttons.Discard | buttons.Cancel,
        )
        if answer == buttons.Save:
            return self.files.save()
        return answer == buttons.Discard
