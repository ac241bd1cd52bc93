"""A model's tensors by the modules that hold them, with sums, for any number of tensors.

Nodes are numbers and everything known about them stands in arrays, so that a hundred thousand tensors cost a
few megabytes and no object each. Node 0 is the whole model. What a viewer shows leaves out modules that hold
nothing but one other thing: ``q_proj`` with only a ``weight`` is one row, ``q_proj.weight``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

from optmem_gui.core.model import Role, Shape

ROOT = 0
MAX_DEPTH = 64
"""Parts of a name that become modules; a longer name keeps its end in one piece."""

_SAMPLE = 1_000


@dataclass(frozen=True, slots=True)
class TensorKind:
    """What tensors of one kind have in common.

    Attributes:
        part: ``parameter``, ``frozen``, ``buffer`` or ``bookkeeping``.
        role: What they do.
        shape: Logical shape of each.
        dtype: Id of the logical type.
        stored_dtype: Id of the type they are stored in.
        param_count: Parameters each stands for; 0 for what is none.
        stored_bytes: Bytes each takes in the file.
    """

    part: str
    role: Role
    shape: Shape
    dtype: str
    stored_dtype: str
    param_count: int
    stored_bytes: int

    @property
    def packed(self) -> bool:
        """Whether several weights share a stored element."""
        return self.dtype != self.stored_dtype


class ModuleTree:
    """Modules and tensors as numbered nodes.

    Args:
        names: Full name of each tensor.
        places: Index into ``kinds`` of each tensor.
        kinds: What the tensors are.

    Attributes:
        kinds: As given.
        tensor_counts: Tensors below each node.
        param_counts: Parameters below each node.
        stored_bytes: Bytes in the file below each node.
    """

    def __init__(self, names: Sequence[str], places: Sequence[int], kinds: Sequence[TensorKind]) -> None:
        self.kinds = tuple(kinds)
        self.separator = _separator(names)
        self._names = list(names)
        self._parts: list[str] = [""]
        self._parents = array("q", [-1])
        self._tensors = array("q", [-1])
        self._leads = array("q", [-1])
        self._leaves = array("q")
        self._add_all(places)
        self._sum_up()
        self._starts, self._children = self._sorted_by_parent()
        self._shown: dict[int, tuple[int, ...]] = {}

    # -- building

    def _add_all(self, places: Sequence[int]) -> None:
        modules = {"": ROOT}
        separator, parts = self.separator, self._parts
        parents, tensors, leads = self._parents, self._tensors, self._leads
        for number, (name, place) in enumerate(zip(self._names, places, strict=True)):
            head, _, leaf = name.rpartition(separator)
            parent = modules.get(head)
            if parent is None:
                parent = self._add_modules(head, modules)
            self._leaves.append(len(parts))
            parts.append(leaf)
            parents.append(parent)
            tensors.append(number)
            leads.append(place)

    def _add_modules(self, head: str, modules: dict[str, int]) -> int:
        """Make a module and those above it that are not there yet."""
        path, above = "", ROOT
        for part in head.split(self.separator, MAX_DEPTH - 1):
            path = f"{path}{self.separator}{part}" if path else part
            node = modules.get(path)
            if node is None:
                node = modules[path] = len(self._parts)
                self._parts.append(part)
                self._parents.append(above)
                self._tensors.append(-1)
                self._leads.append(-1)
            above = node
        return modules.setdefault(head, above)

    def _sum_up(self) -> None:
        """Add every node to the one above it, which stands before it: one pass from the end does."""
        length = len(self._parts)
        counts, params, sizes = ([0] * length for _ in range(3))
        types, parts = [0] * length, [0] * length
        heaviest = [-1] * length
        kinds, leads, parents = self.kinds, self._leads, self._parents
        type_bits = _bits(kind.stored_dtype for kind in kinds)
        part_bits = _bits(kind.part for kind in kinds)
        self._type_names, self._part_names = tuple(type_bits), tuple(part_bits)
        facts = [
            (kind.param_count, kind.stored_bytes, type_bits[kind.stored_dtype], part_bits[kind.part])
            for kind in kinds
        ]
        for node in range(length - 1, 0, -1):
            if self._tensors[node] >= 0:
                counts[node] = 1
                params[node], sizes[node], types[node], parts[node] = facts[leads[node]]
            above = parents[node]
            counts[above] += counts[node]
            params[above] += params[node]
            sizes[above] += sizes[node]
            types[above] |= types[node]
            parts[above] |= parts[node]
            if sizes[node] >= heaviest[above]:
                heaviest[above] = sizes[node]
                leads[above] = leads[node]
        self.tensor_counts, self.param_counts, self.stored_bytes = counts, params, sizes
        self._type_masks, self._part_masks = types, parts

    def _sorted_by_parent(self) -> tuple[array[int], array[int]]:
        """Children of all nodes in one array, and where those of each node begin."""
        length = len(self._parts)
        sizes = [0] * (length + 1)
        for parent in islice(self._parents, 1, None):
            sizes[parent + 1] += 1
        starts = array("q", accumulate(sizes))
        free = starts[:]
        children = array("q", bytes(8 * (length - 1)))
        for node in range(1, length):
            parent = self._parents[node]
            children[free[parent]] = node
            free[parent] += 1
        return starts, children

    # -- asking

    def __len__(self) -> int:
        """Nodes, the whole model included."""
        return len(self._parts)

    def is_tensor(self, node: int) -> bool:
        """Whether a node is a tensor, not a module."""
        return self._tensors[node] >= 0

    def kind(self, node: int) -> TensorKind | None:
        """Kind of a tensor; of a module, the kind that takes most of the way down its heaviest branch."""
        lead = self._leads[node]
        return None if lead < 0 else self.kinds[lead]

    def path(self, node: int) -> str:
        """Full name of a node; empty for the whole model."""
        if self.is_tensor(node):
            return self._names[self._tensors[node]]
        parts = []
        while node > ROOT:
            parts.append(self._parts[node])
            node = self._parents[node]
        return self.separator.join(reversed(parts))

    def label(self, node: int) -> str:
        """Name of a node below the one it is shown under."""
        above = self.parent(node)
        whole = self.path(node)
        return whole[len(self.path(above)) + len(self.separator) :] if above > ROOT else whole

    def parent(self, node: int) -> int:
        """The node that this one is shown under; -1 for the whole model."""
        above = self._parents[node]
        while above > ROOT and self._only_one(above):
            above = self._parents[above]
        return above

    def shown(self, node: int) -> int:
        """The node that stands for this one where single children are not shown on their own."""
        while node > ROOT and not self.is_tensor(node) and self._only_one(node):
            node = self._children[self._starts[node]]
        return node

    def children(self, node: int) -> tuple[int, ...]:
        """What is shown under a node: numbered modules by number, everything else in file order."""
        known = self._shown.get(node)
        if known is None:
            known = self._shown[node] = self._ordered(node)
        return known

    def _ordered(self, node: int) -> tuple[int, ...]:
        below = self._children[self._starts[node] : self._starts[node + 1]]
        parts = self._parts
        if all(part.isascii() and part.isdigit() and len(part) < 10 for part in (parts[c] for c in below)):
            below = array("q", sorted(below, key=lambda child: int(parts[child])))
        return tuple(self.shown(child) for child in below)

    def _only_one(self, node: int) -> bool:
        return self._starts[node + 1] - self._starts[node] == 1

    def dtypes(self, node: int) -> tuple[str, ...]:
        """Ids of the types that are stored below a node."""
        return _named(self._type_masks[node], self._type_names)

    def parts(self, node: int) -> tuple[str, ...]:
        """What is below a node: parameters, frozen ones, buffers, bookkeeping."""
        return _named(self._part_masks[node], self._part_names)

    @cached_property
    def _folded(self) -> list[str]:
        return [name.casefold() for name in self._names]

    def find(self, typed: str) -> list[int]:
        """Tensors whose full name holds every word that was typed, in file order."""
        words = typed.casefold().split()
        if not words:
            return []
        first, *others = words
        return [
            self._leaves[number]
            for number, name in enumerate(self._folded)
            if first in name and all(word in name for word in others)
        ]


def _separator(names: Sequence[str]) -> str:
    """What parts a name: ``.`` for most, ``/`` for TensorFlow's and JAX's."""
    sample = names[:_SAMPLE]
    return "/" if sum("/" in name for name in sample) > sum("." in name for name in sample) else "."


def _bits(words: Iterable[str]) -> dict[str, int]:
    """A bit for each distinct word, in order of first appearance."""
    return {word: 1 << number for number, word in enumerate(dict.fromkeys(words))}


def _named(mask: int, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for number, name in enumerate(names) if mask >> number & 1)
