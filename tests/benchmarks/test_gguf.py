"""Bar of the GGUF reader: a vocabulary of 128,256 tokens, at least 20 times as fast as ``gguf.GGUFReader``.

Run with ``python -m pytest tests/benchmarks/test_gguf.py``. The library is timed once, because it needs
seconds; the opening several times, and the slowest counts.
"""

from __future__ import annotations

import time
from pathlib import Path

import gguf
import numpy as np
import pytest

from optmem_gui.checkpoints.opening import open_checkpoint

TOKENS, MERGES, TENSORS = 128_256, 280_147, 291
"""Llama 3's tokenizer, and the tensors of its 8B model."""


@pytest.fixture(scope="module")
def big_vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gguf") / "vocabulary.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_token_list([f"token{index}" for index in range(TOKENS)])
    writer.add_token_types([1] * TOKENS)
    writer.add_token_merges([f"to ken{index}" for index in range(MERGES)])
    for index in range(TENSORS):
        writer.add_tensor(f"blk.{index}.weight", np.zeros((4, 4), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_vocabulary_is_stepped_over(big_vocabulary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = time.perf_counter()
    reader = gguf.GGUFReader(big_vocabulary)
    library = time.perf_counter() - start
    times = []
    for _ in range(5):
        start = time.perf_counter()
        checkpoint = open_checkpoint(big_vocabulary)
        times.append(time.perf_counter() - start)
    assert checkpoint.param_count == sum(int(tensor.n_elements) for tensor in reader.tensors)
    with capsys.disabled():
        print(f"\nGGUFReader {library:.2f} s, opening {max(times):.3f} s: {library / max(times):.0f} x")  # noqa: T201  # the figures are the point
    assert library >= 20 * max(times)
