"""Products of two operands as releases before the change of ``sumproduct_pair`` form them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from optmem_gui.core.kernels.releases import Release

EINSUM_SWAPS_SINCE: Release = (2, 9)
"""From here operands are swapped where that makes the result contiguous (pytorch pull 161755)."""


def einsum_in_order(equation: str, tensors: Sequence[Tensor]) -> Tensor | None:
    """Contract two operands, left one first, as torch 2.6 does; None for any other equation.

    Dimensions are brought into one order (of the result, then summed ones), and one batched product follows.

    Source: ``einsum`` and ``sumproduct_pair`` in aten/src/ATen/native/Linear.cpp, torch 2.6.
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(tensors) != 2 or len(terms) != 2 or not arrow:
        return None
    rank = max(t.dim() - len(term.replace("...", "")) for term, t in zip(terms, tensors, strict=True))
    labels = [_labels(term, t.dim(), rank) for term, t in zip(terms, tensors, strict=True)]
    out = _labels(result, len(result.replace("...", "")) + (rank if "..." in result else 0), rank)
    if any(len(set(each)) != len(each) for each in (*labels, out)):
        return None  # a diagonal
    summed = [label for label in dict.fromkeys(labels[0] + labels[1]) if label not in out]
    order = out + summed
    a, b = (_aligned(t, each, order) for t, each in zip(tensors, labels, strict=True))
    return _pair(a, b, len(out))


def _labels(term: str, dims: int, rank: int) -> list[str]:
    """One label a dimension; those of an ellipsis are numbered from the right."""
    before, dots, after = term.partition("...")
    if not dots:
        return list(term)
    count = dims - len(before) - len(after)
    return [*before, *(f".{index}" for index in range(rank - count, rank)), *after]


def _aligned(tensor: Tensor, labels: list[str], order: list[str]) -> Tensor:
    """The operand with a dimension for every label, of size 1 where it has none."""
    moved = tensor.permute([labels.index(label) for label in order if label in labels])
    for place, label in enumerate(order):
        if label not in labels:
            moved = moved.unsqueeze(place)
    return moved


def _pair(a: Tensor, b: Tensor, kept: int) -> Tensor:
    summed, a, b = _summed_in_both(a, b, kept)
    if kept == a.dim():
        return a * b
    both, left, right = _kept_dims(a, b, kept)
    width = max(_count(a, summed), _count(b, summed))
    size = [*(a.shape[dim] for dim in (*both, *left)), *(1 for _ in summed), *(b.shape[dim] for dim in right)]
    places = [*both, *left, *summed, *right]
    back = [0] * a.dim()
    for place, dim in enumerate(places):
        back[dim] = place
    first = a.permute([*both, *left, *summed, *right]).reshape(_count(a, both), _count(a, left), width)
    second = b.permute([*both, *summed, *right, *left]).reshape(_count(b, both), width, _count(b, right))
    product = torch.bmm(first, second).view(size).permute(back)
    for dim in reversed(range(kept, a.dim())):
        product = product.squeeze(dim)
    return product


def _summed_in_both(a: Tensor, b: Tensor, kept: int) -> tuple[list[int], Tensor, Tensor]:
    """Sum what only one operand has; the dimensions that the product sums are left."""
    dims = list(range(kept, a.dim()))
    for dim in dims:
        in_a, in_b = a.shape[dim] != 1, b.shape[dim] != 1
        if in_a and not in_b:
            a = a.sum(dim, keepdim=True)
        elif in_b and not in_a:
            b = b.sum(dim, keepdim=True)
    return dims, a, b


def _kept_dims(a: Tensor, b: Tensor, kept: int) -> tuple[list[int], list[int], list[int]]:
    both: list[int] = []
    left: list[int] = []
    right: list[int] = []
    for dim in range(kept):
        in_a, in_b = a.shape[dim] != 1, b.shape[dim] != 1
        (both if in_a and in_b else left if in_a else right).append(dim)
    return both, left, right


def _count(tensor: Tensor, dims: Sequence[int]) -> int:
    return math.prod(tensor.shape[dim] for dim in dims)
