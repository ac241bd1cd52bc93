"""English templates: simulating, from the parent's side, and why a simulated number differs."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "simulate.cancelled": "Simulation stopped in {phase}",
    "simulate.superseded": "A later edit took the place of this simulation",
    "simulate.closed": "The program is closing; nothing is simulated any more",
    "simulate.no_python": "Simulate: {python} cannot be started ({cause}); choose another Python in the settings",
    "simulate.silent": "Simulate: {phase} said nothing for {seconds} s and was ended; trace a smaller model, or look for an endless loop in your function",
    "simulate.killed": "Simulate: the worker was ended by {signal} in {phase}; the system probably ran out of memory, trace a smaller model",
    "simulate.crashed": "Simulate: the worker crashed in {phase} ({signal}); update torch, the log has the detail",
    "simulate.exited": "Simulate: the worker ended in {phase} with status {status} and no result; the log has the detail",
    "simulate.not_a_worker": "Simulate: {python} answered with something that is no simulation ({sample}); choose another Python in the settings",
}
