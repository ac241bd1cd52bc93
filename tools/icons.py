"""Draw the program's icon in the formats that systems want, from ``resources/icons/optmem.svg``.

Run ``python tools/icons.py`` after a change of the drawing; the files are committed.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
DRAWING = RESOURCES / "icons" / "optmem.svg"

LINUX_SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
"""Folders of the hicolor theme."""

WINDOWS_SIZES = (16, 20, 24, 32, 40, 48, 64, 256)
"""A lone 256 shows the generic icon until Windows has scaled it."""

MACOS_KINDS = {
    "icp4": 16,
    "ic11": 32,
    "icp5": 32,
    "ic12": 64,
    "ic07": 128,
    "ic13": 256,
    "ic08": 256,
    "ic14": 512,
    "ic09": 512,
}
"""Kinds of an ``.icns`` that hold a PNG, with its size; the even ones from ic11 on are for double density."""


def png(size: int) -> bytes:
    """The drawing as a square picture."""
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(DRAWING)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG", 0):  # 0 is the smallest file
        raise RuntimeError("Qt writes no PNG")
    return bytes(buffer.data().data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """An ``.ico`` of PNG pictures: a directory of 16-byte entries, then the pictures (Windows Vista on)."""
    offset = 6 + 16 * len(pictures)
    head, body = struct.pack("<HHH", 0, 1, len(pictures)), b""
    for size, picture in pictures.items():
        side = size % 256  # 0 stands for 256
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), offset + len(body))
        body += picture
    return head + body


def icns(pictures: dict[str, bytes]) -> bytes:
    """An ``.icns``: a kind of four letters and a length in front of each picture, and of all."""
    body = b"".join(
        kind.encode() + struct.pack(">I", 8 + len(picture)) + picture for kind, picture in pictures.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def main() -> None:
    """Write all of them."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QGuiApplication([])
    for size in LINUX_SIZES:
        target = RESOURCES / "linux" / "icons" / f"{size}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(png(size))
    (RESOURCES / "windows" / "optmem.ico").write_bytes(ico({size: png(size) for size in WINDOWS_SIZES}))
    pictures = {kind: png(size) for kind, size in MACOS_KINDS.items()}
    (RESOURCES / "macos" / "optmem.icns").write_bytes(icns(pictures))
    app.quit()


if __name__ == "__main__":
    main()
