"""Feed readers with inputs made from small valid files: ``python -m tests.fuzz --runs 100000``.

``--reader`` names a target (all in turn without it), ``--seed`` makes a run repeatable. Inputs that lead to
an answer not seen before are kept as the start of others. What goes wrong is written to ``--crashes``, and
the exit code is 1. With ``--engine atheris`` the inputs are chosen by the code that they reach instead, which
takes ``pip install atheris`` and one reader.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import random
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from tests.fuzz.harness import SECONDS, Harness, Seed, load_seeds
from tests.fuzz.mutate import mutate

_KEPT = 300
_SAY_S = 60
_TURN_S = 0.5
"""Processor time of one target before the next has its turn."""


class Campaign:
    """The inputs of one target."""

    def __init__(self, seeds: list[Seed]) -> None:
        self.seeds = seeds
        self.runs = 0
        self.pool: list[tuple[Seed, str, bytes]] = [
            (seed, name, seed.files[name]) for seed in seeds for name in seed.change
        ]
        self.outcomes: dict[str, int] = {}
        self.problems: set[str] = set()

    def step(self, harness: Harness, rng: random.Random, crashes: Path) -> None:
        """One input."""
        if rng.random() < 0.6:
            seed = rng.choice(self.seeds)
            name = rng.choice(seed.change)
            start = seed.files[name]
        else:
            seed, name, start = rng.choice(self.pool)
        data = mutate(start, rng)
        outcome, problem = harness.run(seed, {name: data})
        self.runs += 1
        if outcome not in self.outcomes and len(self.pool) < _KEPT:
            self.pool.append((seed, name, data))
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        if problem:
            self.report(seed, name, data, problem, crashes)

    def report(self, seed: Seed, name: str, data: bytes, problem: str, crashes: Path) -> None:
        """Write an input down, once for each place it ends at."""
        lines = problem.strip().splitlines()
        place = "\n".join(line for line in lines if line.startswith("  File"))
        key = f"{place}\n{lines[-1].split(':')[0]}"
        if key in self.problems:
            return
        self.problems.add(key)
        where = self.seeds.index(seed)
        digest = hashlib.sha256(data).hexdigest()[:12]
        folder = crashes / f"{seed.target}-{where}-{digest}"
        (folder / "files" / name).parent.mkdir(parents=True, exist_ok=True)
        for other, held in seed.files.items():
            (folder / "files" / other).parent.mkdir(parents=True, exist_ok=True)
            (folder / "files" / other).write_bytes(held)
        (folder / "files" / name).write_bytes(data)
        (folder / "problem").write_text(problem, encoding="utf-8", errors="backslashreplace")
        _say(f"{folder}: {lines[-1]}")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--reader", help="a target; all without it")
    parser.add_argument("--runs", type=int, default=10_000, help="inputs over all targets")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop earlier")
    parser.add_argument("--turn", type=int, help="inputs of one target in turn, in place of half a second")
    parser.add_argument("--limit", type=float, default=SECONDS, help="seconds an input may take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=Path, help="folder that tests.fuzz.seeds wrote")
    parser.add_argument("--crashes", type=Path, default=Path("crashes"))
    parser.add_argument("--engine", choices=("own", "atheris"), default="own")
    return parser.parse_args()


def main() -> int:
    """Run what the arguments say."""
    arguments = _parse()
    with tempfile.TemporaryDirectory() as scratch:
        root = arguments.seeds or Path(scratch) / "seeds"
        if not root.is_dir():
            subprocess.run([sys.executable, "-m", "tests.fuzz.seeds", str(root)], check=True)
        seeds = load_seeds(root)
        if arguments.reader:
            seeds = {arguments.reader: seeds[arguments.reader]}
        work = Path(scratch) / "work"
        work.mkdir()
        if arguments.engine == "atheris":
            from tests.fuzz.guided import fuzz

            return fuzz(arguments, next(iter(seeds.values())), work)
        return _run(arguments, seeds, Harness(work, arguments.limit))


def _run(arguments: argparse.Namespace, seeds: dict[str, list[Seed]], harness: Harness) -> int:
    warnings.simplefilter("ignore")  # zipfile complains of the archives that are made here
    rng = random.Random(arguments.seed)  # noqa: S311  # chosen inputs, no secret
    gc.freeze()
    campaigns = {target: Campaign(found) for target, found in seeds.items()}
    for target, campaign in campaigns.items():  # the seeds themselves are fine
        for seed in campaign.seeds:
            harness.run(seed, {}, armed=False)
            outcome, problem = harness.run(seed, {})
            if problem:
                campaign.report(
                    seed,
                    seed.change[0],
                    seed.files[seed.change[0]],
                    f"{target}: {problem}",
                    arguments.crashes,
                )
            campaign.outcomes[outcome] = 1
    start, done, said = time.monotonic(), 0, 0.0
    while done < arguments.runs and time.monotonic() - start < arguments.seconds:
        if time.monotonic() - said > _SAY_S:
            said = time.monotonic()
            print(f"{done:,} inputs so far", file=sys.stderr, flush=True)  # noqa: T201  # long runs
        for campaign in campaigns.values():
            turn, runs = time.process_time() + _TURN_S, campaign.runs
            while done < arguments.runs and (
                campaign.runs - runs < arguments.turn if arguments.turn else time.process_time() < turn
            ):
                campaign.step(harness, rng, arguments.crashes)
                done += 1
    elapsed = time.monotonic() - start
    for target, campaign in campaigns.items():
        kinds, problems = len(campaign.outcomes), len(campaign.problems)
        _say(f"{target:18} {campaign.runs:9,} inputs, {kinds:4} kinds of answers, {problems} problems")
    found = sum(len(campaign.problems) for campaign in campaigns.values())
    limits = f"slowest {harness.slowest_s:.2f} s, peak {harness.peak_bytes / 2**20:.0f} MiB"
    _say(f"{done:,} inputs in {elapsed:.0f} s, {limits}, {found} problems")
    return 1 if found else 0


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # the figures are the point


if __name__ == "__main__":
    sys.exit(main())
