"""Widgets that take plain values: bars, tables, plots, labels whose numbers can be copied."""

from __future__ import annotations

import os

# pyqtgraph picks a Qt binding when it is imported; a variable left by another program must not pick another.
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
