"""The same inputs chosen by atheris, which watches what code of the readers they reach."""

from __future__ import annotations

import argparse
import gc
import random
import sys
from pathlib import Path
from types import FunctionType

from tests.fuzz.harness import Harness, Seed
from tests.fuzz.mutate import MAX_BYTES, mutate


def _readers() -> list[FunctionType]:
    """Every function of the readers that has been imported; the libraries around them are not the target."""
    found = [each for each in gc.get_objects() if isinstance(each, FunctionType)]
    return [each for each in found if (each.__module__ or "").startswith("optmem_gui.checkpoints")]


def fuzz(arguments: argparse.Namespace, seeds: list[Seed], work: Path) -> int:
    """Run atheris on one target; the first byte of an input says which seed it belongs to.

    atheris ends the process itself after the runs or with the first problem.
    """
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]  # optional; it has no types

    corpus = work / "corpus"
    corpus.mkdir()
    for index, seed in enumerate(seeds):
        for place, name in enumerate(seed.change):
            (corpus / f"{index}-{place}").write_bytes(bytes([index]) + seed.files[name])
    harness = Harness(work)
    for seed in seeds:
        harness.run(seed, {}, armed=False)
    for function in _readers():  # the seeds have imported them
        atheris.instrument_func(function)

    def one(data: bytes) -> None:
        if data:
            seed = seeds[data[0] % len(seeds)]
            problem = harness.run(seed, {seed.change[0]: data[1:]})[1]
            if problem:
                raise AssertionError(problem)

    def change(data: bytes, max_size: int, number: int) -> bytes:
        rng = random.Random(number)  # noqa: S311  # chosen inputs, no secret
        return (data[:1] + mutate(data[1:], rng))[:max_size]

    options = [f"-runs={arguments.runs}", f"-max_len={MAX_BYTES}", f"-artifact_prefix={arguments.crashes}/"]
    arguments.crashes.mkdir(parents=True, exist_ok=True)
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=change)
    atheris.Fuzz()
    return 0
