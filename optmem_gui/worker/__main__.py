"""Entry of the worker: requests in on standard input, messages out, gone at the end of the input.

One measurement or probe is served, then the process ends, because memory of a GPU goes back only then. A
simulation leaves nothing behind, so the process stays warm for the next.

Run by hand: ``echo '{"v":1,"kind":"measure",...}' | python -m optmem_gui.worker``. It needs torch and the
standard library, no more; the folder that holds ``optmem_gui`` must be importable.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from optmem_gui.core.describing import DescribeRequest
from optmem_gui.core.lifeline import die_with_parent
from optmem_gui.core.probing import ProbeRequest
from optmem_gui.core.protocol import Failed, Message, ProtocolError, Request, VersionError
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.worker.channel import Channel
from optmem_gui.worker.inbox import Cancelled, Inbox

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
    """Serve one request, or one simulation after the other until the input ends.

    Args:
        arguments: ``--parent PID`` when a parent started it; without it the worker runs on its own.
    """
    channel = Channel.take_stdout()
    parent = int(arguments[1]) if len(arguments) == 2 and arguments[0] == "--parent" else None
    if parent is not None:
        die_with_parent(parent)
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    inbox = Inbox((lambda: None) if parent is None else lambda: os._exit(1))
    inbox.start()
    served = 0
    while True:
        try:
            request = inbox.next()
        except VersionError as error:
            channel.send(Failed("wrong_version", "measure.wrong_version", {"given": str(error.given)}))
            return 1
        except ProtocolError as error:
            channel.send(_bad_request(str(error)))
            return 1
        if request is None:
            if not served:
                channel.send(_bad_request("no request on standard input"))
            return 0 if served else 1
        served += 1
        status = _serve(request, inbox, channel.send)
        if status is not None:
            return status


def _serve(request: Request, inbox: Inbox, send: Callable[[Message], None]) -> int | None:
    """Answer one request.

    Returns:
        The exit status, or None where the process stays for the next request.
    """
    try:
        from optmem_gui.worker.failures import explain  # noqa: PLC0415  # torch may be missing or broken
        from optmem_gui.worker.measure import Run  # noqa: PLC0415  # torch may be missing or broken
        from optmem_gui.worker.probe import Probing  # noqa: PLC0415  # torch may be missing or broken
    except (ImportError, OSError) as error:
        send(_no_torch(error))
        return 1
    if isinstance(request, SimulateRequest):
        _simulate(request, inbox, send)
        return None
    if isinstance(request, ProbeRequest):
        send(Probing(request, send).run())
        return 0
    if isinstance(request, DescribeRequest):
        from optmem_gui.worker.describe import describe  # noqa: PLC0415  # only where asked for

        send(describe(request, send))
        return 0
    run = Run(request, send)
    if request.rank is not None:
        from optmem_gui.worker.ranks import RankRun  # noqa: PLC0415  # only where asked for

        run = RankRun(request, send)
    try:
        send(run.measure())
    except Exception as error:  # noqa: BLE001  # whatever a user's torch raises becomes a message
        send(explain(error, run.step, run.phase, request.device))
        return 1
    return 0


def _simulate(request: SimulateRequest, inbox: Inbox, send: Callable[[Message], None]) -> None:
    from optmem_gui.worker.failures import explain  # noqa: PLC0415  # as above
    from optmem_gui.worker.simulate.run import Simulation  # noqa: PLC0415  # only where asked for

    simulation = Simulation(request, send, lambda: inbox.is_cancelled(request.number))
    try:
        send(simulation.run())
    except Cancelled:
        send(Failed("cancelled", "simulate.cancelled", {"phase": simulation.phase or "start"}))
    except Exception as error:  # noqa: BLE001  # whatever a user's model raises becomes a message
        send(explain(error, simulation.step, simulation.phase, "cpu", "simulate"))


def _bad_request(cause: str) -> Failed:
    return Failed("bad_request", "measure.bad_request", {"cause": cause})


def _no_torch(error: Exception) -> Failed:
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        return Failed("no_torch", "measure.no_torch", {"python": sys.executable})
    values = {"python": sys.executable, "cause": str(error).splitlines()[0] if str(error) else "unknown"}
    return Failed("no_torch", "measure.torch_broken", values, repr(error))


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)
