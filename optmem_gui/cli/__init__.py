"""The command line: the same calculation as the window, for scripts and CI. Imports no Qt and no torch."""

from __future__ import annotations

COMMANDS = (
    "estimate",
    "inspect",
    "measure",
    "optimizers",
    "plan",
    "presets",
    "probe",
    "replay",
    "results",
    "selfcheck",
    "simulate",
)
"""First words that are subcommands; anything else opens the window."""
