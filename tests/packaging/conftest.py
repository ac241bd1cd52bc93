from __future__ import annotations

import pytest

from tests.packaging.bundle import Bundle, build


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The desktop program without torch, built once."""
    return build(tmp_path_factory.mktemp("bundle"))
