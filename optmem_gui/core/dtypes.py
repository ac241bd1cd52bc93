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
        block: Elements that are only stored together, scales included; 1 for types that have no blocks.
        block_bytes: Bytes of such a block; 0 for types that have no blocks.
    """

    id: str
    bits: int
    kind: Kind
    block: int = 1
    block_bytes: int = 0

    @property
    def is_floating(self) -> bool:
        """Whether a tensor of this type can be trained."""
        return self.kind in ("float", "complex")

    def bytes_for(self, count: int) -> int:
        """Bytes of ``count`` elements stored densely, rounded up to a whole byte or block."""
        if self.block_bytes:
            return -(-count // self.block) * self.block_bytes
        return (count * self.bits + 7) // 8

    def __str__(self) -> str:
        return self.id


GGML_BLOCKS: tuple[DType, ...] = tuple(
    DType(type_id, bits, "float", block, block_bytes)
    for type_id, bits, block, block_bytes in (
        ("q1_0", 1, 128, 18),
        ("q2_0", 2, 64, 18),
        ("q4_0", 4, 32, 18),
        ("q4_1", 4, 32, 20),
        ("q5_0", 5, 32, 22),
        ("q5_1", 5, 32, 24),
        ("q8_0", 8, 32, 34),
        ("q8_1", 8, 32, 40),
        ("q2_k", 2, 256, 84),
        ("q3_k", 3, 256, 110),
        ("q4_k", 4, 256, 144),
        ("q5_k", 5, 256, 176),
        ("q6_k", 6, 256, 210),
        ("q8_k", 8, 256, 292),
        ("iq1_s", 1, 256, 50),
        ("iq1_m", 1, 256, 56),
        ("iq2_xxs", 2, 256, 66),
        ("iq2_xs", 2, 256, 74),
        ("iq2_s", 2, 256, 82),
        ("iq3_xxs", 3, 256, 98),
        ("iq3_s", 3, 256, 110),
        ("iq4_nl", 4, 32, 18),
        ("iq4_xs", 4, 256, 136),
        ("tq1_0", 1, 256, 54),
        ("tq2_0", 2, 256, 66),
        ("mxfp4", 4, 32, 17),
        ("nvfp4", 4, 64, 36),
    )
)
"""Block types of ggml: scales lie between the elements. Source: ``ggml-common.h`` of llama.cpp.

Nothing trains in them; whoever trains such a model turns its blocks into floats first, so they count as
floats."""

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
        DType("int1", 1, "packed"),
        DType("int2", 2, "packed"),
        DType("int3", 3, "packed"),
        DType("int4", 4, "packed"),
        DType("int5", 5, "packed"),
        DType("int6", 6, "packed"),
        DType("int7", 7, "packed"),
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
        DType("unknown", 8, "float"),  # elements that count and whose size the file does not tell
        *GGML_BLOCKS,
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
