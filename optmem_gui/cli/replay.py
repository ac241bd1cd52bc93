"""``optmem replay``: a recorded memory snapshot through the model of the caching allocator."""

from __future__ import annotations

import argparse
from pathlib import Path

from optmem_gui.allocator.config import parse_settings
from optmem_gui.allocator.recording import Recording
from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, about
from optmem_gui.core.errors import UserError
from optmem_gui.report.json_document import to_text
from optmem_gui.report.replay_document import replay_document, replay_text, replayed, with_settings
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
        found = replayed(recording)
        if settings is not None and config is not None:
            found = with_settings(found, settings, config)
    say(to_text(replay_document(found)) if arguments.json else replay_text(found))
    return EXIT_DONE


def _chosen(recordings: tuple[Recording, ...], device: int | None, path: str) -> Recording:
    if device is None:
        return max(recordings, key=lambda recording: len(recording.events))
    for recording in recordings:
        if recording.device == device:
            return recording
    known = ", ".join(str(recording.device) for recording in recordings)
    raise UserError("snapshot.no_device", file=Path(path).name, device=device, known=known)
