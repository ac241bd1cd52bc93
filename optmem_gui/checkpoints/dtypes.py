"""Names that file formats give element types, and the types they stand for."""

from __future__ import annotations

from optmem_gui.core.dtypes import DTYPES, DType

SAFETENSORS: dict[str, DType] = {
    name: DTYPES[type_id]
    for name, type_id in (
        ("F64", "fp64"),
        ("F32", "fp32"),
        ("F16", "fp16"),
        ("BF16", "bf16"),
        ("F8_E4M3", "fp8_e4m3"),
        ("F8_E5M2", "fp8_e5m2"),
        ("F8_E4M3FNUZ", "fp8_e4m3fnuz"),
        ("F8_E5M2FNUZ", "fp8_e5m2fnuz"),
        ("F8_E8M0", "fp8_e8m0"),
        ("F6_E2M3", "fp6_e2m3"),
        ("F6_E3M2", "fp6_e3m2"),
        ("F4", "fp4_e2m1"),
        ("C64", "complex64"),
        ("I64", "int64"),
        ("I32", "int32"),
        ("I16", "int16"),
        ("I8", "int8"),
        ("U64", "uint64"),
        ("U32", "uint32"),
        ("U16", "uint16"),
        ("U8", "uint8"),
        ("BOOL", "bool"),
    )
}
"""Source: ``Dtype`` in safetensors/src/tensor.rs, safetensors 0.8.0."""

TORCH: dict[str, DType] = {
    name: DTYPES[type_id]
    for name, type_id in (
        ("float64", "fp64"),
        ("float32", "fp32"),
        ("float16", "fp16"),
        ("bfloat16", "bf16"),
        ("float8_e4m3fn", "fp8_e4m3"),
        ("float8_e5m2", "fp8_e5m2"),
        ("float8_e4m3fnuz", "fp8_e4m3fnuz"),
        ("float8_e5m2fnuz", "fp8_e5m2fnuz"),
        ("float8_e8m0fnu", "fp8_e8m0"),
        ("complex128", "complex128"),
        ("complex64", "complex64"),
        ("complex32", "complex32"),
        ("int64", "int64"),
        ("int32", "int32"),
        ("int16", "int16"),
        ("int8", "int8"),
        ("uint64", "uint64"),
        ("uint32", "uint32"),
        ("uint16", "uint16"),
        ("uint8", "uint8"),
        ("bool", "bool"),
        ("quint8", "uint8"),
        ("qint8", "int8"),
        ("qint32", "int32"),
    )
}
"""``torch.<name>`` as it stands in a pickle."""

TORCH_STORAGES: dict[str, DType] = {
    name: TORCH[type_name]
    for name, type_name in (
        ("DoubleStorage", "float64"),
        ("FloatStorage", "float32"),
        ("HalfStorage", "float16"),
        ("BFloat16Storage", "bfloat16"),
        ("Float8_e4m3fnStorage", "float8_e4m3fn"),
        ("Float8_e5m2Storage", "float8_e5m2"),
        ("Float8_e4m3fnuzStorage", "float8_e4m3fnuz"),
        ("Float8_e5m2fnuzStorage", "float8_e5m2fnuz"),
        ("ComplexDoubleStorage", "complex128"),
        ("ComplexFloatStorage", "complex64"),
        ("LongStorage", "int64"),
        ("IntStorage", "int32"),
        ("ShortStorage", "int16"),
        ("CharStorage", "int8"),
        ("ByteStorage", "uint8"),
        ("BoolStorage", "bool"),
        ("QUInt8Storage", "uint8"),
        ("QInt8Storage", "int8"),
        ("QInt32Storage", "int32"),
        ("UntypedStorage", "uint8"),
    )
}
"""Storage classes of torch 2.13 (``torch/storage.py``); an untyped storage counts bytes."""

GGML: dict[int, DType] = {
    number: DTYPES[type_id]
    for number, type_id in (
        (0, "fp32"),
        (1, "fp16"),
        (2, "q4_0"),
        (3, "q4_1"),
        (6, "q5_0"),
        (7, "q5_1"),
        (8, "q8_0"),
        (9, "q8_1"),
        (10, "q2_k"),
        (11, "q3_k"),
        (12, "q4_k"),
        (13, "q5_k"),
        (14, "q6_k"),
        (15, "q8_k"),
        (16, "iq2_xxs"),
        (17, "iq2_xs"),
        (18, "iq3_xxs"),
        (19, "iq1_s"),
        (20, "iq4_nl"),
        (21, "iq3_s"),
        (22, "iq2_s"),
        (23, "iq4_xs"),
        (24, "int8"),
        (25, "int16"),
        (26, "int32"),
        (27, "int64"),
        (28, "fp64"),
        (29, "iq1_m"),
        (30, "bf16"),
        (31, "q4_0"),  # Q4_0_4_4, _4_8 and _8_8: the same blocks in another order, dropped from files in 2024
        (32, "q4_0"),
        (33, "q4_0"),
        (34, "tq1_0"),
        (35, "tq2_0"),
        (39, "mxfp4"),
        (40, "nvfp4"),
        (41, "q1_0"),
        (42, "q2_0"),
    )
}
"""``enum ggml_type`` of llama.cpp's ``ggml.h``; what is not listed was removed or is newer."""

ONNX: dict[int, DType] = {
    number: DTYPES[type_id]
    for number, type_id in (
        (1, "fp32"),
        (2, "uint8"),
        (3, "int8"),
        (4, "uint16"),
        (5, "int16"),
        (6, "int32"),
        (7, "int64"),
        (9, "bool"),
        (10, "fp16"),
        (11, "fp64"),
        (12, "uint32"),
        (13, "uint64"),
        (14, "complex64"),
        (15, "complex128"),
        (16, "bf16"),
        (17, "fp8_e4m3"),
        (18, "fp8_e4m3fnuz"),
        (19, "fp8_e5m2"),
        (20, "fp8_e5m2fnuz"),
        (21, "int4"),  # unsigned
        (22, "int4"),
        (23, "fp4_e2m1"),
        (24, "fp8_e8m0"),
        (25, "int2"),  # unsigned
        (26, "int2"),
        (27, "fp6_e2m3"),
        (28, "fp6_e3m2"),
    )
}
"""``TensorProto.DataType`` of onnx 1.23; 8 is text."""
