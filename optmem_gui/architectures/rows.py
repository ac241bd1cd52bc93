"""Words that the families are declared in: the parameters of a module, named as its library names them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from optmem_gui.core.model import BufferTensor, Role, Shape
from optmem_gui.core.networks import Network
from optmem_gui.core.transformer import TransformerShape


class Row(NamedTuple):
    """One parameter, before its type is known.

    Attributes:
        name: Full dotted name.
        shape: Elements along each axis.
        role: What it does.
        trainable: Whether its class trains it.
    """

    name: str
    shape: Shape
    role: Role
    trainable: bool = True


@dataclass(frozen=True, slots=True)
class Layout:
    """What a family makes of a config.

    Attributes:
        rows: Every distinct parameter, in the order of ``nn.Module.parameters``.
        shape: Dimensions of a decoder that activations follow from; None where there are no rules for them.
        buffers: What the class keeps beside them. Rotary tables are left out: a few hundred bytes.
        tied: Pairs (other name, name it shares storage with).
        text_only: The dimensions are those of the language model; the other parts have no rules.
        routing: Experts a token visits and experts there are, in models that have some.
        apart_count: Parameters of the multi-token-prediction module, which is not among the rows.
        network: Dimensions of what is no decoder that activations follow from.
    """

    rows: tuple[Row, ...]
    shape: TransformerShape | None = None
    buffers: tuple[BufferTensor, ...] = ()
    tied: tuple[tuple[str, str], ...] = ()
    text_only: bool = False
    routing: tuple[int, int] | None = None
    apart_count: int = 0
    network: Network | None = None


def linear(name: str, out: int, into: int, role: Role, bias: bool = False) -> list[Row]:
    """An ``nn.Linear``: (out, in), and a bias if it has one."""
    rows = [Row(f"{name}.weight", (out, into), role)]
    if bias:
        rows.append(Row(f"{name}.bias", (out,), Role.BIAS))
    return rows


def linears(
    prefix: str, sizes: Mapping[str, tuple[int, int]], role: Role, biased: Iterable[str] = ()
) -> list[Row]:
    """Several linear layers of one module, by name and (out, in); ``biased`` names those with a bias."""
    having = frozenset(biased)
    return [row for name, size in sizes.items() for row in linear(prefix + name, *size, role, name in having)]


def norm(name: str, width: int, bias: bool = False) -> list[Row]:
    """A norm's weight, and its bias if it has one."""
    rows = [Row(f"{name}.weight", (width,), Role.NORM)]
    if bias:
        rows.append(Row(f"{name}.bias", (width,), Role.NORM))
    return rows


def table(name: str, entries: int, width: int) -> list[Row]:
    """An ``nn.Embedding``."""
    return [Row(f"{name}.weight", (entries, width), Role.EMBEDDING)]


def convolution(name: str, out: int, into: int, *kernel: int, bias: bool = False) -> list[Row]:
    """A convolution: (out, in of one group, kernel)."""
    rows = [Row(f"{name}.weight", (out, into, *kernel), Role.CONVOLUTION)]
    if bias:
        rows.append(Row(f"{name}.bias", (out,), Role.BIAS))
    return rows


def gated(prefix: str, hidden: int, width: int, role: Role = Role.MLP, bias: bool = False) -> list[Row]:
    """A gated MLP as Llama names it: gate, up, down."""
    sizes = {"gate_proj": (width, hidden), "up_proj": (width, hidden), "down_proj": (hidden, width)}
    return linears(prefix, sizes, role, sizes if bias else ())


def experts(prefix: str, count: int, hidden: int, width: int) -> list[Row]:
    """The routed experts of a layer, fused into two tensors as transformers 5 holds them."""
    return [
        Row(f"{prefix}experts.gate_up_proj", (count, 2 * width, hidden), Role.EXPERT),
        Row(f"{prefix}experts.down_proj", (count, hidden, width), Role.EXPERT),
    ]


def router(prefix: str, count: int, hidden: int) -> list[Row]:
    """The layer that scores the experts."""
    return [Row(f"{prefix}gate.weight", (count, hidden), Role.ROUTER)]
