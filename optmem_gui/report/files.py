"""Files the program writes: whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from optmem_gui.core.errors import UserError


def write_whole(path: Path, content: str | bytes) -> None:
    """Replace a file in one step, so that a crash or a full disk never leaves half of it.

    The content is written beside its destination (a rename does not cross file systems), flushed to the
    disk, and moved over it. A file that is replaced keeps its permissions, and a symbolic link keeps
    pointing at the file.

    Args:
        path: File to write.
        content: Bytes, or text that is encoded as UTF-8 with its line ends as they are.

    Raises:
        UserError: The folder cannot be written to, or is full.
    """
    temporary: Path | None = None
    try:
        data = content.encode() if isinstance(content, str) else content
        target = path.resolve()
        temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.part")
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if target.is_file():
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, or a name no file system takes
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        why = error.strerror if isinstance(error, OSError) else None
        raise UserError("output.not_written", path=str(path), why=why or str(error)) from error


def set_aside(path: Path) -> Path | None:
    """Keep a damaged file under another name, ``.bad`` at its end, so that a new one does not replace it.

    Returns:
        Where it lies now; None where it cannot be moved.
    """
    aside = path.with_name(path.name + ".bad")
    try:
        return path.replace(aside)
    except OSError:
        return None
