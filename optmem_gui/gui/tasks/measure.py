"""A measurement off the UI thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, QThread, Signal

from optmem_gui.core.parallel import Parallel
from optmem_gui.core.protocol import Hello, Progress
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.engine.measurement import Event, Measurement, MeasurementResult
from optmem_gui.engine.ranks import RankMeasurement

_BATCH_SECONDS = 1 / 30


class Measuring(Protocol):
    """One measurement, on one device or on several ranks."""

    def run(self, request: MeasureRequest, on_event: Callable[[Event], None], /) -> object:
        """Measure; whatever happens to a worker is in the answer."""

    def cancel(self) -> None:
        """Stop; safe from any thread."""


class Ranks:
    """Several ranks as one measurement: what the first one says stands for all while they run.

    Args:
        measurement: How.
        parallel: How they share the run.
        devices: A device for every rank.
    """

    def __init__(self, measurement: RankMeasurement, parallel: Parallel, devices: Sequence[str]) -> None:
        self._measurement, self._parallel, self._devices = measurement, parallel, devices

    def run(
        self, request: MeasureRequest, on_event: Callable[[Event], None], /
    ) -> tuple[MeasurementResult, ...]:
        """The outcome of every rank."""

        def hear(rank: int, event: Event) -> None:
            if rank == 0:
                on_event(event)

        return self._measurement.run(request, self._parallel, self._devices, hear)

    def cancel(self) -> None:
        """Stop every rank."""
        self._measurement.cancel()


class MeasureThread(QThread):
    """Owns one measurement and relays what it says.

    Signals:
        progress: A :class:`Hello` or :class:`Progress` as it comes.
        samples: A tuple of :class:`Sample`, :class:`PhaseSample`, :class:`StepResult` and
            :class:`SamplerNote`, in order, at most 30 times a second.
        finished_with: The :class:`MeasurementResult`, those of all ranks in a tuple, or the exception that
            is a defect of the program. Emitted once, after the last batch and before ``finished``.

    Args:
        request: What to measure.
        measurement: How; a plain one when left out.
        parent: Qt's owner.
    """

    progress = Signal(object)
    samples = Signal(object)
    finished_with = Signal(object)

    def __init__(
        self,
        request: MeasureRequest,
        measurement: Measuring | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("measurement")
        self._request = request
        self._measurement: Measuring = measurement or Measurement()
        self._batch: list[Event] = []
        self._sent_at = 0.0

    def run(self) -> None:
        """Measure, in the thread."""
        try:
            outcome: object = self._measurement.run(self._request, self._take)
        except Exception as error:  # noqa: BLE001  # shown by the UI thread, where the report dialog lives
            outcome = error
        self._flush()
        self.finished_with.emit(outcome)

    def stop(self) -> None:
        """Ask it to stop; returns at once. Safe before, during and after the run."""
        self._measurement.cancel()

    def shut_down(self) -> None:
        """Stop and wait until no process is left, as closing the window does."""
        self.stop()
        self.wait()

    def _take(self, event: Event) -> None:
        if isinstance(event, (Hello, Progress)):
            self.progress.emit(event)
            return
        self._batch.append(event)
        if time.monotonic() - self._sent_at >= _BATCH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        if self._batch:
            self._sent_at = time.monotonic()
            batch, self._batch = tuple(self._batch), []
            self.samples.emit(batch)
