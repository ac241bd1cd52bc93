"""The processes run once for all tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.sharding.jobs import cases, refused, sent_jobs

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def found() -> dict[str, list[dict[str, Any]]]:
    """What every rank of every run holds."""
    asked = (*(case.job for case in (*cases(), *refused())), *sent_jobs())
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
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    answers: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return answers
