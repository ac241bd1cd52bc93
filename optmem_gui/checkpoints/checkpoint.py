"""A checkpoint as every other part of the program sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from optmem_gui.checkpoints.contents import Row
from optmem_gui.checkpoints.inventory import Inventory, stored_elements
from optmem_gui.checkpoints.names import Part
from optmem_gui.checkpoints.optimizer_found import OptimizerInFile
from optmem_gui.core.model import ModelRef, ModelSpec, Source, fingerprint
from optmem_gui.core.networks import Network
from optmem_gui.core.reasons import Reason
from optmem_gui.core.transformer import TransformerShape


@dataclass(frozen=True, slots=True)
class Adapter:
    """What a PEFT adapter changes.

    Attributes:
        kind: PEFT's name of the method (``LORA``).
        rank: Largest rank of its updates; 0 where it has none.
        targets: Names of the modules that it changes (``q_proj``).
        base: What its settings call the base model; a name or path that is shown, not followed.
        saved_modules: Modules that are trained and saved whole.
        uniform: All updates have the same rank.
    """

    kind: str
    rank: int
    targets: tuple[str, ...]
    base: str = ""
    saved_modules: tuple[str, ...] = ()
    uniform: bool = True


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint holds, read from its headers.

    Attributes:
        inventory: Its tensors, sorted into kinds.
        title: What to call the model.
        source: ``file``, or ``config`` when nothing was read from weights.
        format: Id of the format (``safetensors``, ``torch-zip``, ``torch-legacy``, ``config``).
        path: File or folder that was opened.
        tied: Pairs (other name, name it shares storage with).
        architecture: Transformer dimensions, where a config tells.
        file_bytes: Size of the files on disk.
        tensor_bytes: Bytes the distinct model tensors address.
        optimizer: State of an optimizer, if any.
        complete: Everything that belongs to the checkpoint was there.
        warnings: What the user should know; the key doubles as the code.
        bytes_read: Bytes taken from disk.
        file_count: Files that were read.
        idle_count: Elements of experts that one token does not visit, where a config tells.
        network: Dimensions of what is no decoder, where a config tells.
        adapter: What it changes in a base model, where it is an adapter.
        averages: Tensors of an averaged copy (EMA) of the model, which are not counted.
    """

    inventory: Inventory
    title: str
    source: Source
    format: str
    path: Path
    tied: tuple[tuple[str, str], ...] = ()
    architecture: TransformerShape | None = None
    file_bytes: int = 0
    tensor_bytes: int = 0
    optimizer: OptimizerInFile | None = None
    complete: bool = True
    warnings: tuple[Reason, ...] = ()
    bytes_read: int = 0
    file_count: int = 1
    idle_count: int = 0
    adapter: Adapter | None = None
    averages: tuple[Row, ...] = ()
    network: Network | None = None

    @cached_property
    def ref(self) -> ModelRef:
        """The model by its groups: what a scenario keeps. Costs the number of kinds, not of tensors."""
        groups, neighbours = self.inventory.groups()
        return ModelRef(
            self.title,
            self.source,
            groups,
            neighbours,
            self.inventory.buffer_groups(),
            self.architecture,
            str(self.path),
            fingerprint(groups),
            len(self.tied),
            self.idle_count,
            network=self.network,
        )

    @cached_property
    def spec(self) -> ModelSpec:
        """The model tensor by tensor, for what needs every name; built when first asked for."""
        return ModelSpec(
            self.title,
            self.source,
            self.inventory.parameters,
            self.inventory.buffers,
            self.tied,
            self.architecture,
            str(self.path),
            self.idle_count,
            self.network,
        )

    @property
    def optimizer_agrees(self) -> bool | None:
        """Whether the optimizer has state for what the file's model trains; None without one of the two."""
        if self.optimizer is None or not self.optimizer.param_count or not self.trainable_count:
            return None
        return self.optimizer.param_count == self.trainable_count

    @property
    def tensor_count(self) -> int:
        """Stored model tensors, buffers and bookkeeping included, ties counted once."""
        return len(self.inventory.rows)

    @property
    def dtypes(self) -> Mapping[str, int]:
        """Stored elements of the model tensors by type id."""
        return stored_elements(self.inventory.kinds)

    @property
    def param_count(self) -> int:
        """Elements of all distinct parameters."""
        return sum(kind.param_count for kind in self.inventory.of(Part.PARAMETER))

    @property
    def trainable_count(self) -> int:
        """Elements of the parameters that get a gradient."""
        return sum(kind.param_count for kind in self.inventory.of(Part.PARAMETER) if kind.trainable)

    @property
    def buffer_count(self) -> int:
        """Elements of all buffers."""
        return sum(kind.param_count for kind in self.inventory.of(Part.BUFFER))

    @property
    def buffer_bytes(self) -> int:
        """Bytes of all buffers as stored."""
        kinds = self.inventory.of(Part.BUFFER)
        return sum(kind.count * kind.dtype.bytes_for(kind.stored_count) for kind in kinds)

    @property
    def auxiliary_count(self) -> int:
        """Elements that only serve quantised weights: scales, zero points, code books."""
        return sum(kind.param_count for kind in self.inventory.of(Part.AUXILIARY))

    @property
    def auxiliary_bytes(self) -> int:
        """Bytes of those."""
        kinds = self.inventory.of(Part.AUXILIARY)
        return sum(kind.count * kind.dtype.bytes_for(kind.stored_count) for kind in kinds)
