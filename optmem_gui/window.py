"""Open the window: its arguments, what it needs from the system, and only then Qt."""

from __future__ import annotations

import gc
import os
from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from optmem_gui import __version__
from optmem_gui.cli import COMMANDS
from optmem_gui.cli.answering import Parser
from optmem_gui.cli.refusal import guarded
from optmem_gui.core.errors import UserError
from optmem_gui.display import check_display, has_display
from optmem_gui.logs import log_what_is_not_caught, start_log, take_crash

_COMMANDS_HELP = "\n".join(
    [
        "without a window (`optmem estimate --help` and so on tell more):",
        *(f"  {name:<22}{what}" for name, what in COMMANDS.items()),
        "",
        "example: optmem estimate --params 7B --optimizer adamw --gpu h100-80gb",
    ]
)


def open_window(arguments: Sequence[str]) -> int:
    """Open the window and stay until it closes.

    Returns:
        Exit code: 0, or 2 when an argument was refused or no window can be opened here.
    """
    return guarded(lambda: _open(arguments), as_json="--json" in arguments)


def _open(arguments: Sequence[str]) -> int:
    if arguments and not Path(arguments[0]).exists():
        _check_word(arguments[0])  # a misspelled subcommand, before its options are refused
    parsed = _parser().parse_args(list(arguments))
    if parsed.path is not None:
        _check_path(parsed.path)
    if parsed.smoke and not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # a smoke test needs no one to look at it
    check_display()
    crash = None if parsed.smoke else take_crash()
    log_what_is_not_caught()
    start_log(verbose=parsed.verbose)
    gc.disable()  # what the start makes stays; walking through it again and again would find nothing
    # Once Qt is loaded, every further import is searched for Qt by its hook: the calculation comes first.
    import optmem_gui.core.optimizer_rows  # noqa: F401, PLC0415  # for the reason above
    from optmem_gui.gui.app import run  # noqa: PLC0415  # Qt is loaded here, after everything that can be refused

    return run(
        path=None if parsed.path is None else Path(parsed.path),
        smoke=parsed.smoke,
        config=None if parsed.config is None else Path(parsed.config),
        language=parsed.language,
        theme=parsed.theme,
        crash=crash,
    )


def _parser() -> Parser:
    parser = Parser(
        prog="optmem",
        description="How much GPU memory training takes, where it goes, and whether it fits.",
        epilog=_COMMANDS_HELP,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "path", metavar="PATH", nargs="?", help="checkpoint, folder, config.json or .optmem file"
    )
    parser.add_argument(
        "--smoke", action="store_true", help="open the window, paint it once, print `ready`, exit"
    )
    parser.add_argument("--config", metavar="FILE", help="settings file to use instead of the user's")
    parser.add_argument("--language", choices=("en", "zh_CN"), help="language for this start")
    parser.add_argument("--theme", choices=("system", "light", "dark"), help="theme for this start")
    parser.add_argument("--verbose", action="store_true", help="log details, to the terminal as well")
    parser.add_argument("--version", action="version", version=f"optmem {__version__}")
    return parser


def _check_path(given: str) -> None:
    if not Path(given).exists():
        _check_word(given)
        raise UserError("file.not_found", path=given)


def _check_word(given: str) -> None:
    """Refuse what looks like a subcommand and is none."""
    from difflib import get_close_matches  # noqa: PLC0415  # only a refusal needs it

    near = [f"--{given}"] if given in {"help", "version"} else get_close_matches(given, COMMANDS, n=1)
    if near and not any(mark in given for mark in "./\\"):
        raise UserError("cli.unknown_command", given=given, near=near[0])
