"""Models from configs on the meta device: what is listed is what the library's own object holds."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
import torch
from transformers import AutoConfig, LlavaForConditionalGeneration

from optmem_gui.core.describing import DescribeReport, DescribeRequest
from optmem_gui.core.protocol import Failed, Progress, decode, encode
from optmem_gui.worker.describe import describe

TINY = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 4}
LLAVA = {
    "model_type": "llava",
    "architectures": ["LlavaForConditionalGeneration"],
    "text_config": {"model_type": "llama", "vocab_size": 96, "num_key_value_heads": 2, **TINY},
    "vision_config": {"model_type": "clip_vision_model", "image_size": 32, "patch_size": 8, **TINY},
}


def _described(config: Any) -> DescribeReport | Failed:
    heard: list[Progress] = []
    report = describe(DescribeRequest(json.dumps(config)), heard.append)
    assert [one.stage for one in heard] == ["build"]
    return report


def test_names_shapes_types_buffers_and_ties_are_the_librarys() -> None:
    report = _described({**LLAVA, "dtype": "float16"})
    assert isinstance(report, DescribeReport)
    values = {key: value for key, value in LLAVA.items() if key != "model_type"}
    with torch.device("meta"):
        model = LlavaForConditionalGeneration(AutoConfig.for_model("llava", **values))
    assert [(one.name, one.shape) for one in report.parameters] == [
        (name, tuple(p.shape)) for name, p in model.named_parameters()
    ]
    assert {one.dtype for one in report.parameters} == {"fp16"}
    assert [(one.name, one.shape) for one in report.buffers] == [
        (name, tuple(b.shape)) for name, b in model.named_buffers()
    ]
    distinct = {id(p): name for name, p in model.named_parameters()}
    every = model.named_parameters(remove_duplicate=False)
    assert set(report.tied) == {(name, distinct[id(p)]) for name, p in every if distinct[id(p)] != name}


def test_a_report_travels_as_one_line() -> None:
    report = _described(LLAVA)
    assert isinstance(report, DescribeReport)
    assert decode(encode(report)) == report


def test_what_the_class_freezes_is_frozen() -> None:
    whisper = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "vocab_size": 96}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    report = _described(
        {
            "model_type": "whisper",
            "architectures": ["WhisperForConditionalGeneration"],
            **whisper,
            **heads,
            **special,
        }
    )
    assert isinstance(report, DescribeReport)
    frozen = [one.name for one in report.parameters if not one.trainable]
    assert frozen == ["model.encoder.embed_positions.weight"]


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ([], "source.no_config"),
        ({"model_type": "mine", "auto_map": {"AutoConfig": "mine.Config"}}, "source.own_code"),
        ({"model_type": "mine"}, "source.unknown_family"),
        ({**LLAVA, "vision_config": {"model_type": "mine"}}, "source.config_refused"),
        ({"model_type": "llama", **TINY, "hidden_size": "wide"}, "source.config_refused"),
    ],
)
def test_a_config_that_cannot_be_built_is_one_line(config: Any, key: str) -> None:
    answer = _described(config)
    assert isinstance(answer, Failed)
    assert answer.key == key
    assert "\n" not in str(answer.reason)


def test_a_model_of_diffusers_without_diffusers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "diffusers", None)
    answer = _described({"_class_name": "WanTransformer3DModel"})
    assert isinstance(answer, Failed)
    assert answer.key == "source.no_diffusers"
    assert "WanTransformer3DModel needs diffusers" in str(answer.reason)


@pytest.mark.filterwarnings("ignore")  # what diffusers and its optional parts say when they are imported
def test_a_model_of_diffusers() -> None:
    pytest.importorskip("diffusers", reason="diffusers is not installed")
    report = _described({"_class_name": "AutoencoderTiny", "encoder_block_out_channels": [8, 8, 8, 8]})
    assert isinstance(report, DescribeReport)
    assert report.library.startswith("diffusers ")
    assert report.name == "AutoencoderTiny"
    unknown = _described({"_class_name": "NoSuchModel"})
    assert isinstance(unknown, Failed)
    assert unknown.key == "source.unknown_diffusers"
