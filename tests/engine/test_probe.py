"""A probe from start to end in a real child, and every way it can go wrong outside the class."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from optmem_gui.core.optimizers.probe import probe_request
from optmem_gui.core.protocol import Progress
from optmem_gui.engine.child import Launch
from optmem_gui.engine.probe import Probe
from optmem_gui.engine.worker_process import child_environment

ROOT = Path(__file__).resolve().parents[2]
TOYS = "probed_optimizers"
FOLDER = str(Path(__file__).parent)


def _script(text: str) -> Launch:
    """A worker that only does this."""
    return Launch((sys.executable, "-c", text), child_environment(os.environ), str(ROOT))


def test_a_class_of_a_folder_in_a_child_of_its_own() -> None:
    """torch is imported in the child, the class found in the folder, its rules come back."""
    heard: list[Progress] = []
    outcome = Probe().run(probe_request(f"{TOYS}:Toy8bit", (), FOLDER), heard.append)
    assert outcome.reason is None
    assert outcome.inference is not None
    assert outcome.inference.entry is not None
    assert outcome.inference.entry.folder == FOLDER
    assert [state.name for state in outcome.inference.states] == ["step", "moment", "absmax", "table"]
    assert heard[-1].step == heard[-1].steps


def test_a_class_that_raises_leaves_one_line() -> None:
    outcome = Probe().run(probe_request(f"{TOYS}.Raising", (), FOLDER), lambda _: None)
    assert outcome.inference is None
    assert outcome.reason is not None
    assert outcome.reason.key == "probe.all_refused"
    assert "a mistake of my own" in str(outcome.reason)
    assert "\n" not in str(outcome.reason)


def test_a_class_that_never_returns_is_stopped() -> None:
    outcome = Probe(silence_s=0.5).run(probe_request(f"{TOYS}.Sleeping", (), FOLDER), lambda _: None)
    assert outcome.reason is not None
    assert outcome.reason.key == "probe.silent"
    assert "Sleeping" in str(outcome.reason)


def test_a_missing_library_is_named() -> None:
    outcome = Probe().run(probe_request("no_such_library.Adam", ()), lambda _: None)
    assert outcome.reason is not None
    assert outcome.reason.key == "measure.no_library"


def test_a_process_that_dies_tells_its_last_words() -> None:
    worker = _script("import sys; sys.stderr.write('first\\nit hurts\\n'); sys.exit(7)")
    outcome = Probe(worker=worker).run(probe_request("mine.Mine", ()), lambda _: None)
    assert outcome.reason is not None
    assert outcome.reason.key == "probe.no_answer"
    assert "it hurts" in str(outcome.reason)
    assert "first" in outcome.detail


def test_a_python_that_is_not_there() -> None:
    outcome = Probe("/no/such/python").run(probe_request("mine.Mine", ()), lambda _: None)
    assert outcome.reason is not None
    assert outcome.reason.key == "measure.no_python"


@pytest.mark.parametrize("before", [True, False])
def test_a_stop_ends_the_child(before: bool) -> None:
    probe = Probe(worker=_script("import time; time.sleep(3600)"))
    if before:
        probe.cancel()
    else:
        threading.Timer(0.3, probe.cancel).start()
    outcome = probe.run(probe_request("mine.Mine", ()), lambda _: None)
    assert outcome.reason is not None
    assert outcome.reason.key == "probe.cancelled"


def test_what_libraries_print_is_no_answer() -> None:
    worker = _script('print(\'hello\'); print(\'{"v":99,"kind":"hello"}\')')
    outcome = Probe(worker=worker).run(probe_request("mine.Mine", ()), lambda _: None)
    assert outcome.reason is not None
    assert outcome.reason.key == "measure.wrong_version"
