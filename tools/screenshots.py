"""Take the pictures of the window that the documentation shows.

``python tools/screenshots.py`` opens the window without a screen, in both languages and themes, at 100 % and
150 % of 1280 x 800 pixels, and writes ``resources/docs/window-THEME-LANGUAGE[-150].png``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.gui.app import Application, build_window, identify
from optmem_gui.gui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "docs"
PIXELS = (1280, 800)
PRESET = "llama-3.1-8b"
SETTLE_MS = 600


def few_colours(picture: QImage) -> QImage:
    """The picture in its own 256 most frequent colours: enough for flat surfaces, a third of the size."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(plain.constBits(), dtype=np.uint32)
    colours, counts = np.unique(pixels, return_counts=True)
    table = [int(colour) for colour in colours[np.argsort(-counts)][:256]]
    plainly = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    return plain.convertToFormat(QImage.Format.Format_Indexed8, table, plainly)


def take(theme: str, language: str, scale: float, path: Path) -> None:
    """Open the window with a known model and save what it shows; the scale is the process's own."""
    app = Application(sys.argv[:1])
    identify(app)
    with tempfile.TemporaryDirectory() as folder:
        window = build_window(app, Settings(Path(folder) / "optmem.ini"), language, theme)
        window.resize(*(round(side / scale) for side in PIXELS))
        window.show()
        store = window.store
        store.load_model(preset_ref(PRESET), None)
        for name, value in (("option.fused", True), ("sequence", "8192"), ("checkpointing", "full")):
            store.edit(name, value)
        while not store.snapshot.comparison_complete:
            QTest.qWait(SETTLE_MS)
        QTest.qWait(SETTLE_MS)
        few_colours(window.grab().toImage()).save(str(path))
        window.close()


def main() -> int:
    """Take every picture, each in a process of its own because the scale is fixed at its start."""
    if len(sys.argv) == 5:
        take(sys.argv[1], sys.argv[2], float(sys.argv[3]), Path(sys.argv[4]))
        return 0
    for language in ("en", "zh_CN"):
        for theme in ("light", "dark"):
            for scale, suffix in ((1.0, ""), (1.5, "-150")):
                path = FOLDER / f"window-{theme}-{language[:2]}{suffix}.png"
                environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(scale)}
                command = [sys.executable, __file__, theme, language, str(scale), str(path)]
                subprocess.run(command, env=environment, check=True)  # noqa: S603  # this very file
    return 0


if __name__ == "__main__":
    sys.exit(main())
