from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkpoints.builders import (
    FIRST,
    NAMES,
    SECOND,
    TOTAL_BYTES,
    WEIGHT_MAP,
    write_index,
    write_safetensors,
)


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    """A folder of two shards with an index."""
    folder = tmp_path / "model"
    folder.mkdir()
    write_safetensors(folder / NAMES[0], FIRST)
    write_safetensors(folder / NAMES[1], SECOND)
    write_index(folder, WEIGHT_MAP, total_size=TOTAL_BYTES)
    return folder
