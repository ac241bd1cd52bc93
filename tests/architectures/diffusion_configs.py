"""One small config for every model of diffusers and its variants."""

from __future__ import annotations

from typing import Any

_UNET = {"_class_name": "UNet2DConditionModel", "block_out_channels": [32, 64], "norm_num_groups": 8}
_DOWN, _UP = ["CrossAttnDownBlock2D", "DownBlock2D"], ["UpBlock2D", "CrossAttnUpBlock2D"]
_SD3 = {
    "_class_name": "SD3Transformer2DModel",
    "sample_size": 8,
    "num_layers": 2,
    "attention_head_dim": 8,
    "num_attention_heads": 4,
    "joint_attention_dim": 24,
    "caption_projection_dim": 32,
    "pooled_projection_dim": 12,
    "pos_embed_max_size": 8,
}
_FLUX = {
    "_class_name": "FluxTransformer2DModel",
    "in_channels": 8,
    "num_layers": 2,
    "num_single_layers": 3,
    "attention_head_dim": 16,
    "num_attention_heads": 2,
    "joint_attention_dim": 24,
    "pooled_projection_dim": 12,
    "axes_dims_rope": [4, 6, 6],
}
DIFFUSION: dict[str, dict[str, Any]] = {
    "unet": {
        **_UNET,
        "cross_attention_dim": 24,
        "attention_head_dim": 4,
        "down_block_types": _DOWN,
        "up_block_types": _UP,
    },
    "unet xl": {
        **_UNET,
        "cross_attention_dim": 24,
        "attention_head_dim": [2, 4],
        "transformer_layers_per_block": [1, 2],
        "use_linear_projection": True,
        "addition_embed_type": "text_time",
        "addition_time_embed_dim": 8,
        "projection_class_embeddings_input_dim": 40,
        "down_block_types": _DOWN[::-1],
        "up_block_types": _UP[::-1],
    },
    "vae": {
        "_class_name": "AutoencoderKL",
        "block_out_channels": [32, 64],
        "layers_per_block": 2,
        "norm_num_groups": 8,
        "down_block_types": ["DownEncoderBlock2D"] * 2,
        "up_block_types": ["UpDecoderBlock2D"] * 2,
    },
    "vae plain": {
        "_class_name": "AutoencoderKL",
        "block_out_channels": [32, 32, 64],
        "latent_channels": 16,
        "norm_num_groups": 8,
        "use_quant_conv": False,
        "use_post_quant_conv": False,
        "down_block_types": ["DownEncoderBlock2D"] * 3,
        "up_block_types": ["UpDecoderBlock2D"] * 3,
    },
    "flux": {**_FLUX, "guidance_embeds": True},
    "flux plain": _FLUX,
    "sd3": _SD3,
    "sd3 dual": {**_SD3, "qk_norm": "rms_norm", "dual_attention_layers": [0]},
    "sd3 last": {**_SD3, "qk_norm": "rms_norm", "dual_attention_layers": [1], "patch_size": 1},
}
"""Models of diffusers."""
