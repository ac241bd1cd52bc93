"""Bars of reading headers: 163 safetensors shards, 91,280 tensors, 1.3 TB; and a torch file of 10 GB.

The files are sparse: their headers are real, their data is a hole.

Run with ``python -m pytest tests/benchmarks/test_checkpoints.py``. Both sides are timed in turn in one
process and their best times compared, so that another load on the machine hits both alike.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.serialization
from safetensors import safe_open

from optmem_gui.checkpoints import safetensors
from optmem_gui.checkpoints.contents import Reading
from optmem_gui.checkpoints.files import SNIFF_BYTES, HeaderFile
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


def _best(*sides: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """The best time of each side, measured in turn."""
    best = [float("inf")] * len(sides)
    for _ in range(rounds):
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
    assert headers <= 0.7 * reference
    assert opening <= 2.0 * reference


TORCH_TENSORS, SIDE = 2000, (1250, 1024)


@pytest.fixture(scope="module")
def big_torch_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10.24 GB in 2,000 tensors, written by torch without the bytes of its storages."""
    path = tmp_path_factory.mktemp("torch") / "big.pt"
    state = {f"layers.{i // 10}.mlp.w{i % 10}.weight": torch.empty(SIDE) for i in range(TORCH_TENSORS)}
    with torch.serialization.skip_data():
        torch.save(state, path)
    assert path.stat().st_size > 10e9
    return path


def test_a_torch_file_against_torch(big_torch_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where torch is already imported; what is read is the zip's directory and the pickle."""
    checkpoint = open_checkpoint(big_torch_file)
    assert checkpoint.param_count == TORCH_TENSORS * SIDE[0] * SIDE[1]
    with zipfile.ZipFile(big_torch_file) as archive:
        pickled = sum(info.file_size for info in archive.infolist() if info.filename.endswith("data.pkl"))
        directory = big_torch_file.stat().st_size - archive.start_dir
    surroundings = (
        2 * SNIFF_BYTES + 200
    )  # first bytes, local header of the pickle, end of the directory twice
    assert checkpoint.bytes_read <= directory + pickled + surroundings
    reference, opening = _best(
        lambda: torch.load(big_torch_file, mmap=True, weights_only=True),
        lambda: open_checkpoint(big_torch_file).ref,
    )
    with capsys.disabled():
        print(f"\ntorch.load {reference:.3f} s, opening {reference / opening:.1f} x faster")  # noqa: T201  # the figures
    assert opening <= reference / 3


_TORCH = "import torch; torch.load({path!r}, mmap=True, weights_only=True)"
_OWN = """
from pathlib import Path
def peak_kib():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
before = peak_kib()
from optmem_gui.checkpoints.opening import open_checkpoint
open_checkpoint(Path({path!r})).ref
print(peak_kib() - before)
"""


def test_a_torch_file_in_a_process_of_its_own(
    big_torch_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(script: str) -> str:
        command = [sys.executable, "-c", script.format(path=str(big_torch_file))]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    grown_kib = int(run(_OWN))
    assert grown_kib > 1000
    reference, own = _best(lambda: run(_TORCH), lambda: run(_OWN), rounds=3)
    figures = (
        f"own {own:.2f} s, {reference / own:.1f} x faster, {grown_kib / 1024:.0f} MiB above the interpreter"
    )
    with capsys.disabled():
        print(f"\nprocess with torch {reference:.2f} s, {figures}")  # noqa: T201  # the figures are the point
    assert grown_kib * 1024 < 100e6
    assert own <= reference / 10
