"""The program works offline: the guard that every test runs under, and what it lets through."""

from __future__ import annotations

import socket

import pytest

from tests.conftest import ConnectionLeavesMachineError

ELSEWHERE = ("203.0.113.1", 9)  # a documentation address, RFC 5737


@pytest.mark.parametrize("name", ["connect", "connect_ex"])
def test_a_connection_to_another_machine_fails_the_test(name: str) -> None:
    with socket.socket() as client, pytest.raises(ConnectionLeavesMachineError):
        getattr(client, name)(ELSEWHERE)


def test_ranks_on_this_machine_can_talk() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        client.connect(server.getsockname())
