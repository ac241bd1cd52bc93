"""The one kind of error whose text is shown to the user as it is."""

from __future__ import annotations

from optmem_gui.core.reasons import Reason, Value, render


class UserError(Exception):
    """Something the user can act on: what was refused, why, and the next step, in one line.

    Anything else that is raised is a defect and goes to the error report.

    Attributes:
        reason: Key and values of the sentence; the key doubles as the error code in JSON.
    """

    def __init__(self, key: str, /, **values: Value) -> None:
        self.reason = Reason(key, values)
        super().__init__(render(self.reason))

    @property
    def code(self) -> str:
        """Stable name of the error, for scripts."""
        return self.reason.key
