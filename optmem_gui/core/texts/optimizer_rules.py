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
    "optimizer.dtype.fp32_for_fp16": "{dtype}: fp16 parameters get fp32 state, others their own type.",
    "optimizer.dtype.at_most_16_bits": "{dtype}: 16 bits also where the parameter has 32.",
}

_OPTIONS: dict[str, str] = {
    "optimizer.option.slice_p": "The distance is estimated from every n-th element only: two states shrink n times.",
    "optimizer.option.factored": "The second moment is kept as row and column averages where a tensor is large enough.",
    "optimizer.option.factored_fp32": "Row and column averages are fp32; off, they take the type of the gradient.",
    "optimizer.option.use_schedulefree": "On, it keeps z; off, a first moment: as many bytes.",
    "optimizer.option.use_speed": "Estimates the learning rate without the sums that Prodigy keeps.",
    "optimizer.option.use_focus": "The second moment cannot be factored then.",
    "optimizer.option.regen_reg_rate": "Above 0, a copy of the initial weights is kept.",
    "optimizer.option.grokfast": "Keeps a slow average of the gradients as large as the parameters.",
}

_CAUTIONS: dict[str, str] = {
    "optimizer.only_bf16": "{optimizer} takes bf16 parameters only; with others its step stops. Choose bf16.",
}

TEXTS: dict[str, str] = {**_SHAPES, **_DTYPES, **_OPTIONS, **_CAUTIONS}
