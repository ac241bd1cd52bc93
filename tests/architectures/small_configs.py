"""One small config for every family and variant, and what the library itself builds from it."""

from __future__ import annotations

from typing import Any

import torch
import transformers
from torch import nn
from transformers import AutoConfig

BASE: dict[str, Any] = {
    "vocab_size": 96,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
ENCODER = {name: value for name, value in BASE.items() if name != "num_key_value_heads"}
VISION = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
}
TEXT = {**ENCODER, "num_hidden_layers": 2, "max_position_embeddings": 20}
MIXTURE = {"num_experts": 4, "moe_intermediate_size": 24, "num_experts_per_tok": 2}
SHARED = {**MIXTURE, "shared_expert_intermediate_size": 40}
LATENT = {
    "n_routed_experts": 4,
    "n_shared_experts": 2,
    "first_k_dense_replace": 1,
    "moe_intermediate_size": 24,
    "num_experts_per_tok": 2,
    "n_group": 2,
    "topk_group": 1,
    "q_lora_rank": 12,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "num_key_value_heads": 4,
}
DELTA = {
    **SHARED,
    "head_dim": 8,
    "num_hidden_layers": 4,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
GPT2 = {"vocab_size": 96, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64}
SEQ2SEQ = {
    "vocab_size": 96,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 40,
}
T5 = {"vocab_size": 96, "d_model": 32, "d_kv": 8, "num_heads": 4, "d_ff": 48, "num_layers": 2}
FALCON = {"vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
OPT = {**FALCON, "ffn_dim": 48, "max_position_embeddings": 64, "word_embed_proj_dim": 32}
NEO = {
    "vocab_size": 96,
    "hidden_size": 32,
    "num_layers": 2,
    "num_heads": 4,
    "max_position_embeddings": 64,
    "attention_types": [[["global", "local"], 1]],
}
MAMBA2 = {
    "vocab_size": 96,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_heads": 8,
    "head_dim": 8,
    "state_size": 16,
    "n_groups": 1,
}
DEBERTA = {
    **ENCODER,
    "type_vocab_size": 0,
    "relative_attention": True,
    "position_biased_input": False,
    "pos_att_type": ["c2p", "p2c"],
}
LLAMA4 = {**BASE, "intermediate_size_mlp": 64, "num_local_experts": 4, "head_dim": 8}
LLAMA4_TOWER = {"vision_output_dim": 40, "projector_input_dim": 40, "projector_output_dim": 40}
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}

DECODERS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", **BASE},
    "llama head_dim": {"model_type": "llama", **BASE, "head_dim": 16},
    "llama tied": {"model_type": "llama", **BASE, "tie_word_embeddings": True},
    "llama biases": {"model_type": "llama", **BASE, "attention_bias": True, "mlp_bias": True},
    "llama bare": {"model_type": "llama", **ENCODER},
    "mistral": {"model_type": "mistral", **BASE},
    "ministral": {"model_type": "ministral", **BASE, "head_dim": 8},
    "qwen2": {"model_type": "qwen2", **BASE},
    "qwen2 tied": {"model_type": "qwen2", **BASE, "tie_word_embeddings": True},
    "qwen3": {"model_type": "qwen3", **BASE, "head_dim": 16},
    "qwen3 biases": {"model_type": "qwen3", **BASE, "head_dim": 16, "attention_bias": True},
    "smollm3": {"model_type": "smollm3", **BASE, **SPECIAL},
    "granite": {"model_type": "granite", **BASE, "attention_bias": True},
    "olmo": {"model_type": "olmo", **BASE, "pad_token_id": 0},
    "olmo2": {"model_type": "olmo2", **BASE, "pad_token_id": 0},
    "olmo3": {"model_type": "olmo3", **BASE, "pad_token_id": 0},
    "gemma": {"model_type": "gemma", **BASE, "head_dim": 16},
    "gemma2": {"model_type": "gemma2", **BASE, "head_dim": 16},
    "gemma2 untied": {"model_type": "gemma2", **BASE, "head_dim": 16, "tie_word_embeddings": False},
    "gemma3_text": {"model_type": "gemma3_text", **BASE, "head_dim": 16},
    "phi3": {"model_type": "phi3", **BASE, "pad_token_id": 0},
    "phi": {"model_type": "phi", **BASE},
    "phi norms": {"model_type": "phi", **BASE, "qk_layernorm": True},
    "glm4": {"model_type": "glm4", **BASE, "head_dim": 8, "pad_token_id": 0},
    "cohere": {"model_type": "cohere", **BASE, **SPECIAL},
    "cohere norms": {"model_type": "cohere", **BASE, **SPECIAL, "use_qk_norm": True},
    "cohere2": {"model_type": "cohere2", **BASE, **SPECIAL},
    "stablelm": {"model_type": "stablelm", **BASE, "use_qkv_bias": True},
    "stablelm parallel": {"model_type": "stablelm", **BASE, "use_parallel_residual": True},
    "starcoder2": {"model_type": "starcoder2", **BASE},
    "starcoder2 plain": {"model_type": "starcoder2", **BASE, "use_bias": False},
    "mixtral": {"model_type": "mixtral", **BASE, "num_local_experts": 4},
    "qwen2_moe": {"model_type": "qwen2_moe", **BASE, **SHARED},
    "qwen2_moe dense": {"model_type": "qwen2_moe", **BASE, **SHARED, "mlp_only_layers": [1]},
    "qwen3_moe": {"model_type": "qwen3_moe", **BASE, **MIXTURE, "head_dim": 16},
    "qwen3_moe sparse": {"model_type": "qwen3_moe", **BASE, **MIXTURE, "decoder_sparse_step": 2},
    "qwen3_next": {"model_type": "qwen3_next", **BASE, **DELTA},
    "gpt_oss": {"model_type": "gpt_oss", **BASE, "num_local_experts": 4, "head_dim": 16},
    "deepseek_v2": {"model_type": "deepseek_v2", **BASE, **LATENT},
    "deepseek_v2 lite": {"model_type": "deepseek_v2", **BASE, **LATENT, "q_lora_rank": None},
    "deepseek_v3": {"model_type": "deepseek_v3", **BASE, **LATENT},
    "glm4_moe": {"model_type": "glm4_moe", **BASE, **LATENT, "head_dim": 8, "use_qk_norm": True},
    "llama4_text": {"model_type": "llama4_text", **LLAMA4, "interleave_moe_layer_step": 2},
    "gpt_neox": {"model_type": "gpt_neox", **BASE},
    "gpt2": {"model_type": "gpt2", **GPT2},
    "gpt2 inner": {"model_type": "gpt2", **GPT2, "n_inner": 40},
    "gpt2 untied": {"model_type": "gpt2", **GPT2, "tie_word_embeddings": False},
    "gpt_bigcode": {"model_type": "gpt_bigcode", **GPT2},
    "gpt_bigcode heads": {"model_type": "gpt_bigcode", **GPT2, "multi_query": False},
    "gpt_neo": {"model_type": "gpt_neo", **NEO},
    "gptj": {"model_type": "gptj", **GPT2, "rotary_dim": 4},
    "opt": {"model_type": "opt", **OPT},
    "opt narrow": {"model_type": "opt", **OPT, "word_embed_proj_dim": 16, "do_layer_norm_before": False},
    "bloom": {"model_type": "bloom", "vocab_size": 96, "hidden_size": 32, "n_layer": 2, "n_head": 4},
    "falcon": {"model_type": "falcon", **FALCON},
    "falcon grouped": {"model_type": "falcon", **FALCON, "new_decoder_architecture": True, "num_kv_heads": 2},
    "falcon serial": {"model_type": "falcon", **FALCON, "parallel_attn": False, "bias": True},
    "falcon heads": {"model_type": "falcon", **FALCON, "multi_query": False},
    "mpt": {"model_type": "mpt", "vocab_size": 96, "d_model": 32, "n_layers": 2, "n_heads": 4},
}
"""Language models; the class is the one for causal language modelling where none is named."""

OTHERS: dict[str, dict[str, Any]] = {
    "gemma3": {
        "model_type": "gemma3",
        "architectures": ["Gemma3ForConditionalGeneration"],
        "text_config": {**BASE, "head_dim": 16},
        "vision_config": {**VISION, "vision_use_head": False},
        "mm_tokens_per_image": 4,
    },
    "mistral3": {
        "model_type": "mistral3",
        "architectures": ["Mistral3ForConditionalGeneration"],
        "tie_word_embeddings": False,
        "text_config": {"model_type": "mistral", **BASE, "head_dim": 8},
        "vision_config": {"model_type": "pixtral", **VISION, "head_dim": 8},
    },
    "llama4": {
        "model_type": "llama4",
        "architectures": ["Llama4ForConditionalGeneration"],
        "text_config": LLAMA4,
        "vision_config": {**VISION, **LLAMA4_TOWER},
    },
    "clip": {
        "model_type": "clip",
        "architectures": ["CLIPModel"],
        "projection_dim": 16,
        "vision_config": {**VISION, "projection_dim": 16},
        "text_config": {**TEXT, "projection_dim": 16, **SPECIAL},
    },
    "siglip": {
        "model_type": "siglip",
        "architectures": ["SiglipModel"],
        "vision_config": VISION,
        "text_config": {**TEXT, **SPECIAL},
    },
    "mamba2": {"model_type": "mamba2", "architectures": ["Mamba2ForCausalLM"], **MAMBA2, **SPECIAL},
    "bert": {"model_type": "bert", "architectures": ["BertModel"], **ENCODER},
    "bert words": {"model_type": "bert", "architectures": ["BertForMaskedLM"], **ENCODER},
    "bert both": {"model_type": "bert", "architectures": ["BertForPreTraining"], **ENCODER},
    "bert classes": {
        "model_type": "bert",
        "architectures": ["BertForSequenceClassification"],
        **ENCODER,
        "num_labels": 5,
    },
    "bert tokens": {
        "model_type": "bert",
        "architectures": ["BertForTokenClassification"],
        **ENCODER,
        "id2label": {0: "a", 1: "b", 2: "c"},
    },
    "bert answers": {"model_type": "bert", "architectures": ["BertForQuestionAnswering"], **ENCODER},
    "bert choices": {"model_type": "bert", "architectures": ["BertForMultipleChoice"], **ENCODER},
    "roberta": {"model_type": "roberta", "architectures": ["RobertaModel"], **ENCODER, **SPECIAL},
    "roberta words": {"model_type": "roberta", "architectures": ["RobertaForMaskedLM"], **ENCODER, **SPECIAL},
    "roberta classes": {
        "model_type": "roberta",
        "architectures": ["RobertaForSequenceClassification"],
        **ENCODER,
        **SPECIAL,
    },
    "roberta tokens": {
        "model_type": "roberta",
        "architectures": ["RobertaForTokenClassification"],
        **ENCODER,
        **SPECIAL,
    },
    "xlm-roberta": {"model_type": "xlm-roberta", "architectures": ["XLMRobertaModel"], **ENCODER, **SPECIAL},
    "deberta": {"model_type": "deberta", "architectures": ["DebertaModel"], **DEBERTA},
    "deberta-v2": {
        "model_type": "deberta-v2",
        "architectures": ["DebertaV2Model"],
        **DEBERTA,
        "position_buckets": 8,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
    },
    "deberta-v2 types": {
        "model_type": "deberta-v2",
        "architectures": ["DebertaV2Model"],
        **DEBERTA,
        "type_vocab_size": 3,
        "position_biased_input": True,
        "share_att_key": True,
    },
    "t5": {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], **T5},
    "t5 gated": {
        "model_type": "t5",
        "architectures": ["T5ForConditionalGeneration"],
        **T5,
        "num_decoder_layers": 3,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
    },
    "mt5": {"model_type": "mt5", "architectures": ["MT5ForConditionalGeneration"], **T5},
    "umt5": {"model_type": "umt5", "architectures": ["UMT5ForConditionalGeneration"], **T5},
    "whisper": {
        "model_type": "whisper",
        "architectures": ["WhisperForConditionalGeneration"],
        **SEQ2SEQ,
        "num_mel_bins": 8,
        **SPECIAL,
        "decoder_start_token_id": 1,
    },
    "bart": {
        "model_type": "bart",
        "architectures": ["BartForConditionalGeneration"],
        **SEQ2SEQ,
        "max_position_embeddings": 20,
        **SPECIAL,
        "decoder_start_token_id": 1,
        "forced_eos_token_id": 2,
    },
    "vit": {"model_type": "vit", "architectures": ["ViTForImageClassification"], **VISION},
    "vit bare": {"model_type": "vit", "architectures": ["ViTModel"], **VISION, "qkv_bias": False},
    "dinov2": {"model_type": "dinov2", "architectures": ["Dinov2Model"], **VISION},
    "dinov2 gated": {
        "model_type": "dinov2",
        "architectures": ["Dinov2ForImageClassification"],
        **VISION,
        "use_swiglu_ffn": True,
    },
    "resnet": {
        "model_type": "resnet",
        "architectures": ["ResNetForImageClassification"],
        "embedding_size": 8,
        "hidden_sizes": [16, 32],
        "depths": [2, 1],
    },
    "resnet basic": {
        "model_type": "resnet",
        "architectures": ["ResNetModel"],
        "embedding_size": 16,
        "hidden_sizes": [16, 32],
        "depths": [1, 2],
        "layer_type": "basic",
    },
    "convnext": {
        "model_type": "convnext",
        "architectures": ["ConvNextForImageClassification"],
        "hidden_sizes": [8, 16, 32, 64],
        "depths": [1, 1, 2, 1],
    },
    "swin": {
        "model_type": "swin",
        "architectures": ["SwinForImageClassification"],
        "embed_dim": 8,
        "depths": [2, 1],
        "num_heads": [2, 4],
        "image_size": 32,
        "window_size": 4,
    },
}
"""Everything else that transformers has; the class is named."""

CLASSIFIERS: dict[str, dict[str, Any]] = {
    "llama": {**DECODERS["llama"], "architectures": ["LlamaForSequenceClassification"], "num_labels": 1},
    "qwen2": {**DECODERS["qwen2 tied"], "architectures": ["Qwen2ForSequenceClassification"]},
    "gpt2": {**DECODERS["gpt2"], "architectures": ["GPT2ForSequenceClassification"]},
    "opt": {**DECODERS["opt narrow"], "architectures": ["OPTForSequenceClassification"]},
}
"""Language models with the head of a classifier of sequences, such as reward models."""

CONFIGS = {**DECODERS, **OTHERS, **{f"{name} classifier": config for name, config in CLASSIFIERS.items()}}


def build(config: dict[str, Any]) -> nn.Module:
    """The model of transformers on the meta device: the named class, else the causal language model."""
    values = {key: value for key, value in config.items() if key != "model_type"}
    real = AutoConfig.for_model(config["model_type"], **values)
    named = config.get("architectures")
    with torch.device("meta"):
        if named is None:
            causal: nn.Module = transformers.AutoModelForCausalLM.from_config(real)
            return causal
        model: nn.Module = getattr(transformers, named[0])(real)
    if getattr(real, "tie_word_embeddings", False) and config.get("tie_word_embeddings") is False:
        # T5Config sets it to true whatever a config says; the published weights have a head of their own
        head = model.get_submodule("lm_head")
        head.weight = nn.Parameter(model.get_parameter("lm_head.weight").detach().clone())
    return model
