r"""Tables and reports as LaTeX, in the style of booktabs.

Everything that is special to TeX is escaped, so that a name out of a file can start no command. A report is a
whole document; it compiles with pdfLaTeX, XeLaTeX and LuaLaTeX, and with Chinese in it through ``ctex``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # named in signatures only; the window copies tables and starts without reports
    from optmem_gui.report.estimate_report import Report
    from optmem_gui.report.tables import Table

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
        "`": r"\textasciigrave{}",
        "\u00a0": "~",
        "\u00d7": r"\ensuremath{\times}",
        "\u00b7": r"\textperiodcentered{}",
        "\u2212": r"\ensuremath{-}",
        "\u2264": r"\ensuremath{\le}",
        "\u2265": r"\ensuremath{\ge}",
        "\u2013": r"\textendash{}",
        "\u2026": r"\ldots{}",
    }
)
_LONG = 32
"""A column with a longer cell breaks into lines."""


def escaped(text: str) -> str:
    """Text in which TeX finds nothing to run; hyphens stay hyphens."""
    plain = "".join(letter for letter in " ".join(text.split()) if unicodedata.category(letter)[0] != "C")
    return re.sub("-(?=-)", "-{}", plain.translate(_ESCAPES))


def has_chinese(text: str) -> bool:
    """Whether a text needs a font with Chinese (or Japanese, Korean, full-width forms)."""
    return any(unicodedata.east_asian_width(letter) in "WF" for letter in text)


def to_latex(table: Table) -> str:
    """A ``tabular`` with booktabs' rules; packages it needs stand in a comment above it."""
    needs = r"% \usepackage{booktabs,array}" + "\n"
    if has_chinese("".join((*table.headers, *(cell for row in table.rows for cell in row)))):
        needs += r"% \usepackage[UTF8,scheme=plain]{ctex}" + "\n"
    return needs + _tabular(table)


def _tabular(table: Table) -> str:
    columns = "".join(_column(table, index) for index in range(len(table.headers)))
    lines = (_line(table.headers), r"\midrule", *(_line(row) for row in table.rows))
    body = "\n".join(lines)
    return f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}\n"


def _column(table: Table, index: int) -> str:
    if index in table.numeric:
        return "r"
    longest = max((len(row[index]) for row in table.rows), default=0)
    return r">{\raggedright\arraybackslash}p{0.34\linewidth}" if longest > _LONG else "l"


def _line(cells: tuple[str, ...]) -> str:
    # An empty group in front keeps a cell that begins with * or [ from being read as an option of \\.
    texts = map(escaped, cells)
    return " & ".join(f"{{}}{text}" if text.startswith(("*", "[")) else text for text in texts) + r" \\"


def latex_document(report: Report) -> str:
    """A report as a document of its own."""
    answer = r"\\".join(map(escaped, report.answer))
    parts = [_preamble(report), rf"\section*{{{escaped(report.title)}}}"]
    parts += [rf"\noindent {answer}", _facts(report.facts)]
    for section in report.sections:
        parts.append(rf"\subsection*{{{escaped(section.title)}}}")
        if section.brief is not None:
            parts.append(rf"\noindent {{\small {_tabular(section.brief)}}}")
        if section.lines:
            items = "\n".join(rf"\item {{}}{escaped(line)}" for line in section.lines)
            parts.append(f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}")
    parts += [rf"\medskip\noindent {{\footnotesize {escaped(report.made)}}}", r"\end{document}"]
    return "\n\n".join(parts) + "\n"


def _facts(facts: tuple[tuple[str, str], ...]) -> str:
    lines = "\n".join(_line(fact) for fact in facts)
    columns = r"@{}l>{\raggedright\arraybackslash}p{0.7\linewidth}@{}"
    return f"\\medskip\\noindent\n\\begin{{tabular}}{{{columns}}}\n{lines}\n\\end{{tabular}}"


def _preamble(report: Report) -> str:
    chinese = "\\usepackage[UTF8,scheme=plain]{ctex}\n" if has_chinese(report.text) else ""
    return (
        "\\documentclass[a4paper,10pt]{article}\n"
        "\\usepackage{iftex}\n"
        "\\ifPDFTeX\\usepackage[T1]{fontenc}\\usepackage{lmodern,textcomp}\\fi\n"
        f"{chinese}"
        "\\usepackage[landscape,margin=16mm]{geometry}\n"
        "\\usepackage{booktabs,array}\n"
        "\\setlength{\\emergencystretch}{3em}\n"
        "\\begin{document}"
    )
