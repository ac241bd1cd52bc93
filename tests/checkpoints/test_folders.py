from __future__ import annotations

import gc
import json
import os
from pathlib import Path

import pytest
import torch
from torch import nn

from optmem_gui.checkpoints.contents import Cancelled
from optmem_gui.checkpoints.folders import MAX_ENTRIES
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import (
    FIRST,
    NAMES,
    SECOND,
    TOTAL,
    WEIGHT_MAP,
    codes,
    refusal,
    write_index,
    write_safetensors,
)


def _lfs(path: Path, size: int) -> None:
    path.write_text(
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize {size}\n", encoding="ascii"
    )


def test_the_index_wins_over_a_stray_file_which_is_listed(sharded: Path) -> None:
    write_safetensors(sharded / "model.safetensors", FIRST)
    write_safetensors(sharded / "consolidated.safetensors", {**FIRST, **SECOND})
    torch.save({"embed": torch.zeros(100, 10)}, sharded / "pytorch_model.bin")
    (sharded / "tf_model.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    (sharded / "flax_model.msgpack").write_bytes(b"\x81")
    (sharded / "original").mkdir()
    write_safetensors(sharded / "original" / "consolidated.00.safetensors", FIRST)
    checkpoint = open_checkpoint(sharded)
    assert checkpoint.param_count == TOTAL
    assert codes(checkpoint) == {"files_ignored"}
    assert checkpoint.warnings[0].values["count"] == 6


def test_a_stale_index_gives_way_to_the_file_that_is_there(sharded: Path) -> None:
    for name in NAMES:
        (sharded / name).unlink()
    write_safetensors(sharded / "model.safetensors", FIRST)
    checkpoint = open_checkpoint(sharded)
    assert checkpoint.param_count == 1000
    assert "index_without_shards" in codes(checkpoint)


def test_a_trainers_folder_shows_the_optimizer_beside_the_model(tmp_path: Path) -> None:
    model = nn.Linear(4, 3)
    adamw = torch.optim.AdamW(model.parameters())
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    adamw.step()
    write_safetensors(tmp_path / "model.safetensors", {"weight": ("F32", [3, 4]), "bias": ("F32", [3])})
    torch.save(adamw.state_dict(), tmp_path / "optimizer.pt")
    torch.save({"last": torch.zeros(1)}, tmp_path / "scheduler.pt")
    torch.save({"cpu": torch.get_rng_state()}, tmp_path / "rng_state.pth")
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == 15
    assert checkpoint.optimizer is not None
    assert (checkpoint.optimizer.kind, checkpoint.optimizer.element_count) == ("adam", 30)
    assert codes(checkpoint) == {"trainer_files"}


def test_a_git_lfs_pointer_is_named_with_the_size_of_what_is_missing(tmp_path: Path) -> None:
    for name in ("model.safetensors", "model.pt", "blob"):
        _lfs(tmp_path / name, 4_932_504_264)
        error = refusal(tmp_path / name)
        assert error.code == "checkpoint.lfs_pointer"
        assert "Git LFS pointer" in str(error)
        assert "4.59 GiB" in str(error)


LLAMA = {
    "model_type": "llama",
    "vocab_size": 100,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "torch_dtype": "bfloat16",
}
LLAMA_COUNT = 2 * 100 * 16 + 16 + 2 * (2 * 16 * 16 + 2 * 8 * 16 + 3 * 16 * 32 + 2 * 16)


def test_a_folder_of_pointers_still_gives_the_count_of_its_config(tmp_path: Path) -> None:
    for name in NAMES:
        _lfs(tmp_path / name, 2_000_000)
    write_index(tmp_path, WEIGHT_MAP, total_size=4_000_000)
    error = refusal(tmp_path)
    assert error.code == "checkpoint.lfs_pointers"
    assert error.reason.values["size_bytes"] == 4_000_000
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == LLAMA_COUNT
    assert not checkpoint.complete
    assert codes(checkpoint) == {"lfs_pointers", "config_only"}
    assert "nothing was read from weights" in " ".join(map(str, checkpoint.warnings))


def test_a_config_alone_gives_exact_numbers(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA), encoding="utf-8")
    for path in (tmp_path, config):
        checkpoint = open_checkpoint(path)
        assert checkpoint.param_count == LLAMA_COUNT
        assert checkpoint.format == "config"
        assert checkpoint.dtypes == {"bf16": LLAMA_COUNT}
        assert checkpoint.architecture is not None
        assert checkpoint.bytes_read == config.stat().st_size


def test_a_config_beside_weights_gives_the_architecture(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    spec = open_checkpoint(tmp_path).spec
    entries = {tensor.name: ("BF16", list(tensor.shape)) for tensor in spec.parameters}
    write_safetensors(tmp_path / "model.safetensors", entries)
    for path in (tmp_path, tmp_path / "model.safetensors"):
        checkpoint = open_checkpoint(path)
        assert checkpoint.architecture is not None
        assert checkpoint.architecture.layers == 2
        assert checkpoint.param_count == LLAMA_COUNT
        assert not checkpoint.warnings
    write_safetensors(tmp_path / "model.safetensors", {**entries, "extra.weight": ("BF16", [5])})
    assert codes(open_checkpoint(tmp_path)) == {"config_differs"}


def test_a_head_saved_although_it_is_tied_counts_once(tmp_path: Path) -> None:
    config = {**LLAMA, "tie_word_embeddings": True}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tied = open_checkpoint(tmp_path)
    entries = {tensor.name: ("BF16", list(tensor.shape)) for tensor in tied.spec.parameters}
    entries["lm_head.weight"] = ("BF16", [100, 16])
    write_safetensors(tmp_path / "model.safetensors", entries)
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == tied.param_count == LLAMA_COUNT - 100 * 16
    assert checkpoint.tied == (("lm_head.weight", "model.embed_tokens.weight"),)
    assert codes(checkpoint) == {"head_saved"}


def test_parts_beyond_the_language_model_are_no_contradiction(tmp_path: Path) -> None:
    config = {
        "model_type": "llava",
        "text_config": {**LLAMA, "model_type": "mistral", "theta": float("inf")},
    }
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    entries = {"language_model.model.norm.weight": ("BF16", [16]), "vision_tower.patch": ("BF16", [16, 3])}
    write_safetensors(tmp_path / "model.safetensors", entries)
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == 16 * 4
    assert checkpoint.architecture is not None
    assert codes(checkpoint) == {"text_part_only"}


@pytest.mark.parametrize(
    ("config", "code"),
    [("{}", None), ('{"model_type":"odd"}', "unknown_family"), ('{"model_type":"llama"}', "not_used")],
)
def test_a_config_that_is_no_help_does_not_hide_the_weights(
    tmp_path: Path, config: str, code: str | None
) -> None:
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    write_safetensors(tmp_path / "model.safetensors", FIRST)
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == 1000
    assert checkpoint.architecture is None
    assert codes(checkpoint) == ({code} if code else set())


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ("", "config.not_json"),
        ("[1]", "config.not_json"),
        ('{"a":' + "[" * 60_000 + "]" * 60_000 + "}", "checkpoint.nested_too_deeply"),
        ('{"model_type":"odd"}', "config.family_not_built"),
        ("{}", "config.no_family"),
        ('{"model_type":"llama"}', "config.missing_field"),
        (json.dumps({**LLAMA, "num_hidden_layers": -1}), "config.bad_field"),
        (json.dumps({**LLAMA, "num_hidden_layers": 10**9}), "config.bad_field"),
        (json.dumps({**LLAMA, "hidden_size": "wide"}), "config.bad_field"),
    ],
)
def test_a_bad_config_alone_is_refused(tmp_path: Path, config: str, code: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(config, encoding="utf-8")
    assert refusal(path).code == code


def _cache(root: Path, revisions: list[str]) -> Path:
    """A Hugging Face cache folder: snapshots of links to blobs without a suffix."""
    folder = root / "models--owner--name"
    (folder / "blobs").mkdir(parents=True)
    (folder / "refs").mkdir()
    write_safetensors(folder / "blobs" / "0a1b", FIRST)
    for revision in revisions:
        snapshot = folder / "snapshots" / revision
        snapshot.mkdir(parents=True)
        (snapshot / "model.safetensors").symlink_to("../../blobs/0a1b")
    return folder


def test_the_cache_of_hugging_face_is_followed(tmp_path: Path) -> None:
    folder = _cache(tmp_path, ["abc"])
    for path in (folder, folder / "snapshots" / "abc", folder / "blobs" / "0a1b"):
        assert open_checkpoint(path).param_count == 1000
    assert open_checkpoint(folder).title == "owner/name"


def test_of_two_snapshots_main_is_taken_and_without_it_none(tmp_path: Path) -> None:
    folder = _cache(tmp_path, ["abc", "def"])
    assert refusal(folder).code == "checkpoint.several_snapshots"
    (folder / "refs" / "main").write_text("def\n", encoding="ascii")
    (folder / "snapshots" / "abc" / "model.safetensors").unlink()
    assert open_checkpoint(folder).param_count == 1000


def test_a_dangling_link_is_a_file_missing_in_the_cache(tmp_path: Path) -> None:
    folder = _cache(tmp_path, ["abc"])
    (folder / "blobs" / "0a1b").unlink()
    error = refusal(folder)
    assert error.code == "checkpoint.dangling_link"
    assert "missing in the cache" in str(error)


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "model.safetensors").symlink_to(tmp_path / "other.safetensors")
    (tmp_path / "other.safetensors").symlink_to(tmp_path / "model.safetensors")
    assert refusal(tmp_path / "model.safetensors").code == "checkpoint.unreadable"
    assert refusal(tmp_path).code == "checkpoint.unreadable"


def test_a_folder_without_weights_says_what_would_do(tmp_path: Path) -> None:
    assert refusal(tmp_path).code == "checkpoint.no_weights_there"
    (tmp_path / "model.ggml").write_bytes(b"lmgg")
    assert refusal(tmp_path).code == "checkpoint.only_other_formats"
    (tmp_path / "checkpoint-500").mkdir()
    write_safetensors(tmp_path / "checkpoint-500" / "model.safetensors", FIRST)
    error = refusal(tmp_path)
    assert error.code == "checkpoint.weights_below"
    assert "checkpoint-500/" in str(error)


def test_several_checkpoints_are_not_added_up(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "a.safetensors", FIRST)
    assert open_checkpoint(tmp_path).param_count == 1000
    write_safetensors(tmp_path / "b.safetensors", SECOND)
    error = refusal(tmp_path)
    assert error.code == "checkpoint.several_checkpoints"
    assert "a.safetensors, b.safetensors" in str(error)


def test_a_folder_of_tens_of_thousands_of_entries_is_refused(tmp_path: Path) -> None:
    for index in range(MAX_ENTRIES + 1):
        os.close(os.open(tmp_path / str(index), os.O_CREAT))
    assert refusal(tmp_path).code == "checkpoint.folder_too_large"


def test_an_adapter_alone_asks_for_its_base(tmp_path: Path) -> None:
    prefix = "base_model.model.transformer.h.0.attn.q_proj"
    entries = {f"{prefix}.lora_A.weight": ("F32", [8, 768]), f"{prefix}.lora_B.weight": ("F32", [768, 8])}
    write_safetensors(tmp_path / "adapter_model.safetensors", entries)
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.trainable_count == 2 * 8 * 768
    assert codes(checkpoint) == {"adapter_only", "adapter"}
    assert "add the base model" in str(checkpoint.warnings[0])


@pytest.mark.parametrize("name", ["模型 ü", "a b%20c", "néw\udcff"])
def test_any_path_the_system_allows_is_opened(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    try:
        folder.mkdir()
    except (OSError, UnicodeError):
        pytest.skip("this file system does not take such a name")
    path = write_safetensors(folder / f"{name}.safetensors", FIRST)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 1000
    path.write_bytes(b"x")
    str(refusal(path)).encode("utf-8")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_refused_without_waiting_for_its_other_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.safetensors")
    for path in (tmp_path, tmp_path / "model.safetensors", Path("/dev/zero")):
        assert refusal(path).code in ("checkpoint.not_a_file", "checkpoint.no_weights_there")


def test_a_file_with_a_plain_name_is_called_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "llama-tiny"
    folder.mkdir()
    assert open_checkpoint(write_safetensors(folder / "model.safetensors", FIRST)).title == "llama-tiny"
    assert open_checkpoint(write_safetensors(folder / "mine.v2.safetensors", FIRST)).title == "mine.v2"


def test_missing_and_unreadable_paths_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no.safetensors").code == "checkpoint.not_found"
    assert refusal(tmp_path / "no" / "config.json").code == "checkpoint.not_found"
    assert refusal(tmp_path / ("x" * 300)).code == "checkpoint.unreadable"
    assert refusal(tmp_path / "a\0b.pt").code == "checkpoint.unreadable"
    unknown = tmp_path / "notes.txt"
    unknown.write_text("hello, this is a text", encoding="utf-8")
    assert refusal(unknown).code == "checkpoint.unknown_format"


def test_a_long_pickle_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "long.pt"
    torch.save({f"k{i}": i for i in range(60_000)}, path)
    calls = iter(range(1000))
    with pytest.raises(Cancelled):
        open_checkpoint(path, cancelled=lambda: next(calls) >= 3)


def test_the_collector_runs_again_after_a_reading_and_after_a_refusal(tmp_path: Path) -> None:
    path = write_safetensors(tmp_path / "model.safetensors", FIRST)
    during: list[bool] = []
    open_checkpoint(path, progress=lambda _: during.append(gc.isenabled()))
    assert during == [False]
    assert gc.isenabled()
    refusal(tmp_path / "no.safetensors")
    assert gc.isenabled()
    gc.disable()
    try:
        open_checkpoint(path)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_adapters_config_opens_the_adapter_beside_it(tmp_path: Path) -> None:
    """People drop the small file of the pair; alone it says plainly that the weights are not there."""
    config = tmp_path / "adapter_config.json"
    config.write_text(
        json.dumps({"peft_type": "LORA", "r": 2, "target_modules": ["q_proj"]}), encoding="utf-8"
    )
    assert refusal(config).code == "checkpoint.no_weights_there"
    pair = {"a.q_proj.lora_A.weight": ("F32", [2, 8]), "a.q_proj.lora_B.weight": ("F32", [4, 2])}
    write_safetensors(tmp_path / "adapter_model.safetensors", pair)
    assert open_checkpoint(config).param_count == 2 * 8 + 4 * 2


def test_some_other_json_is_no_models_config(tmp_path: Path) -> None:
    other = tmp_path / "tokenizer.json"
    other.write_text('{"version": "1.0"}', encoding="utf-8")
    error = refusal(other)
    assert error.code == "config.no_family"
    assert str(error).startswith("tokenizer.json")
