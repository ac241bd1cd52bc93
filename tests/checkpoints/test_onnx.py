"""ONNX models that the format's own library writes, and what that library reads from them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.dtypes import ONNX
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal


def weights(**shapes: tuple[int, ...]) -> list[Any]:
    return [numpy_helper.from_array(np.ones(shape, np.float32), name) for name, shape in shapes.items()]


def model(initializers: Iterable[Any], nodes: Iterable[Any] = (), **extra: Any) -> Any:
    graph = helper.make_graph(list(nodes), "graph", [], [], list(initializers))
    return helper.make_model(graph, producer_name="tests", **extra)


def opened(path: Path, made: Any) -> Checkpoint:
    path.write_bytes(made.SerializeToString())
    return open_checkpoint(path)


def of_role(checkpoint: Checkpoint) -> dict[str, tuple[int, ...]]:
    return {row.name: row.shape for row in checkpoint.spec.parameters}


def test_initializers_are_those_that_the_library_reads(tmp_path: Path) -> None:
    made = model(weights(**{"fc1.weight": (64, 32), "fc1.bias": (64,), "fc2.weight": (10, 64)}))
    checkpoint = opened(tmp_path / "m.onnx", made)
    read = {tensor.name: tuple(tensor.dims) for tensor in onnx.load(tmp_path / "m.onnx").graph.initializer}
    assert checkpoint.format == "onnx"
    assert of_role(checkpoint) == read
    assert checkpoint.param_count == 64 * 32 + 64 + 10 * 64
    assert checkpoint.tensor_bytes == 4 * checkpoint.param_count
    assert checkpoint.complete
    assert not codes(checkpoint)
    renamed = (tmp_path / "m.onnx").rename(tmp_path / "model.dat")
    assert open_checkpoint(renamed).format == "onnx"


def test_every_type_has_the_size_that_the_library_gives_it(tmp_path: Path) -> None:
    """Raw data as its helper packs it, 12 elements of each type."""
    numbers = set(TensorProto.DataType.values()) - {TensorProto.UNDEFINED, TensorProto.STRING}
    assert set(ONNX) == numbers
    for number in numbers:
        array = np.zeros(12, helper.tensor_dtype_to_np_dtype(number))
        tensor = numpy_helper.from_array(array, "w")
        assert tensor.data_type == number
        checkpoint = opened(tmp_path / "m.onnx", model([tensor]))
        assert checkpoint.tensor_bytes == len(tensor.raw_data), number
        assert sum(checkpoint.dtypes.values()) == 12


@pytest.mark.parametrize(
    ("number", "values"),
    [
        (TensorProto.FLOAT, [0.5] * 6),
        (TensorProto.DOUBLE, [0.5] * 6),
        (TensorProto.FLOAT16, [0.5] * 6),
        (TensorProto.BFLOAT16, [0.5] * 6),
        (TensorProto.INT64, [-1] * 6),
        (TensorProto.INT32, [-1] * 6),
        (TensorProto.INT8, [1] * 6),
        (TensorProto.INT4, [1] * 6),
        (TensorProto.UINT64, [1] * 6),
    ],
)
def test_elements_in_typed_fields(tmp_path: Path, number: int, values: list[float]) -> None:
    made = model([helper.make_tensor("w", number, (2, 3), values)])
    checkpoint = opened(tmp_path / "m.onnx", made)
    assert sum(checkpoint.dtypes.values()) == 6
    assert checkpoint.tensor_bytes == ONNX[number].bytes_for(6)


def test_elements_are_not_read(tmp_path: Path) -> None:
    checkpoint = opened(tmp_path / "m.onnx", model(weights(a=(1000, 1000), b=(1000, 500))))
    assert checkpoint.param_count == 1_500_000
    assert checkpoint.bytes_read < 20_000


def test_constants_numbers_and_statistics_are_no_parameters(tmp_path: Path) -> None:
    """A weight of 12, its BatchNorm (3 + 3 trained, 3 + 3 running), a constant of 8, a scalar, indices."""
    constant = helper.make_node(
        "Constant", [], ["c"], value=numpy_helper.from_array(np.ones((2, 4), np.float32), "ignored")
    )
    norm = helper.make_node("BatchNormalization", ["x", "scale", "bias", "mu", "var"], ["y"])
    index = numpy_helper.from_array(np.arange(5), "indices")
    made = model(
        [*weights(w=(3, 4), scale=(3,), bias=(3,), mu=(3,), var=(3,), alpha=()), index], [constant, norm]
    )
    checkpoint = opened(tmp_path / "m.onnx", made)
    assert of_role(checkpoint) == {"w": (3, 4), "scale": (3,), "bias": (3,)}
    assert {row.name for row in checkpoint.spec.buffers} == {"mu", "var", "alpha", "c", "indices"}
    assert codes(checkpoint) == {"onnx_constants"}


def test_the_order_of_fields_does_not_matter(tmp_path: Path) -> None:
    """A Constant whose operator stands behind its attribute; writers are free to do that."""
    tensor = numpy_helper.from_array(np.ones(6, np.float32), "v").SerializeToString()
    attribute = _field(5, tensor) + _field(1, b"value")
    node = _field(5, attribute) + _field(4, b"Constant") + _field(2, b"c")
    (tmp_path / "m.onnx").write_bytes(b"\x08\x07" + _field(7, _field(1, node)))
    checkpoint = open_checkpoint(tmp_path / "m.onnx")
    assert [row.name for row in checkpoint.spec.buffers] == ["c"]
    assert checkpoint.buffer_count == 6


def test_tensors_of_inner_graphs_and_functions_count(tmp_path: Path) -> None:
    branch = helper.make_graph([], "branch", [], [], weights(w=(5,)))
    choice = helper.make_node("If", ["x"], ["y"], then_branch=branch, else_branch=branch)
    body = [helper.make_node("Constant", [], ["k"], value=weights(k=(7,))[0])]
    function = helper.make_function("own", "f", [], ["k"], body, [helper.make_opsetid("", 20)])
    checkpoint = opened(tmp_path / "m.onnx", model(weights(w=(3,)), [choice], functions=[function]))
    assert checkpoint.param_count == 3 + 5 + 5
    assert checkpoint.buffer_count == 7


def test_sparse_initializers_count_by_their_dimensions(tmp_path: Path) -> None:
    """Three of 20 elements are stored."""
    values, indices = weights(s=(3,))[0], numpy_helper.from_array(np.array([1, 4, 9]), "i")
    made = model([])
    made.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [4, 5]))
    checkpoint = opened(tmp_path / "m.onnx", made)
    assert (checkpoint.param_count, checkpoint.tensor_bytes) == (20, 12)


def test_quantised_weights_are_the_parameters_behind_them(tmp_path: Path) -> None:
    def ints(name: str, shape: tuple[int, ...], dtype: Any = np.int8) -> Any:
        return numpy_helper.from_array(np.ones(shape, dtype), name)

    nodes = [
        helper.make_node("DequantizeLinear", ["w8", "w8_s", "w8_z"], ["a"]),
        helper.make_node("QuantizeLinear", ["x", "x_s"], ["b"]),
        helper.make_node("MatMulInteger", ["q", "wi", "xz", "wz"], ["c"]),
        helper.make_node("QLinearConv", ["x", "s1", "z1", "wc", "s2", "z2", "s3", "z3", "bc"], ["d"]),
        helper.make_node(
            "MatMulNBits",
            ["x", "w4", "w4_s"],
            ["e"],
            domain="com.microsoft",
            K=64,
            N=8,
            bits=4,
            block_size=32,
        ),
    ]
    initializers = [
        ints("w8", (6, 4)),
        *weights(w8_s=(6,), x_s=(1,), s1=(1,), s2=(2,), s3=(1,), w4_s=(16,), plain=(9,)),
        *(ints(name, (1,)) for name in ("w8_z", "xz", "wz", "z1", "z2", "z3")),
        ints("wi", (4, 5)),
        ints("wc", (2, 3, 3, 3)),
        ints("bc", (2,), np.int32),
        ints("w4", (8, 2, 16), np.uint8),
    ]
    checkpoint = opened(tmp_path / "m.onnx", model(initializers, nodes))
    assert of_role(checkpoint) == {
        "w8": (6, 4),
        "wi": (4, 5),
        "wc": (2, 3, 3, 3),
        "bc": (2,),
        "w4": (8, 64),
        "plain": (9,),
    }
    assert checkpoint.trainable_count == 9
    assert not checkpoint.spec.buffers
    assert codes(checkpoint) == {"packed_weights", "auxiliary"}


def test_a_training_part_says_what_is_trained(tmp_path: Path) -> None:
    made = model(weights(w=(3, 4), frozen=(5,)))
    training = made.training_info.add()
    training.algorithm.initializer.extend(weights(momentum=(3, 4), rate=()))
    binding = training.update_binding.add()
    binding.key, binding.value = "w", "w_new"
    checkpoint = opened(tmp_path / "m.onnx", made)
    assert (checkpoint.param_count, checkpoint.trainable_count) == (17, 12)
    reason = next(reason for reason in checkpoint.warnings if reason.key == "checkpoint.onnx_training")
    assert reason.values == {"count": 13}


def external(folder: Path, **shapes: tuple[int, ...]) -> Path:
    made = model(weights(**shapes))
    path = folder / "m.onnx"
    onnx.save(made, path, save_as_external_data=True, location="m.data", size_threshold=0)
    return path


def test_external_data_is_measured_and_not_read(tmp_path: Path) -> None:
    path = external(tmp_path, a=(300, 40), b=(40,))
    assert open_checkpoint(tmp_path).param_count == 12_040
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.tensor_bytes) == (12_040, 48_160)
    assert (checkpoint.file_count, checkpoint.complete) == (2, True)
    assert checkpoint.file_bytes == sum(file.stat().st_size for file in tmp_path.iterdir())
    assert checkpoint.bytes_read < 2000
    data = tmp_path / "m.data"
    data.write_bytes(data.read_bytes()[:-100])
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.complete, codes(checkpoint)) == (12_040, False, {"truncated"})
    data.unlink()
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.complete) == (12_040, False)
    assert codes(checkpoint) == {"external_missing"}


@pytest.mark.parametrize("location", ["../secret", "/etc/passwd", "a/../../b", "C:\\x", "", "a\0b"])
def test_no_file_outside_the_folder_is_looked_at(tmp_path: Path, location: str) -> None:
    made = onnx.load(external(tmp_path, a=(3,)), load_external_data=False)
    made.graph.initializer[0].external_data[0].value = location
    (tmp_path / "m.onnx").write_bytes(made.SerializeToString())
    assert refusal(tmp_path / "m.onnx").code == "checkpoint.index_leaves_folder"


def test_bad_models_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"

    def code(made: Any) -> str:
        path.write_bytes(made if isinstance(made, bytes) else made.SerializeToString())
        return refusal(path).code.partition(".")[2]

    assert code(b"") == "empty_file"
    assert code(b"\x08\x07") == "no_graph"
    assert code(b"\x0b" * 40) == "header_senseless"
    assert code(model(weights(a=(3,))).SerializeToString()[:-30]) == "header_ends"
    twice = model(weights(a=(3,)) * 2)
    assert code(twice) == "duplicate_name"
    wrong = model(weights(a=(3,)))
    wrong.graph.initializer[0].dims[0] = 4
    assert code(wrong) == "size_mismatch"
    wrong.graph.initializer[0].dims[0] = -1
    assert code(wrong) == "header_senseless"
    wrong.graph.initializer[0].dims[0] = 1 << 62
    assert code(wrong) == "tensor_too_large"
    numbers = model([helper.make_tensor("w", TensorProto.INT64, (3,), [1, 2, 3])])
    numbers.graph.initializer[0].dims[0] = 10_000
    assert code(numbers) == "size_mismatch"
    unknown = model(weights(a=(3,)))
    unknown.graph.initializer[0].data_type = 77
    assert code(unknown) == "unknown_dtype"
    deep = b""
    for _ in range(80):
        attribute = _field(1, b"body") + _field(6, _field(1, deep) if deep else b"")
        deep = _field(4, b"Loop") + _field(5, attribute)
    assert code(b"\x08\x07" + _field(7, _field(1, deep))) == "nested_too_deeply"


def _field(number: int, data: bytes) -> bytes:
    size, length = len(data), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


def test_texts_are_not_counted(tmp_path: Path) -> None:
    text = helper.make_tensor("t", TensorProto.STRING, (2,), [b"a", b"b"])
    checkpoint = opened(tmp_path / "m.onnx", model([*weights(w=(3,)), text]))
    assert checkpoint.param_count == 3
    assert codes(checkpoint) == {"no_numbers"}
