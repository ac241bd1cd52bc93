"""What identifies the user, taken out of a text that may be sent to somebody."""

from __future__ import annotations

import getpass
import os
import platform
import re

_NOBODY = frozenset({"root", "user", "admin", "administrator", "localhost", "python", "optmem"})
"""Names of a user or a host that identify no one, and stand in a traceback for other reasons."""

_SHORTEST = 3
"""Names shorter than this are parts of too many words."""


def masked(text: str) -> str:
    """A text without the user's home, the user's name and the computer's name.

    Paths in it stay readable: the home becomes ``~``, the name ``USER``, the computer ``HOST``.
    """
    home = os.path.expanduser("~")  # noqa: PTH111  # Path.home() fails where the user has no home
    for folder in {home, os.path.realpath(home)} - {"~", os.sep}:
        for written in (folder, folder.replace("\\", "\\\\"), folder.replace("\\", "/")):
            text = re.sub(re.escape(written) + r"(?![\w.-])", "~", text, flags=_FOLDING)
    for name, instead in ((_user(), "USER"), (platform.node(), "HOST"), (_short_node(), "HOST")):
        if len(name) >= _SHORTEST and name.lower() not in _NOBODY:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", instead, text, flags=re.IGNORECASE)
    return text


_FOLDING = re.IGNORECASE if os.name == "nt" else re.NOFLAG
"""Windows writes one path in several ways."""


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no such user in a container
        return ""


def _short_node() -> str:
    return platform.node().partition(".")[0]
