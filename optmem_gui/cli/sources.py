"""What a command runs: a model by its tensors, its config, or a function of the user."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from optmem_gui.architectures.config_file import config_text
from optmem_gui.cli.inputs import scenario_from
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef, Source
from optmem_gui.core.scenario import Scenario

_YES = ("y", "yes")


@dataclass(frozen=True, slots=True)
class Work:
    """What is to run.

    Attributes:
        scenario: As it was asked for.
        config: Text of the model's ``config.json``, if it has one.
        function: The user's own function with its absolute path, if that is what runs.
    """

    scenario: Scenario
    config: str = ""
    function: str = ""

    @property
    def built(self) -> bool:
        """The worker builds the model itself."""
        return bool(self.config or self.function)


def work_from(arguments: argparse.Namespace) -> Work:
    """The work that the arguments describe.

    Raises:
        UserError: Arguments that do not go together.
    """
    if not arguments.function:
        scenario = scenario_from(arguments)
        return Work(scenario, config_text(scenario.model))
    for option in ("paths", "params", "preset"):
        if getattr(arguments, option):
            given = "PATH" if option == "paths" else f"--{option}"
            raise UserError("simulate.two_sources", option=given)
    function = _absolute(arguments.function)
    model = ModelRef(arguments.function, Source.FILE, (), path=function)
    scenario = scenario_from(arguments, Scenario(model))
    precision = arguments.precision or "fp32"  # the model as the function returns it
    return Work(replace(scenario, precision=precision), function=function)


def may_run(work: Work, arguments: argparse.Namespace) -> bool:
    """A function is code: nothing of it runs before a yes that shows what.

    Raises:
        UserError: Nobody can be asked.
    """
    if not work.function or arguments.yes:
        return True
    if not sys.stdin.isatty():
        raise UserError("simulate.needs_yes", path=arguments.function)
    sys.stderr.write(f"Run {work.function} in a child process? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES


def _absolute(function: str) -> str:
    file, colon, name = function.rpartition(":")
    return f"{Path(file).resolve()}{colon}{name}" if file else function
