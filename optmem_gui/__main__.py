"""Start: streams, log, then the window or the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from optmem_gui.cli import COMMANDS
from optmem_gui.logs import repair_streams


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point ``optmem``: a subcommand, or the window."""
    repair_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in COMMANDS:
        from optmem_gui.cli.run import main as run  # noqa: PLC0415  # the window does without it

        return run(arguments)
    from optmem_gui.window import open_window  # noqa: PLC0415  # a subcommand does without it

    return open_window(arguments)


def main_window() -> int:
    """Entry point ``optmem-gui``: the same program without a console."""
    return main()


if __name__ == "__main__":
    sys.exit(main())
