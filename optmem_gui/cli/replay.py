"""``optmem replay``: a recorded memory snapshot through the model of the caching allocator."""

from __future__ import annotations

import argparse
from pathlib import Path

from optmem_gui.allocator.config import AllocatorConfig, parse_settings
from optmem_gui.allocator.peak import alive_after, peak_event
from optmem_gui.allocator.recording import Recording
from optmem_gui.allocator.replay import replay as run_replay
from optmem_gui.allocator.what_if import what_if
from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, about
from optmem_gui.core.errors import UserError
from optmem_gui.report.json_document import to_text
from optmem_gui.report.replay_document import Replayed, replay_document, replay_text
from optmem_gui.report.snapshot_file import open_snapshot


def replay(arguments: argparse.Namespace) -> int:
    """Replay a snapshot, and beside it what other settings would have made of it.

    Raises:
        UserError: Settings that do not exist.
        Refused: A file that is no snapshot, is damaged or hostile.
    """
    settings: str | None = arguments.what_if
    config = None if settings is None else parse_settings(settings, "--what-if")
    with about(arguments.path):
        recording = _chosen(open_snapshot(Path(arguments.path)), arguments.device, arguments.path)
        replayed = _replayed(recording, settings, config)
    say(to_text(replay_document(replayed)) if arguments.json else replay_text(replayed))
    return EXIT_DONE


def _chosen(recordings: tuple[Recording, ...], device: int | None, path: str) -> Recording:
    if device is None:
        return max(recordings, key=lambda recording: len(recording.events))
    for recording in recordings:
        if recording.device == device:
            return recording
    known = ", ".join(str(recording.device) for recording in recordings)
    raise UserError("snapshot.no_device", file=Path(path).name, device=device, known=known)


def _replayed(recording: Recording, settings: str | None, config: AllocatorConfig | None) -> Replayed:
    outcome = run_replay(recording)
    peak = peak_event(outcome.allocated)
    alive = alive_after(recording, peak)
    if config is None:
        return Replayed(recording, outcome, peak, alive)
    recorded_config = AllocatorConfig() if recording.config is None else recording.config
    return Replayed(
        recording,
        outcome,
        peak,
        alive,
        settings=settings,
        what_if=what_if(recording, config),
        as_recorded=what_if(recording, recorded_config),
    )
