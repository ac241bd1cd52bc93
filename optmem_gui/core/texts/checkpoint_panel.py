"""English templates: files that change while they are shown."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "checkpoint.gone": "{file}: cannot be read any more ({why}); put it back, or open another one",
    "checkpoint.changed_while_read": "{file}: changed while it was read (a download or a save under way?); open it again once it is complete",
    "checkpoint.changed_since": "{file}: changed on disk since it was read, the figures are of the state before; open it again",
    "checkpoint.vanished": "{file}: is no longer there, the figures are of what was read; put it back, or open another one",
}
