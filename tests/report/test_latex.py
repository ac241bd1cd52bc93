"""LaTeX: nothing of a cell reaches TeX as a command, and what is opened is closed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.report.estimate_report import Exported, estimate_report
from optmem_gui.report.latex import escaped, has_chinese, latex_document, to_latex
from optmem_gui.report.tables import Table
from tests.report.samples import breakdown, scenario

_COMMANDS = re.compile(r"\\([a-zA-Z]+|.)")
_SAFE = {
    "textbackslash", "{", "}", "$", "&", "#", "%", "_", "textasciicircum", "textasciitilde", "textless",
    "textgreater", "textbar", "textasciigrave", "ensuremath", "times", "textperiodcentered", "le", "ge",
    "textendash", "ldots",
}  # fmt: skip


def _balanced(text: str) -> bool:
    """Braces, escaped ones apart, and environments are closed in the order they were opened."""
    depth = 0
    for mark in re.findall(r"(?<!\\)[{}]", text.replace(r"\\", "")):
        depth += 1 if mark == "{" else -1
        if depth < 0:
            return False
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return depth == 0 and not opened


@given(st.text())
def test_no_text_becomes_a_command(text: str) -> None:
    safe = escaped(text)
    assert set(_COMMANDS.findall(safe)) <= _SAFE
    bare = re.sub(r"\\[a-zA-Z]+(\{\})?|\\.", "", safe)
    assert not set(bare) & set("$&#%_^\\")
    assert "\n" not in safe
    assert _balanced(safe)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50% of $x_1$ & more", r"50\% of \$x\_1\$ \& more"),
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("7B x 2 B", "7B x 2 B"),
        ("模型", "模型"),
        ("^^41", r"\textasciicircum{}\textasciicircum{}41"),
    ],
)
def test_special_characters(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_a_table_in_the_style_of_booktabs() -> None:
    table = Table(("component", "GiB"), (("optimizer_state", "26.1"), ("*x", "1")), frozenset({1}))
    assert to_latex(table) == (
        "% \\usepackage{booktabs,array}\n"
        "\\begin{tabular}{@{}lr@{}}\n\\toprule\ncomponent & GiB \\\\\n\\midrule\n"
        "optimizer\\_state & 26.1 \\\\\n{}*x & 1 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=60)), max_size=4))
def test_every_table_is_balanced_and_has_all_its_rows(rows: list[tuple[str, str]]) -> None:
    text = to_latex(Table(("a", "b"), tuple(rows)))
    assert _balanced(text)
    assert text.count(r" \\" + "\n") == len(rows) + 1


def test_chinese_names_the_package_it_needs() -> None:
    assert has_chinese("权重")
    assert not has_chinese("weights 26.1 GiB")
    assert "{ctex}" in to_latex(Table(("组件",), (("权重",),)))
    assert "{ctex}" not in to_latex(Table(("a",), (("b",),)))


@pytest.mark.parametrize("title", ["Llama_3 & co.", "模型 70%"])
def test_a_report_is_a_whole_document(title: str) -> None:
    report = estimate_report(Exported(scenario(), breakdown(), title=title))
    text = latex_document(report)
    assert text.startswith(r"\documentclass")
    assert text.endswith("\\end{document}\n")
    assert _balanced(text)
    assert escaped(title) in text
    assert ("{ctex}" in text) == has_chinese(title)
    assert "8004" in text
