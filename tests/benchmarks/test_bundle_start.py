"""Bar of the bundle's start: from the process to a first painted window that takes input, beside source.

Run with ``python -m pytest tests/benchmarks/test_bundle_start.py -s``; it builds the bundle first. Both are
started in turn and their best times compared, so that another load on the machine hits both alike.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.benchmarks.test_start import start_of
from tests.packaging.bundle import BUILD_S, build

ROUNDS = 5


@pytest.mark.timeout(BUILD_S + 300)
def test_the_bundle_starts_about_as_soon_as_the_source(tmp_path: Path) -> None:
    bundle = build(tmp_path)
    source = [sys.executable, "-m", "optmem_gui", "--smoke"]
    bundled = [bundle.program(), "--smoke"]
    for command in (source, bundled):
        start_of(command, tmp_path / "compiled")  # the first start also fills caches of files and fonts
    pairs = [
        tuple(start_of(command, tmp_path / "compiled").seconds for command in (source, bundled))
        for _ in range(ROUNDS)
    ]
    fastest_source, fastest = (min(times) for times in zip(*pairs, strict=True))
    ratio = fastest / fastest_source
    print(f"\nsource {fastest_source:.3f} s, bundle {fastest:.3f} s: {ratio:.2f} x")  # noqa: T201  # the figures
    assert ratio <= 1.3
