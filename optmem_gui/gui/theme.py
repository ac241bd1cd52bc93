"""How the program looks: palettes, component colours with their patterns, fonts.

Every colour stands in one of the tables here, in a light and a dark variant. Text keeps a contrast of
at least 4.5:1 on the surface it is drawn on (WCAG 2.2, 1.4.3), 7:1 in high contrast (1.4.6), and each
component has a pattern of its own, so that colour is never the only cue.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from optmem_gui.core.breakdown import COMPONENT_IDS

ThemeChoice = Literal["system", "light", "dark"]
THEME_CHOICES: tuple[ThemeChoice, ...] = ("system", "light", "dark")
ContrastChoice = Literal["system", "high"]
CONTRAST_CHOICES: tuple[ContrastChoice, ...] = ("system", "high")

CJK_FAMILIES = (
    "Noto Sans CJK SC",
    "Microsoft YaHei",
    "PingFang SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
)
"""Families that hold Simplified Chinese, asked for after the system's own font."""


@dataclass(frozen=True, slots=True)
class Shades:
    """Colours of one theme, apart from the components.

    Attributes:
        window: Ground behind the cards.
        card: Ground of a card and of inputs.
        border: Hairline around a card.
        edge: What the outline of an input is mixed from; Fusion darkens it by 40 %.
        grid: Lines inside plots, unfilled part of a bar.
        text: Text.
        muted: Secondary text.
        accent: Focus, selection, the main button.
        on_accent: Text on ``accent``.
        good: Text of a positive verdict.
        caution: Text of a verdict that is too close to call.
        bad: Text of a negative verdict and of a refused input.
    """

    window: str
    card: str
    border: str
    edge: str
    grid: str
    text: str
    muted: str
    accent: str
    on_accent: str
    good: str
    caution: str
    bad: str


LIGHT = Shades(
    window="#f2f4f6",
    card="#ffffff",
    border="#dde2e7",
    edge="#b4bcc5",
    grid="#e9edf0",
    text="#161a1f",
    muted="#58626d",
    accent="#2563d9",
    on_accent="#ffffff",
    good="#146c31",
    caution="#8a5200",
    bad="#b3261e",
)
DARK = Shades(
    window="#17191d",
    card="#22252a",
    border="#363b42",
    edge="#a9b2bc",
    grid="#30353b",
    text="#eef1f4",
    muted="#a7b0ba",
    accent="#79adff",
    on_accent="#0b1a33",
    good="#69d391",
    caution="#f0b44c",
    bad="#ff938a",
)
HIGH_LIGHT = Shades(
    window="#ffffff",
    card="#ffffff",
    border="#000000",
    edge="#000000",
    grid="#c8c8c8",
    text="#000000",
    muted="#1f1f1f",
    accent="#00308f",
    on_accent="#ffffff",
    good="#00441b",
    caution="#5c3600",
    bad="#8b0000",
)
HIGH_DARK = Shades(
    window="#000000",
    card="#000000",
    border="#ffffff",
    edge="#ffffff",
    grid="#404040",
    text="#ffffff",
    muted="#e6e6e6",
    accent="#ffd800",
    on_accent="#000000",
    good="#7dffab",
    caution="#ffd27a",
    bad="#ffb3ad",
)


@dataclass(frozen=True, slots=True)
class ComponentStyle:
    """How one component is drawn, in every chart and table.

    Attributes:
        colour: Fill.
        pattern: Hatch drawn over the fill; ``SolidPattern`` means none.
        ink: Colour of the hatch, close to the fill.
        text: Colour of text on the fill, contrast at least 4.5:1.
    """

    colour: QColor
    pattern: Qt.BrushStyle
    ink: QColor
    text: QColor


_PATTERN = Qt.BrushStyle
_COMPONENTS: dict[str, tuple[str, str, Qt.BrushStyle]] = {
    "weights": ("#3f6fae", "#4a7fc4", _PATTERN.SolidPattern),
    "gradients": ("#79c1bc", "#6db5b0", _PATTERN.BDiagPattern),
    "master_weights": ("#43914e", "#4b9e57", _PATTERN.Dense6Pattern),
    "optimizer_state": ("#eba937", "#dd9a2b", _PATTERN.FDiagPattern),
    "buffers": ("#6b5bab", "#8474c9", _PATTERN.VerPattern),
    "inputs": ("#7a6552", "#b09a86", _PATTERN.Dense2Pattern),
    "activations": ("#c486b4", "#b575a5", _PATTERN.HorPattern),
    "autocast_copies": ("#8fb8e3", "#86b1e0", _PATTERN.CrossPattern),
    "temporaries": ("#d9534f", "#e0605b", _PATTERN.DiagCrossPattern),
    "communication": ("#5d4037", "#d3b09c", _PATTERN.Dense5Pattern),
    "workspace": ("#9aa3ad", "#8f98a3", _PATTERN.Dense7Pattern),
    "other_models": ("#cdbb6e", "#bfad60", _PATTERN.Dense4Pattern),
    "rounding": ("#c9d0d8", "#5d6670", _PATTERN.Dense3Pattern),
}
"""Light fill, dark fill and hatch by component; hues from Tableau's palette, moved apart in lightness."""

_LIGHT_TEXT, _DARK_TEXT = "#ffffff", "#0b0d10"


_INK, _HIGH_INK = 116, 170
"""How far the hatch stands off its fill, in per cent of its lightness."""


def component_style(component_id: str, dark: bool) -> ComponentStyle:
    """Colour, hatch and text colour of a component.

    Args:
        component_id: One of :data:`optmem_gui.core.breakdown.COMPONENT_IDS` or
            :data:`optmem_gui.core.simulating.CATEGORIES`.
        dark: Whether it is drawn on a dark surface.
    """
    return _component_style(component_id, dark, is_high_contrast())


@cache
def _component_style(component_id: str, dark: bool, high: bool) -> ComponentStyle:
    light_fill, dark_fill, pattern = _COMPONENTS[component_id]
    fill = QColor(dark_fill if dark else light_fill)
    text = max((QColor(_LIGHT_TEXT), QColor(_DARK_TEXT)), key=lambda ink: contrast(ink, fill))
    # The hatch moves away from the text's colour, so that a label on it gains contrast, not loses it.
    step = _HIGH_INK if high else _INK
    ink = fill.darker(step) if text == QColor(_LIGHT_TEXT) else fill.lighter(step)
    return ComponentStyle(fill, pattern, ink, text)


def component_ids() -> tuple[str, ...]:
    """Components that have a style, in the order they are stacked."""
    return tuple(component for component in COMPONENT_IDS if component in _COMPONENTS)


def shades(dark: bool) -> Shades:
    """Colours of the light or the dark theme, in the contrast of the program's palette."""
    return _shades(dark, is_high_contrast())


def _shades(dark: bool, high: bool) -> Shades:
    if high:
        return HIGH_DARK if dark else HIGH_LIGHT
    return DARK if dark else LIGHT


def is_high_contrast() -> bool:
    """Whether the program's palette is one of high contrast: borders there have the colour of the text."""
    given = QGuiApplication.palette()
    return given.color(QPalette.ColorRole.Mid) == given.color(QPalette.ColorRole.WindowText)


def is_dark(widget: QWidget | None = None) -> bool:
    """Whether this widget (or the whole program) is drawn light on dark."""
    palette = QGuiApplication.palette() if widget is None else widget.palette()
    window, text = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
    return window.lightness() < text.lightness()


def contrast(first: QColor, second: QColor) -> float:
    """Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: QColor) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def palette(dark: bool, high: bool = False) -> QPalette:
    """The complete palette of a theme; complete, because a platform may offer none (bare X11)."""
    tone = _shades(dark, high)
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    result = QPalette()
    colours = {
        role.Window: tone.window,
        role.WindowText: tone.text,
        role.Base: tone.card,
        role.AlternateBase: tone.window,
        role.Text: tone.text,
        role.Button: tone.card if high else "#30343a" if dark else "#fbfcfd",
        role.ButtonText: tone.text,
        role.BrightText: tone.bad,
        role.Highlight: tone.accent,
        role.HighlightedText: tone.on_accent,
        role.Accent: tone.accent,
        role.Link: tone.accent,
        role.LinkVisited: tone.accent,
        role.ToolTipBase: tone.card,
        role.ToolTipText: tone.text,
        role.PlaceholderText: tone.muted,
        role.Light: "#3a3f46" if dark else "#ffffff",
        role.Midlight: tone.grid,
        role.Mid: tone.border,
        role.Dark: "#101216" if dark else "#aab2bb",
        role.Shadow: "#000000" if dark else "#7b848e",
    }
    for place, colour in colours.items():
        result.setColor(place, QColor(colour))
    disabled = ("#a6a6a6" if dark else "#595959") if high else "#7d858f" if dark else "#7f8892"
    for place in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        result.setColor(group.Disabled, place, QColor(disabled))
    result.setColor(group.Disabled, role.Highlight, QColor(tone.border))
    return result


def wants_high_contrast() -> bool:
    """Whether the desktop was told to show more contrast."""
    hints = QGuiApplication.styleHints()  # what it gives lives as long as it does
    return hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast


def apply_theme(app: QApplication, choice: ThemeChoice, contrast: ContrastChoice = "system") -> None:
    """Put a theme on the whole program, in high contrast where the user or the desktop wants it.

    ``setColorScheme`` reaches the title bar and native dialogs; the palette is set as well, because
    the offscreen platform and a bare X server ignore the scheme.
    """
    if sys.platform != "darwin" and app.style().name().lower() != "fusion":
        app.setStyle("Fusion")
    hints = app.styleHints()
    scheme = {
        "system": Qt.ColorScheme.Unknown,
        "light": Qt.ColorScheme.Light,
        "dark": Qt.ColorScheme.Dark,
    }[choice]
    hints.setColorScheme(scheme)
    dark = choice == "dark" or (choice == "system" and hints.colorScheme() == Qt.ColorScheme.Dark)
    app.setPalette(palette(dark, contrast == "high" or wants_high_contrast()))


def apply_fonts(app: QApplication) -> None:
    """Let Chinese text find a font without bundling one: the system's own first, then the CJK families."""
    font = app.font()
    known = set(QFontDatabase.families())
    families = [font.family(), *(name for name in CJK_FAMILIES if name in known)]
    font.setFamilies(families)
    app.setFont(font)


def scaled_font(base: QFont, factor: float, *, bold: bool = False) -> QFont:
    """A font relative to another one, so that a user's larger text stays larger everywhere."""
    font = QFont(base)
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * factor)
    else:
        font.setPixelSize(max(1, round(font.pixelSize() * factor)))
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def tint(widget: QWidget, role: QPalette.ColorRole, colour: str) -> None:
    """Give one role of one widget a colour; call it again from ``changeEvent`` when the palette changes."""
    own = widget.palette()
    if own.color(role) != QColor(colour):
        own.setColor(role, QColor(colour))
        widget.setPalette(own)
