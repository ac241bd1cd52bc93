from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from optmem_gui.checkpoints import shards as shards_module
from optmem_gui.checkpoints.contents import Cancelled, Progress
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import (
    FIRST,
    NAMES,
    SECOND,
    TOTAL,
    TOTAL_BYTES,
    WEIGHT_MAP,
    codes,
    data_size,
    header_of,
    refusal,
    write_index,
    write_raw,
    write_safetensors,
)


def test_a_sharded_folder_is_one_model(sharded: Path) -> None:
    checkpoint = open_checkpoint(sharded)
    assert (checkpoint.param_count, checkpoint.tensor_bytes, checkpoint.file_count) == (TOTAL, TOTAL_BYTES, 2)
    assert checkpoint.complete
    assert not checkpoint.warnings
    headers = sum((sharded / name).stat().st_size for name in NAMES) - TOTAL_BYTES
    index = (sharded / "model.safetensors.index.json").stat().st_size
    assert checkpoint.bytes_read == headers + index


@pytest.mark.parametrize("chosen", [*NAMES, "model.safetensors.index.json"])
def test_any_file_of_a_set_opens_the_set(sharded: Path, chosen: str) -> None:
    assert open_checkpoint(sharded / chosen).param_count == TOTAL


def test_a_missing_shard_makes_the_count_partial(sharded: Path) -> None:
    (sharded / NAMES[1]).unlink()
    checkpoint = open_checkpoint(sharded)
    assert checkpoint.param_count == 1000
    assert not checkpoint.complete
    assert f"1 of 2 shards missing: {NAMES[1]}" in str(checkpoint.warnings[0])
    promise = checkpoint.warnings[1]
    assert (promise.values["promised_bytes"], promise.values["estimate_count"]) == (TOTAL_BYTES, TOTAL)
    assert "estimated 2,010 parameters" in str(promise)
    write_index(sharded, WEIGHT_MAP, total_size=0)
    assert codes(open_checkpoint(sharded)) == {"shards_missing"}


def test_an_index_without_any_shard_is_refused_with_what_it_promises(sharded: Path) -> None:
    for name in NAMES:
        (sharded / name).unlink()
    error = refusal(sharded)
    assert error.code == "checkpoint.no_shard_promised"
    assert "3.93 KiB, about 2,010 parameters if each takes 2 bytes" in str(error)
    write_index(sharded, WEIGHT_MAP, total_size=0)
    error = refusal(sharded)
    assert error.code == "checkpoint.no_shard_there"
    assert " 0 " not in str(error)


@pytest.mark.parametrize(
    ("total", "warning"),
    [
        (TOTAL_BYTES, ""),
        (float(TOTAL_BYTES), ""),
        (str(TOTAL_BYTES), ""),
        (999999, "index_total_size"),
        (0, "index_no_total"),
        ("many", "index_no_total"),
        (None, "index_no_total"),
        (-1, "index_no_total"),
        (True, "index_no_total"),
        ([1], "index_no_total"),
    ],
)
def test_headers_beat_the_total_of_the_index(sharded: Path, total: object, warning: str) -> None:
    write_index(sharded, WEIGHT_MAP, total_size=total)
    checkpoint = open_checkpoint(sharded)
    assert (checkpoint.param_count, checkpoint.tensor_bytes) == (TOTAL, TOTAL_BYTES)
    assert codes(checkpoint) == ({warning} if warning else set())
    assert not any(" 0 B" in str(reason) for reason in checkpoint.warnings)


def test_an_index_and_headers_that_disagree_are_reported(sharded: Path) -> None:
    write_index(sharded, {**WEIGHT_MAP, "norm": NAMES[0], "gone": NAMES[1]}, total_size=TOTAL_BYTES)
    checkpoint = open_checkpoint(sharded)
    assert checkpoint.param_count == TOTAL
    assert codes(checkpoint) == {"index_stray", "index_lacking"}
    assert not checkpoint.complete


def test_a_tensor_in_two_shards_is_refused_by_name(sharded: Path) -> None:
    write_safetensors(sharded / NAMES[1], {**SECOND, **FIRST})
    error = refusal(sharded)
    assert error.code == "checkpoint.tensor_in_two_files"
    assert "embed" in str(error)


@pytest.mark.parametrize("file", ["../secret.safetensors", "a/b.safetensors", "..", "", "c\\d.safetensors"])
def test_an_index_cannot_lead_out_of_its_folder(sharded: Path, file: str) -> None:
    write_index(sharded, {"embed": file})
    assert refusal(sharded).code == "checkpoint.index_leaves_folder"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad_index"),
        ("[]", "bad_index"),
        ("{}", "bad_index"),
        ('{"weight_map": []}', "bad_index"),
        ('{"weight_map": {"a": 1}}', "bad_index"),
        ('{"weight_map":' + "[" * 60_000, "bad_index"),
        ('{"extra":' + "[" * 60_000, "nested_too_deeply"),
    ],
)
def test_a_bad_index_is_refused(sharded: Path, text: str, code: str) -> None:
    (sharded / "model.safetensors.index.json").write_text(text, encoding="utf-8")
    assert refusal(sharded).code == f"checkpoint.{code}"


def test_an_index_of_half_a_million_names_is_read(tmp_path: Path) -> None:
    write_index(tmp_path, {f"layers.{i}.weight": f"m-{i % 96:05d}.safetensors" for i in range(500_000)})
    assert refusal(tmp_path).code == "checkpoint.no_shard_there"


def test_an_index_beyond_the_limit_is_refused_unread(sharded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards_module, "MAX_INDEX_BYTES", 50)
    assert refusal(sharded).code == "checkpoint.file_too_large"


@pytest.mark.parametrize(
    "pattern", ["model-{:05d}-of-{:05d}", "model_{:05d}-of-{:05d}", "model-{:05d}-of-{:06d}"]
)
def test_numbered_shards_need_no_index(tmp_path: Path, pattern: str) -> None:
    for number, entries in ((1, FIRST), (2, SECOND)):
        write_safetensors(tmp_path / f"{pattern.format(number, 3)}.safetensors", entries)
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == TOTAL
    assert not checkpoint.complete
    assert f"1 of 3 shards missing: {pattern.format(3, 3)}.safetensors" in str(checkpoint.warnings[0])


def test_sharded_torch_files_with_an_index(tmp_path: Path) -> None:
    torch.save({"a.weight": torch.zeros(3, 3)}, tmp_path / "pytorch_model-00001-of-00002.bin")
    torch.save({"b.weight": torch.zeros(2)}, tmp_path / "pytorch_model-00002-of-00002.bin")
    index = {
        "metadata": {"total_size": 44},
        "weight_map": {f"{n}.weight": f"pytorch_model-0000{i}-of-00002.bin" for i, n in ((1, "a"), (2, "b"))},
    }
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    checkpoint = open_checkpoint(tmp_path)
    assert (checkpoint.param_count, checkpoint.format, checkpoint.warnings) == (11, "torch-zip", ())


def test_progress_names_every_file_and_a_stop_is_heard(sharded: Path) -> None:
    steps: list[Progress] = []
    open_checkpoint(sharded, progress=steps.append)
    assert [(step.file, step.done_count, step.total_count) for step in steps] == [
        (NAMES[0], 0, 2),
        (NAMES[1], 1, 2),
    ]
    asked = iter([False, False, True])
    seen: list[Progress] = []
    with pytest.raises(Cancelled):
        open_checkpoint(sharded, progress=seen.append, cancelled=lambda: next(asked, True))
    assert len(seen) <= 1


def test_the_data_of_a_shard_is_never_touched(tmp_path: Path) -> None:
    """A shard of 8 GiB, almost all of it a hole: opening reads its header only."""
    header = header_of({"w": ("BF16", [65536, 65536])})
    path = tmp_path / "model.safetensors"
    write_raw(path, json.dumps(header).encode(), data_size(header))
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 2**32
    assert checkpoint.bytes_read == 8 + len(json.dumps(header))
