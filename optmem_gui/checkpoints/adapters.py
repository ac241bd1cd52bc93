"""PEFT adapters: what they change, and the model that they and their base make together.

The adapter's own tensors say which modules it changes and by what rank; ``adapter_config.json`` adds its
kind and the name of the base model. That name is shown and never followed: the base is opened only when
the user gives it. Source: ``peft/config.py``, ``tuners/lora`` and ``utils/save_and_load.py`` of peft 0.21.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optmem_gui.checkpoints.checkpoint import Adapter, Checkpoint
from optmem_gui.checkpoints.contents import Reading, Row, printable, refused, remark, shown
from optmem_gui.checkpoints.files import read_small
from optmem_gui.checkpoints.inventory import Inventory
from optmem_gui.checkpoints.names import Part
from optmem_gui.core.model import ModelRef, Role, Shape

if TYPE_CHECKING:
    from optmem_gui.core.scenario import BaseDType, Lora

CONFIG = "adapter_config.json"
MAX_CONFIG_BYTES = 4 << 20
_PREFIX = "base_model.model."
_LORA = re.compile(r"(?P<module>.*)\.lora_(?P<side>A|B|embedding_A|embedding_B)(\.[^.]+)*\Z")
_LEARNED = re.compile(
    r"\.(lora_|ia3_|hada_|lokr_|oft_|vera_lambda_|boft_|vblora_|prompt_)|prompt_embeddings|lora_"
)
_BASE_DTYPES: dict[str, BaseDType] = {
    "bf16": "bf16", "fp16": "fp16", "fp32": "fp32", "nf4": "nf4", "int8": "int8"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Pair:
    """Sides of the low-rank update of one module."""

    module: str
    shapes: Mapping[str, Shape]


def with_adapter(checkpoint: Checkpoint, reading: Reading) -> Checkpoint:
    """Say what an adapter changes, if the checkpoint is one.

    Raises:
        UserError: Its settings are no JSON object.
    """
    if not any(kind.role is Role.ADAPTER for kind in checkpoint.inventory.of(Part.PARAMETER)):
        return checkpoint
    folder = checkpoint.path if checkpoint.path.is_dir() else checkpoint.path.parent
    config = _config(folder / CONFIG, reading)
    adapter = _adapter(checkpoint.inventory.rows, config)
    warnings = list(checkpoint.warnings)
    base = adapter.base or "?"
    targets = ", ".join(adapter.targets[:6]) or "?"
    warnings.append(
        remark("checkpoint.adapter", kind=adapter.kind, rank=adapter.rank or 0, targets=targets, base=base)
    )
    if adapter.saved_modules:
        names = ", ".join(adapter.saved_modules[:4])
        warnings.append(remark("checkpoint.adapter_saved_modules", names=names))
    return replace(checkpoint, adapter=adapter, warnings=tuple(warnings), bytes_read=reading.read_bytes)


def _config(path: Path, reading: Reading) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        values = json.loads(read_small(path, MAX_CONFIG_BYTES, reading))
    except (ValueError, RecursionError):
        raise refused("checkpoint.adapter_config", file=shown(path)) from None
    if not isinstance(values, dict):
        raise refused("checkpoint.adapter_config", file=shown(path))
    return values


def _adapter(rows: list[Row], config: Mapping[str, Any]) -> Adapter:
    pairs = list(_pairs(rows))
    ranks = {min(pair.shapes["A"]) for pair in pairs if pair.shapes.get("A")}
    said = config.get("r")
    rank = max(ranks, default=said if type(said) is int else 0)
    leaves = dict.fromkeys(pair.module.rpartition(".")[2] for pair in pairs)
    base, kind = config.get("base_model_name_or_path"), config.get("peft_type")
    return Adapter(
        kind=printable(kind) if isinstance(kind, str) else "LORA" if pairs else "?",
        rank=rank,
        targets=tuple(leaves) or _texts(config.get("target_modules")),
        base=printable(base) if isinstance(base, str) else "",
        saved_modules=tuple(dict.fromkeys(_module(name) for name, _, _ in rows if not _LEARNED.search(name))),
        uniform=len(ranks) == 1,
    )


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(printable(item) for item in items if isinstance(item, str))


def _module(name: str) -> str:
    return name.removeprefix(_PREFIX).rpartition(".")[0].replace(".modules_to_save.default", "")


def _pairs(rows: list[Row]) -> Iterator[_Pair]:
    found: dict[str, dict[str, Shape]] = {}
    for name, shape, _ in rows:
        match = _LORA.match(name)
        if match:
            module = match["module"].removeprefix(_PREFIX)
            found.setdefault(module, {})[match["side"].removeprefix("embedding_")] = shape
    for module, shapes in found.items():
        yield _Pair(module, shapes)


def on_base(adapter: Checkpoint, base: Checkpoint) -> Checkpoint:
    """The model that is trained: the base frozen, the adapter on it.

    Raises:
        UserError: The first holds no adapter, or it does not fit the base.
    """
    if adapter.adapter is None:
        raise refused("checkpoint.no_adapter", file=shown(adapter.path))
    _check_fit(adapter, base)
    own, other = base.inventory, adapter.inventory
    frozen = [replace(kind, trainable=False) for kind in own.kinds]
    combined = Inventory(
        [*own.rows, *other.rows],
        [*frozen, *other.kinds],
        [*own.places, *(place + len(own.kinds) for place in other.places)],
        own.packing,
    )
    count = sum(kind.param_count for kind in other.of(Part.PARAMETER))
    skipped = ("checkpoint.adapter_only",)
    kept = [reason for reason in adapter.warnings if reason.key not in skipped]
    return replace(
        base,
        inventory=combined,
        title=f"{base.title} + {adapter.title}",
        format=f"{base.format} + {adapter.format}",
        path=adapter.path,
        optimizer=adapter.optimizer,
        adapter=adapter.adapter,
        warnings=(
            *base.warnings,
            *kept,
            remark("checkpoint.adapter_on_base", base=base.title, count=count),
        ),
        complete=base.complete and adapter.complete,
        file_bytes=base.file_bytes + adapter.file_bytes,
        tensor_bytes=base.tensor_bytes + adapter.tensor_bytes,
        bytes_read=base.bytes_read + adapter.bytes_read,
        file_count=base.file_count + adapter.file_count,
    )


def _check_fit(adapter: Checkpoint, base: Checkpoint) -> None:
    """Hold both sides of every update against the weight that it changes."""
    shapes = {tensor.name: tensor.shape for tensor in base.spec.parameters}
    pairs = list(_pairs(adapter.inventory.rows))
    changed = 0
    for pair in pairs:
        weight = next((shapes[name] for name in _names(pair.module) if name in shapes), None)
        if weight is None:
            continue
        changed += 1
        for side, at in (("A", -1), ("B", 0)):
            given = pair.shapes.get(side)
            if given and len(given) == len(weight) == 2 and given[at] not in weight:
                raise refused(
                    "checkpoint.adapter_base",
                    file=shown(adapter.path),
                    name=pair.module,
                    given=" x ".join(map(str, given)),
                    known=" x ".join(map(str, weight)),
                )
    if pairs and not changed:
        names = ", ".join(pair.module for pair in pairs[:2])
        raise refused("checkpoint.adapter_no_target", file=shown(adapter.path), names=names)


def _names(module: str) -> tuple[str, ...]:
    """Names the weight of a module can have in the base; checkpoints of a bare model lack the first part."""
    return f"{module}.weight", f"{module.partition('.')[2]}.weight"


def lora_of(adapter: Adapter, base: ModelRef) -> Lora | None:
    """The same adapter as a setting of the scenario, so that its rank can be changed.

    Returns:
        None where the settings cannot say it: another kind, ranks that differ, whole modules saved.
    """
    from optmem_gui.core.scenario import Lora  # noqa: PLC0415  # opening a file should not wait for it

    if adapter.kind != "LORA" or not adapter.uniform or adapter.saved_modules or not adapter.rank:
        return None
    sizes: dict[str, int] = {}
    for group in base.groups:
        sizes[group.dtype.id] = sizes.get(group.dtype.id, 0) + group.param_count
    held = max(sizes, key=lambda dtype: sizes[dtype], default="bf16")
    return Lora(adapter.rank, adapter.targets, _BASE_DTYPES.get(held, "bf16"))
