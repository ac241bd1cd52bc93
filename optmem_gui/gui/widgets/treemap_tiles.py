"""Rectangles of a treemap of modules: where they go, how they are drawn, what their fills mean."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from optmem_gui.core.module_tree import ModuleTree
from optmem_gui.core.treemap import Box, squarify
from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.gui.i18n import QT_TRANSLATE_NOOP
from optmem_gui.gui.theme import component_style, shades
from optmem_gui.gui.widgets import painting

Lines = list[list[str]]
"""Categories by line of the legend."""

MOST_BOXES = 3_000
"""Rectangles that are drawn; beyond it modules are not divided any further."""
_SMALLEST_EMS = 0.35
_HEAD_EMS = 1.25
_SAMPLE_EMS = 2.2
LEGEND_EMS = 1.5
"""Height of a line of the legend, in lines of text."""

_STYLES: dict[str, str] = {
    "embedding": "buffers",
    "attention": "weights",
    "mlp": "optimizer_state",
    "expert": "activations",
    "router": "temporaries",
    "norm": "gradients",
    "head": "master_weights",
    "convolution": "autocast_copies",
    "adapter": "communication",
    "bias": "inputs",
    "other": "workspace",
    "buffer": "rounding",
    "bookkeeping": "other_models",
}
"""Which of the program's fills with their hatches stands for what here: they were chosen to be told apart."""

_NAMES: dict[str, str] = {
    "embedding": QT_TRANSLATE_NOOP("Roles", "embedding"),
    "attention": QT_TRANSLATE_NOOP("Roles", "attention"),
    "mlp": QT_TRANSLATE_NOOP("Roles", "MLP"),
    "expert": QT_TRANSLATE_NOOP("Roles", "experts"),
    "router": QT_TRANSLATE_NOOP("Roles", "router"),
    "norm": QT_TRANSLATE_NOOP("Roles", "norm"),
    "head": QT_TRANSLATE_NOOP("Roles", "output head"),
    "convolution": QT_TRANSLATE_NOOP("Roles", "convolution"),
    "adapter": QT_TRANSLATE_NOOP("Roles", "adapter"),
    "bias": QT_TRANSLATE_NOOP("Roles", "bias"),
    "other": QT_TRANSLATE_NOOP("Roles", "other"),
    "buffer": QT_TRANSLATE_NOOP("Roles", "buffer"),
    "bookkeeping": QT_TRANSLATE_NOOP("Roles", "bookkeeping"),
}


@dataclass(frozen=True, slots=True)
class Tile:
    """One rectangle.

    Attributes:
        node: What it stands for.
        area: Where.
        head: Height of the strip with its name; 0 where it has none.
        divided: Its parts are drawn in it.
        depth: 1 for what is right below the node that is shown.
    """

    node: int
    area: QRectF
    head: float
    divided: bool
    depth: int


def category(tree: ModuleTree, node: int) -> str:
    """What a node is drawn as; a module as what takes most of it."""
    kind = tree.kind(node)
    if kind is None:
        return "other"
    return kind.part if kind.part in ("buffer", "bookkeeping") else kind.role.value


def lay_out(tree: ModuleTree, root: int, area: QRectF, em: float) -> list[Tile]:
    """Rectangles for everything below a node that is large enough to be seen, outer ones first.

    Args:
        tree: The modules.
        root: The node that fills the area.
        area: Where.
        em: Height of a line of text.
    """
    tiles: list[Tile] = []
    least = _SMALLEST_EMS * em
    open_ones = deque([(root, area, 0)])
    while open_ones:
        node, space, depth = open_ones.popleft()
        seen, rest = _large_enough(tree, node, space, least)
        sizes = [tree.stored_bytes[child] for child in seen]
        boxes = squarify([*sizes, rest], Box(space.x(), space.y(), space.width(), space.height()))
        for child, box in zip(seen, boxes, strict=False):  # the last one is what is too small to be seen
            if min(box.width, box.height) < least or len(tiles) >= MOST_BOXES:
                continue
            place = QRectF(*box)
            inner, head = _inside(place, em)
            divided = inner.isValid() and bool(_large_enough(tree, child, inner, least)[0])
            tiles.append(Tile(child, place, head, divided, depth + 1))
            if divided:
                open_ones.append((child, inner, depth + 1))
    return tiles


def _large_enough(tree: ModuleTree, node: int, space: QRectF, least: float) -> tuple[list[int], int]:
    """Children that can be seen in a space, the largest first, and the bytes of the others."""
    whole = tree.stored_bytes[node]
    if not whole:
        return [], 0
    bar = whole * least * least / max(1e-9, space.width() * space.height())
    sizes = tree.stored_bytes
    seen = sorted((c for c in tree.children(node) if sizes[c] >= bar), key=lambda child: -sizes[child])
    return seen, whole - sum(sizes[child] for child in seen)


def _inside(place: QRectF, em: float) -> tuple[QRectF, float]:
    """Room for the parts of a module, and the height of the strip with its name."""
    edge = max(1.0, em / 8)
    head = _HEAD_EMS * em if place.height() > 3 * em and place.width() > 3 * em else 0.0
    inner = place.adjusted(edge, max(edge, head), -edge, -edge)
    return (inner if inner.width() > em and inner.height() > em else QRectF()), head


def legend_lines(
    tree: ModuleTree, tiles: list[Tile], width: float, metrics: QFontMetricsF
) -> list[list[str]]:
    """What is drawn, the largest first, broken into lines of a width."""
    sizes: dict[str, float] = {}
    for tile in tiles:
        if not tile.divided:
            name = category(tree, tile.node)
            sizes[name] = sizes.get(name, 0) + tile.area.width() * tile.area.height()
    lines: Lines = [[]]
    room = width
    for name in sorted(sizes, key=lambda each: -sizes[each]):
        wide = metrics.horizontalAdvance(role_name(name)) + _SAMPLE_EMS * metrics.height()
        if wide > room and lines[-1]:
            lines.append([])
            room = width
        lines[-1].append(name)
        room -= wide
    return lines


def paint_tiles(
    painter: QPainter, tree: ModuleTree, tiles: Sequence[Tile], unit: SizeUnit, *, dark: bool
) -> None:
    """Draw rectangles, outer ones first, with their names in the painter's font."""
    tone = shades(dark)
    for tile in tiles:
        style = component_style(_STYLES[category(tree, tile.node)], dark)
        if tile.divided:
            painter.fillRect(tile.area, QColor(tone.grid))
        else:
            painting.fill(painter, tile.area, style)
        painter.setPen(QPen(QColor(tone.card), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(tile.area)
        size = format_bytes(tree.stored_bytes[tile.node], unit)
        place, words = _name_of(tile, tree.label(tile.node), size, QFontMetricsF(painter.font()))
        if not words:
            continue
        if not tile.divided:  # words stand on the plain fill, not on its hatch
            painter.fillRect(place, style.colour)
        painter.setPen(QColor(tone.text) if tile.divided else style.text)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)


def _name_of(tile: Tile, name: str, size: str, metrics: QFontMetricsF) -> tuple[QRectF, str]:
    """Name and size in the strip of a module or the corner of a tensor; the name alone, or nothing."""
    em = metrics.height()
    room = tile.area.width() - 0.6 * em
    if tile.area.height() < _HEAD_EMS * em or (tile.divided and not tile.head):
        return QRectF(), ""
    words = f"{name}  {size}"
    if metrics.horizontalAdvance(words) > room:
        words = painting.elided(name, metrics, room)
    wide = metrics.horizontalAdvance(words) + 2
    return QRectF(tile.area.left() + 0.3 * em, tile.area.top() + 1, wide, 1.2 * em), words


def paint_legend(painter: QPainter, lines: Lines, top: float, *, dark: bool) -> None:
    """Draw what the fills mean, from ``top`` downwards."""
    tone, metrics = shades(dark), QFontMetricsF(painter.font())
    em = metrics.height()
    for number, line in enumerate(lines):
        left, upper = 0.0, top + number * LEGEND_EMS * em
        for name in line:
            sample = QRectF(left, upper + 0.4 * em, 0.9 * em, 0.8 * em)
            painting.swatch(painter, sample, component_style(_STYLES[name], dark), QColor(tone.muted))
            words = role_name(name)
            wide = metrics.horizontalAdvance(words) + 2
            painter.setPen(QColor(tone.text))
            beside = QRectF(left + 1.2 * em, upper + 0.2 * em, wide, 1.2 * em)
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
            left += wide + (_SAMPLE_EMS * em - 2)


def role_name(name: str) -> str:
    """What a rectangle is, in the current language."""
    return QCoreApplication.translate("Roles", _NAMES[name])
