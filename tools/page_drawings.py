"""The drawings of the pages about memory: SVG on a paper of their own, so that any ground suits them.

Colours are those of the window's light theme; its reader puts those of the dark one in their place. Areas are
named or labelled with their figures, so that colour is never the only cue.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from optmem_gui.core.units import GIB, format_bytes
from optmem_gui.gui.theme import LIGHT, component_style
from tools.page_words import word
from tools.pages import (
    EXAMPLE,
    FUSED,
    RECOMPUTED,
    SCHEMES,
    SHOWN,
    choices,
    estimate,
    scheme_bytes,
    states,
)

WIDTH = 720
MARGIN = 16
LINE = 26
BAR = 18
SIZE = 13
LABELS = 190
"""Room for the names at the left of bars."""


Rect = tuple[float, float, float, float]
"""Left, top, width, height; of a line, both its ends."""


class Sheet:
    """A drawing that grows downwards."""

    def __init__(self, height: int, title: str) -> None:
        self.height, self.title = height, title
        self.parts: list[str] = []
        self.text(MARGIN, MARGIN + SIZE, title, weight="bold")

    def rect(self, place: Rect, fill: str, extra: str = "") -> None:
        """A filled rectangle."""
        x, y, width, height = place
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}" '
            f'fill="{fill}"{extra}/>'
        )

    def line(self, place: Rect, stroke: str, extra: str = "") -> None:
        """A straight line from a point to a point."""
        x1, y1, x2, y2 = place
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"{extra}/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        fill: str = LIGHT.text,
        anchor: str = "start",
        weight: str = "normal",
    ) -> None:
        """One line of text."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="{anchor}" font-weight="{weight}">'
            f"{escape(words)}</text>"
        )

    def svg(self) -> str:
        """The whole drawing."""
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}" '
            f'viewBox="0 0 {WIDTH} {self.height}" font-family="sans-serif" font-size="{SIZE}">\n'
            f"<title>{escape(self.title)}</title>\n"
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{self.height - 1}" rx="8" '
            f'fill="{LIGHT.card}" stroke="{LIGHT.border}"/>\n{body}\n</svg>\n'
        )


def _colour(component: str) -> str:
    return component_style(component, False).colour.name()


def _ink(component: str) -> str:
    """Colour of text on a component; its white is none of the theme's, so that it stays in a dark theme."""
    ink = component_style(component, False).text.name()
    return "#fffffe" if ink == "#ffffff" else ink


def drawings(language: str) -> dict[str, str]:
    """Every drawing of a language, by file name."""
    return {
        "course.svg": course(language),
        "bytes.svg": bytes_a_parameter(language),
        "tiers.svg": tiers(language),
        "choices.svg": one_choice(language),
        "states.svg": state_sizes(language),
    }


def course(language: str) -> str:
    """The example's step, stacked, with what the GPU has."""
    found = estimate(EXAMPLE)
    assert found.fit is not None  # noqa: S101  # a GPU is chosen
    left, top, right, bottom = MARGIN + 44, 64, WIDTH - 240, 316
    sheet = Sheet(356, word(language, "course"))
    highest = max(found.peak_bytes, found.fit.usable) * 1.06

    def x(at: float) -> float:
        return left + (right - left) * at

    def y(size: float) -> float:
        return bottom - (bottom - top) * size / highest

    for gib in range(0, int(highest / GIB) + 1, 20):
        sheet.line((left, y(gib * GIB), right, y(gib * GIB)), LIGHT.grid)
        sheet.text(left - 6, y(gib * GIB) + 4, f"{gib}", fill=LIGHT.muted, anchor="end")
    sheet.text(left - 6, top - 8, "GiB", fill=LIGHT.muted, anchor="end")
    below = [0] * len(found.timeline)
    for name in SHOWN:
        above = [size + m.parts.get(name, 0) for size, m in zip(below, found.timeline, strict=True)]
        upper = [f"{x(m.at):.1f},{y(size):.1f}" for m, size in zip(found.timeline, above, strict=True)]
        lower = [f"{x(m.at):.1f},{y(size):.1f}" for m, size in zip(found.timeline, below, strict=True)]
        sheet.parts.append(
            f'<polygon points="{" ".join((*upper, *reversed(lower)))}" fill="{_colour(name)}"/>'
        )
        below = above
    _phases(sheet, language, x, bottom)
    usable = found.fit.usable
    dashed = ' stroke-dasharray="5 3" stroke-width="1.5"'
    sheet.line((left, y(usable), right, y(usable)), LIGHT.bad, dashed)
    sheet.text(left + 4, y(usable) - 5, word(language, "usable", size=format_bytes(usable)), fill=LIGHT.bad)
    peak = found.peak_moment()
    assert peak is not None  # noqa: S101  # there is a timeline
    sheet.parts.append(
        f'<circle cx="{x(found.timeline[peak].at):.1f}" cy="{y(found.peak_bytes):.1f}" r="4" '
        f'fill="{LIGHT.card}" stroke="{LIGHT.text}" stroke-width="1.5"/>'
    )
    label = word(language, "peak", size=format_bytes(found.peak_bytes))
    sheet.text(x(found.timeline[peak].at) + 9, y(found.peak_bytes) - 6, label, weight="bold")
    _legend(sheet, language, right + 24, top)
    return sheet.svg()


def _phases(sheet: Sheet, language: str, x: Callable[[float], float], bottom: float) -> None:
    """Names of the phases below the axis, with a line where one ends."""
    spans: dict[str, list[float]] = {}
    for moment in estimate(EXAMPLE).timeline:
        spans.setdefault(moment.phase, []).append(moment.at)
    for phase, places in spans.items():
        first, last = x(min(places)), x(max(places))
        sheet.line((last, bottom, last, bottom + 6), LIGHT.muted)
        if phase in ("forward", "backward", "optimizer_step"):  # the others are too narrow for a name
            name = word(language, f"phase.{phase}")
            sheet.text((first + last) / 2, bottom + 20, name, fill=LIGHT.muted, anchor="middle")


def _legend(sheet: Sheet, language: str, x: float, top: float) -> None:
    """Components in the order of the stack, each with its part of the peak."""
    found = estimate(EXAMPLE)
    sheet.text(x, top, word(language, "peak", size=format_bytes(found.peak_bytes)), weight="bold")
    for row, name in enumerate(reversed(SHOWN)):
        y = top + 14 + row * LINE
        sheet.rect((x, y, 14, 14), _colour(name), f' stroke="{LIGHT.muted}" stroke-width="0.5"')
        sheet.text(x + 20, y + 12, word(language, name))
        size = format_bytes(found.component(name).at_peak)
        sheet.text(WIDTH - MARGIN, y + 12, size, fill=LIGHT.muted, anchor="end")


def bytes_a_parameter(language: str) -> str:
    """One bar a precision scheme, each copy with its bytes in it."""
    names = ("weights", "gradients", "master_weights", "optimizer_state")
    sheet = Sheet(64 + len(SCHEMES) * 34 + 60, word(language, "bytes"))
    left, scale = MARGIN + 120, (WIDTH - 2 * MARGIN - 120 - 60) / 20
    for row, scheme in enumerate(SCHEMES):
        y, x = 48 + row * 34, float(left)
        *kept, total, at_step = scheme_bytes(scheme)
        sheet.text(left - 8, y + 16, scheme, anchor="end")
        for name, each in zip(names, kept, strict=True):
            if round(each, 2):
                sheet.rect((x, y, each * scale, 24), _colour(name), f' stroke="{LIGHT.card}"')
                middle, figure = x + each * scale / 2, f"{round(each, 2):g}"
                sheet.text(middle, y + 17, figure, fill=_ink(name), anchor="middle")
                x += each * scale
        more = round(at_step - total, 2)
        if more:
            dashed = f' stroke="{LIGHT.text}" stroke-dasharray="4 3"'
            sheet.rect((x, y + 0.5, more * scale, 23), LIGHT.window, dashed)
            sheet.text(x + more * scale / 2, y + 17, f"+{more:g}", anchor="middle")
            x += more * scale
        sheet.text(x + 8, y + 17, f"{round(at_step, 2):g}", weight="bold")
    _keys(sheet, language, names, 64 + len(SCHEMES) * 34)
    return sheet.svg()


def _keys(sheet: Sheet, language: str, names: tuple[str, ...], y: float) -> None:
    """What the colours of the bars mean, in one line."""
    x, column = float(MARGIN), (WIDTH - 2 * MARGIN) / len(names)
    for name in names:
        sheet.rect((x, y, 14, 14), _colour(name), f' stroke="{LIGHT.muted}" stroke-width="0.5"')
        sheet.text(x + 20, y + 12, word(language, name))
        x += column
    x, y = float(MARGIN), y + LINE
    sheet.rect((x, y + 0.5, 14, 13), LIGHT.window, f' stroke="{LIGHT.text}" stroke-dasharray="4 3"')
    sheet.text(x + 20, y + 12, word(language, "copy"))


def tiers(language: str) -> str:
    """Allocated within reserved within what the driver shows, for three scenarios of the table."""
    found = estimate(RECOMPUTED)
    assert found.fit is not None  # noqa: S101  # a GPU is chosen
    sheet = Sheet(196, word(language, "tiers"))
    left, usable = MARGIN, found.fit.usable
    scale = (WIDTH - 2 * MARGIN) / (usable * 1.04)
    bars = (
        ("allocated", found.peak_bytes, _colour("optimizer_state")),
        ("reserved", found.reserved.high, _colour("autocast_copies")),
        ("process", found.process.high, _colour("workspace")),
    )
    y, start = 52.0, 0
    for row, (name, end, colour) in enumerate(bars):
        sheet.rect((left + start * scale, y, (end - start) * scale, 34), colour, f' stroke="{LIGHT.card}"')
        place, foot = left + end * scale, 104 + row * 24
        sheet.line((place, y + 34, place, foot + 4), LIGHT.muted)
        sheet.text(place - 6, foot + 4, f"{word(language, name)}: {format_bytes(end)}", anchor="end")
        start = end
    edge = left + usable * scale
    sheet.line((edge, y - 8, edge, 176), LIGHT.bad, ' stroke-dasharray="5 3" stroke-width="1.5"')
    label = word(language, "usable", size=format_bytes(usable))
    sheet.text(edge - 6, 182, label, fill=LIGHT.bad, anchor="end")
    return sheet.svg()


def one_choice(language: str) -> str:
    """The peak after each single change, against the base."""
    rows = {name: estimate(scenario).peak_bytes for name, scenario in choices().items()}
    base = estimate(FUSED).peak_bytes
    usable = estimate(FUSED).fit
    assert usable is not None  # noqa: S101  # a GPU is chosen
    sheet = Sheet(56 + len(rows) * LINE + 28, word(language, "choices"))
    left = MARGIN + LABELS + 60
    scale = (WIDTH - left - 100) / max(rows.values())
    for row, (name, size) in enumerate(rows.items()):
        y = 44 + row * LINE
        sheet.text(left - 8, y + 14, word(language, f"choice.{name}"), anchor="end")
        colour = _colour("weights") if name == "base" else _colour("optimizer_state")
        sheet.rect((left, y, size * scale, BAR), colour)
        sheet.text(WIDTH - MARGIN, y + 14, format_bytes(size), anchor="end")
    foot = 44 + len(rows) * LINE
    dashed = ' stroke-dasharray="5 3" stroke-width="1.5"'
    sheet.line((left + base * scale, 40, left + base * scale, foot), LIGHT.muted, dashed)
    sheet.line((left + usable.usable * scale, 40, left + usable.usable * scale, foot), LIGHT.bad, dashed)
    label = word(language, "usable", size=format_bytes(usable.usable))
    sheet.text(left + usable.usable * scale, foot + 16, label, fill=LIGHT.bad, anchor="middle")
    return sheet.svg()


def state_sizes(language: str) -> str:
    """Bytes of state a parameter, one bar an optimizer."""
    rows = {name: size / count for name, (size, count) in states().items()}
    sheet = Sheet(56 + len(rows) * LINE, word(language, "states"))
    left = MARGIN + LABELS
    scale = (WIDTH - left - 80) / max(rows.values())
    for row, (name, each) in enumerate(rows.items()):
        y = 44 + row * LINE
        sheet.text(left - 8, y + 14, word(language, name), anchor="end")
        sheet.rect((left, y, each * scale, BAR), _colour("optimizer_state"))
        shown = "< 0.01" if 0 < each < 0.005 else f"{each:.2f}".rstrip("0").rstrip(".")
        sheet.text(left + each * scale + 6, y + 14, shown)
    return sheet.svg()
