"""English templates: the formulas of state that is not simply as large as the parameter."""

from __future__ import annotations

_MANAGED = ", in managed memory, which the driver may keep on the host"

_FULL: dict[str, str] = {
    "optimizer.shape.error_bits": "{state}: further bits of each 16-bit parameter, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.compensation": "{state}: what rounding lost of each 16-bit parameter, {element_count} elements in {dtype} = {total_bytes}",
}

_PARTS: dict[str, str] = {
    "optimizer.shape.factor_an_axis": "{state}: {tensor_count} factors, a square or a vector for each axis, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.factor_rows": "{state}: one of two axes averaged away, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.factor_columns": "{state}: the other of two axes averaged away, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.orthogonalized": "{state}: {element_count} elements in {dtype} = {total_bytes}, for the matrices that are orthogonalized",
    "optimizer.shape.left_to_adam": "{state}: {element_count} elements in {dtype} = {total_bytes}, for what is left to Adam",
}

_QUANTIZED: dict[str, str] = {
    "optimizer.shape.codes": "{state}: {element_count} elements in {dtype} = {total_bytes}, the codes of the quantized tensors",
    "optimizer.shape.codes.host": "{state}: {element_count} elements in {dtype} = {total_bytes}, the codes of the quantized tensors"
    + _MANAGED,
    "optimizer.shape.block_scales": "{state}: one {dtype} scale a block, {element_count} of them = {total_bytes}",
    "optimizer.shape.lookup_table": "{state}: {tensor_count} x one table of values in {dtype} = {total_bytes}, one for each quantized tensor",
    "optimizer.shape.shared_table": "{state}: one table of values in {dtype} = {total_bytes}, shared by all quantized tensors",
    "optimizer.shape.shared_table.host": "{state}: one table of values in {dtype} = {total_bytes}, made but left unused in host memory",
    "optimizer.shape.not_quantized": "{state}: {element_count} elements in {dtype} = {total_bytes}; tensors this small, or of a size that blocks do not divide, are not quantized",
    "optimizer.shape.not_quantized.host": "{state}: {element_count} elements in {dtype} = {total_bytes}; not quantized"
    + _MANAGED,
    "optimizer.shape.full": "{state}: {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.full.host": "{state}: {element_count} elements in {dtype} = {total_bytes}, in host memory; that of paged optimizers is managed by the driver",
    "optimizer.shape.one_number": "{state}: {tensor_count} x one number in {dtype} = {total_bytes}",
    "optimizer.shape.one_a_group": "{state}: one number in {dtype} for the parameter group = {total_bytes}",
    "optimizer.shape.one_a_group.host": "{state}: one number in {dtype} for the parameter group = {total_bytes}, in host memory",
}

_DTYPES: dict[str, str] = {
    "optimizer.dtype.chosen": "{dtype}, as an option says.",
}

TEXTS: dict[str, str] = {**_DTYPES, **_FULL, **_PARTS, **_QUANTIZED}
