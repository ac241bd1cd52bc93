from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from optmem_gui.core.breakdown import COMPONENT_IDS
from optmem_gui.core.simulating import CATEGORIES
from optmem_gui.gui import theme

STYLED = tuple(dict.fromkeys((*COMPONENT_IDS, *CATEGORIES)))
"""Parts of an estimate and of a simulation."""

READABLE = 4.5
"""WCAG 2.2, 1.4.3: the least contrast of text."""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["text", "muted", "accent", "good", "caution", "bad"])
def test_text_can_be_read_on_cards_and_on_the_window(dark: bool, name: str) -> None:
    tone = theme.shades(dark)
    for ground in (tone.card, tone.window):
        assert theme.contrast(QColor(getattr(tone, name)), QColor(ground)) >= READABLE


@pytest.mark.parametrize("dark", [False, True])
def test_text_on_the_main_button_can_be_read(dark: bool) -> None:
    tone = theme.shades(dark)
    assert theme.contrast(QColor(tone.on_accent), QColor(tone.accent)) >= READABLE


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("component", STYLED)
def test_labels_on_components_can_be_read_with_and_without_hatch(component: str, dark: bool) -> None:
    style = theme.component_style(component, dark)
    assert theme.contrast(style.text, style.colour) >= READABLE
    assert theme.contrast(style.text, style.ink) >= READABLE


@pytest.mark.parametrize("dark", [False, True])
def test_no_two_components_share_colour_or_pattern(dark: bool) -> None:
    styles = [theme.component_style(component, dark) for component in STYLED]
    assert len({style.colour.name() for style in styles}) == len(styles)
    assert len({style.pattern for style in styles}) == len(styles)


# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
DEFICIENCIES = {
    "normal": (
        (1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0),
    ),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def _seen(colour: QColor, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """CIE L*a*b* of a colour as somebody with this deficiency sees it."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = (
        min(1.0, max(0.0, sum(m * part for m, part in zip(row, linear, strict=True)))) for row in matrix
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_neighbours_in_the_stack_differ_for_everybody(deficiency: str, dark: bool) -> None:
    matrix = DEFICIENCIES[deficiency]
    for first, second in (*pairwise(COMPONENT_IDS), *pairwise(CATEGORIES)):
        one = _seen(theme.component_style(first, dark).colour, matrix)
        other = _seen(theme.component_style(second, dark).colour, matrix)
        distance = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5
        assert distance > 12, (first, second, distance)  # about five just noticeable differences


@pytest.mark.parametrize(("choice", "dark"), [("light", False), ("dark", True)])
def test_a_theme_reaches_the_palette_where_the_platform_has_none(
    qapp: QApplication, choice: theme.ThemeChoice, dark: bool
) -> None:
    theme.apply_theme(qapp, choice)
    try:
        assert theme.is_dark() is dark
        role = QPalette.ColorRole
        for ground, ink in (
            (role.Window, role.WindowText),
            (role.Base, role.Text),
            (role.Button, role.ButtonText),
        ):
            palette = qapp.palette()
            assert theme.contrast(palette.color(ground), palette.color(ink)) >= READABLE
        assert (
            theme.contrast(qapp.palette().color(role.Base), qapp.palette().placeholderText().color())
            >= READABLE
        )
    finally:
        theme.apply_theme(qapp, "light")
        qapp.setPalette(QPalette())


# High contrast


HIGH = 7.0
"""WCAG 2.2, 1.4.6: the least contrast of text where more is wanted."""


@pytest.fixture
def high(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[bool]:
    """The program in high contrast, light or dark."""
    dark = bool(request.param)
    before = qapp.palette()
    qapp.setPalette(theme.palette(dark, high=True))
    yield dark
    qapp.setPalette(before)


@pytest.mark.parametrize("high", [False, True], indirect=True)
def test_high_contrast_reaches_every_colour_of_text_and_every_edge(high: bool) -> None:
    assert theme.is_high_contrast()
    tone = theme.shades(high)
    for name in ("text", "muted", "accent", "good", "caution", "bad", "border", "edge"):
        for ground in (tone.card, tone.window):
            assert theme.contrast(QColor(getattr(tone, name)), QColor(ground)) >= HIGH, name
    assert theme.contrast(QColor(tone.on_accent), QColor(tone.accent)) >= HIGH
    assert theme.contrast(QColor(tone.muted), QColor(tone.grid)) >= READABLE


@pytest.mark.parametrize("high", [False, True], indirect=True)
def test_hatches_stand_out_in_high_contrast_and_keep_labels_readable(high: bool) -> None:
    for component in STYLED:
        style = theme.component_style(component, high)
        for ground in (style.colour, style.ink):
            assert theme.contrast(style.text, ground) >= READABLE, component
        if style.pattern is not Qt.BrushStyle.SolidPattern:
            plain = theme._component_style(component, high, False)
            stands_out = theme.contrast(style.ink, style.colour)
            assert stands_out > theme.contrast(plain.ink, plain.colour), component


def test_the_wish_of_the_desktop_for_contrast_is_followed(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = qapp.palette()
    try:
        monkeypatch.setattr(theme, "wants_high_contrast", lambda: True)
        theme.apply_theme(qapp, "dark")
        assert theme.is_high_contrast()
        assert theme.is_dark()
        monkeypatch.setattr(theme, "wants_high_contrast", lambda: False)
        theme.apply_theme(qapp, "dark")
        assert not theme.is_high_contrast()
    finally:
        qapp.setPalette(before)
