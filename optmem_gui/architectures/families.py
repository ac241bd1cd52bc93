"""The model families whose tensors follow from their config, each checked against its library itself."""

from __future__ import annotations

from collections.abc import Callable

from optmem_gui.architectures import (
    decoder_blocks,
    decoders,
    deepseek,
    diffusion,
    encoders,
    gemmas,
    mixtures,
    multimodal,
    older_decoders,
    vision,
)
from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import Layout

Family = Callable[[Fields], Layout | None]
"""Rows from a config; None for a variant or a class that only the library itself can build."""

DECODER_TASKS = frozenset(("", "ForCausalLM", "LMHeadModel", "ForSequenceClassification"))
"""What the families of :data:`DECODERS` are built for."""

DECODERS: dict[str, Family] = {
    "bloom": older_decoders.bloom,
    "cohere": decoder_blocks.cohere,
    "cohere2": decoder_blocks.cohere,
    "deepseek_v2": deepseek.deepseek_v2,
    "deepseek_v3": deepseek.deepseek_v3,
    "falcon": older_decoders.falcon,
    "gemma": gemmas.gemma,
    "gemma2": gemmas.gemma2,
    "gemma3_text": gemmas.gemma3_text,
    "glm4": decoder_blocks.glm4,
    "glm4_moe": deepseek.glm4_moe,
    "gpt2": older_decoders.gpt2,
    "gpt_bigcode": older_decoders.gpt_bigcode,
    "gpt_neo": older_decoders.gpt_neo,
    "gpt_neox": older_decoders.gpt_neox,
    "gpt_oss": mixtures.gpt_oss,
    "gptj": older_decoders.gptj,
    "granite": decoders.granite,
    "kimi_k2": deepseek.deepseek_v3,
    "llama": decoders.llama,
    "llama4_text": multimodal.llama4_text,
    "ministral": decoders.mistral,
    "mistral": decoders.mistral,
    "mixtral": mixtures.mixtral,
    "mpt": older_decoders.mpt,
    "olmo": decoders.olmo,
    "olmo2": decoders.olmo2,
    "olmo3": decoders.olmo2,
    "opt": older_decoders.opt,
    "phi": decoder_blocks.phi,
    "phi3": decoder_blocks.phi3,
    "qwen2": decoders.qwen2,
    "qwen2_moe": mixtures.qwen2_moe,
    "qwen3": decoders.qwen3,
    "qwen3_moe": mixtures.qwen3_moe,
    "qwen3_next": mixtures.qwen3_next,
    "smollm3": decoders.smollm3,
    "stablelm": decoder_blocks.stablelm,
    "starcoder2": decoder_blocks.starcoder2,
}
"""Language models by ``model_type``; the class may also be their classifier of sequences."""

OTHERS: dict[str, Family] = {
    "AutoencoderKL": diffusion.vae,
    "FluxTransformer2DModel": diffusion.flux,
    "SD3Transformer2DModel": diffusion.sd3,
    "UNet2DConditionModel": diffusion.unet,
    "bart": encoders.bart,
    "bert": encoders.bert,
    "clip": multimodal.clip,
    "convnext": vision.convnext,
    "deberta": encoders.deberta,
    "deberta-v2": encoders.deberta_v2,
    "dinov2": vision.dinov2,
    "gemma3": multimodal.gemma3,
    "llama4": multimodal.llama4,
    "mamba2": vision.mamba2,
    "mistral3": multimodal.mistral3,
    "mt5": encoders.mt5,
    "resnet": vision.resnet,
    "roberta": encoders.roberta,
    "siglip": multimodal.siglip,
    "swin": vision.swin,
    "t5": encoders.t5,
    "umt5": encoders.umt5,
    "vit": vision.vit,
    "whisper": encoders.whisper,
    "xlm-roberta": encoders.roberta,
}
"""Everything else, by ``model_type`` or by the ``_class_name`` of diffusers."""

FAMILIES: dict[str, Family] = {**DECODERS, **OTHERS}
"""To add a family, add one function and one line above."""
