"""What the export dialog can be about: a result on paper, or a page of the window as it is shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from optmem_gui.core.errors import UserError
from optmem_gui.gui.export_dialog import Choice, Subject
from optmem_gui.gui.paper.page import Content
from optmem_gui.gui.pdf_report import page_image, pdf_report
from optmem_gui.gui.picture import picture, picture_size, png, svg
from optmem_gui.gui.widgets.export import widget_image, widget_svg

_PREVIEW_SCALE = 2


def subject_of_content(content: Content) -> Subject:
    """A result, drawn on paper; any thread may draw it."""

    def draw(choice: Choice, width: int) -> QImage:
        if choice.suffix == ".pdf":
            return page_image(content, choice.paper, width)
        return picture(content, choice.parts, _PREVIEW_SCALE)

    def size(choice: Choice) -> QSize:
        return picture_size(content, choice.parts, choice.scale)

    def image(choice: Choice) -> QImage:
        return picture(content, choice.parts, choice.scale)

    def prepare(choice: Choice) -> Callable[[], bytes]:
        if choice.suffix == ".pdf":
            return partial(pdf_report, content, choice.paper)
        if choice.suffix == ".svg":
            return partial(svg, content, choice.parts)
        return lambda: _png(image(choice), size(choice))

    return Subject(draw=draw, size=size, image=image, prepare=prepare)


def subject_of_widget(widget: QWidget) -> Subject:
    """A page of the window; it is drawn in this thread, where widgets live, and packed in another."""

    def size(choice: Choice) -> QSize:
        return widget.size() * choice.scale

    def image(choice: Choice) -> QImage:
        return widget_image(widget, choice.scale)

    def prepare(choice: Choice) -> Callable[[], bytes]:
        if choice.suffix == ".svg":
            drawing = widget_svg(widget)
            return lambda: drawing
        return partial(_png, image(choice), size(choice))

    return Subject(
        draw=lambda _choice, _width: widget_image(widget, _PREVIEW_SCALE),
        size=size,
        image=image,
        prepare=prepare,
        suffixes=(".png", ".svg"),
        has_parts=False,
    )


def _png(image: QImage, size: QSize) -> bytes:
    """The bytes of a PNG.

    Raises:
        UserError: There was not enough memory for the picture.
    """
    if image.isNull():
        raise UserError("export.too_large", width_count=size.width(), height_count=size.height())
    return png(image)
