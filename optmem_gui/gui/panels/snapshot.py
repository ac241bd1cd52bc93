"""A recorded memory snapshot: its course, what was alive at the peak, its segments, and what if."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSplitter,
    QWidget,
)

from optmem_gui.allocator.peak import Alive
from optmem_gui.allocator.replay import Replay
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.cards import Surface
from optmem_gui.gui.fields import Segment
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.panels.what_if import WhatIfPanel
from optmem_gui.gui.replaying import ReplayState
from optmem_gui.gui.widgets.alive_table import AliveBlocks, AliveTable
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.pages import Pages, one_page
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.readout import Readout
from optmem_gui.gui.widgets.recorded_plot import RecordedPlot
from optmem_gui.gui.widgets.segment_table import MAP, SegmentDelegate, SegmentModel, used_bytes
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel
from optmem_gui.gui.widgets.titled import TitledPanel
from optmem_gui.report.replay_document import Replayed


class SnapshotPage(TitledPanel):
    """Everything about one snapshot, over the whole window.

    Emits:
        device_wanted: Index of the device that the user wants to see.
        leave_wanted: The user is done with it.
        stop_wanted: What is under way is to be given up.
        peak_wanted: The segments are to be seen as they stood at the peak.
    """

    device_wanted = Signal(int)
    leave_wanted = Signal()
    stop_wanted = Signal()
    peak_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("snapshot")
        self._state = ReplayState()
        self._unit: SizeUnit = "GiB"
        self._listed: Replayed | None = None
        self._alive: AliveBlocks | None = None
        self.devices_caption, self.devices = QLabel(), QComboBox()
        self.devices_caption.setBuddy(self.devices)
        self.devices.activated.connect(lambda row: self.device_wanted.emit(self.devices.itemData(row)))
        self.stop, self.leave = QPushButton(), QPushButton()
        self.stop.clicked.connect(self.stop_wanted)
        self.leave.clicked.connect(self.leave_wanted)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 0)
        self.reason = ValueLabel(tone="bad", wrap=True)
        self.figures = ValueLabel(wrap=True)
        self.plot, self.readout = RecordedPlot(), Readout()
        self.plot.setObjectName("recordedPlot")
        self.plot.cursor_moved.connect(self._read_out)
        self.alive = AliveTable()
        self.segment_note = ValueLabel(tone="muted", wrap=True)
        self.at_end, self.at_peak = Segment(), Segment()
        self.segments, self.beside = SegmentModel(self), TextTableModel(self)
        self.segment_table, self.beside_table = CopyTable(), CopyTable()
        self.segment_table.setModel(self.segments)
        self.segment_table.setItemDelegateForColumn(MAP, SegmentDelegate(self.segment_table))
        self.beside_table.setModel(self.beside)
        self.beside_table.horizontalHeader().setStretchLastSection(False)
        self.notes = QPlainTextEdit()
        self.notes.setReadOnly(True)
        self.notes.setTabChangesFocus(True)
        self.what_if = WhatIfPanel()
        self.pages = Pages(
            (
                self.alive,
                one_page(self._moments(), self.segment_note, self.segment_table),
                one_page(self.beside_table, self.notes),
                self.what_if,
            )
        )
        self._lay_out()
        self.retranslate()

    def _moments(self) -> QWidget:
        """Buttons for the moment at which the segments are shown."""
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._moment = QButtonGroup(self)
        for button in (self.at_end, self.at_peak):
            button.setAutoDefault(False)
            self._moment.addButton(button)
            row.addWidget(button)
        row.addStretch(1)
        self.at_end.setChecked(True)
        self._moment.buttonClicked.connect(self._choose_moment)
        return line

    def _choose_moment(self) -> None:
        if self.at_peak.isChecked():
            self.peak_wanted.emit()
        if self._state.chosen is not None:
            self._show_segments(self._state.chosen)

    def _lay_out(self) -> None:
        for widget in (self.devices_caption, self.devices, self.stop, self.leave):
            self.head.addWidget(widget)
        self.course = Surface()
        row = QHBoxLayout()
        row.addWidget(self.plot, 1)
        row.addWidget(self.readout)
        self.course.body.addWidget(self.figures)
        self.course.body.addLayout(row, 1)
        self.tables = Surface()
        self.tables.body.addWidget(self.pages, 1)
        self.halves = QSplitter(Qt.Orientation.Vertical)
        self.halves.setChildrenCollapsible(False)
        self.halves.setHandleWidth(round(em(self) / 2))
        self.halves.addWidget(self.course)
        self.halves.addWidget(self.tables)
        self.halves.setSizes([round(22 * em(self)), round(24 * em(self))])
        self.body.addWidget(self.progress)
        self.body.addWidget(self.reason)
        self.body.addWidget(self.halves, 1)
        self.body.addStretch(0)

    # Showing

    def show_state(self, state: ReplayState, unit: SizeUnit) -> None:
        """Show a snapshot as far as it has come."""
        self._state, self._unit = state, unit
        replayed = state.chosen
        self.write_note(self._what(state))
        self.progress.setVisible(state.busy)
        self.stop.setVisible(state.busy)
        self.reason.setText("" if state.reason is None else render_reason(state.reason, unit))
        self.reason.setVisible(state.reason is not None)
        self.halves.setVisible(replayed is not None)
        self._show_devices(state)
        self.what_if.show_state(state, unit)
        if replayed is None:
            return
        self.figures.setText(self._figures(replayed))
        self.plot.show_replay(replayed, unit)
        self._read_out()
        self.alive.show_blocks(self._blocks(replayed), unit)
        self._show_segments(replayed)
        self._show_beside(replayed)

    def _what(self, state: ReplayState) -> str:
        if state.path is None:
            return ""
        if state.chosen is None:
            return self.tr("{name}: reading, nothing in it is executed").format(name=state.path.name)
        recording = state.chosen.recording
        return self.tr("{name}: device {device}, {count} events").format(
            name=state.path.name, device=recording.device, count=format_count(len(recording.events))
        )

    def _show_devices(self, state: ReplayState) -> None:
        several = len(state.recordings) > 1
        self.devices_caption.setVisible(several)
        self.devices.setVisible(several)
        known = [each.device for each in state.recordings]
        if [self.devices.itemData(row) for row in range(self.devices.count())] != known:
            self.devices.clear()
            for device in known:
                self.devices.addItem(str(device), device)
        if state.chosen is not None:
            self.devices.setCurrentIndex(self.devices.findData(state.chosen.recording.device))

    def _figures(self, replayed: Replayed) -> str:
        place = replayed.peak_event + 1
        replay, unit = replayed.replay, self._unit
        used, held = replay.allocated[place], replay.reserved[place]
        return self.tr(
            "Peak {size} allocated ({count} bytes) after event {event}; {held} reserved then, {free} of it "
            "unused ({share})"
        ).format(
            size=format_bytes(used, unit),
            count=format_count(used),
            event=format_count(place),
            held=format_bytes(held, unit),
            free=format_bytes(held - used, unit),
            share=f"{100 * (held - used) / held:.1f} %" if held else "0 %",
        )

    def _read_out(self) -> None:
        title, entries = self.plot.read_out()
        self.readout.show_entries(title, entries)
        self.plot.setAccessibleDescription(title)

    # What was alive

    def _groupings(self, replayed: Replayed) -> Mapping[str, str]:
        """Places first, where the recording has them."""
        always = {"size": self.tr("size of a block"), "age": self.tr("age")}
        if not replayed.recording.places:
            return always
        return {"place": self.tr("place in the program"), "file": self.tr("file"), **always}

    def _blocks(self, replayed: Replayed) -> AliveBlocks:
        """The blocks of a recording for the table; the same object for the same recording."""
        if replayed is self._listed and self._alive is not None:
            return self._alive
        self._listed, alive = replayed, replayed.alive
        self.alive.offer(self._groupings(replayed))
        unknown = self.tr("not recorded")
        before, since = self.tr("from before the recording"), self.tr("made in the recording")
        names = {
            "place": [block.place or unknown for block in alive],
            "file": [block.place.rpartition(":")[0] or unknown for block in alive],
            "size": [self.tr("{count} bytes").format(count=format_count(b.requested)) for b in alive],
            "age": [before if block.event is None else since for block in alive],
        }
        self._alive = AliveBlocks(
            [block.requested for block in alive],
            [1] * len(alive),
            names,
            lambda number: self._about(alive[number]),
        )
        return self._alive

    def _about(self, block: Alive) -> str:
        size = format_count(block.requested)
        if block.event is None:
            return self.tr("{size} bytes at {address}, there before the recording began").format(
                size=size, address=f"{block.address:#x}"
            )
        text = self.tr("{size} bytes at {address}, made by event {event}").format(
            size=size, address=f"{block.address:#x}", event=format_count(block.event + 1)
        )
        frames = block.stack or ((block.place,) if block.place else ())
        return "\n  ".join((text, *frames))

    # Segments, and the model beside the recording

    def _show_segments(self, replayed: Replayed) -> None:
        """As the recording has them at its end, or as the model had them at the peak."""
        at_peak = self._state.at_peak if self.at_peak.isChecked() else None
        if self.at_peak.isChecked() and at_peak is None:
            self.segments.show_segments((), self._unit)
            self.segment_note.setText(self.tr("Replaying up to the peak"))
            return
        segments = replayed.recording.segments if at_peak is None else at_peak.segments
        self.segments.show_segments(segments, self._unit)
        self.segment_table.fit_columns(MAP)
        size = sum(segment.size for segment in segments)
        used = [used_bytes(segment) for segment in segments]
        idle = sum(s.size for s, inside in zip(segments, used, strict=True) if not inside)
        self.segment_note.setText(
            self.tr(
                "{count} segments, {size} reserved, {used} in use; {scattered} free between "
                "blocks in use, {idle} in segments that could be given back"
            ).format(
                count=format_count(len(segments)),
                size=format_bytes(size, self._unit),
                used=format_bytes(sum(used), self._unit),
                scattered=format_bytes(size - sum(used) - idle, self._unit),
                idle=format_bytes(idle, self._unit),
            )
        )

    def _show_beside(self, replayed: Replayed) -> None:
        replay = replayed.replay
        heads = Heads(
            ("", self.tr("model"), self.tr("recorded"), self.tr("difference")), (), frozenset({1, 2, 3})
        )
        model, recorded = replay.model, replay.recorded
        pairs = (
            (self.tr("allocated peak, bytes"), model.allocated_peak, recorded.allocated_peak),
            (self.tr("reserved peak, bytes"), model.reserved_peak, recorded.reserved_peak),
            (self.tr("reserved at the end, bytes"), model.reserved, recorded.reserved),
            (self.tr("segments at the end"), model.segments, recorded.segments),
        )
        rows = tuple(
            TextRow((name, format_count(ours), format_count(theirs), _difference(ours - theirs)))
            for name, ours, theirs in pairs
        )
        self.beside.show_rows(heads, rows)
        self.beside_table.fit_columns(4)
        said = "\n".join(self._said(replay))
        if self.notes.toPlainText() != said:
            self.notes.setPlainText(said)

    def _said(self, replay: Replay) -> list[str]:
        """How far the model follows the recording, and whether its start is known."""
        same = replay.allocations - replay.mismatches
        said = [
            self.tr("{same} of {count} allocations lie at the recorded address.").format(
                same=format_count(same), count=format_count(replay.allocations)
            )
        ]
        if replay.first_mismatch is not None:
            said.append(
                self.tr("The first that does not is event {number}.").format(
                    number=format_count(replay.first_mismatch + 1)
                )
            )
        if replay.calls_missed:
            said.append(
                self.tr("{count} recorded segments could not be given back by the model.").format(
                    count=format_count(replay.calls_missed)
                )
            )
        template = (
            self.tr("The start is known: {why}.")
            if replay.start_known
            else self.tr("The start is not known: {why}.")
        )
        said.append(template.format(why=render_reason(replay.start, self._unit)))
        return [*said, *(render_reason(note, self._unit) for note in replay.notes)]

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Memory snapshot"))
        self.devices_caption.setText(self.tr("Device"))
        self.devices.setAccessibleName(self.tr("Device"))
        self.stop.setText(self.tr("Stop"))
        self.leave.setText(self.tr("Back to the estimate"))
        self.progress.setAccessibleName(self.tr("Progress with the memory snapshot"))
        self.plot.setAccessibleName(self.tr("Recorded memory over the events"))
        self.pages.name(
            (
                self.tr("Alive at the peak"),
                self.tr("Segments"),
                self.tr("Beside the recording"),
                self.tr("What if"),
            )
        )
        self.at_end.setText(self.tr("At the end"))
        self.at_peak.setText(self.tr("At the peak"))
        self.segment_table.setAccessibleName(self.tr("Segments"))
        self.beside_table.setAccessibleName(self.tr("The model beside the recording"))
        self.notes.setAccessibleName(self.tr("What is known about the recording"))
        self._listed = None
        self.show_state(self._state, self._unit)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of font; of language, as every titled panel does."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.segment_table.fit_rows()


def _difference(size: int) -> str:
    return f"{size:+,}" if size else "0"
