"""The processes run once for the tests of a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.sharding.job import Job
from tests.sharding.jobs import cases, refused, sent_jobs

ROOT = Path(__file__).parents[2]
Answers = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="session")
def found() -> Answers:
    """What every rank of every run holds."""
    return _run(case.job for case in (*cases(), *refused()))


@pytest.fixture(scope="session")
def sent() -> Answers:
    """What collectives make on every rank; apart from the other, as their tests may run in two processes."""
    return _run(sent_jobs())


def _run(asked: Iterable[Job]) -> Answers:
    jobs = {job.name: asdict(job) for job in asked}
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.sharding.world"],
        input=json.dumps(list(jobs.values())),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=False,
        timeout=800,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    answers: Answers = json.loads(done.stdout)
    return answers
