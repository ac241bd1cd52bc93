"""Bars of the header pass: 163 shards, 91,280 tensors, 1.3 TB promised by sparse files.

Run with ``python -m pytest tests/benchmarks/test_checkpoints.py``. Both sides are timed in turn in one
process and their best times compared, so that another load on the machine hits both alike.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors import safe_open

from optmem_gui.checkpoints import safetensors
from optmem_gui.checkpoints.contents import Reading
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.opening import open_checkpoint

SHARDS, TENSORS = 163, 91_280
ROUNDS = 7


@pytest.fixture(scope="module")
def big_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A mixture-of-experts checkpoint with an index, and the bytes of its headers and index."""
    folder = tmp_path_factory.mktemp("big")
    names = [
        f"model.layers.{layer}.mlp.experts.{expert}.{matrix}.weight"
        for layer in range(3, 122)
        for expert in range(256)
        for matrix in ("gate_proj", "up_proj", "down_proj")
    ][:TENSORS]
    read_bytes, total_bytes, weight_map = 0, 0, {}
    per_shard = TENSORS // SHARDS
    for shard in range(SHARDS):
        file = f"model-{shard + 1:05d}-of-{SHARDS:06d}.safetensors"
        end, header = 0, {}
        for name in names[shard * per_shard : (shard + 1) * per_shard]:
            shape = [7168, 1024] if "down" in name else [1024, 7168]
            size = 2 * 7168 * 1024
            header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
            weight_map[name] = file
            end += size
        raw = json.dumps({"__metadata__": {"format": "pt"}, **header}, separators=(",", ":")).encode()
        raw += b" " * (-len(raw) % 8)
        with (folder / file).open("wb") as out:
            out.write(len(raw).to_bytes(8, "little") + raw)
            out.truncate(8 + len(raw) + end)
        read_bytes += 8 + len(raw)
        total_bytes += end
    assert total_bytes > 1.3e12
    index = json.dumps({"metadata": {"total_size": total_bytes}, "weight_map": weight_map}).encode()
    (folder / "model.safetensors.index.json").write_bytes(index)
    return folder, read_bytes + len(index)


def _reference(files: list[Path]) -> int:
    count = 0
    for file in files:
        with safe_open(file, "numpy") as opened:
            for name in opened.keys():  # noqa: SIM118  # safe_open has no iterator
                view = opened.get_slice(name)
                view.get_shape()
                view.get_dtype()
                count += 1
    return count


def _headers(files: list[Path]) -> int:
    count = 0
    reading = Reading()
    for path in files:
        with HeaderFile(path, reading) as file:
            count += len(safetensors.read_header(file).entries)
    return count


def _best(*sides: Callable[[], object]) -> list[float]:
    """The best time of each side, measured in turn."""
    best = [float("inf")] * len(sides)
    for _ in range(ROUNDS):
        for index, side in enumerate(sides):
            start = time.perf_counter()
            side()
            best[index] = min(best[index], time.perf_counter() - start)
    return best


def test_header_pass_and_opening_against_safe_open(
    big_folder: tuple[Path, int], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, read_bytes = big_folder
    files = sorted(folder.glob("*.safetensors"))
    assert _reference(files) == _headers(files) == TENSORS
    checkpoint = open_checkpoint(folder)
    assert checkpoint.bytes_read <= read_bytes
    assert checkpoint.tensor_count == TENSORS
    assert checkpoint.complete
    assert not checkpoint.warnings

    reference, headers, opening = _best(
        lambda: _reference(files),
        lambda: _headers(files),
        lambda: open_checkpoint(folder).ref,
    )
    figures = f"header pass {headers / reference:.2f} x, opening {opening / reference:.2f} x"
    with capsys.disabled():
        print(f"\nsafe_open {reference:.3f} s, {figures}")  # noqa: T201  # the figures are the point
    assert headers <= 1.0 * reference
    assert opening <= 2.5 * reference
