"""Run one subcommand."""

from __future__ import annotations

from collections.abc import Sequence

from optmem_gui.cli.refusal import guarded


def main(arguments: Sequence[str]) -> int:
    """Run a subcommand.

    Args:
        arguments: Words after the program's name, the subcommand first.

    Returns:
        Exit code: 0 done; 2 refused, with one line on stderr and, where ``--json`` was asked for, an
        object on stdout; 1 and 3 as ``--check`` promises.
    """
    return guarded(lambda: _run(arguments), as_json="--json" in arguments)


def _run(arguments: Sequence[str]) -> int:
    from optmem_gui.cli.commands import RUN  # noqa: PLC0415  # not needed to refuse a word
    from optmem_gui.cli.optimizers import adopt_own  # noqa: PLC0415  # as above
    from optmem_gui.cli.parser import build_parser  # noqa: PLC0415  # as above

    parsed = build_parser().parse_args(list(arguments))
    adopt_own()
    return RUN[parsed.command](parsed)
