"""The command line: the same calculation as the window, for scripts and CI. Imports no Qt and no torch."""

from __future__ import annotations

COMMANDS = {
    "estimate": "predict the memory of one training step",
    "inspect": "what a checkpoint holds",
    "measure": "run real steps and compare",
    "optimizers": "the catalogue of optimizers",
    "plan": "how few GPUs are enough",
    "presets": "the published models known by name",
    "probe": "add an optimizer of your own",
    "replay": "a recorded memory snapshot",
    "results": "the measurements that are kept",
    "selfcheck": "how far the numbers are from real steps",
    "simulate": "trace a real step, without a GPU",
}
"""First words that are subcommands, and what each does; anything else opens the window."""
