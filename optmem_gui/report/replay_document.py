"""A replayed snapshot, for scripts and for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.peak import Alive, alive_after, peak_event
from optmem_gui.allocator.recording import Recording
from optmem_gui.allocator.replay import Replay, Totals
from optmem_gui.allocator.replay import replay as run_replay
from optmem_gui.allocator.start import never
from optmem_gui.allocator.what_if import WhatIf, what_if
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import format_bytes, format_count, in_unit
from optmem_gui.report.json_document import SCHEMA, Document, reason_documents
from optmem_gui.report.tables import Table, to_aligned

LISTED = 10
"""Blocks alive at the peak that are named."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """Everything that is told about one recording.

    Attributes:
        recording: The recording.
        replay: Beside the model.
        peak_event: The event after which the most was in use; -1 for the state before the first.
        alive: Blocks in use then, the largest first.
        settings: Other settings that were asked for; None where none were.
        what_if: The same requests under them.
        as_recorded: The same requests, from the same beginning, under the recorded settings.
    """

    recording: Recording
    replay: Replay
    peak_event: int
    alive: tuple[Alive, ...]
    settings: str | None = None
    what_if: WhatIf | None = None
    as_recorded: WhatIf | None = None


def replayed(recording: Recording, check: Callable[[], None] = never) -> Replayed:
    """Replay a recording and find out what was alive at its peak.

    Args:
        recording: The recording.
        check: Called now and then; may raise to stop.
    """
    outcome = run_replay(recording, check)
    peak = peak_event(outcome.allocated)
    return Replayed(recording, outcome, peak, alive_after(recording, peak, check))


def with_settings(
    found: Replayed,
    settings: str,
    config: AllocatorConfig,
    capacity_bytes: int | None = None,
    check: Callable[[], None] = never,
) -> Replayed:
    """The same with other allocator settings tried beside the recorded ones.

    Args:
        found: The replayed recording.
        settings: The settings as they were written.
        config: The settings.
        capacity_bytes: What the device hands out; None without an end.
        check: Called now and then; may raise to stop.
    """
    recording = found.recording
    recorded = AllocatorConfig() if recording.config is None else recording.config
    as_recorded = found.as_recorded or what_if(recording, recorded, check=check)
    other = what_if(recording, config, capacity_bytes, check)
    return replace(found, settings=settings, what_if=other, as_recorded=as_recorded)


def replay_document(replayed: Replayed) -> Document:
    """The replay as JSON; sizes are bytes."""
    replay = replayed.replay
    document: Document = {
        "schema": SCHEMA,
        "device": replayed.recording.device,
        "events": len(replayed.recording.events),
        "allocations": replay.allocations,
        **_totals(replay.model),
        "recorded": _totals(replay.recorded),
        "start_known": replay.start_known,
        "start": _reason(replay.start),
        "mismatches": replay.mismatches,
        "first_mismatch": replay.first_mismatch,
        "device_calls_missed": replay.calls_missed,
        "peak": {
            "event": replayed.peak_event,
            "reserved": _reserved_at_peak(replayed),
            "alive": [
                {"bytes": block.requested, "event": block.event, "place": block.place}
                for block in replayed.alive[:LISTED]
            ],
            "alive_count": len(replayed.alive),
        },
        "notes": reason_documents(replay.notes),
    }
    if replayed.what_if is not None and replayed.as_recorded is not None:
        document["what_if"] = {
            "settings": replayed.settings,
            **_served(replayed.what_if),
            "as_recorded": _served(replayed.as_recorded),
        }
    return document


def _reserved_at_peak(replayed: Replayed) -> int:
    replay = replayed.replay
    return replay.reserved[replayed.peak_event + 1]


def _totals(totals: Totals) -> Document:
    return {
        "allocated_peak": totals.allocated_peak,
        "reserved_peak": totals.reserved_peak,
        "reserved": totals.reserved,
        "segments": totals.segments,
    }


def _served(served: WhatIf) -> Document:
    return {**_totals(served.totals), "retries": served.retries, "ran_out_at": served.ran_out_at}


def _reason(reason: Reason) -> Document:
    return {"code": reason.key, "message": str(reason)}


def replay_text(replayed: Replayed) -> str:
    """The replay for people: the peak first, then model beside recording, then what was alive."""
    replay = replayed.replay
    model, recorded = replay.model, replay.recorded
    reserved = _reserved_at_peak(replayed)
    free = reserved - model.allocated_peak
    same = replay.allocations - replay.mismatches
    lines = [
        f"Device {replayed.recording.device}, {format_count(len(replayed.recording.events))} events",
        f"Peak {_exact(model.allocated_peak)} allocated, {_when(replayed.peak_event)}",
        f"{format_bytes(reserved)} reserved then, {format_bytes(free)} of it unused",
        "",
        to_aligned(_beside(model, recorded)),
        f"{format_count(same)} of {format_count(replay.allocations)} allocations at the recorded address",
        f"Start {'known' if replay.start_known else 'not known'}: {replay.start}",
        *(f"  - {note}" for note in replay.notes),
    ]
    if replayed.alive:
        lines += ["", to_aligned(_alive(replayed))]
    if replayed.what_if is not None and replayed.as_recorded is not None:
        lines += [
            *([] if replayed.alive else [""]),
            f"With {replayed.settings or 'the default settings'}, from an empty device:",
        ]
        lines.append(to_aligned(_what_if(replayed.as_recorded, replayed.what_if)))
    return "\n".join(lines)


def _when(event: int) -> str:
    return "before the first event" if event < 0 else f"after event {format_count(event)}"


def _beside(model: Totals, recorded: Totals) -> Table:
    pairs = (
        ("Allocated peak", model.allocated_peak, recorded.allocated_peak),
        ("Reserved peak", model.reserved_peak, recorded.reserved_peak),
        ("Reserved at the end", model.reserved, recorded.reserved),
    )
    rows = [(name, format_count(m), format_count(r), f"{m - r:+,}") for name, m, r in pairs]
    segments = (str(model.segments), str(recorded.segments), f"{model.segments - recorded.segments:+d}")
    rows.append(("Segments at the end", *segments))
    return Table(("bytes", "model", "recorded", "difference"), tuple(rows), frozenset({1, 2, 3}))


def _alive(replayed: Replayed) -> Table:
    shown = replayed.alive[:LISTED]
    rows = tuple((in_unit(b.requested, "GiB"), format_count(b.requested), _origin(b)) for b in shown)
    title = f"alive at the peak (largest of {format_count(len(replayed.alive))})"
    return Table(("GiB", "bytes", title), rows, frozenset({0, 1}))


def _origin(block: Alive) -> str:
    if block.event is None:
        return "before the recording began"
    return f"event {format_count(block.event)} {block.place}".rstrip()


def _what_if(as_recorded: WhatIf, other: WhatIf) -> Table:
    def cells(served: WhatIf) -> tuple[str, ...]:
        totals = served.totals
        sizes = (totals.allocated_peak, totals.reserved_peak, totals.reserved)
        ran_out = "no" if served.ran_out_at is None else f"at event {served.ran_out_at}"
        return (*(in_unit(size, "GiB") for size in sizes), str(totals.segments), ran_out)

    headers = ("settings", "allocated peak GiB", "reserved peak GiB", "reserved GiB", "segments", "ran out")
    rows = (("as recorded", *cells(as_recorded)), ("asked for", *cells(other)))
    return Table(headers, rows, frozenset({1, 2, 3, 4}))


def _exact(size_bytes: int) -> str:
    return f"{format_bytes(size_bytes)} ({format_count(size_bytes)} bytes)"
