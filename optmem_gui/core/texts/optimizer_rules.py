"""English templates: shape and type rules of states that are not as large as the parameter."""

from __future__ import annotations

_SHAPES: dict[str, str] = {
    "optimizer.shape.every_nth": (
        "{state}: every n-th element of each parameter, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.along_axis": (
        "{state}: one {dtype} number for each index along one axis, {element_count} elements = {total_bytes}"
    ),
    "optimizer.shape.rows_of_two_largest": (
        "{state}: the largest axis averaged away, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.columns_of_two_largest": (
        "{state}: the second largest axis averaged away, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.not_factored": (
        "{state}: tensors that are not factored, {element_count} elements in {dtype} = {total_bytes}"
    ),
}

_DTYPES: dict[str, str] = {
    "optimizer.dtype.fp32_if": "{dtype}, by an option of the optimizer.",
    "optimizer.dtype.at_most_16_bits": "{dtype}: 16 bits also where the parameter has 32.",
}

TEXTS: dict[str, str] = {**_SHAPES, **_DTYPES}
