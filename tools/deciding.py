"""What the program says when a GPU is chosen: ``python tools/deciding.py`` writes the page of examples.

Every block is what the command above it prints, so the page is as right as the program.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.cli.run import main as run
from optmem_gui.core.scenario import Scenario
from optmem_gui.report import calibrations
from optmem_gui.report.scenario_file import save_scenario

PAGE = Path(__file__).resolve().parent.parent / "resources" / "docs" / "deciding.md"
TRAINING = "--preset llama-3.1-8b --precision bf16 --batch 1 --seq 8192 --checkpointing full"
BEFORE = Scenario(preset_ref("llama-3.1-8b"), batch=1, sequence=8192, checkpointing="full")
AFTER = replace(BEFORE, optimizer="bitsandbytes.AdamW8bit")
EXAMPLES = (
    ("Which GPU is enough", f"estimate {TRAINING} --gpu all"),
    ("What would make it smaller", f"estimate {TRAINING} --gpu rtx-a6000 --ways"),
    ("The largest batch", f"estimate {TRAINING} --gpu h200 --solve batch"),
    ("The longest sequence", f"estimate {TRAINING} --gpu h200 --solve seq"),
    ("Two scenarios side by side", "estimate adamw.optmem adamw-8bit.optmem"),
)
HEAD = """# Deciding

Llama 3.1 8B with AdamW in pure bf16, one sequence of 8,192 tokens, every layer checkpointed. The window
shows the same in *GPUs*, *Ways*, *Pinned* and beside the headline. *needed* is the number of GPUs of a kind
on which it surely fits when they share everything by FSDP2; it is empty where no number up to 1,024 does.
"""


def said(command: str) -> str:
    """What a command prints where no GPU of this computer was calibrated."""
    printed = io.StringIO()
    uncalibrated = mock.patch.object(calibrations, "load_calibrations", return_value=((), None))
    with uncalibrated, contextlib.redirect_stdout(printed):
        run(shlex.split(command))
    return printed.getvalue()


@contextlib.contextmanager
def scenario_files() -> Iterator[None]:
    """A folder with the two scenarios, which is the current one meanwhile."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        save_scenario(Path(folder) / "adamw.optmem", BEFORE)
        save_scenario(Path(folder) / "adamw-8bit.optmem", AFTER)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def page() -> str:
    """The page, as Markdown."""
    with scenario_files():
        blocks = [
            f"## {title}\n\n```console\n$ optmem {command}\n{said(command).rstrip()}\n```\n"
            for title, command in EXAMPLES
        ]
    return "\n".join([HEAD, *blocks])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
