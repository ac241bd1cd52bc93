"""Input that is refused: one line on stderr, exit code 2, and an object on stdout for scripts."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from optmem_gui.core.errors import UserError

EXIT_DONE, EXIT_NO, EXIT_REFUSED, EXIT_TIGHT = 0, 1, 2, 3
CHECK_CODES = {"yes": EXIT_DONE, "no": EXIT_NO, "tight": EXIT_TIGHT}
"""What ``--check`` answers for each verdict."""
EXIT_DEFECT = 70
"""A defect of the program (``EX_SOFTWARE``): must not look like the 1 that ``--check`` promises for "no"."""
EXIT_INTERRUPTED = 130


class Refused(Exception):  # noqa: N818  # a state of the input, not a defect
    """A file that was refused.

    Attributes:
        error: Why.
    """

    def __init__(self, path: str, error: UserError) -> None:
        text = str(error).removeprefix(f"{path}: ").removeprefix(f"{Path(path).name}: ")
        super().__init__(f"{path}: {text}")
        self.error = error


@contextmanager
def about(path: str) -> Iterator[None]:
    """Name the path as it was given in whatever is refused inside."""
    try:
        yield
    except UserError as error:
        raise Refused(path, error) from error


def guarded(run: Callable[[], int], *, as_json: bool = False) -> int:
    """Run something, and answer what the user can act on in one line.

    Returns:
        What it returned, or 2 when it was refused.
    """
    try:
        code = run()
        sys.stdout.flush()
    except Refused as refused:
        return _refuse(refused.error.code, str(refused), as_json=as_json)
    except UserError as refused:
        return _refuse(refused.code, str(refused), as_json=as_json)
    except KeyboardInterrupt:
        complain("stopped")
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except Exception:  # noqa: BLE001  # reported in full, with an exit code of its own
        traceback.print_exc()
        return EXIT_DEFECT
    return code


def complain(text: str) -> None:
    """Print the one line that says why something was refused."""
    sys.stderr.write(f"optmem: {' '.join(text.split())}\n")


def _refuse(code: str, message: str, *, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(json.dumps({"error": {"code": code, "message": message}}) + "\n")
    complain(message)
    return EXIT_REFUSED
