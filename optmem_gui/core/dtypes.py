"""Element types and their size, held in bits so that 4-bit types add up exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["float", "complex", "int", "uint", "bool", "packed"]


@dataclass(frozen=True, slots=True)
class DType:
    """One element type.

    Attributes:
        id: Short name used everywhere in the program, such as ``bf16``.
        bits: Bits one element takes, without scales or padding.
        kind: What the bits mean; only ``float`` and ``complex`` can carry a gradient.
    """

    id: str
    bits: int
    kind: Kind

    @property
    def is_floating(self) -> bool:
        """Whether a tensor of this type can be trained."""
        return self.kind in ("float", "complex")

    def bytes_for(self, count: int) -> int:
        """Bytes of ``count`` elements stored densely, rounded up to a whole byte."""
        return (count * self.bits + 7) // 8

    def __str__(self) -> str:
        return self.id


DTYPES: dict[str, DType] = {
    dtype.id: dtype
    for dtype in (
        DType("fp64", 64, "float"),
        DType("fp32", 32, "float"),
        DType("bf16", 16, "float"),
        DType("fp16", 16, "float"),
        DType("fp8_e4m3", 8, "float"),
        DType("fp8_e5m2", 8, "float"),
        DType("fp8_e4m3fnuz", 8, "float"),
        DType("fp8_e5m2fnuz", 8, "float"),
        DType("fp8_e8m0", 8, "float"),
        DType("fp6_e2m3", 6, "float"),
        DType("fp6_e3m2", 6, "float"),
        DType("fp4_e2m1", 4, "float"),
        DType("nf4", 4, "packed"),
        DType("int4", 4, "packed"),
        DType("complex128", 128, "complex"),
        DType("complex64", 64, "complex"),
        DType("complex32", 32, "complex"),
        DType("int64", 64, "int"),
        DType("int32", 32, "int"),
        DType("int16", 16, "int"),
        DType("int8", 8, "int"),
        DType("uint64", 64, "uint"),
        DType("uint32", 32, "uint"),
        DType("uint16", 16, "uint"),
        DType("uint8", 8, "uint"),
        DType("bool", 8, "bool"),
    )
}

F64 = DTYPES["fp64"]
F32 = DTYPES["fp32"]
BF16 = DTYPES["bf16"]
F16 = DTYPES["fp16"]
F8_E4M3 = DTYPES["fp8_e4m3"]
F8_E5M2 = DTYPES["fp8_e5m2"]
NF4 = DTYPES["nf4"]
INT64 = DTYPES["int64"]
INT32 = DTYPES["int32"]
INT8 = DTYPES["int8"]
UINT8 = DTYPES["uint8"]
UINT32 = DTYPES["uint32"]
BOOL = DTYPES["bool"]
