"""What a checkpoint holds, for scripts and for people."""

from __future__ import annotations

from optmem_gui.checkpoints.checkpoint import Adapter, Checkpoint
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
        "optimizer_state": _state(checkpoint),
        "adapter": _adapter(checkpoint.adapter),
        "average": len(checkpoint.averages),
        "complete": checkpoint.complete,
        "warnings": reason_documents(checkpoint.warnings),
        "bytes_read": checkpoint.bytes_read,
    }


def _state(checkpoint: Checkpoint) -> Document | None:
    found = checkpoint.optimizer
    if found is None:
        return None
    match = found.match
    return {
        "kind": found.kind,
        "states": list(found.states),
        "elements": found.element_count,
        "bytes": found.state_bytes,
        "dtypes": dict(found.dtypes),
        "steps": found.step_count,
        "step_bytes": found.step_bytes,
        "step": found.step,
        "parameters": found.param_count,
        "entries": found.entry_count,
        "bytes_per_parameter": round(found.bytes_per_parameter, 4),
        "master_weights": {"elements": found.master_count, "bytes": found.master_bytes},
        "agrees": checkpoint.optimizer_agrees,
        "optimizer": None if match is None else match.id,
        "options": {} if match is None else dict(match.options),
        "exact": match is not None and match.exact,
        "also": [] if match is None else list(match.also),
    }


def _adapter(adapter: Adapter | None) -> Document | None:
    if adapter is None:
        return None
    return {
        "kind": adapter.kind,
        "rank": adapter.rank,
        "targets": list(adapter.targets),
        "base": adapter.base or None,
        "saved_modules": list(adapter.saved_modules),
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
        *_optimizer_rows(checkpoint),
        ("Complete", "yes" if checkpoint.complete else "no, a part is missing"),
        ("Read", f"{size(checkpoint.bytes_read)}, headers only"),
        *(("Note", str(reason)) for reason in checkpoint.warnings),
    ]
    return "".join(f"{label:<12}{value}\n" for label, value in rows)


def _optimizer_rows(checkpoint: Checkpoint) -> list[tuple[str, str]]:
    """What the optimizer is, what it holds, and whether both sides agree."""
    found, count, size = checkpoint.optimizer, format_count, format_bytes
    if found is None:
        return [("Optimizer", "no state in the file")]
    held = f"{count(found.element_count)} elements, {size(found.state_bytes)}"
    each = f"{found.bytes_per_parameter:.2f} B a parameter"
    rows = [
        ("Optimizer", _identity(found)),
        ("State", f"{', '.join(found.states) or 'no tensors'}: {held}, {each}"),
    ]
    if found.master_count:
        rows.append(("Masters", f"{count(found.master_count)} elements, {size(found.master_bytes)}"))
    agrees = checkpoint.optimizer_agrees
    if agrees is not None:
        word = "as many" if agrees else "not as many"
        held = f"state for {count(found.param_count)} parameters"
        rows.append(("Agreement", f"{held}, {word} as the model trains"))
    return rows


def _identity(found: OptimizerInFile) -> str:
    match = found.match
    if match is None:
        return f"{found.kind}, of no implementation in the catalogue"
    options = "".join(f", {name}={value}" for name, value in match.options)
    fit = "" if match.exact else " (nearest)"
    also = f"; the same file also fits {', '.join(match.also)}" if match.also else ""
    return f"{match.id}{options}{fit}{also}"
