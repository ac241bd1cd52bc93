"""The pages about memory, read offline: a list at the left, the page beside it, links between them."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QLocale, Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontInfo,
    QImage,
    QPainter,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextTable,
    QTextTableCell,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.core.why.sources import PAGES
from optmem_gui.gui.theme import DARK, LIGHT, component_ids, component_style, is_dark, shades
from optmem_gui.gui.widgets.painting import em
from optmem_gui.paths import page_dir

_FOLDERS = {"zh": "zh_CN"}
"""Folder of a language; what has none is shown in English."""

_DRAWN_EMS = 42
"""Width of a drawing at the most, in lines of the text: its letters are then as large as the text's."""

_SURFACE = ("card", "border", "grid", "window", "text", "muted", "bad")
"""Colours of the theme that drawings use."""


def page_folder_of(locale: QLocale) -> Path:
    """Where the pages of a language lie."""
    return page_dir(_FOLDERS.get(locale.name().partition("_")[0], "en"))


@cache
def _dark_colours() -> dict[str, str]:
    """Colours of the dark theme by those of the light one that drawings are in."""
    surface = {getattr(LIGHT, name): getattr(DARK, name) for name in _SURFACE}
    styles = ((component_style(name, False), component_style(name, True)) for name in component_ids())
    return surface | {light.colour.name(): dark.colour.name() for light, dark in styles}


@cache
def _source(path: Path) -> str:
    """The text of a page, without the marks of the tool that fills its figures in."""
    return re.sub(r"<!--.*?-->\n?", "", path.read_text(encoding="utf-8"))


def page_title(page: str, locale: QLocale) -> str:
    """The heading of a page in the language of a locale."""
    first = _source(page_folder_of(locale) / f"{page}.md").partition("\n")[0]
    return first.removeprefix("# ").strip()


class PagesDialog(QDialog):
    """A reader; it stays open beside the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pages")
        self.list = QListWidget(self)
        self.list.setObjectName("pageList")
        self.text = _Page(self)
        self.text.setObjectName("pageText")
        self.text.setOpenLinks(False)
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.buttons.rejected.connect(self.reject)
        for page in PAGES:
            item = QListWidgetItem(self.list)
            item.setData(Qt.ItemDataRole.UserRole, page)
        line = round(em(self))
        self.halves = QSplitter(Qt.Orientation.Horizontal, self)
        self.halves.setChildrenCollapsible(False)
        self.halves.addWidget(self.list)
        self.halves.addWidget(self.text)
        self.halves.setStretchFactor(1, 1)
        self.halves.setSizes([15 * line, 45 * line])
        column = QVBoxLayout(self)
        column.addWidget(self.halves, 1)
        column.addWidget(self.buttons)
        self.resize(62 * line, 42 * line)
        self.list.setWordWrap(True)
        self.list.currentRowChanged.connect(lambda _row: self._render())
        self.text.anchorClicked.connect(self._follow)
        self.list.setCurrentRow(0)
        self.retranslate()

    @property
    def page(self) -> str:
        """The page that is shown."""
        return PAGES[max(0, self.list.currentRow())]

    def show_page(self, page: str) -> None:
        """Turn to a page."""
        self.list.setCurrentRow(PAGES.index(page))

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.setWindowTitle(self.tr("How memory is used"))
        self.list.setAccessibleName(self.tr("Pages"))
        self.text.setAccessibleName(self.tr("Page"))
        for row, page in enumerate(PAGES):
            self.list.item(row).setText(page_title(page, QLocale()))
        self._render()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language and the theme, whose colours stand in the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._render()

    def _render(self) -> None:
        self.text.show_file(page_folder_of(QLocale()) / f"{self.page}.md")

    def _follow(self, link: QUrl) -> None:
        """A link to another page turns to it; any other is only shown, because the program stays offline."""
        name = Path(link.path()).stem
        if name in PAGES and not link.scheme():
            self.show_page(name)


class _Page(QTextBrowser):
    """A Markdown file with its drawings, on a ground on which they are legible."""

    _path: Path | None = None

    def show_file(self, path: Path) -> None:
        """Show a page from its beginning."""
        self._path = path
        self.document().setDocumentMargin(round(em(self)))
        self.setMarkdown(_source(path))
        self._style_tables()
        self.moveCursor(self.textCursor().MoveOperation.Start)

    def _style_tables(self) -> None:
        """Markdown tables come without lines: give their cells room and a hairline below each row."""
        brush = QBrush(QColor(shades(is_dark(self)).border))
        changes = QTextCursor(self.document())
        changes.beginEditBlock()  # laid out once, not after each cell
        for table in self.document().rootFrame().childFrames():
            if not isinstance(table, QTextTable):
                continue
            form = table.format().toTableFormat()
            form.setBorder(0)
            form.setCellPadding(em(self) / 4)
            form.setCellSpacing(0)
            form.setTopMargin(em(self) / 2)
            form.setBottomMargin(em(self) / 2)
            table.setFormat(form)
            for row in range(table.rows()):
                for column in range(table.columns()):
                    _underline(table.cellAt(row, column), brush)
        changes.endEditBlock()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the pictures in the new width; where the reader is on the page stays."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and self._path is not None:
            bar = self.verticalScrollBar()
            place = bar.value() / max(1, bar.maximum())
            self.show_file(self._path)
            bar.setValue(round(place * bar.maximum()))

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: ANN401, N802  # Qt's variant and name
        """A picture of a page as large as its text suggests, in the colours of the theme."""
        file = QUrl(name).path()
        is_drawing = kind == QTextDocument.ResourceType.ImageResource.value and file.endswith(".svg")
        if is_drawing and self._path is not None:
            path = self._path.with_name(Path(file).name)
            return drawing(path, self._picture_width(), self.devicePixelRatioF(), dark=is_dark(self))
        return super().loadResource(kind, name)

    def _picture_width(self) -> float:
        """The width of the text, or less where the drawing's letters would outgrow the text's."""
        margin = 2 * self.document().documentMargin()
        return min(self.viewport().width() - margin, _DRAWN_EMS * em(self))


def _underline(cell: QTextTableCell, brush: QBrush) -> None:
    form = cell.format().toTableCellFormat()
    form.setBottomBorder(1)
    form.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBottomBorderBrush(brush)
    cell.setFormat(form)


def drawing(path: Path, width: float, ratio: float, *, dark: bool) -> QImage:
    """Paint a drawing.

    Args:
        path: The SVG file, drawn in the colours of the light theme.
        width: Width to paint it in, device-independent pixels.
        ratio: Device pixels of one of them.
        dark: Put the colours of the dark theme in place of the light one's.
    """
    text = path.read_text(encoding="utf-8")
    if dark:
        known = _dark_colours()
        text = re.sub("#[0-9a-f]{6}", lambda found: known.get(found[0], found[0]), text)
    family = escape(QFontInfo(QApplication.font()).family(), quote=True)
    text = text.replace('font-family="sans-serif"', f'font-family="{family}"', 1)
    renderer = QSvgRenderer(text.encode())
    size = renderer.defaultSize()
    height = width * size.height() / size.width()
    picture = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter)
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture
