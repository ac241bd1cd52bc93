from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from optmem_gui.checkpoints import safetensors
from optmem_gui.checkpoints.contents import Reading
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.inventory import MAX_KINDS
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import group_model
from tests.checkpoints.builders import codes, data_size, header_of, refusal, write_raw, write_safetensors


def test_a_file_by_the_library_reads_as_the_library_reads_it(tmp_path: Path) -> None:
    tensors = {
        "layers.0.weight": torch.zeros(4, 6),
        "layers.0.bias": torch.zeros(4, dtype=torch.bfloat16),
        "steps": torch.zeros((), dtype=torch.int64),
        "empty": torch.zeros(0, 3, dtype=torch.float16),
    }
    path = tmp_path / "model.safetensors"
    save_file(tensors, path, metadata={"format": "pt"})
    checkpoint = open_checkpoint(path)
    assert {tensor.name: tensor.shape for tensor in checkpoint.spec.parameters} == {
        "layers.0.weight": (4, 6),
        "layers.0.bias": (4,),
        "empty": (0, 3),
    }
    assert [buffer.name for buffer in checkpoint.spec.buffers] == ["steps"]
    assert checkpoint.dtypes == {"fp32": 24, "bf16": 4, "int64": 1, "fp16": 0}
    assert checkpoint.tensor_bytes == 24 * 4 + 4 * 2 + 8
    assert checkpoint.file_bytes == path.stat().st_size
    assert checkpoint.bytes_read == path.stat().st_size - checkpoint.tensor_bytes


def test_groups_read_off_the_kinds_are_the_groups_of_the_rows(tmp_path: Path) -> None:
    """Names that differ in digits only, but not in the module that owns them, stay apart."""
    entries = {
        f"layers.{layer}.{name}": ("BF16", shape)
        for layer in range(3)
        for name, shape in {
            "w1.weight": [8, 4],
            "w3.weight": [8, 4],
            "norm.weight": [4],
            "0.weight": [4, 4],
            "conv1.0.weight": [4, 4],
            "conv2.0.weight": [4, 4],
            "rotary.inv_freq": [2],
        }.items()
    }
    checkpoint = open_checkpoint(write_safetensors(tmp_path / "a.safetensors", entries))
    assert checkpoint.ref == group_model(checkpoint.spec)
    assert {group.leaf for group in checkpoint.ref.groups} >= {"w1", "w3", "conv1", "conv2"}
    assert checkpoint.param_count == checkpoint.spec.param_count == 3 * (32 + 32 + 4 + 16 * 3)
    assert checkpoint.buffer_count == 6
    assert checkpoint.buffer_bytes == 12


def test_numbered_entries_of_a_table_are_one_group(tmp_path: Path) -> None:
    count = MAX_KINDS + 5
    entries = {f"tensor_{index}.w": ("F32", [2]) for index in range(count)}
    checkpoint = open_checkpoint(write_safetensors(tmp_path / "a.safetensors", entries))
    assert [(group.shape, group.count) for group in checkpoint.ref.groups] == [((2,), count)]
    assert checkpoint.spec.param_count == checkpoint.ref.param_count == 2 * count


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"", "checkpoint.empty_file", "empty"),
        (b"1234567", "checkpoint.shorter_than_length", "7 bytes"),
        (b"<\0\0\0\0\0\0\0", "checkpoint.ends_after_length", "60 bytes"),
        (b"\xe8\x03\0\0\0\0\0\0{}" + bytes(76), "checkpoint.header_cut", "1,000 bytes, only 78"),
        (b"\xfc\xff\xff\xff\xff\xff\xff\xff{}" + bytes(76), "checkpoint.not_safetensors", "first 8 bytes"),
        (b"\x01\0\0\0\0\0\0\0{", "checkpoint.header_not_json", "not valid JSON"),
        (b"\x07\0\0\0\0\0\0\0[1,2,3]", "checkpoint.header_not_object", "not a JSON object"),
    ],
)
def test_a_header_that_lies_is_refused_each_with_its_reason(
    tmp_path: Path, content: bytes, code: str, says: str
) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    error = refusal(path)
    assert error.code == code
    assert says in str(error)
    assert str(error).startswith("bad.safetensors: ")


def test_a_length_is_compared_with_the_file_before_anything_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes((2**62).to_bytes(8, "little") + b"{}")
    reading = Reading()
    with pytest.raises(UserError), HeaderFile(path, reading) as file:
        safetensors.read(file, reading)
    assert reading.read_bytes == 8


def test_a_header_beyond_the_formats_limit_is_refused_by_name(tmp_path: Path) -> None:
    path = write_raw(tmp_path / "a.safetensors", b'{"a":', 132_095_296 + 10, length=132_095_296)
    error = refusal(path)
    assert error.code == "checkpoint.header_too_long"
    assert "132,095,296" in str(error)
    assert "100,000,000" in str(error)


def test_a_missing_tail_shows_the_count_with_a_warning(tmp_path: Path) -> None:
    header = header_of({"a": ("F32", [2, 2])})
    path = write_raw(tmp_path / "a.safetensors", json.dumps(header).encode(), data_size(header) - 2)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 4
    assert not checkpoint.complete
    assert "truncated" in codes(checkpoint)
    assert "2 bytes short" in str(checkpoint.warnings[0])


def test_data_that_is_all_but_absent_is_refused(tmp_path: Path) -> None:
    header = header_of({"a": ("F32", [65536, 65536])})
    path = write_raw(tmp_path / "a.safetensors", json.dumps(header).encode(), 64)
    assert refusal(path).code == "checkpoint.data_absent"


def test_bytes_after_the_last_tensor_are_refused_as_the_library_refuses_them(tmp_path: Path) -> None:
    header = header_of({"a": ("F32", [2])})
    path = write_raw(tmp_path / "a.safetensors", json.dumps(header).encode(), data_size(header) + 1)
    with pytest.raises(SafetensorError):
        safe_open(path, "numpy")
    assert refusal(path).code == "checkpoint.surplus_data"


_ENTRY = '{"dtype":"F32","shape":[1],"data_offsets":[%d,%d]}'


@pytest.mark.parametrize(
    "text",
    [
        '{"key00":' + _ENTRY % (0, 4) + ',"key00":' + _ENTRY % (4, 8) + "}",
        '{"key00":' + _ENTRY % (0, 4) + ',"key\\u00300":' + _ENTRY % (4, 8) + "}",
        '{"__metadata__":{"data_offsets":"x"},"key00":'
        + _ENTRY % (0, 4)
        + ',"key00":'
        + _ENTRY % (4, 8)
        + "}",
        '{"key00":' + _ENTRY % (0, 4) + ',"key00":' + _ENTRY % (0, 4) + "}",
        '{"key00":null,"key00":' + _ENTRY % (0, 4) + "}",
        '{"key00":{"dtype":"F32","shape":[1]},"key00":' + _ENTRY % (0, 4) + "}",
        '{"__metadata__":{"format":"pt"},"key00":' + _ENTRY % (0, 4) + ',"key00":' + _ENTRY % (4, 8) + "}",
    ],
)
def test_a_name_that_comes_twice_is_named(tmp_path: Path, text: str) -> None:
    error = refusal(write_raw(tmp_path / "a.safetensors", text.encode(), 8))
    assert error.code == "checkpoint.duplicate_name"
    assert "duplicate tensor name key00" in str(error)


def test_two_names_on_the_same_bytes_count_once(tmp_path: Path) -> None:
    entry = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
    text = json.dumps({"embed": entry, "lm_head": entry}).encode()
    checkpoint = open_checkpoint(write_raw(tmp_path / "a.safetensors", text, 16))
    assert checkpoint.param_count == 4
    assert checkpoint.tied == (("lm_head", "embed"),)
    assert codes(checkpoint) == {"shared_range"}


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ({"a": ["F32", [2], [0, 8]], "b": ["F32", [2], [4, 12]]}, "checkpoint.overlap"),
        ({"a": ["F32", [2], [0, 8]], "b": ["F32", [2], [12, 20]]}, "checkpoint.hole"),
        ({"a": ["F32", [2], [8, 0]]}, "checkpoint.size_mismatch"),
        ({"a": ["F32", [3], [0, 8]]}, "checkpoint.size_mismatch"),
        ({"a": ["I32", [2, 2**64 - 2], [0, 16]]}, "checkpoint.bad_shape"),
        ({"a": ["F32", [2**62, 2**62, 2**32], [0, 4]]}, "checkpoint.size_mismatch"),
        ({"a": ["F32", [-2, -2], [0, 16]]}, "checkpoint.bad_shape"),
        ({"a": ["F32", [1.5], [0, 6]]}, "checkpoint.bad_shape"),
        ({"a": ["F32", [True], [0, 4]]}, "checkpoint.bad_shape"),
        ({"a": ["F32", [1] * 65, [0, 4]]}, "checkpoint.bad_shape"),
        ({"a": ["F32", [1], [0, 4, 8]]}, "checkpoint.bad_offsets"),
        ({"a": ["F99", [1], [0, 4]]}, "checkpoint.unknown_dtype"),
        ({"a": [7, [1], [0, 4]]}, "checkpoint.unknown_dtype"),
    ],
)
def test_offsets_shapes_and_types_are_checked(
    tmp_path: Path, entries: dict[str, list[Any]], code: str
) -> None:
    header = {
        name: {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        for name, (dtype, shape, offsets) in entries.items()
    }
    path = write_raw(tmp_path / "a.safetensors", json.dumps(header).encode(), 64)
    with pytest.raises(SafetensorError):
        safe_open(path, "numpy")
    assert refusal(path).code == code


@pytest.mark.parametrize("text", ['{"a":{}}', '{"a":null}', '{"a":[]}', '{"a":{"dtype":"F32","shape":[1]}}'])
def test_an_entry_that_lacks_a_field_is_named(tmp_path: Path, text: str) -> None:
    error = refusal(write_raw(tmp_path / "a.safetensors", text.encode(), 0))
    assert error.code == "checkpoint.entry_incomplete"
    assert "tensor a " in str(error)


@pytest.mark.parametrize("text", ['{"a":' + "[" * 50_000, '{"a":' + "[" * 50_000 + "]" * 50_000 + "}"])
def test_deep_nesting_is_refused_without_a_recursion_error(tmp_path: Path, text: str) -> None:
    error = refusal(write_raw(tmp_path / "a.safetensors", text.encode(), 0))
    assert error.code == "checkpoint.nested_too_deeply"


def test_header_order_may_differ_from_byte_order(tmp_path: Path) -> None:
    header = {
        "b": {"dtype": "F16", "shape": [4], "data_offsets": [16, 24]},
        "a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},
    }
    checkpoint = open_checkpoint(write_raw(tmp_path / "a.safetensors", json.dumps(header).encode(), 24))
    assert (checkpoint.param_count, checkpoint.tensor_bytes, checkpoint.warnings) == (8, 24, ())


@pytest.mark.parametrize(
    "metadata", ["{}", "null", '{"note":"{}, }"}', '{"format":"pt","note":"a \\"quoted\\" }"}']
)
def test_any_metadata_the_format_allows_is_accepted(tmp_path: Path, metadata: str) -> None:
    text = '{"__metadata__":' + metadata + ',"w":' + _ENTRY % (0, 4) + "}"
    checkpoint = open_checkpoint(write_raw(tmp_path / "a.safetensors", text.encode(), 4))
    assert checkpoint.param_count == 1
    assert checkpoint.tensor_count == 1


@pytest.mark.parametrize("metadata", ['"pt"', "[]", '{"a":1}', '{"a" "b"}', '{"a":"b",}', "7"])
def test_metadata_that_is_no_map_of_texts_is_refused_as_the_library_refuses_it(
    tmp_path: Path, metadata: str
) -> None:
    text = '{"__metadata__":' + metadata + ',"w":' + _ENTRY % (0, 4) + "}"
    path = write_raw(tmp_path / "a.safetensors", text.encode(), 4)
    with pytest.raises(SafetensorError):
        safe_open(path, "numpy")
    assert refusal(path).code in ("checkpoint.metadata_not_object", "checkpoint.header_not_json")


def test_metadata_may_stand_anywhere(tmp_path: Path) -> None:
    text = '{"w":' + _ENTRY % (0, 4) + ',"__metadata__":{"format":"pt","total_parameters":"9"}}'
    checkpoint = open_checkpoint(write_raw(tmp_path / "a.safetensors", text.encode(), 4))
    assert checkpoint.param_count == 1
    assert codes(checkpoint) == {"declared_total"}


@pytest.mark.parametrize("length", [504, 505, 511, 512, 99_992, 99_993, 99_999, 100_000, 100_001])
def test_headers_of_every_length_are_read_whole(tmp_path: Path, length: int) -> None:
    text = ('{"w":' + _ENTRY % (0, 4) + "}").encode()
    path = write_raw(tmp_path / "a.safetensors", text.ljust(length), 4)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 1
    assert checkpoint.bytes_read == 8 + length


def test_a_file_without_tensors_has_nothing_to_estimate(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(write_raw(tmp_path / "a.safetensors", b"\t\n{}\r ", 0))
    assert checkpoint.param_count == 0
    assert codes(checkpoint) == {"no_tensors"}
    assert "nothing to estimate" in str(checkpoint.warnings[0])
    assert checkpoint.ref.param_count == 0


@pytest.mark.parametrize(
    ("dtype", "elements", "stored_bytes"),
    [
        ("F4", 64, 32),
        ("F6_E2M3", 16, 12),
        ("F6_E3M2", 16, 12),
        ("F8_E4M3FNUZ", 8, 8),
        ("F8_E5M2FNUZ", 8, 8),
        ("F8_E4M3", 8, 8),
        ("F8_E5M2", 8, 8),
        ("C64", 2, 16),
        ("F64", 2, 16),
    ],
)
def test_every_floating_type_counts_by_its_bits(
    tmp_path: Path, dtype: str, elements: int, stored_bytes: int
) -> None:
    header = {"w": {"dtype": dtype, "shape": [elements], "data_offsets": [0, stored_bytes]}}
    checkpoint = open_checkpoint(
        write_raw(tmp_path / "a.safetensors", json.dumps(header).encode(), stored_bytes)
    )
    assert (checkpoint.param_count, checkpoint.tensor_bytes) == (elements, stored_bytes)


@pytest.mark.parametrize("dtype", ["U8", "I8", "U16", "I16", "U32", "I32", "U64", "I64", "BOOL"])
def test_whole_numbers_are_no_parameters(tmp_path: Path, dtype: str) -> None:
    size = 1 if dtype == "BOOL" else int(dtype[1:]) // 8
    header = {"w": {"dtype": dtype, "shape": [3], "data_offsets": [0, 3 * size]}}
    checkpoint = open_checkpoint(write_raw(tmp_path / "a.safetensors", json.dumps(header).encode(), 3 * size))
    assert (checkpoint.param_count, checkpoint.buffer_count) == (0, 3)
    assert "no_weights" in codes(checkpoint)


@pytest.mark.parametrize(
    ("claim", "warned"), [("999000000000", True), ("4", False), ("many", False), ("-3", False)]
)
def test_a_total_the_file_claims_is_only_shown(tmp_path: Path, claim: str, warned: bool) -> None:
    path = write_safetensors(
        tmp_path / "a.safetensors", {"w": ("F32", [4])}, __metadata__={"total_parameters": claim}
    )
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 4
    assert ("declared_total" in codes(checkpoint)) is warned


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_LIKELY = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["F32", "I8", "F4", "X"]) | _JSON,
        "shape": st.lists(st.integers(-1, 9), max_size=3) | _JSON,
        "data_offsets": st.lists(st.integers(-1, 40), min_size=2, max_size=2) | _JSON,
    }
)


@given(
    header=st.dictionaries(st.text(max_size=3), _LIKELY | _JSON, max_size=4), data_bytes=st.integers(0, 40)
)
@example(header={"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, data_bytes=8)
def test_a_header_is_read_as_the_library_reads_it_or_refused(
    tmp_path_factory: pytest.TempPathFactory, header: dict[str, Any], data_bytes: int
) -> None:
    """Never more lenient than the reference, except on purpose: a short file, a shared range."""
    path = tmp_path_factory.getbasetemp() / "fuzz.safetensors"
    write_raw(path, json.dumps(header).encode(), data_bytes)
    try:
        checkpoint = open_checkpoint(path)
    except UserError:
        return
    if checkpoint.complete and not checkpoint.tied:
        with safe_open(path, "numpy") as opened:
            assert len(list(opened.keys())) == checkpoint.tensor_count


_VALID = (
    '{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},'
    '"b.c":{"dtype":"I8","shape":[],"data_offsets":[8,9]}}'
)


@given(
    position=st.integers(0, len(_VALID) - 1),
    removed=st.integers(0, 3),
    added=st.text(st.sampled_from('{}[]",:\\ 018abF\u00e9'), max_size=3),
)
@example(position=_VALID.index(',"a"'), removed=1, added="")
@example(position=_VALID.index(',"a"'), removed=1, added=" ")
@example(position=_VALID.index('"a"'), removed=0, added=",")
@example(position=len(_VALID) - 1, removed=0, added=",")
def test_a_damaged_header_is_accepted_only_where_the_library_accepts_it(
    tmp_path_factory: pytest.TempPathFactory, position: int, removed: int, added: str
) -> None:
    text = _VALID[:position] + added + _VALID[position + removed :]
    path = tmp_path_factory.getbasetemp() / "damaged.safetensors"
    write_raw(path, text.encode(), 9)
    try:
        checkpoint = open_checkpoint(path)
    except UserError:
        return
    if checkpoint.complete and not checkpoint.tied:
        with safe_open(path, "numpy") as opened:
            assert len(list(opened.keys())) == checkpoint.tensor_count


@given(content=st.binary(max_size=200), suffix=st.sampled_from([".safetensors", ".pt", "", ".bin"]))
def test_any_bytes_are_refused_in_one_line_or_read(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
    path.write_bytes(content)
    try:
        open_checkpoint(path)
    except UserError as error:
        assert "\n" not in str(error)  # noqa: PT017  # reading is fine too
