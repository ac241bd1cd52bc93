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
    "simulate.step_failed": "Simulate: {phase} of step {step} failed ({cause}); see the detail, or change what it names",
    "simulate.one_gpu": "One GPU is traced with the whole model; what {gpus} GPUs share is in the estimate alone",
    # why a simulated figure differs from the estimated one
    "simulated.not_counted": "The closed form does not count this for a model whose architecture it does not know",
    "simulated.rounding": "The ends of blocks: {rounding_bytes}, which the estimate lists as rounding",
    "simulated.kernel_buffers": "Buffers inside kernels: {hidden_bytes} at the peak, most of them of {op}",
    "simulated.largest": "The largest part at the peak is what {op} made: {part_bytes}",
    "simulated.not_at_peak": "Nothing of it is in use at the peak, which falls in {phase}",
    "simulated.other_phase": "The estimate sees the peak in {estimated}, the trace in {simulated}",
    "simulated.more_estimated": "Most of it is {component}, of which the estimate holds {gap_bytes} more at the peak",
    "simulated.more_simulated": "Most of it is {component}, of which the trace holds {gap_bytes} more at the peak",
    "simulated.reserved_outside": "Fragmentation: more than the {high_bytes} that the estimate allows for",
    # the command line
    "simulate.needs_yes": "Simulate: {path} is code and runs in a child process; add --yes to agree",
    "simulate.two_sources": "Simulate: {option} and --function both say what to run; give one of them",
    "simulate.of_a_gpu": "Simulate: {option} is about a GPU, and the target is the CPU; leave it out, or give --target cuda",
    "simulate.bad_torch": "Simulate: {given} is no torch version; give --torch as major.minor, such as 2.13",
}
