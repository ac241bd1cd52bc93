"""What the sampler asks of the system, asked back from the system in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="these are Linux's")

ASKED = """
import ctypes, gc, json, platform, struct
from optmem_gui.engine.punctual import be_punctual

be_punctual()
library = ctypes.CDLL(None)
PR_GET_TIMERSLACK = 30
sched_getattr = {"x86_64": 315, "aarch64": 275}.get(platform.machine())
attributes = ctypes.create_string_buffer(48)
known = sched_getattr is not None and library.syscall(sched_getattr, 0, attributes, 48, 0) == 0
_, policy, _, _, _, slice_ns, _, _ = struct.unpack("IIQiIQQQ", attributes.raw)
print(json.dumps([library.prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), gc.isenabled(), known, policy, slice_ns]))
"""


def test_sleeps_end_on_time_and_slices_are_short_at_the_ordinary_policy() -> None:
    run = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=True)
    slack_ns, collects, known, policy, slice_ns = json.loads(run.stdout)
    assert slack_ns == 1
    assert collects is False
    if not known:
        pytest.skip("this kernel does not tell scheduling attributes")
    assert policy == 0  # SCHED_OTHER: nothing that could starve anyone else
    assert slice_ns in (0, 100_000)  # a kernel before 6.12 has no slice to ask for
