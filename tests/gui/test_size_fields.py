"""What the window asks for follows the kind of model."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.gui.panels.batch import BatchPanel
from optmem_gui.gui.store import Store


def test_an_image_fixes_its_own_sequence(store: Store, qtbot: QtBot) -> None:
    """224 pixels in patches of 16 are 14 x 14 tokens, and the class token."""
    panel = BatchPanel()
    qtbot.addWidget(panel)
    store.edit("model", (preset_ref("vit-b-16"), None))
    panel.render(store.snapshot)
    assert panel.sequence.isHidden()
    editor = panel.batch.findChild(QLineEdit)
    assert editor is not None
    assert str(14 * 14 + 1) in editor.toolTip()
    store.edit("model", (preset_ref("gpt2"), None))
    panel.render(store.snapshot)
    assert not panel.sequence.isHidden()
