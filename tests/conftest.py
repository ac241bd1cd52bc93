"""What every test shares: where the reference data lies, a headless Qt, and no way out to a network."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.examples import register_profiles

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

register_profiles()

_NUMBERS = count()


def pytest_sessionfinish() -> None:
    """Empty the clipboard while Python is still there.

    Without a display Qt keeps what was copied in a static variable and deletes it after the interpreter has
    gone; for data that Python made, that ends in a segmentation fault instead of the session's exit code.
    """
    gui = sys.modules.get("PySide6.QtGui")
    if gui is not None and gui.QGuiApplication.instance() is not None:
        gui.QGuiApplication.clipboard().clear()


USERS_FOLDERS = ("XDG_DATA_HOME", "XDG_CONFIG_HOME")


@pytest.fixture(autouse=True, scope="session")
def _no_users_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the program keeps for its user is kept in a folder of the tests, in child processes too."""
    folder = tmp_path_factory.mktemp("users")
    with pytest.MonkeyPatch.context() as patch:
        for name in USERS_FOLDERS:
            patch.setenv(name, str(folder / name))
        yield folder


@pytest.fixture(autouse=True)
def _own_users_folders(_no_users_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test leaves there no other one finds, in whatever order and processes they run."""
    number = next(_NUMBERS)
    for name in USERS_FOLDERS:
        monkeypatch.setenv(name, str(_no_users_folders / f"{number}" / name))


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """Folder of readings and recordings that rules are compared with."""
    folder = os.environ.get("OPTMEM_REFERENCE_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("OPTMEM_REFERENCE_DATA names no folder of reference data")
    return Path(folder)


class ConnectionLeavesMachineError(AssertionError):
    """Something tried to reach another machine."""


@pytest.fixture(autouse=True)
def _no_connection_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that is not to this machine: the program works offline."""

    def guarded(name: str) -> Callable[..., Any]:
        original = getattr(socket.socket, name)

        def call(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
                raise ConnectionLeavesMachineError(f"connection to {address!r}")
            return original(self, address)

        return call

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, guarded(name))


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
