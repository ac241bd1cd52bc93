"""Configs alone: by the rules here, and by asking the model's own library."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from optmem_gui.checkpoints.contents import Cancelled, Progress
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.describing import DescribedTensor, DescribeReport
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Source
from tests.architectures.small_configs import BASE, OTHERS

REPORT = DescribeReport(
    "transformers 5.24.0",
    "OddForCausalLM",
    (
        DescribedTensor("model.embed_tokens.weight", (96, 32), "bf16"),
        DescribedTensor("model.layers.0.mlp.experts.gate_up_proj", (4, 64, 32), "bf16"),
        DescribedTensor("model.positions.weight", (10, 32), "bf16", trainable=False),
    ),
    (DescribedTensor("model.mask", (8, 8), "bool", trainable=False),),
    (("lm_head.weight", "model.embed_tokens.weight"),),
)
ODD = {"model_type": "odd", "num_experts": 4, "num_experts_per_tok": 1}


def write(folder: Path, config: dict[str, Any]) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def library(asked: list[str]) -> Callable[[str, Callable[[], bool]], DescribeReport]:
    """A library that knows one model."""

    def build(config: str, cancelled: Callable[[], bool]) -> DescribeReport:
        assert not cancelled()
        asked.append(config)
        return REPORT

    return build


def test_an_unknown_family_is_built_by_its_library(tmp_path: Path) -> None:
    asked: list[str] = []
    heard: list[Progress] = []
    checkpoint = open_checkpoint(write(tmp_path, ODD), build=library(asked), progress=heard.append)
    assert [json.loads(text) for text in asked] == [ODD]
    assert heard[-1] == Progress("config.json", 0, 0)
    assert checkpoint.source is Source.CONFIG
    assert checkpoint.param_count == 96 * 32 + 4 * 64 * 32 + 10 * 32
    assert checkpoint.trainable_count == checkpoint.param_count - 10 * 32
    assert checkpoint.buffer_bytes == 64
    assert checkpoint.tied == REPORT.tied
    assert checkpoint.idle_count == 3 * 64 * 32  # a token visits one of four experts
    assert checkpoint.spec.idle_count == checkpoint.idle_count
    assert [reason.key for reason in checkpoint.warnings] == [
        "checkpoint.config_only",
        "config.built_by",
        "config.unknown_family",
    ]


def test_a_known_family_asks_nobody(tmp_path: Path) -> None:
    asked: list[str] = []
    path = write(tmp_path, {"model_type": "llama", **BASE})
    assert open_checkpoint(path, build=library(asked)).param_count == open_checkpoint(path).param_count
    assert not asked


def test_without_a_library_the_family_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"family odd is not known here.*transformers"):
        open_checkpoint(write(tmp_path, ODD))


def test_what_the_library_refuses_is_the_answer(tmp_path: Path) -> None:
    def build(config: str, cancelled: Callable[[], bool]) -> DescribeReport:
        raise UserError("source.unknown_family", family="odd", version="5.24.0")

    with pytest.raises(UserError, match=r"transformers 5\.24\.0 does not know odd"):
        open_checkpoint(write(tmp_path, ODD), build=build)


def test_a_stop_while_the_library_builds(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        open_checkpoint(write(tmp_path, ODD), build=lambda config, cancelled: None)


def test_of_a_model_with_several_parts_the_language_part_is_known_without_the_library(tmp_path: Path) -> None:
    config = {"model_type": "llava", "text_config": {"model_type": "llama", **BASE}, "vision_config": {}}
    path = write(tmp_path, config)

    def build(given: str, cancelled: Callable[[], bool]) -> DescribeReport:
        raise UserError("source.no_transformers", cause="No module named 'transformers'")

    alone, refused = open_checkpoint(path), open_checkpoint(path, build=build)
    assert alone.param_count == refused.param_count
    assert "config.text_part_only" in [reason.key for reason in refused.warnings]
    whole = open_checkpoint(path, build=library([]))
    assert whole.param_count == 96 * 32 + 4 * 64 * 32 + 10 * 32
    assert whole.architecture == alone.architecture
    assert "config.text_part_only" not in [reason.key for reason in whole.warnings]


def test_what_a_class_keeps_and_freezes_is_told_apart(tmp_path: Path) -> None:
    resnet = open_checkpoint(write(tmp_path, OTHERS["resnet"]))
    counters = sum(1 for buffer in resnet.spec.buffers if buffer.name.endswith("num_batches_tracked"))
    channels = sum(tensor.numel for tensor in resnet.spec.parameters if "normalization.weight" in tensor.name)
    assert resnet.buffer_count == 2 * channels + counters  # a mean, a variance, a counter
    whisper = open_checkpoint(write(tmp_path, OTHERS["whisper"]))
    assert whisper.param_count - whisper.trainable_count == 1500 * 32


def test_a_folder_of_diffusers_without_weights(tmp_path: Path) -> None:
    write(tmp_path, {"_class_name": "AutoencoderKL", "block_out_channels": [32, 64]})
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.source is Source.CONFIG
    assert checkpoint.param_count > 0
