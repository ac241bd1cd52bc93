"""Text from files in places where Qt would take markup for its own."""

from __future__ import annotations

from html import escape


def plain_tip(text: str) -> str:
    """A tool tip that shows exactly this text: a name such as ``<img src=...>`` is shown, not followed."""
    if "<" not in text:
        return text
    return "<p>" + escape(text).replace("\n", "<br/>") + "</p>"
