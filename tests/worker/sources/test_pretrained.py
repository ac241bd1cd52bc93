"""Models of transformers from configs: the class, its batch and its loss, held against the library itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn

from optmem_gui.core.errors import UserError
from optmem_gui.core.precision import precision
from optmem_gui.core.requests import FrozenTensors, MeasureRequest
from optmem_gui.core.scenario import Lora
from optmem_gui.worker.build import build
from optmem_gui.worker.job import Job
from optmem_gui.worker.sources.pretrained import use_kernel

CPU, META = torch.device("cpu"), torch.device("meta")
DECODER = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 96,
}
ENCODER = {
    "architectures": ["BertForMaskedLM"],
    "model_type": "bert",
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 96,
    "max_position_embeddings": 64,
}
SEQ2SEQ = {
    "architectures": ["T5ForConditionalGeneration"],
    "model_type": "t5",
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 64,
    "num_layers": 2,
    "num_heads": 4,
    "vocab_size": 96,
    "decoder_start_token_id": 0,
}
IMAGES = {
    "architectures": ["ViTForImageClassification"],
    "model_type": "vit",
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 16,
    "id2label": {"0": "a", "1": "b", "2": "c"},
}
RESNET = {
    "architectures": ["ResNetForImageClassification"],
    "model_type": "resnet",
    "embedding_size": 8,
    "hidden_sizes": [8, 16],
    "depths": [1, 1],
    "layer_type": "basic",
}
SPEECH = {
    "architectures": ["WhisperForConditionalGeneration"],
    "model_type": "whisper",
    "d_model": 32,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "vocab_size": 96,
    "num_mel_bins": 8,
    "max_source_positions": 16,
    "max_target_positions": 32,
    "pad_token_id": 1,
    "decoder_start_token_id": 2,
}
MIXTURE = {
    **DECODER,
    "architectures": ["MixtralForCausalLM"],
    "model_type": "mixtral",
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
}


def job(config: dict[str, Any], device: torch.device = CPU, scheme: str = "fp32", **given: Any) -> Job:
    request = MeasureRequest(
        "cpu", "torch.optim.AdamW", config=json.dumps(config), **{"batch": 2, "sequence": 16, **given}
    )
    return build(request, precision(scheme), device)


def refused(config: dict[str, Any], **given: Any) -> UserError:
    with pytest.raises(UserError) as caught:
        job(config, **given)
    assert "\n" not in str(caught.value)
    return caught.value


def model_of(found: Job) -> Any:
    assert isinstance(found.module, nn.Module)
    return found.module


def saved_bytes(found: Job) -> int:
    """Bytes that autograd keeps over one forward pass, parameters apart."""
    kept: dict[int, int] = {}
    own = {p.untyped_storage().data_ptr() for p in found.parameters}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = found.loss(found.batch())
    del loss
    return sum(kept.values())


def test_the_parameters_are_those_of_the_library() -> None:
    found = job(DECODER)
    config = transformers.LlamaConfig.from_dict({k: v for k, v in DECODER.items() if k != "architectures"})
    with torch.device("meta"):
        oracle = transformers.LlamaForCausalLM(config)
    expected = {name: tuple(p.shape) for name, p in oracle.named_parameters()}
    assert {name: tuple(p.shape) for name, p in model_of(found).named_parameters()} == expected
    assert [id(p) for p in found.parameters] == [id(p) for p in model_of(found).parameters()]


@pytest.mark.parametrize(
    ("config", "fields"),
    [
        pytest.param(DECODER, [(2, 16), (2, 16)], id="causal"),
        pytest.param(MIXTURE, [(2, 16), (2, 16)], id="mixture"),
        pytest.param(ENCODER, [(2, 16), (2, 16)], id="masked"),
        pytest.param(SEQ2SEQ, [(2, 16), (2, 16)], id="seq2seq"),
        pytest.param(IMAGES, [(2, 3, 32, 32), (2,)], id="image"),
        pytest.param(RESNET, [(2, 3, 224, 224), (2,)], id="convolution"),
        pytest.param(SPEECH, [(2, 8, 32), (2, 16)], id="speech"),
        pytest.param(
            {**ENCODER, "architectures": ["BertForSequenceClassification"]}, [(2, 16), (2,)], id="classes"
        ),
        pytest.param(
            {**ENCODER, "architectures": ["BertForTokenClassification"]}, [(2, 16), (2, 16)], id="tokens"
        ),
        pytest.param(
            {**ENCODER, "architectures": ["BertForQuestionAnswering"]}, [(2, 16), (2,), (2,)], id="answers"
        ),
        pytest.param(
            {**ENCODER, "architectures": ["BertForMultipleChoice"]}, [(2, 4, 16), (2,)], id="choices"
        ),
    ],
)
def test_each_kind_gets_its_batch_and_its_loss(config: dict[str, Any], fields: list[tuple[int, ...]]) -> None:
    """A real step on the CPU: the loss is a number and gradients arrive."""
    found = job(config)
    batch = found.batch()
    assert [tuple(tensor.shape) for tensor in batch] == fields
    loss = found.loss(batch)
    loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    assert torch.isfinite(loss).item()
    missing = [p for p in found.trainable if p.grad is None]
    assert len(missing) < len(found.trainable) / 4


def test_the_loss_is_that_of_the_library() -> None:
    found = job(DECODER)
    batch = found.batch()
    oracle = model_of(found)(input_ids=batch[0], labels=batch[1]).loss
    assert found.loss(batch).item() == oracle.item()


@pytest.mark.parametrize(
    ("config", "bare", "trained"),
    [
        (DECODER, "LlamaModel", "LlamaForCausalLM"),
        (ENCODER, "BertModel", "BertForMaskedLM"),
        ({**ENCODER, "is_decoder": True}, "BertModel", "BertLMHeadModel"),
        (SEQ2SEQ, "T5Model", "T5ForConditionalGeneration"),
        (IMAGES, "ViTModel", "ViTForImageClassification"),
        (DECODER, None, "LlamaForCausalLM"),
    ],
)
def test_a_bare_model_is_trained_for_what_it_is_made_for(
    config: dict[str, Any], bare: str | None, trained: str
) -> None:
    named = {**config, "architectures": [] if bare is None else [bare]}
    assert type(model_of(job(named, META))).__name__ == trained


def test_types_follow_the_scheme() -> None:
    assert {p.dtype for p in job(DECODER, META, "bf16").parameters} == {torch.bfloat16}
    assert {p.dtype for p in job({**DECODER, "dtype": "bfloat16"}, META, "amp-bf16").parameters} == {
        torch.float32
    }
    assert job(IMAGES, META, "bf16").batch()[0].dtype == torch.bfloat16


def test_checkpointing_keeps_less_and_eager_attention_more() -> None:
    plain = saved_bytes(job(DECODER, sequence=64))
    assert saved_bytes(job(DECODER, sequence=64, checkpointing="full")) < plain / 2
    # eager keeps the probabilities, and they are computed in fp32: batch x heads x tokens x tokens a layer
    scores = 2 * 4 * 64 * 64 * 4
    assert saved_bytes(job(DECODER, sequence=64, attention="eager")) >= plain + 2 * scores


def test_nothing_caches_keys_and_values() -> None:
    found = job(DECODER)
    batch = found.batch()
    answer = model_of(found)(input_ids=batch[0], labels=batch[1])
    assert answer.past_key_values is None


def test_kept_logits_live_until_they_are_dropped() -> None:
    import weakref  # here alone

    found = job(DECODER, keep_logits=True)
    seen: list[weakref.ref[Tensor]] = []
    hook = model_of(found).lm_head.register_forward_hook(
        lambda module, args, output: seen.append(weakref.ref(output))
    )
    found.loss(found.batch())
    assert seen[0]() is not None
    found.drop_logits()
    assert seen[0]() is None
    hook.remove()


def test_adapters_and_frozen_tensors() -> None:
    # q_proj [32, 32] and v_proj [16, 32] at rank 4: 4 x (32 + 32) + 4 x (32 + 16) a layer, two layers
    found = job(DECODER, scheme="bf16", lora=Lora(4))
    assert sum(p.numel() for p in found.trainable) == 2 * (4 * 64 + 4 * 48)
    frozen = job(DECODER, frozen=(FrozenTensors("q_proj.weight", (32, 32), 1),))
    assert len(frozen.parameters) - len(frozen.trainable) == 1


def test_code_that_a_config_brings_is_not_run() -> None:
    config = {
        "model_type": "mystery",
        "architectures": ["MysteryForCausalLM"],
        "auto_map": {"AutoConfig": "configuration_mystery.MysteryConfig"},
    }
    error = refused(config)
    assert error.code == "source.own_code"
    assert "configuration_mystery.MysteryConfig" in str(error)
    known = {**DECODER, "auto_map": {"AutoModelForCausalLM": "modeling_other.Other"}}
    assert type(model_of(job(known, META))).__name__ == "LlamaForCausalLM"


@pytest.mark.parametrize(
    ("config", "given", "code", "words"),
    [
        ({"model_type": "mystery"}, {}, "source.unknown_family", "mystery"),
        ({**DECODER, "architectures": ["LlamaForNothing"]}, {}, "source.unknown_family", "LlamaForNothing"),
        ({**DECODER, "architectures": ["logging"]}, {}, "source.unknown_family", "logging"),
        ({**DECODER, "hidden_size": "wide"}, {}, "source.config_refused", "hidden_size"),
        ({**DECODER, "hidden_size": 33}, {}, "source.config_refused", "33"),
        (DECODER, {"loss": "chunked"}, "source.full_loss_only", "chunked"),
        (DECODER, {"checkpointing": "attention"}, "source.whole_blocks_only", "attention"),
        (DECODER, {"checkpointing": "every-2"}, "source.whole_blocks_only", "every-2"),
        (ENCODER, {"sequence": 65}, "source.too_long", "64 positions"),
        ({**ENCODER, "architectures": ["BertForPreTraining"]}, {}, "source.no_task", "BertForPreTraining"),
    ],
)
def test_what_cannot_be_built_is_one_line(
    config: dict[str, Any], given: dict[str, Any], code: str, words: str
) -> None:
    error = refused(config, **given)
    assert error.code == code
    assert words in str(error)


def test_one_kernel_alone() -> None:
    cuda: Any = torch.backends.cuda
    use_kernel("math")
    try:
        assert cuda.math_sdp_enabled()
        assert not cuda.flash_sdp_enabled()
        assert not cuda.mem_efficient_sdp_enabled()
    finally:
        use_kernel("auto")
    assert cuda.flash_sdp_enabled()
