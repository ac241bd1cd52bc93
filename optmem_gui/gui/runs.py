"""What runs in processes of its own, simulations and measurements, and the actions that start and stop it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from optmem_gui.gui import settings as keys
from optmem_gui.gui.live_actions import Actions
from optmem_gui.gui.pythons import needs_python, worker_python
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store

if TYPE_CHECKING:  # made when they are meant: the window starts without them
    from optmem_gui.gui.dialogs.selfcheck import SelfCheckDialog
    from optmem_gui.gui.measuring import Answer, Measurer
    from optmem_gui.gui.python_search import PythonSearch
    from optmem_gui.gui.simulating import Simulations


class Runs(QObject):
    """Owns what runs; each is made when it is meant for the first time."""

    def __init__(self, window: QWidget, store: Store, settings: Settings) -> None:
        super().__init__(window)
        self._window, self._store, self._settings = window, store, settings
        self._table: Actions | None = None

    @cached_property
    def measurer(self) -> Measurer:
        """Measurements."""
        from optmem_gui.gui.measuring import Measurer  # noqa: PLC0415  # as said above

        return Measurer(self._store, self._settings, self)

    @cached_property
    def simulations(self) -> Simulations:
        """Simulations."""
        from optmem_gui.gui.simulating import Simulations  # noqa: PLC0415  # as said above

        return Simulations(self._store, self._settings, self)

    @cached_property
    def python_search(self) -> PythonSearch:
        """The search for a Python with torch."""
        from optmem_gui.gui.python_search import PythonSearch  # noqa: PLC0415  # as said above

        return PythonSearch(self._settings, self)

    @cached_property
    def selfcheck(self) -> SelfCheckDialog:
        """The self-check."""
        from optmem_gui.engine.measurement import Measurement  # noqa: PLC0415  # as said above
        from optmem_gui.engine.selfcheck import SelfCheck  # noqa: PLC0415  # as said above
        from optmem_gui.engine.simulation import Simulator  # noqa: PLC0415  # as said above
        from optmem_gui.gui.dialogs.selfcheck import SelfCheckDialog  # noqa: PLC0415  # as said above

        def make(device: str) -> SelfCheck:
            python = worker_python(self._settings) or None
            return SelfCheck(
                device,
                measurement=lambda: Measurement(python),
                simulator=lambda: Simulator(python),
            )

        return SelfCheckDialog(make, self._window)

    def look_around(self) -> None:
        """Find out, after the start, what can be measured on and in which Python."""
        self.measurer.probe()
        if needs_python():
            self.python_search.start()

    def slots(self) -> dict[str, Callable[[], object]]:
        """What its actions do, by id."""
        return {
            "simulate": lambda: self.simulations.start(),  # noqa: PLW0108  # made when it is meant
            "simulate_function": self._simulate_function,
            "simulate_after_edit": self._choose_after_edit,
            "measure": lambda: self.measurer.start(),  # noqa: PLW0108  # made when it is meant
            "measure_function": self._measure_function,
            "measure_with": self._measure_with,
            "stop": self.stop,
            "selfcheck": self._show_selfcheck,
        }

    def check_in(self, table: Actions) -> None:
        """Show in these actions what can be done."""
        self._table = table
        table["simulate_after_edit"].setChecked(self._settings.get(keys.SIMULATE_AFTER_EDIT))

    def show_actions(self, snapshot: Snapshot, *, elsewhere: bool) -> None:
        """Say where a measurement would run, and what can be started and stopped.

        Args:
            snapshot: What the window shows.
            elsewhere: Something that has nothing to run is shown in place of the estimate.
        """
        table = self._table
        if table is None:
            return
        measuring, simulating = snapshot.measurement.stage.is_busy, snapshot.simulation.stage.is_busy
        on_gpu = snapshot.devices is not None and bool(snapshot.devices.gpus)
        table.rename("measure", self.tr("&Measure on GPU") if on_gpu else self.tr("&Measure on CPU"))
        for name in ("simulate", "simulate_function"):
            table[name].setEnabled(not elsewhere)
        for name in ("measure", "measure_function", "measure_with"):
            table[name].setEnabled(not measuring and not elsewhere)
        table["stop"].setEnabled(measuring or simulating)

    def answer(self, answer: str) -> None:
        """Go on after the question whether to measure something that does not fit."""
        self.measurer.answer(cast("Answer", answer))

    def stop(self) -> None:
        """Stop whatever runs."""
        if self._store.snapshot.simulation.stage.is_busy:
            self.simulations.stop()
        if self._store.snapshot.measurement.stage.is_busy:
            self.measurer.stop()

    def close(self) -> None:
        """Stop whatever runs and wait until no process and no thread is left."""
        for name in ("measurer", "simulations", "python_search"):
            if name in self.__dict__:  # nothing is made only to be closed
                getattr(self, name).close()
        if "selfcheck" in self.__dict__:
            self.selfcheck.shut_down()

    def _show_selfcheck(self) -> None:
        self.selfcheck.offer(self._store.snapshot.devices)
        self.selfcheck.show()
        self.selfcheck.raise_()
        self.selfcheck.activateWindow()

    def _choose_after_edit(self) -> None:
        """Remember whether a simulation follows an edit."""
        if self._table is not None:
            self._settings.set(keys.SIMULATE_AFTER_EDIT, self._table["simulate_after_edit"].isChecked())

    def _simulate_function(self) -> None:
        """Ask which function, and whether it may run."""
        from optmem_gui.gui.dialogs.function import FunctionDialog  # noqa: PLC0415  # the start does without it

        python, last = worker_python(self._settings), self._settings.get(keys.FUNCTION)
        dialog = FunctionDialog(python, last, self._window)
        if dialog.exec():
            self._settings.set(keys.FUNCTION, dialog.function)
            self.simulations.start_function(dialog.function)
        dialog.deleteLater()

    def _measure_function(self) -> None:
        """Ask which function, and whether it may run."""
        from optmem_gui.gui.dialogs.function import FunctionDialog  # noqa: PLC0415  # the start does without it
        from optmem_gui.gui.tasks.prepare import MeasureOptions  # noqa: PLC0415  # as above

        python, last = worker_python(self._settings), self._settings.get(keys.FUNCTION)
        dialog = FunctionDialog(python, last, self._window, measured=True)
        if dialog.exec():
            self._settings.set(keys.FUNCTION, dialog.function)
            self.measurer.start(MeasureOptions(function=dialog.function))
        dialog.deleteLater()

    def _measure_with(self) -> None:
        """Ask what is wanted beside the scenario."""
        from optmem_gui.gui.dialogs.measure_options import MeasureOptionsDialog  # noqa: PLC0415  # as above

        dialog = MeasureOptionsDialog(self._store.snapshot, self._settings, self._window)
        if dialog.exec():
            self.measurer.start(dialog.options)
        dialog.deleteLater()
