"""A report as one HTML file: no script, nothing loaded, printable, readable in light and dark."""

from __future__ import annotations

from html import escape

from optmem_gui.report.estimate_report import Report, Section
from optmem_gui.report.tables import Table, to_html

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 78em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; margin: 0 0 .3em; }
h2 { font-size: 1.1em; margin: 1.6em 0 .4em; }
.answer { font-size: 1.15em; font-weight: 600; margin: 0; }
table { border-collapse: collapse; }
th, td { padding: .25em .7em; text-align: left; vertical-align: top; border-bottom: 1px solid #8884; }
th { border-bottom: 1px solid currentColor; }
td[align=right] { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide { overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1em 1.2em; }
dd { margin: 0; }
footer { margin-top: 2em; opacity: .7; }
@media print { body { font-size: 9pt; margin: 0; max-width: none; } }
"""


def html_document(report: Report) -> str:
    """A report as a whole document."""
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in report.facts)
    answer = "".join(f'<p class="answer">{escape(line)}</p>' for line in report.answer)
    body = "\n".join(_section(section) for section in report.sections)
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(report.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(report.title)}</h1>\n{answer}\n<dl>{facts}</dl>\n{body}\n"
        f"<footer>{escape(report.made)}</footer>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    lines = "".join(f"<li>{escape(line)}</li>" for line in section.lines)
    return (
        f"<section><h2>{escape(section.title)}</h2>"
        + ("" if section.table is None else _wide(section.table))
        + (f"<ul>{lines}</ul>" if lines else "")
        + "</section>"
    )


def _wide(table: Table) -> str:
    return f'<div class="wide">{to_html(table)}</div>'
