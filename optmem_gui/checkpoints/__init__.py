"""Readers of checkpoint files, headers only.

:func:`optmem_gui.checkpoints.opening.open_checkpoint` is the way in; a format is one module and one
line of :data:`optmem_gui.checkpoints.registry.READERS`.
"""
