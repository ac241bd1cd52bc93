"""Diffusion models, by the ``config.json`` that diffusers writes beside their weights.

Source of names, order, shapes and defaults: ``models/`` of diffusers 0.42.1. A config that asks for a part
that is not declared here is left to the library itself.
"""

from __future__ import annotations

from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import Layout, Row, convolution, linear, linears, norm
from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import BufferTensor, Role

_TIME_CHANNELS = 256
"""Width of the sine and cosine features of time in Flux and SD3."""

_UNET_UNKNOWN = (
    "class_embed_type",
    "encoder_hid_dim",
    "encoder_hid_dim_type",
    "num_class_embeds",
    "time_embedding_dim",
    "time_cond_proj_dim",
    "reverse_transformer_layers_per_block",
    "cross_attention_norm",
    "time_embedding_act_fn",
    "dual_cross_attention",
    "only_cross_attention",
    "mid_block_only_cross_attention",
    "class_embeddings_concat",
)
"""Parts of diffusers' UNet that none of the published models with these classes has."""


def _embedder(name: str, into: int, width: int) -> list[Row]:
    """Two linear layers that turn a number or a pooled text into a width."""
    return [
        *linear(f"{name}.linear_1", width, into, Role.OTHER, True),
        *linear(f"{name}.linear_2", width, width, Role.OTHER, True),
    ]


def _resnet(prefix: str, into: int, out: int, time: int = 0) -> list[Row]:
    """A residual block: two convolutions, each after a norm; with ``time`` a projection of it between."""
    rows = norm(f"{prefix}norm1", into, True)
    rows += convolution(f"{prefix}conv1", out, into, 3, 3, bias=True)
    if time:
        rows += linear(f"{prefix}time_emb_proj", out, time, Role.OTHER, True)
    rows += norm(f"{prefix}norm2", out, True)
    rows += convolution(f"{prefix}conv2", out, out, 3, 3, bias=True)
    if into != out:
        rows += convolution(f"{prefix}conv_shortcut", out, into, 1, 1, bias=True)
    return rows


def _attend(prefix: str, width: int, context: int) -> list[Row]:
    """Attention without biases but on its output; ``context`` is the width of keys and values."""
    sizes = {
        "to_q": (width, width),
        "to_k": (width, context),
        "to_v": (width, context),
        "to_out.0": (width, width),
    }
    return linears(prefix, sizes, Role.ATTENTION, ("to_out.0",))


def _transformer(prefix: str, width: int, context: int, depth: int, *, flat: bool) -> list[Row]:
    """A spatial transformer: self-attention, cross-attention and a gated MLP, ``depth`` times."""
    ends = {
        name: linear(f"{prefix}{name}", width, width, Role.OTHER, True)
        if flat
        else convolution(f"{prefix}{name}", width, width, 1, 1, bias=True)
        for name in ("proj_in", "proj_out")
    }
    rows = [*norm(f"{prefix}norm", width, True), *ends["proj_in"]]
    for layer in range(depth):
        block = f"{prefix}transformer_blocks.{layer}."
        rows += norm(f"{block}norm1", width, True)
        rows += _attend(f"{block}attn1.", width, width)
        rows += norm(f"{block}norm2", width, True)
        rows += _attend(f"{block}attn2.", width, context)
        rows += norm(f"{block}norm3", width, True)
        rows += linear(f"{block}ff.net.0.proj", 8 * width, width, Role.MLP, True)
        rows += linear(f"{block}ff.net.2", width, 4 * width, Role.MLP, True)
    return [*rows, *ends["proj_out"]]


class _Unet:
    """The numbers of a UNet that each of its blocks needs."""

    def __init__(self, fields: Fields) -> None:
        self.widths = fields.counts("block_out_channels", (320, 640, 1280, 1280))
        count = len(self.widths)
        self.per_block = fields.layers("layers_per_block", 2)
        self.context = fields.count("cross_attention_dim", 1280)
        self.depths = fields.repeated("transformer_layers_per_block", 1, count)
        self.flat = fields.flag("use_linear_projection")
        self.time = 4 * self.widths[0]
        self.down = fields.names(
            "down_block_types", ("CrossAttnDownBlock2D",) * (count - 1) + ("DownBlock2D",)
        )
        self.up = fields.names("up_block_types", ("UpBlock2D",) + ("CrossAttnUpBlock2D",) * (count - 1))
        for name, given in (("down_block_types", self.down), ("up_block_types", self.up)):
            if len(given) != count:
                raise fields.refuse(name)

    def known(self, fields: Fields) -> bool:
        """Whether the config asks for nothing that is not declared here."""
        kinds = {*self.down, *self.up}
        return (
            kinds <= {"CrossAttnDownBlock2D", "DownBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"}
            and not any(fields.flag(name) for name in _UNET_UNKNOWN)
            and fields.word("mid_block_type", "UNetMidBlock2DCrossAttn") == "UNetMidBlock2DCrossAttn"
            and fields.word("addition_embed_type") in ("", "text_time")
            and fields.word("attention_type", "default") == "default"
            and fields.word("resnet_time_scale_shift", "default") == "default"
            and fields.word("time_embedding_type", "positional") == "positional"
        )

    def attention(self, prefix: str, place: int, width: int, depth: int) -> list[Row]:
        """The transformer beside residual block number ``place``."""
        return _transformer(f"{prefix}attentions.{place}.", width, self.context, depth, flat=self.flat)

    def down_block(self, stage: int) -> list[Row]:
        """A stage on the way down; all but the last end with a smaller picture."""
        prefix, out = f"down_blocks.{stage}.", self.widths[stage]
        into = self.widths[max(0, stage - 1)]
        rows: list[Row] = []
        if self.down[stage].startswith("CrossAttn"):
            for place in range(self.per_block):
                rows += self.attention(prefix, place, out, self.depths[stage])
        for place in range(self.per_block):
            rows += _resnet(f"{prefix}resnets.{place}.", out if place else into, out, self.time)
        if stage + 1 < len(self.widths):
            rows += convolution(f"{prefix}downsamplers.0.conv", out, out, 3, 3, bias=True)
        return rows

    def up_block(self, stage: int) -> list[Row]:
        """A stage on the way up: each residual block also gets what a block on the way down put out."""
        back = self.widths[::-1]
        prefix, out, last = f"up_blocks.{stage}.", back[stage], stage + 1 == len(back)
        before, skipped = back[max(0, stage - 1)], back[min(stage + 1, len(back) - 1)]
        rows: list[Row] = []
        if self.up[stage].startswith("CrossAttn"):
            for place in range(self.per_block + 1):
                rows += self.attention(prefix, place, out, self.depths[-1 - stage])
        for place in range(self.per_block + 1):
            into = (out if place else before) + (skipped if place == self.per_block else out)
            rows += _resnet(f"{prefix}resnets.{place}.", into, out, self.time)
        if not last:
            rows += convolution(f"{prefix}upsamplers.0.conv", out, out, 3, 3, bias=True)
        return rows

    def mid_block(self) -> list[Row]:
        """The bottom: one transformer between two residual blocks."""
        width = self.widths[-1]
        rows = self.attention("mid_block.", 0, width, self.depths[-1])
        for place in range(2):
            rows += _resnet(f"mid_block.resnets.{place}.", width, width, self.time)
        return rows


def unet(fields: Fields) -> Layout | None:
    """The UNet of Stable Diffusion 1, 2 and XL."""
    numbers = _Unet(fields)
    if not numbers.known(fields):
        return None
    first, time = numbers.widths[0], numbers.time
    rows = convolution("conv_in", first, fields.count("in_channels", 4), 3, 3, bias=True)
    rows += _embedder("time_embedding", first, time)
    if fields.word("addition_embed_type") == "text_time":
        rows += _embedder("add_embedding", fields.count("projection_class_embeddings_input_dim"), time)
    for stage in range(len(numbers.widths)):
        rows += numbers.down_block(stage)
    for stage in range(len(numbers.widths)):
        rows += numbers.up_block(stage)
    rows += numbers.mid_block()
    rows += norm("conv_norm_out", first, True)
    rows += convolution("conv_out", fields.count("out_channels", 4), first, 3, 3, bias=True)
    return Layout(tuple(rows))


def vae(fields: Fields) -> Layout | None:
    """The autoencoder of Stable Diffusion and Flux: convolutions, one attention at each bottom."""
    widths, latent = fields.counts("block_out_channels", (64,)), fields.count("latent_channels", 4)
    plain = {"DownEncoderBlock2D", "UpDecoderBlock2D"}
    kinds = {*fields.names("down_block_types"), *fields.names("up_block_types")}
    if not kinds <= plain or not fields.flag("mid_block_add_attention", True):
        return None
    per_block = fields.layers("layers_per_block", 1)
    rows = convolution("encoder.conv_in", widths[0], fields.count("in_channels", 3), 3, 3, bias=True)
    rows += _vae_stages("encoder.down_blocks", widths, per_block, "downsamplers")
    rows += _vae_bottom("encoder.", widths[-1])
    rows += norm("encoder.conv_norm_out", widths[-1], True)
    rows += convolution("encoder.conv_out", 2 * latent, widths[-1], 3, 3, bias=True)
    rows += convolution("decoder.conv_in", widths[-1], latent, 3, 3, bias=True)
    rows += _vae_stages("decoder.up_blocks", widths[::-1], per_block + 1, "upsamplers")
    rows += _vae_bottom("decoder.", widths[-1])
    rows += norm("decoder.conv_norm_out", widths[0], True)
    rows += convolution("decoder.conv_out", fields.count("out_channels", 3), widths[0], 3, 3, bias=True)
    if fields.flag("use_quant_conv", True):
        rows += convolution("quant_conv", 2 * latent, 2 * latent, 1, 1, bias=True)
    if fields.flag("use_post_quant_conv", True):
        rows += convolution("post_quant_conv", latent, latent, 1, 1, bias=True)
    return Layout(tuple(rows))


def _vae_stages(base: str, widths: list[int], per_block: int, sampler: str) -> list[Row]:
    rows: list[Row] = []
    into = widths[0]
    for stage, out in enumerate(widths):
        for place in range(per_block):
            rows += _resnet(f"{base}.{stage}.resnets.{place}.", into, out)
            into = out
        if stage + 1 < len(widths):
            rows += convolution(f"{base}.{stage}.{sampler}.0.conv", out, out, 3, 3, bias=True)
    return rows


def _vae_bottom(base: str, width: int) -> list[Row]:
    prefix = f"{base}mid_block.attentions.0."
    squares = dict.fromkeys(("to_q", "to_k", "to_v", "to_out.0"), (width, width))
    rows = norm(f"{prefix}group_norm", width, True)
    rows += linears(prefix, squares, Role.ATTENTION, squares)
    for place in range(2):
        rows += _resnet(f"{base}mid_block.resnets.{place}.", width, width)
    return rows


def _head_norms(prefix: str, head_dim: int, names: tuple[str, ...]) -> list[Row]:
    return [row for name in names for row in norm(prefix + name, head_dim)]


def _feed_forward(name: str, width: int) -> list[Row]:
    return [
        *linear(f"{name}.net.0.proj", 4 * width, width, Role.MLP, True),
        *linear(f"{name}.net.2", width, 4 * width, Role.MLP, True),
    ]


def flux(fields: Fields) -> Layout:
    """The transformer of Flux 1: blocks of two streams, then blocks of one, modulated by time and text."""
    head_dim, heads = fields.count("attention_head_dim", 128), fields.count("num_attention_heads", 24)
    width, channels = head_dim * heads, fields.count("in_channels", 64)
    rows = _embedder("time_text_embed.timestep_embedder", _TIME_CHANNELS, width)
    if fields.flag("guidance_embeds"):
        rows += _embedder("time_text_embed.guidance_embedder", _TIME_CHANNELS, width)
    rows += _embedder("time_text_embed.text_embedder", fields.count("pooled_projection_dim", 768), width)
    rows += linear("context_embedder", width, fields.count("joint_attention_dim", 4096), Role.OTHER, True)
    rows += linear("x_embedder", width, channels, Role.OTHER, True)
    for layer in range(fields.layers("num_layers", 19, least=0)):
        rows += _flux_double(f"transformer_blocks.{layer}.", width, head_dim)
    for layer in range(fields.layers("num_single_layers", 38, least=0)):
        prefix = f"single_transformer_blocks.{layer}."
        squares = dict.fromkeys(("to_q", "to_k", "to_v"), (width, width))
        rows += linear(f"{prefix}norm.linear", 3 * width, width, Role.OTHER, True)
        rows += linear(f"{prefix}proj_mlp", 4 * width, width, Role.MLP, True)
        rows += linear(f"{prefix}proj_out", width, 5 * width, Role.MLP, True)
        rows += _head_norms(f"{prefix}attn.", head_dim, ("norm_q", "norm_k"))
        rows += linears(f"{prefix}attn.", squares, Role.ATTENTION, squares)
    rows += linear("norm_out.linear", 2 * width, width, Role.OTHER, True)
    pixels = fields.count("patch_size", 1) ** 2 * fields.count("out_channels", channels)
    return Layout((*rows, *linear("proj_out", pixels, width, Role.OTHER, True)))


def _flux_double(prefix: str, width: int, head_dim: int) -> list[Row]:
    attn = f"{prefix}attn."
    own = dict.fromkeys(("to_q", "to_k", "to_v", "to_out.0"), (width, width))
    added = dict.fromkeys(("add_q_proj", "add_k_proj", "add_v_proj", "to_add_out"), (width, width))
    return [
        *linear(f"{prefix}norm1.linear", 6 * width, width, Role.OTHER, True),
        *linear(f"{prefix}norm1_context.linear", 6 * width, width, Role.OTHER, True),
        *_head_norms(attn, head_dim, ("norm_q", "norm_k")),
        *linears(attn, own, Role.ATTENTION, own),
        *_head_norms(attn, head_dim, ("norm_added_q", "norm_added_k")),
        *linears(attn, added, Role.ATTENTION, added),
        *_feed_forward(f"{prefix}ff", width),
        *_feed_forward(f"{prefix}ff_context", width),
    ]


def sd3(fields: Fields) -> Layout:
    """The transformer of Stable Diffusion 3 and 3.5; its position table is a buffer that is saved."""
    head_dim, heads = fields.count("attention_head_dim", 64), fields.count("num_attention_heads", 18)
    width, layers = head_dim * heads, fields.layers("num_layers", 18)
    patch, side = fields.count("patch_size", 2), fields.count("pos_embed_max_size", 96)
    dual = frozenset(fields.indices("dual_attention_layers"))
    context = fields.count("caption_projection_dim", 1152)
    rows = convolution("pos_embed.proj", width, fields.count("in_channels", 16), patch, patch, bias=True)
    rows += _embedder("time_text_embed.timestep_embedder", _TIME_CHANNELS, width)
    rows += _embedder("time_text_embed.text_embedder", fields.count("pooled_projection_dim", 2048), width)
    rows += linear("context_embedder", context, fields.count("joint_attention_dim", 4096), Role.OTHER, True)
    per_head = head_dim if fields.word("qk_norm") else 0
    for layer in range(layers):
        prefix = f"transformer_blocks.{layer}."
        rows += _sd3_block(prefix, width, per_head, dual=layer in dual, last=layer + 1 == layers)
    rows += linear("norm_out.linear", 2 * width, width, Role.OTHER, True)
    rows += linear("proj_out", patch**2 * fields.count("out_channels", 16), width, Role.OTHER, True)
    table = BufferTensor("pos_embed.pos_embed", (1, side**2, width), F32)
    return Layout(tuple(rows), buffers=(table,))


def _sd3_block(prefix: str, width: int, head_dim: int, *, dual: bool, last: bool) -> list[Row]:
    """A block of two streams; the last one lets go of the text, some attend to the picture once more."""
    attn = f"{prefix}attn."
    added = dict.fromkeys(("add_k_proj", "add_v_proj", "add_q_proj"), (width, width))
    outs = dict.fromkeys(("to_out.0",) if last else ("to_out.0", "to_add_out"), (width, width))
    own = dict.fromkeys(("to_q", "to_k", "to_v"), (width, width))
    rows = linear(f"{prefix}norm1.linear", (9 if dual else 6) * width, width, Role.OTHER, True)
    rows += linear(f"{prefix}norm1_context.linear", (2 if last else 6) * width, width, Role.OTHER, True)
    if head_dim:
        rows += _head_norms(attn, head_dim, ("norm_q", "norm_k"))
    rows += linears(attn, {**own, **added, **outs}, Role.ATTENTION, {**own, **added, **outs})
    if head_dim:
        rows += _head_norms(attn, head_dim, ("norm_added_q", "norm_added_k"))
    if dual:
        if head_dim:
            rows += _head_norms(f"{prefix}attn2.", head_dim, ("norm_q", "norm_k"))
        second = {**own, "to_out.0": (width, width)}
        rows += linears(f"{prefix}attn2.", second, Role.ATTENTION, second)
    rows += _feed_forward(f"{prefix}ff", width)
    return rows if last else [*rows, *_feed_forward(f"{prefix}ff_context", width)]
