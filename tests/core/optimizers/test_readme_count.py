"""The README's count of proven optimizers is the catalogue's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from optmem_gui.core.optimizers.catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_counts_what_is_proven(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    proven = sum(bool(implementation.proven) for implementation in CATALOGUE.values())
    libraries = {implementation.library for implementation in CATALOGUE.values()}
    with capsys.disabled():
        print(f"\noptimizers: {proven} of {len(CATALOGUE)} proven, {len(libraries)} libraries")  # noqa: T201  # the README's figure
    text = (ROOT / name).read_text(encoding="utf-8")
    said = re.search(r"<!-- proven -->(\d+)\D+(\d+)<!-- /proven -->", text)
    assert said is not None
    assert (int(said[1]), int(said[2])) == (proven, len(CATALOGUE))
