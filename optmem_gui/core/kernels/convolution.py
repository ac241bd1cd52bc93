"""Workspace of cuDNN's convolutions: only a band, because cuDNN chooses an engine for every shape.

Recordings hold 190 calls without one and calls of 50,168 B to 134,217,728 B. It is taken after the output and
freed before the operator ends.
"""

from __future__ import annotations

CUDNN_WORKSPACE_MIN_BYTES = 0
CUDNN_WORKSPACE_MAX_BYTES = 128 * 1024 * 1024
"""The largest one in any recording."""
