"""Whether the model behind a scenario is still the one that was saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef, Shape, TensorGroup
from optmem_gui.core.reasons import Reason


def model_notice(model: ModelRef) -> Reason | None:
    """Compare a stored model with what its path holds now; reads headers, so not for the UI thread.

    Returns:
        None when it is the same, or never had a file; else what to tell the user. The stored groups stay
        in use either way. Which parameters are trained is the user's choice and is not compared.
    """
    if model.path is None:
        return None
    path = Path(model.path)
    if not path.exists():
        return Reason("scenario_file.model_missing", {"path": model.path})
    try:
        now = open_checkpoint(path).ref
    except UserError as error:
        return error.reason
    if _contents(now.groups) == _contents(model.groups):
        return None
    return Reason("scenario_file.model_changed", {"path": model.path})


def _contents(groups: Iterable[TensorGroup]) -> Counter[tuple[Shape, str, str, str]]:
    """Tensors by everything but whether they are trained."""
    counts: Counter[tuple[Shape, str, str, str]] = Counter()
    for group in groups:
        counts[group.shape, group.dtype.id, group.leaf, group.field] += group.count
    return counts
