"""Softmax in releases whose backward takes its input beside its result.

Source: ``_softmax_backward_data(grad, output, dim, self)`` in torch up to 1.10; from 1.11 its last argument
is a type (transformers' ``softmax_backward_data`` tells the two apart).
"""

from __future__ import annotations

from typing import Any

import torch

from optmem_gui.core.kernels.releases import Release
from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.tracker import Tracker, plain

KEEPS_INPUT_UNTIL: Release = (1, 10)


def softmax(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """Its input lives as long as its result, which backward needs in any release."""
    out = plain(tracker, op, name, args, kwargs)
    source = args[0]
    old = tracker.machine.release <= KEEPS_INPUT_UNTIL
    if old and source.is_meta and source.requires_grad and torch.is_grad_enabled():
        tracker.keep_with(out, source)
    return out
