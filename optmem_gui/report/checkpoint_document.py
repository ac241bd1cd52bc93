"""What a checkpoint holds, for scripts and for people."""

from __future__ import annotations

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.optimizer_found import OptimizerInFile
from optmem_gui.core.units import format_bytes, format_count
from optmem_gui.report.json_document import Document, reason_documents


def checkpoint_document(checkpoint: Checkpoint) -> Document:
    """The contents as JSON; counts are elements, sizes bytes.

    ``tied`` counts tensors that share another's storage and are not counted again, ``buffers`` the elements
    that are kept but not trained, ``dtypes`` the stored elements by type.
    """
    return {
        "format": checkpoint.format,
        "parameters": checkpoint.param_count,
        "trainable": checkpoint.trainable_count,
        "tensors": checkpoint.tensor_count,
        "bytes": checkpoint.tensor_bytes,
        "file_bytes": checkpoint.file_bytes,
        "files": checkpoint.file_count,
        "dtypes": dict(checkpoint.dtypes),
        "tied": len(checkpoint.tied),
        "tied_names": dict(checkpoint.tied),
        "buffers": checkpoint.buffer_count,
        "optimizer_state": _state(checkpoint.optimizer),
        "complete": checkpoint.complete,
        "warnings": reason_documents(checkpoint.warnings),
        "bytes_read": checkpoint.bytes_read,
    }


def _state(found: OptimizerInFile | None) -> Document | None:
    if found is None:
        return None
    return {
        "kind": found.kind,
        "states": list(found.states),
        "elements": found.element_count,
        "bytes": found.state_bytes,
        "dtypes": dict(found.dtypes),
        "steps": found.step_count,
        "parameters": found.param_count,
    }


def checkpoint_text(checkpoint: Checkpoint) -> str:
    """The contents, one fact a line."""
    count, size = format_count, format_bytes
    parameters = f"{count(checkpoint.param_count)} in {count(checkpoint.tensor_count)} tensors"
    rows = [
        ("Model", checkpoint.title),
        ("Format", checkpoint.format),
        ("Files", f"{count(checkpoint.file_count)}, {size(checkpoint.file_bytes)} on disk"),
        ("Parameters", f"{parameters}, {count(checkpoint.trainable_count)} trainable"),
        ("Elements", ", ".join(f"{name} {count(n)}" for name, n in checkpoint.dtypes.items()) or "none"),
        ("Buffers", f"{count(checkpoint.buffer_count)} elements"),
        ("Tied", f"{count(len(checkpoint.tied))} tensors share another's storage"),
        ("Optimizer", _state_text(checkpoint.optimizer)),
        ("Complete", "yes" if checkpoint.complete else "no, a part is missing"),
        ("Read", f"{size(checkpoint.bytes_read)}, headers only"),
        *(("Note", str(reason)) for reason in checkpoint.warnings),
    ]
    return "".join(f"{label:<12}{value}\n" for label, value in rows)


def _state_text(found: OptimizerInFile | None) -> str:
    if found is None:
        return "no state in the file"
    states = ", ".join(found.states)
    size = format_bytes(found.state_bytes)
    return f"{found.kind} ({states}), {format_count(found.element_count)} elements, {size}"
