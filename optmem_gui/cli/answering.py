"""A parser of arguments that answers a mistake with one line and the word that was probably meant."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from optmem_gui.core.errors import UserError


class Parser(argparse.ArgumentParser):
    """A parser that refuses with a :class:`UserError` instead of printing its usage and leaving."""

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments.

        Raises:
            UserError: Always.
        """
        raise UserError("cli.usage", why=message, command=self.prog)

    def parse_known_args(  # type: ignore[override]  # the base describes it by overloads
        self,
        args: Sequence[str] | None = None,
        namespace: Any = None,  # noqa: ANN401  # argparse takes any object
    ) -> tuple[Any, list[str]]:
        """Refuse an option that is not known here, where its neighbours are: in the subcommand.

        Raises:
            UserError: It is spelled like one that is known.
        """
        parsed, unknown = super().parse_known_args(args, namespace)
        for word in unknown:
            given = word.partition("=")[0]
            near = _near(given, self._option_string_actions) if given.startswith("-") else ""
            if near:
                raise UserError("cli.unknown_option", given=given, near=near, command=self.prog)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401  # of the type that the option has
        known = [str(choice) for choice in action.choices or ()]
        near = "" if str(value) in known else _near(str(value), known)
        if near:
            option = (
                action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)
            )
            raise UserError("cli.unknown_choice", option=option, given=str(value), near=near)
        super()._check_value(action, value)


_ALIKE = 0.7
"""How alike two words are to be taken for each other: ``bf17`` is ``bf16``, ``throw`` is not ``show``."""


def _near(given: str, known: Iterable[str]) -> str:
    found = get_close_matches(given, list(known), n=1, cutoff=_ALIKE)
    return found[0] if found else ""
