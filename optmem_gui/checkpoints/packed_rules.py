"""Layouts of packed weights, one rule each.

Sources: GPTQModel 7.7 ``nn_modules/qlinear/__init__.py`` (``qweight`` is [in bits / 32, out], ``g_idx`` has
one entry an input); AutoAWQ 0.2.9 ``modules/linear`` (``gemm``: [in, out bits / 32], ``gemv``: [out, in bits
/ 32], ``gemv_fast``: int16); compressed-tensors 0.20 ``pack_quantized``, ``nvfp4``, ``mxfp4``, ``mxfp6``;
bitsandbytes ``functional.quantize_4bit`` and ``nn.Int8Params``; gpt-oss ``weights.py`` (``_blocks``,
``_scales``); mlx ``nn/layers/quantized.py``; hqq 0.2.8 ``core/quantize.py``; optimum-quanto 0.2.7
``tensor/packed.py``; torchao 0.18 ``prototype/safetensors``; transformers 5.24 ``integrations/eetq.py`` and
``bitnet.py``; ModelOpt's unified checkpoints (``weight_scale_2``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from optmem_gui.checkpoints.contents import Unpacked
from optmem_gui.checkpoints.packed_settings import Settings
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape

_FP4_GROUPS = (16, 32)
"""Weights that share a scale in NVFP4 and in MXFP4."""

_HQQ_SETTINGS = ("nbits", "group_size", "shape", "axis", "packing", "channel_wise", "optimize", "round_zero")
_HQQ_PARTS = (
    *_HQQ_SETTINGS,
    *("scale", "zero", "unpack_view_dtype", "view_as_float", "quant_scale", "quant_zero", "compute_dtype"),
    *("offload_meta", "encoded_state_dict", "stores_quant_config"),
)
_HQQ_ROWS = (1, 2, 4, 8)
"""Rows of weights of 8, 4, 2 and 1 bits that share a row of bytes; a row of words holds ten of 3 bits."""

_QUANTO_PARTS = ("_scale", "_shift", "_scale_shift")


@dataclass(frozen=True, slots=True)
class Place:
    """A tensor that may be packed, and where to look around it.

    Attributes:
        name: Its full name.
        prefix: Name of the module that owns it.
        leaf: Name inside the module.
        shape: Stored shape.
        dtype: Stored type.
        by_name: All tensors.
        settings: What the config says.
    """

    name: str
    prefix: str
    leaf: str
    shape: Shape
    dtype: DType
    by_name: Mapping[str, tuple[Shape, DType]]
    settings: Settings

    def beside(self, leaf: str) -> Shape | None:
        """Shape of another tensor of the same module."""
        found = self.by_name.get(f"{self.prefix}.{leaf}" if self.prefix else leaf)
        return None if found is None else found[0]

    def kind_beside(self, leaf: str) -> str:
        """Type of another tensor of the same module; empty where there is none."""
        found = self.by_name.get(f"{self.prefix}.{leaf}" if self.prefix else leaf)
        return "" if found is None else found[1].id

    def names(self, *leaves: str) -> frozenset[str]:
        """Full names of tensors of the same module."""
        return frozenset(f"{self.prefix}.{leaf}" if self.prefix else leaf for leaf in leaves)

    @property
    def weight(self) -> str:
        """Name of the parameter behind the packed tensor."""
        return f"{self.prefix}.weight" if self.prefix else "weight"

    @property
    def bits(self) -> int | None:
        """Bits of a weight here, as far as the config says."""
        return self.settings.bits(self.prefix)


@dataclass(frozen=True, slots=True)
class Found:
    """A packed weight.

    Attributes:
        weight: The parameter behind it.
        companions: What only serves it, of those that are there.
        assumed: Its bits are a guess.
    """

    weight: Unpacked
    companions: frozenset[str] = frozenset()
    assumed: bool = False


Rule = Callable[[Place], "Found | None"]


def whole(bits: int) -> DType:
    """The type of a weight of so many bits."""
    return DTYPES[f"int{bits}"]


def _is_width(bits: int) -> bool:
    return 1 <= bits <= 8


def _qweight(place: Place) -> Found | None:
    """GPTQ packs along the inputs, AWQ along the outputs, its ``gemv`` kernel along the inputs again."""
    scales = place.beside("scales")
    if scales is None or len(scales) != 2 or len(place.shape) != 2:
        return None
    rows, columns = place.shape
    companions = place.names("scales", "qzeros", "g_idx")
    width, outputs = place.dtype.bits, scales[1]
    if width == 16:  # gemv_fast: four weights an int16, rows interleaved
        return _found(
            place, (outputs, prod(place.shape) * 4 // outputs if outputs else 0), 4, "awq", companions
        )
    if scales[0] == rows and place.settings.format.startswith("gemv"):
        return _found(place, (rows, columns * 8), 4, "awq", companions)
    if columns != outputs:
        bits = width * columns // outputs if outputs else 0
        return _found(place, (outputs, rows), bits, "awq", companions)
    inputs, zeros = place.beside("g_idx"), place.beside("qzeros")
    if inputs is not None and len(inputs) == 1 and inputs[0]:
        return _found(place, (outputs, inputs[0]), width * rows // inputs[0], "gptq", companions)
    bits = place.bits or (width * zeros[1] // outputs if zeros and len(zeros) == 2 and outputs else 0)
    return _found(place, (outputs, rows * width // bits if bits else 0), bits, "gptq", companions)


def _marlin(place: Place) -> Found | None:
    """Marlin's own layout: ``B`` is [in / 16, out bits / 2], ``s`` [groups, out]."""
    scales = place.beside("s")
    if place.dtype.id != "int32" or scales is None or len(scales) != 2 or not scales[1]:
        return None
    bits = place.bits or 4
    logical = (scales[1], prod(place.shape) * 32 // bits // scales[1])
    return _found(place, logical, bits, "marlin", place.names("s", "workspace"))


def _found(place: Place, shape: Shape, bits: int, scheme: str, companions: frozenset[str]) -> Found | None:
    if not _is_width(bits):
        return None
    return Found(Unpacked(place.weight, shape, whole(bits), scheme), companions)


def _weight_packed(place: Place) -> Found | None:
    """compressed-tensors: whole numbers in int32, floats of 4 and 6 bits in bytes, along the columns."""
    if len(place.shape) < 2:
        return None
    companions = place.names("weight_scale", "weight_zero_point", "weight_shape", "weight_g_idx", "meta")
    companions |= place.names("weight_global_scale", "input_global_scale", "scale_packed")
    bits, assumed = place.bits or 4, place.bits is None
    stored = place.shape[-1] * place.dtype.bits
    if place.dtype.id == "uint8":
        dtype = DTYPES["fp6_e3m2" if bits == 6 else "fp4_e2m1"]
        logical = (*place.shape[:-1], stored // dtype.bits)
        return Found(Unpacked(place.weight, logical, dtype, "compressed-tensors"), companions)
    if "marlin-24" in place.settings.format or place.beside("meta") is not None:
        count = 2 * prod(place.shape) * place.dtype.bits // bits  # of four weights two are stored
        return Found(Unpacked(place.weight, (count,), whole(bits), "marlin-24"), companions, assumed)
    columns = _columns(place) or stored // bits
    logical = (*place.shape[:-1], columns)
    return Found(Unpacked(place.weight, logical, whole(bits), "compressed-tensors"), companions, assumed)


def _columns(place: Place) -> int | None:
    """Exact inputs of a packed matrix: an entry each in ``weight_g_idx``, or the groups times their size."""
    indices, scales = place.beside("weight_g_idx"), place.beside("weight_scale")
    if indices is not None and len(indices) == 1:
        return indices[0]
    group = place.settings.group_size(place.prefix)
    if group is None or scales is None or len(scales) < 2 or scales[-1] < 2:
        return None
    columns = scales[-1] * group
    bits = place.bits or 4
    # the packed row must hold them: a group size that is meant for other modules does not count
    least, most = columns * bits, place.shape[-1] * place.dtype.bits
    return columns if least <= most < least + 32 * bits else None


def _blocks(place: Place) -> Found | None:
    """gpt-oss: blocks of 16 bytes hold 32 values, one exponent each in ``_scales``."""
    base = place.name.removesuffix("_blocks")
    if place.dtype.id != "uint8" or len(place.shape) < 2 or f"{base}_scales" not in place.by_name:
        return None
    logical = (*place.shape[:-2], place.shape[-2] * place.shape[-1] * 2)
    return Found(Unpacked(base, logical, DTYPES["fp4_e2m1"], "mxfp4"), frozenset([f"{base}_scales"]))


def _hqq(place: Place) -> Found | None:
    """HQQ packs the rows of [groups, group] or of [group, groups]; the scales, one a group, tell which.

    Rows of 3 bits are packed by tens into words, all others into bytes.
    """
    scales = place.beside("scale")
    if len(place.shape) != 2 or scales is None or len(scales) != 2:
        return None
    rows, stored = place.shape[0], prod(place.shape) * place.dtype.bits
    companions, bits, assumed = place.names(*_HQQ_PARTS), place.bits, False
    group = place.settings.group_size(place.prefix)
    if scales[1] == 1 and scales[0] >= rows > 0:  # a scale each row
        rows_each = scales[0] // rows
        width = 8 if place.dtype.is_floating and rows_each in _HQQ_ROWS else 32  # bytes or words in disguise
        columns = (
            place.shape[1] * place.dtype.bits // (width if place.dtype.is_floating else place.dtype.bits)
        )
        count = scales[0] * columns
        bits = bits or max(1, stored // count if count else 0)
    elif scales[0] == 1 and group is not None:
        count = scales[1] * group
        bits = bits or max(1, stored // count if count else 0)
    else:
        assumed, bits = bits is None, bits or 4
        count = stored // bits
    if not _is_width(bits):
        return None
    return Found(Unpacked(place.weight, (count,), whole(bits), "hqq"), companions, assumed)


def _quanto(place: Place) -> Found | None:
    """quanto: ``weight._data``, one element a weight; ``weight._data._data`` where bytes hold several."""
    base = place.prefix.removesuffix("._data")
    scales = place.by_name.get(f"{base}._scale", place.by_name.get(f"{base}._scale_shift"))
    if scales is None:
        return None
    companions = frozenset(f"{base}.{part}" for part in _QUANTO_PARTS)
    if base == place.prefix:
        return Found(Unpacked(base, place.shape, place.dtype, "quanto"), companions)
    shape, rows = scales[0], place.shape[0] if place.shape else 0
    bits, assumed = place.settings.bits(base), False
    if bits is None and len(shape) == 2 and shape[1] == 1 and shape[0] > rows > 0:
        bits = max(2, 8 * rows // shape[0])
    if bits is None or not _is_width(bits):
        bits, assumed = 4, True
    count = prod(place.shape) * place.dtype.bits // bits
    return Found(Unpacked(base, (count,), whole(bits), "quanto"), companions, assumed)


def _torchao(place: Place) -> Found | None:
    """Subclasses that torchao flattened: ``_weight_qdata`` of the parameter ``weight``."""
    base = place.leaf.removesuffix("_qdata")
    scales = place.beside(f"{base}_scale")
    companions = place.names(*(f"{base}{part}" for part in ("_scale", "_zero_point", "_scale_and_zero")))
    name = f"{place.prefix}.{base[1:]}" if place.prefix else base[1:]
    if place.dtype.id == "int32":  # tiles of the tensor cores, eight weights an element
        return Found(Unpacked(name, (prod(place.shape) * 8,), whole(4), "torchao"), companions)
    if scales is None:
        return None
    # int4 has its scales as [groups, out]; all others have one a row or one a block of a row
    halves = len(place.shape) == len(scales) == 2 and scales[1] == place.shape[0] and scales[0] > 1
    if place.dtype.id in ("int8", "uint8") and halves and scales[0] != place.shape[0]:
        logical = (place.shape[0], 2 * place.shape[1])
        return Found(Unpacked(name, logical, whole(4), "torchao"), companions)
    return Found(Unpacked(name, place.shape, place.dtype, "torchao"), companions)


def _mlx(place: Place) -> Found | None:
    """MLX: uint32 along the columns, ``scales`` and ``biases`` of one group each."""
    scales = place.beside("scales")
    if scales is None or len(place.shape) < 2 or len(scales) != len(place.shape):
        return None
    if scales[:-1] != place.shape[:-1] or not scales[-1]:
        return None
    group = place.settings.group_size(place.prefix)
    stored = 32 * place.shape[-1]
    assumed = group is None and place.bits is None
    if group is None:
        bits = place.bits or stored // scales[-1] // (32 if place.kind_beside("scales") == "uint8" else 64)
    else:
        bits = place.bits or stored // (scales[-1] * group)
    if not _is_width(bits):
        return None
    logical = (*place.shape[:-1], stored // bits)
    return Found(Unpacked(place.name, logical, whole(bits), "mlx"), place.names("scales", "biases"), assumed)


def _bytes(place: Place) -> Found | None:
    """Bytes: two weights of bitsandbytes, two floats of 4 bits, four ternary weights, or one weight."""
    if f"{place.name}.absmax" in place.by_name:
        count = prod(place.shape) * place.dtype.bits // 4
        kind = "fp4" if f"{place.name}.quant_state.bitsandbytes__fp4" in place.by_name else "nf4"
        return Found(Unpacked(place.name, (count,), DTYPES["nf4"], f"bitsandbytes {kind}"))
    for ending in ("_scale", "_scales", "_scale_inv"):
        scale = f"{place.leaf}{ending}"
        if place.beside(scale) is not None:
            return _scaled_bytes(place, scale)
    if place.beside("scale") is not None:
        return _scaled_bytes(place, "scale")
    if place.dtype.id == "int8" and place.beside("SCB") is not None:
        return Found(Unpacked(place.name, place.shape, place.dtype, "bitsandbytes int8"))
    return None


def _scaled_bytes(place: Place, scale: str) -> Found | None:
    """Bytes with a scale: two floats each where a group of 16 or 32 of them has one scale of 8 bits."""
    companions = place.names(scale, f"{place.leaf}_scale_2", f"{place.leaf}_global_scale", "input_scale")
    scales, kind = place.beside(scale) or (), place.kind_beside(scale)
    small = kind.startswith("fp8") or kind == "uint8"
    alike = len(scales) == len(place.shape) > 0
    if small and alike and 2 * place.shape[-1] in [group * scales[-1] for group in _FP4_GROUPS if scales[-1]]:
        logical = (*place.shape[:-1], 2 * place.shape[-1])
        scheme = "mxfp4" if kind in ("fp8_e8m0", "uint8") else "nvfp4"
        return Found(Unpacked(place.name, logical, DTYPES["fp4_e2m1"], scheme), companions)
    if place.dtype.id == "uint8":
        if place.settings.method == "bitnet" and place.shape:
            logical = (4 * place.shape[0], *place.shape[1:])
            return Found(Unpacked(place.name, logical, whole(2), "bitnet"), companions)
        return None
    scheme = "eetq" if scale.endswith("_scales") else "int8"
    return Found(Unpacked(place.name, place.shape, place.dtype, scheme), companions)


BY_LEAF: dict[str, Rule] = {
    "qweight": _qweight,
    "B": _marlin,
    "weight_packed": _weight_packed,
    "W_q": _hqq,
    "_data": _quanto,
    "_weight_qdata": _torchao,
}
"""By the name inside the module."""


def _bytes_or_blocks(place: Place) -> Found | None:
    return _blocks(place) if place.leaf.endswith("_blocks") else _bytes(place)


BY_TYPE: dict[str, Rule] = {"uint32": _mlx, "uint8": _bytes_or_blocks, "int8": _bytes}
"""By the stored type, for names that say nothing."""
