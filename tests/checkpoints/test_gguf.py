"""GGUF files that the format's own library writes, and what that library reads from them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from gguf.constants import GGML_QUANT_SIZES

from optmem_gui.checkpoints.contents import Cancelled, Reading
from optmem_gui.checkpoints.dtypes import GGML
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.gguf_config import config_of
from optmem_gui.checkpoints.gguf_header import Array, read_header
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal

LITTLE, BIG = gguf.GGUFEndian.LITTLE, gguf.GGUFEndian.BIG
COUNT = 2 * 96 * 64 + 64 + 2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 160 * 64 + 2 * 64)
LLAMA: dict[str, tuple[int, ...]] = {
    "token_embd.weight": (96, 64),
    "output_norm.weight": (64,),
    "output.weight": (96, 64),
    **{
        f"blk.{layer}.{name}.weight": shape
        for layer in range(2)
        for name, shape in {
            "attn_q": (64, 64),
            "attn_k": (32, 64),
            "attn_v": (32, 64),
            "attn_output": (64, 64),
            "ffn_gate": (160, 64),
            "ffn_up": (160, 64),
            "ffn_down": (64, 160),
            "attn_norm": (64,),
            "ffn_norm": (64,),
        }.items()
    },
}


def write(
    path: Path,
    tensors: Mapping[str, tuple[int, ...]],
    *,
    architecture: str = "llama",
    endian: gguf.GGUFEndian = LITTLE,
    fields: Mapping[str, Any] | None = None,
    vocabulary: int = 0,
    split: int = 0,
) -> Path:
    """A file of fp32 zeros, by the library's own writer."""
    writer = gguf.GGUFWriter(path, architecture, endianess=endian, split_max_tensors=split)
    for key, value in (fields or {}).items():
        if isinstance(value, str):
            writer.add_string(key, value)
        elif isinstance(value, list):
            writer.add_array(key, value)
        else:
            writer.add_uint32(key, value)
    if vocabulary:
        writer.add_token_list([f"token {index}" for index in range(vocabulary)])
        writer.add_token_scores([0.0] * vocabulary)
    for name, shape in tensors.items():
        writer.add_tensor(name, np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def llama_fields(**changes: Any) -> dict[str, Any]:
    return {
        "llama.block_count": 2,
        "llama.embedding_length": 64,
        "llama.feed_forward_length": 160,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        **{f"llama.{key}": value for key, value in changes.items()},
    }


@pytest.mark.parametrize("endian", [LITTLE, BIG])
def test_tensors_are_those_that_the_library_reads(tmp_path: Path, endian: gguf.GGUFEndian) -> None:
    path = write(tmp_path / "tiny.gguf", LLAMA, endian=endian, fields=llama_fields(), vocabulary=96)
    reader = gguf.GGUFReader(path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.format == "gguf"
    assert {(row.name, row.shape) for row in checkpoint.spec.parameters} == {
        (tensor.name, tuple(int(n) for n in reversed(tensor.shape))) for tensor in reader.tensors
    }
    assert checkpoint.param_count == sum(int(tensor.n_elements) for tensor in reader.tensors) == COUNT
    assert checkpoint.tensor_bytes == sum(int(tensor.n_bytes) for tensor in reader.tensors)
    with HeaderFile(path, Reading()) as file:
        assert read_header(file, Reading()).data_start == reader.data_offset
    assert checkpoint.complete
    assert not codes(checkpoint)


def test_every_type_of_the_library_has_its_block(tmp_path: Path) -> None:
    """Its table of (elements a block, bytes a block) is the oracle; one row of 256 elements each."""
    for number, (block, size) in GGML_QUANT_SIZES.items():
        dtype = GGML[int(number)]
        assert (dtype.block, dtype.bytes_for(block)) == (block, size), number
        writer = gguf.GGUFWriter(tmp_path / "one.gguf", "llama")
        row = 256 // block * size
        writer.add_tensor_info("a", [3, row], np.dtype(np.uint8), 3 * row, raw_dtype=number)
        writer.write_header_to_file(tmp_path / "one.gguf")
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        writer.close()
        with (tmp_path / "one.gguf").open("ab") as file:
            file.write(bytes(32 + 3 * row))
        tensor = gguf.GGUFReader(tmp_path / "one.gguf").tensors[0]
        checkpoint = open_checkpoint(tmp_path / "one.gguf")
        assert checkpoint.tensor_bytes == int(tensor.n_bytes)
        assert sum(checkpoint.dtypes.values()) == int(tensor.n_elements) == 3 * 256


def test_blocks_train_as_floats_and_their_bytes_are_said(tmp_path: Path) -> None:
    """Two rows of 256 in q4_k: 2 blocks of 144 bytes."""
    path = tmp_path / "q.gguf"
    path.write_bytes(_header([("blk.0.ffn_up.weight", (256, 2), 12, 0)], data=288))
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.trainable_count, checkpoint.tensor_bytes) == (512, 512, 288)
    reason = next(reason for reason in checkpoint.warnings if reason.key == "checkpoint.gguf_blocks")
    assert reason.values == {"names": "q4_k", "count": 512, "packed_bytes": 288}


def test_a_header_gives_the_dimensions_that_activations_need(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.gguf", LLAMA, fields=llama_fields(), vocabulary=96)
    shape = open_checkpoint(path).architecture
    assert shape is not None
    assert (shape.vocab, shape.hidden, shape.layers, shape.heads, shape.kv_heads) == (96, 64, 2, 4, 2)
    assert (shape.head_dim, shape.ffn, shape.tied_head) == (16, 160, False)
    tied = {name: size for name, size in LLAMA.items() if name != "output.weight"}
    shape = open_checkpoint(write(tmp_path / "tied.gguf", tied, fields=llama_fields())).architecture
    assert shape is not None
    assert shape.tied_head


def test_numbers_that_differ_by_layer_leave_the_dimensions_out(tmp_path: Path) -> None:
    same = write(tmp_path / "same.gguf", LLAMA, fields=llama_fields(**{"attention.head_count_kv": [2, 2]}))
    shape = open_checkpoint(same).architecture
    assert shape is not None
    assert shape.kv_heads == 2
    other = write(tmp_path / "other.gguf", LLAMA, fields=llama_fields(feed_forward_length=[160, 128]))
    checkpoint = open_checkpoint(other)
    assert checkpoint.architecture is None
    assert codes(checkpoint) == {"own_dimensions"}


def test_an_architecture_without_rules_is_said(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(write(tmp_path / "a.gguf", {"t": (4, 4)}, architecture="arwkv7"))
    assert checkpoint.architecture is None
    assert checkpoint.param_count == 16
    assert "unknown_family" in codes(checkpoint)


def test_fields_are_those_that_transformers_takes_them_for() -> None:
    """Its own table for loading GGUF files, wherever it has the architecture and keeps the number.

    Left out: T5 and BLOOM, whose configs have names of their own for all numbers, and numbers that
    it reads and never uses.
    """
    from transformers.integrations.ggml import GGUF_CONFIG_MAPPING

    compared = 0
    for family, table in GGUF_CONFIG_MAPPING.items():
        if family in ("general", "tokenizer", "t5", "umt5", "bloom", "gemma4", "mamba", "minimax_m2", "lfm2"):
            continue
        names = {"qwen2_moe": "qwen2moe", "qwen3_moe": "qwen3moe", "gpt_oss": "gpt-oss"}
        arch = names.get(family, family)
        keys = [key for key, field in table.items() if field is not None and not key.startswith("rope")]
        numbers = {key: 100 + index for index, key in enumerate(keys)}
        said = config_of(
            {"general.architecture": arch, **{f"{arch}.{key}": n for key, n in numbers.items()}}, []
        )
        for key, number in numbers.items():
            if table[key] in (
                "rms_norm_eps",
                "layer_norm_eps",
                "layer_norm_epsilon",
                "norm_epsilon",
                "norm_eps",
            ):
                continue
            if key in ("attention.sliding_window", "sliding_window") or (arch, key) in UNUSED:
                continue
            assert said[table[key]] == number, (arch, key)
            compared += 1
    assert compared > 80


UNUSED = {("gpt2", "feed_forward_length"), ("gpt2", "context_length")}
"""The config of GPT-2 has ``n_positions`` and ``n_inner`` in place of what the table calls them."""


def test_experts_that_a_token_does_not_visit_are_idle(tmp_path: Path) -> None:
    """Mixtral under its name in GGUF: 4 experts of 3 x 64 x 160, of which a token visits 2, in 2 layers."""
    moe = {name: shape for name, shape in LLAMA.items() if ".ffn_" not in name}
    for layer in range(2):
        moe |= {
            f"blk.{layer}.ffn_gate_inp.weight": (4, 64),
            f"blk.{layer}.ffn_gate_exps.weight": (4, 160, 64),
            f"blk.{layer}.ffn_up_exps.weight": (4, 160, 64),
            f"blk.{layer}.ffn_down_exps.weight": (4, 64, 160),
            f"blk.{layer}.ffn_norm.weight": (64,),
        }
    fields = llama_fields(expert_count=4, expert_used_count=2)
    checkpoint = open_checkpoint(write(tmp_path / "moe.gguf", moe, fields=fields))
    assert checkpoint.idle_count == 2 * 2 * 3 * 64 * 160
    roles = {row.name.split(".")[-2]: row.role.value for row in checkpoint.spec.parameters}
    assert (roles["ffn_gate_exps"], roles["ffn_gate_inp"], roles["token_embd"]) == (
        "expert",
        "router",
        "embedding",
    )


def test_the_title_is_the_name_and_the_mix_of_types(tmp_path: Path) -> None:
    fields = {"general.name": "Tiny Llama", "general.file_type": 15}
    assert (
        open_checkpoint(write(tmp_path / "a.gguf", {"t": (4,)}, fields=fields)).title == "Tiny Llama (Q4_K_M)"
    )
    assert open_checkpoint(write(tmp_path / "b.gguf", {"t": (4,)})).title == "b"


def test_a_vocabulary_alone_is_said_to_be_one(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(write(tmp_path / "vocab.gguf", {}, vocabulary=100))
    assert checkpoint.param_count == 0
    assert codes(checkpoint) == {"vocabulary_only", "no_tensors"}


def test_an_adapter_and_an_image_tower_are_no_language_models(tmp_path: Path) -> None:
    lora = {"blk.0.attn_q.weight.lora_a": (8, 64), "blk.0.attn_q.weight.lora_b": (64, 8)}
    adapter = open_checkpoint(write(tmp_path / "lora.gguf", lora, fields={"general.type": "adapter"}))
    assert adapter.param_count == 2 * 8 * 64
    assert "adapter_only" in codes(adapter)
    assert "own_dimensions" not in codes(adapter)
    tower = write(tmp_path / "mmproj.gguf", {"v.blk.0.attn_q.weight": (64, 64)}, architecture="clip")
    assert not codes(open_checkpoint(tower))


def test_a_split_set_is_one_model(tmp_path: Path) -> None:
    write(tmp_path / "tiny.gguf", LLAMA, fields=llama_fields(), split=8)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"tiny-{index:05d}-of-00003.gguf" for index in (1, 2, 3)]
    for opened in (tmp_path / names[0], tmp_path / names[2], tmp_path):
        checkpoint = open_checkpoint(opened)
        assert (checkpoint.param_count, checkpoint.file_count) == (COUNT, 3)
        assert checkpoint.architecture is not None
        assert not checkpoint.architecture.tied_head
        assert checkpoint.complete
        assert not codes(checkpoint)


def test_missing_and_renamed_parts_are_said(tmp_path: Path) -> None:
    write(tmp_path / "tiny.gguf", LLAMA, fields=llama_fields(), split=8)
    second = tmp_path / "tiny-00002-of-00003.gguf"
    second.rename(tmp_path / "renamed.gguf")
    checkpoint = open_checkpoint(tmp_path / "tiny-00001-of-00003.gguf")
    assert not checkpoint.complete
    assert "shards_missing" in codes(checkpoint)
    lone = open_checkpoint(tmp_path / "renamed.gguf")
    assert not lone.complete
    assert "gguf_part" in codes(lone)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def _header(
    tensors: list[tuple[str, tuple[int, ...], int, int]],
    *,
    fields: bytes = b"",
    count: int = 0,
    data: int = 0,
) -> bytes:
    """A version 3 header by hand: dimensions innermost first, as they stand in the file."""
    raw = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), count) + fields
    for name, shape, kind, offset in tensors:
        raw += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
    return raw + bytes(-len(raw) % 32 + data)


def test_what_makes_no_sense_is_refused_by_its_cause(tmp_path: Path) -> None:
    one = ("a", (8,), 0, 0)
    alignment = _text("general.alignment") + struct.pack("<II", 4, 0)
    cases = {
        "gguf_version": b"GGUF" + struct.pack("<IQQ", 9, 0, 0),
        "header_ends": _header([one])[:40],
        "gguf_alignment": _header([one], fields=alignment, count=1, data=32),
        "header_senseless": _header([one], fields=_text("k") + struct.pack("<I", 77), count=1, data=32),
        "duplicate_name": _header([one, ("a", (8,), 0, 32)], data=64),
        "overlap": _header([one, ("b", (8,), 0, 16)], data=64),
        "partial_block": _header([("a", (100,), 12, 0)], data=144),
        "unknown_type_size": _header([("a", (1000,), 99, 0)], data=32),
        "data_absent": _header([("a", (1 << 20,), 0, 0)], data=32),
        "too_many_dimensions": _header([("a", (1, 1, 1, 1, 8), 0, 0)], data=32),
    }
    for code, raw in cases.items():
        path = tmp_path / "bad.gguf"
        path.write_bytes(raw)
        assert refusal(path).code == f"checkpoint.{code}"


def test_the_same_key_twice_is_refused(tmp_path: Path) -> None:
    field = _text("k") + struct.pack("<II", 4, 1)
    path = tmp_path / "bad.gguf"
    path.write_bytes(_header([], fields=field * 2, count=2, data=64))
    assert refusal(path).code == "checkpoint.header_senseless"


def test_a_cut_file_is_counted_from_its_header(tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(_header([("a", (8,), 0, 0)], data=30))
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.complete) == (8, False)
    assert codes(checkpoint) == {"truncated"}


def test_zero_elements_are_zero_parameters(tmp_path: Path) -> None:
    path = tmp_path / "zero.gguf"
    path.write_bytes(_header([("a", (0, 8), 0, 0)], data=32))
    assert open_checkpoint(path).param_count == 0


def test_long_arrays_are_stepped_over_and_a_stop_is_heard(tmp_path: Path) -> None:
    path = write(tmp_path / "vocab.gguf", {"t": (4,)}, vocabulary=60_000)
    with HeaderFile(path, Reading()) as file:
        header = read_header(file, Reading())
    assert header.fields["tokenizer.ggml.tokens"] == Array(60_000)
    assert header.tensors[0].shape == (4,)
    asked = iter([False, False])
    with pytest.raises(Cancelled):
        open_checkpoint(path, cancelled=lambda: next(asked, True))


def test_scores_are_not_read_at_all(tmp_path: Path) -> None:
    """A million numbers, 4 MB, between two fields: less than half of that is read."""
    path = write(tmp_path / "a.gguf", {"t": (4,)}, fields={"x.numbers": [7] * 1_000_000})
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 4
    assert checkpoint.bytes_read < 500_000 < path.stat().st_size
