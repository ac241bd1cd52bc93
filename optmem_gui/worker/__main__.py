"""Entry of the worker: one request in on standard input, messages out, gone at the end of the input.

Run by hand: ``echo '{"v":1,"kind":"measure",...}' | python -m optmem_gui.worker``. It needs torch and the
standard library, no more; the folder that holds ``optmem_gui`` must be importable.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from optmem_gui.core.lifeline import die_with_parent, exit_at_end_of_input
from optmem_gui.core.probing import ProbeRequest
from optmem_gui.core.protocol import Failed, ProtocolError, VersionError
from optmem_gui.worker.channel import Channel

_QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "WANDB_MODE": "disabled",
    "DO_NOT_TRACK": "1",
}
"""No library looks anything up."""


def main(arguments: Sequence[str]) -> int:
    """Serve one request.

    Args:
        arguments: ``--parent PID`` when a parent started it; without it the worker runs on its own.
    """
    channel = Channel.take_stdout()
    parent = int(arguments[1]) if len(arguments) == 2 and arguments[0] == "--parent" else None
    if parent is not None:
        die_with_parent(parent)
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        request = channel.receive()
    except VersionError as error:
        channel.send(Failed("wrong_version", "measure.wrong_version", {"given": str(error.given)}))
        return 1
    except ProtocolError as error:
        channel.send(Failed("bad_request", "measure.bad_request", {"cause": str(error)}))
        return 1
    if parent is not None:
        exit_at_end_of_input()
    try:
        from optmem_gui.worker.failures import explain  # noqa: PLC0415  # torch may be missing or broken
        from optmem_gui.worker.measure import Run  # noqa: PLC0415
        from optmem_gui.worker.probe import Probing  # noqa: PLC0415
    except (ImportError, OSError) as error:
        channel.send(_no_torch(error))
        return 1
    if isinstance(request, ProbeRequest):
        probing = Probing(request, channel.send)
        channel.send(probing.run())
        return 0
    run = Run(request, channel.send)
    try:
        channel.send(run.measure())
    except Exception as error:  # noqa: BLE001  # whatever a user's torch raises becomes a message
        channel.send(explain(error, run.step, run.phase, request.device))
        return 1
    return 0


def _no_torch(error: Exception) -> Failed:
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        return Failed("no_torch", "measure.no_torch", {"python": sys.executable})
    values = {"python": sys.executable, "cause": str(error).splitlines()[0] if str(error) else "unknown"}
    return Failed("no_torch", "measure.torch_broken", values, repr(error))


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)
