"""How much of a header is taken into memory: what no model reaches, and what keeps any file below 256 MiB."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.checkpoints.contents import refused

MAX_TENSORS = 200_000
"""Tensors of one file. The largest published checkpoints have 91,280, in 163 files."""

MAX_NAME_LETTERS = 65_535
"""Of one tensor."""

MAX_NAMES_LETTERS = 24 << 20
"""Of all tensors of one file: 120 for each of the most there may be."""

MAX_JSON_BYTES = 16 << 20
"""JSON that is read into Python's own values; a character beyond ASCII makes text four times as long."""

MAX_JSON_VALUES = 500_000
"""Its values: each takes up to 220 bytes (a name, a pair and a place in a dictionary)."""


@dataclass(frozen=True, slots=True)
class PickleLimits:
    """What one pickle may take.

    Attributes:
        blocks: Pieces of memory; a tensor and its name take some 15. One takes up to 130 bytes.
        text_bytes: Texts and byte strings of all; tensor data never stands among them.
    """

    blocks: int
    text_bytes: int


MODEL_PICKLE = PickleLimits(1_600_000, 24 << 20)
"""Of a model in one file: more than 100,000 tensors."""

MAX_PICKLE_BYTES = 48 << 20
"""Longest pickle of a model in one file; 100,000 tensors take 15 MB."""

MAX_ITEM_BYTES = 1 << 28
"""Longest text or byte string taken from any pickle; tensor data never stands in it."""

LARGE_PICKLE = PickleLimits(1 << 23, 1 << 28)
"""Where real files have millions of entries: which rank of many holds what, and recorded memory."""


def check_json(
    data: bytes, file: str, *, limit_bytes: int = MAX_JSON_BYTES, limit_count: int = MAX_JSON_VALUES
) -> None:
    """Refuse JSON that would take much more memory than its text, before it is decoded.

    Args:
        data: The JSON.
        file: How messages call it.
        limit_bytes: Longest text.
        limit_count: Most values.

    Raises:
        UserError: It is too long, or may have more values than any description of a model.
    """
    if len(data) > limit_bytes or json_values(data) > limit_count:
        raise refused(
            "checkpoint.json_too_large",
            file=file,
            size_bytes=len(data),
            limit_bytes=limit_bytes,
            limit_count=limit_count,
        )


def json_values(data: bytes) -> int:
    """At most how many values JSON has beside the first.

    Each stands behind a comma, a bracket or a brace; those inside texts count, too.
    """
    return data.count(b",") + data.count(b"[") + data.count(b"{")
