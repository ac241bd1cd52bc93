"""How a table is put on the clipboard. To add a notation: a function and a line in :data:`NOTATIONS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from optmem_gui.report.latex import to_latex
from optmem_gui.report.tables import Table, to_html, to_markdown, to_tsv


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write a table.

    Attributes:
        id: Its name in the program.
        title: Its name on screen, the same in every language; empty for one that has words.
        write: Writes a table.
        mime: Type under which other programs look for it beside plain text; empty for none.
    """

    id: str
    title: str
    write: Callable[[Table], str]
    mime: str = ""


NOTATIONS: dict[str, Notation] = {
    notation.id: notation
    for notation in (
        Notation("tsv", "TSV", to_tsv),
        Notation("markdown", "Markdown", to_markdown, "text/markdown"),
        Notation("html", "HTML", to_html, "text/html"),
        Notation("latex", "LaTeX", to_latex),
    )
}

SHORTCUTS = {"markdown": "Ctrl+Shift+M", "html": "Ctrl+Shift+H", "latex": "Ctrl+Shift+L"}
"""Keys of the window for notations; a spreadsheet gets its own by the platform's key for copying."""
