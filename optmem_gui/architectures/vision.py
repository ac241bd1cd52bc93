"""Image classifiers and image encoders, and the state space model Mamba-2.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
The class in ``architectures`` decides whether a classifier stands on top.
"""

from __future__ import annotations

from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.network_shapes import vit_shape
from optmem_gui.architectures.rows import Layout, Row, convolution, linear, linears, norm
from optmem_gui.core.dtypes import DTYPES, F32
from optmem_gui.core.model import BufferTensor, Role

_QKV = ("q_proj", "k_proj", "v_proj")
_TASK = "ForImageClassification"


def _base(fields: Fields, name: str) -> str | None:
    """Prefix of the encoder: none for the bare class, its name below a classifier, None for another class."""
    return {"": "", "Model": "", _TASK: f"{name}."}.get(fields.task())


def _classifier(fields: Fields, width: int, name: str = "classifier") -> list[Row]:
    return linear(name, fields.labels(), width, Role.HEAD, True) if fields.task() == _TASK else []


def _patch_count(fields: Fields, image: int, patch: int) -> int:
    return (fields.count("image_size", image) // fields.count("patch_size", patch)) ** 2


def _patches(fields: Fields, name: str, hidden: int, patch: int) -> list[Row]:
    size = fields.count("patch_size", patch)
    return convolution(name, hidden, fields.count("num_channels", 3), size, size, bias=True)


def vit(fields: Fields) -> Layout | None:
    """ViT and DeiT's student-free kin: a class token, learned positions, one norm before each sublayer."""
    base = _base(fields, "vit")
    if base is None:
        return None
    hidden, ffn = fields.count("hidden_size"), fields.count("intermediate_size")
    tokens = _patch_count(fields, 224, 16) + 1
    squares = dict.fromkeys((*_QKV, "o_proj"), (hidden, hidden))
    biased = squares if fields.flag("qkv_bias", True) else ("o_proj",)
    rows = [
        Row(f"{base}embeddings.cls_token", (1, 1, hidden), Role.EMBEDDING),
        Row(f"{base}embeddings.position_embeddings", (1, tokens, hidden), Role.EMBEDDING),
        *_patches(fields, f"{base}embeddings.patch_embeddings.projection", hidden, 16),
    ]
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"{base}layers.{layer}."
        rows += linears(f"{prefix}attention.", squares, Role.ATTENTION, biased)
        rows += norm(f"{prefix}layernorm_before", hidden, True)
        rows += norm(f"{prefix}layernorm_after", hidden, True)
        rows += linear(f"{prefix}mlp.fc1", ffn, hidden, Role.MLP, True)
        rows += linear(f"{prefix}mlp.fc2", hidden, ffn, Role.MLP, True)
    rows += norm(f"{base}layernorm", hidden, True)
    if not base:
        pooled = fields.count("pooler_output_size", hidden)
        rows += linear("pooler.dense", pooled, hidden, Role.OTHER, True)
    return Layout((*rows, *_classifier(fields, hidden)), network=vit_shape(fields))


def dinov2(fields: Fields) -> Layout | None:
    """DINOv2: ViT with a mask token, a scale after each sublayer and, in the giant, a gated MLP."""
    base = _base(fields, "dinov2")
    if base is None:
        return None
    hidden = fields.count("hidden_size")
    squares = dict.fromkeys((*_QKV, "o_proj"), (hidden, hidden))
    biased = squares if fields.flag("qkv_bias", True) else ("o_proj",)
    tokens = _patch_count(fields, 224, 14) + 1
    rows = [Row(f"{base}embeddings.cls_token", (1, 1, hidden), Role.EMBEDDING)]
    if fields.flag("use_mask_token", True):
        rows.append(Row(f"{base}embeddings.mask_token", (1, hidden), Role.EMBEDDING))
    rows.append(Row(f"{base}embeddings.position_embeddings", (1, tokens, hidden), Role.EMBEDDING))
    rows += _patches(fields, f"{base}embeddings.patch_embeddings.projection", hidden, 14)
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"{base}encoder.layer.{layer}."
        rows += norm(f"{prefix}norm1", hidden, True)
        rows += linears(f"{prefix}attention.", squares, Role.ATTENTION, biased)
        rows.append(Row(f"{prefix}layer_scale1.lambda1", (hidden,), Role.OTHER))
        rows += norm(f"{prefix}norm2", hidden, True)
        rows += _dinov2_mlp(fields, f"{prefix}mlp.", hidden)
        rows.append(Row(f"{prefix}layer_scale2.lambda1", (hidden,), Role.OTHER))
    rows += norm(f"{base}layernorm", hidden, True)
    return Layout(
        (*rows, *_classifier(fields, 2 * hidden))
    )  # of the class token beside the mean of the others


def _dinov2_mlp(fields: Fields, prefix: str, hidden: int) -> list[Row]:
    width = fields.multiple("mlp_ratio", 4, hidden)
    if not fields.flag("use_swiglu_ffn"):
        sizes = {"fc1": (width, hidden), "fc2": (hidden, width)}
        return linears(prefix, sizes, Role.MLP, sizes)
    width = (int(width * 2 / 3) + 7) // 8 * 8  # two thirds, rounded up to a multiple of 8
    sizes = {"gate_proj": (width, hidden), "up_proj": (width, hidden), "down_proj": (hidden, width)}
    return linears(prefix, sizes, Role.MLP, sizes)


def _batch_norm(name: str, width: int) -> tuple[list[Row], list[BufferTensor]]:
    """A BatchNorm's weight and bias, and the statistics that it keeps."""
    kept = [
        BufferTensor(f"{name}.running_mean", (width,), F32),
        BufferTensor(f"{name}.running_var", (width,), F32),
        BufferTensor(f"{name}.num_batches_tracked", (), DTYPES["int64"]),
    ]
    return norm(name, width, True), kept


def resnet(fields: Fields) -> Layout | None:
    """ResNet: convolutions without bias, each with a BatchNorm; two or three of them in a layer."""
    base, kind = _base(fields, "resnet"), fields.word("layer_type", "bottleneck")
    if base is None or kind not in ("basic", "bottleneck"):
        return None
    rows: list[Row] = []
    buffers: list[BufferTensor] = []

    def unit(name: str, into: int, out: int, kernel: int) -> None:
        rows.extend(convolution(f"{name}.convolution", out, into, kernel, kernel))
        own, kept = _batch_norm(f"{name}.normalization", out)
        rows.extend(own)
        buffers.extend(kept)

    width = fields.count("embedding_size", 64)
    unit(f"{base}embedder.embedder", fields.count("num_channels", 3), width, 7)
    widths = fields.counts("hidden_sizes", (256, 512, 1024, 2048))
    stages = zip(widths, fields.depths("depths", (3, 4, 6, 3)), strict=False)
    for stage, (out, depth) in enumerate(stages):
        halves = stage > 0 or fields.flag("downsample_in_first_stage")
        for layer in range(depth):
            prefix = f"{base}encoder.stages.{stage}.layers.{layer}."
            if layer == 0 and (width != out or halves):
                unit(f"{prefix}shortcut", width, out, 1)
            inner = out // 4 if kind == "bottleneck" else out
            sizes = [(width, inner, 1), (inner, inner, 3), (inner, out, 1)]
            for place, size in enumerate(sizes if kind == "bottleneck" else [(width, out, 3), (out, out, 3)]):
                unit(f"{prefix}layer.{place}", *size)
            width = out
    return Layout((*rows, *_classifier(fields, width, "classifier.1")), buffers=tuple(buffers))


def convnext(fields: Fields) -> Layout | None:
    """ConvNeXt: depthwise convolutions of 7 by 7, two linear layers, a scale after each block."""
    base = _base(fields, "convnext")
    if base is None:
        return None
    widths = fields.counts("hidden_sizes", (96, 192, 384, 768))
    depths, patch = fields.depths("depths", (3, 3, 9, 3)), fields.count("patch_size", 4)
    before = widths[0]
    rows = convolution(
        f"{base}embeddings.patch_embeddings", before, fields.count("num_channels", 3), patch, patch, bias=True
    )
    rows += norm(f"{base}embeddings.layernorm", before, True)
    for stage, (width, depth) in enumerate(zip(widths, depths, strict=False)):
        prefix = f"{base}encoder.stages.{stage}."
        if stage:
            rows += norm(f"{prefix}downsampling_layer.0", before, True)
            rows += convolution(f"{prefix}downsampling_layer.1", width, before, 2, 2, bias=True)
        for layer in range(depth):
            inner = f"{prefix}layers.{layer}."
            if fields.number("layer_scale_init_value", 1e-6) > 0:
                rows.append(Row(f"{inner}layer_scale_parameter", (width,), Role.OTHER))
            rows += convolution(f"{inner}dwconv", width, 1, 7, 7, bias=True)
            rows += norm(f"{inner}layernorm", width, True)
            rows += linear(f"{inner}pwconv1", 4 * width, width, Role.MLP, True)
            rows += linear(f"{inner}pwconv2", width, 4 * width, Role.MLP, True)
        before = width
    return Layout((*rows, *norm(f"{base}layernorm", before, True), *_classifier(fields, before)))


def swin(fields: Fields) -> Layout | None:
    """Swin: attention in windows with a table of relative positions, patches merged between stages."""
    base = _base(fields, "swin")
    if base is None or fields.flag("use_absolute_embeddings"):
        return None
    width, window = fields.count("embed_dim", 96), fields.count("window_size", 7)
    side = fields.count("image_size", 224) // fields.count("patch_size", 4)
    depths, heads = fields.depths("depths", (2, 2, 6, 2)), fields.counts("num_heads", (3, 6, 12, 24))
    if len(depths) != len(heads):
        raise fields.refuse("num_heads")
    rows = _patches(fields, f"{base}embeddings.patch_embeddings.projection", width, 4)
    rows += norm(f"{base}embeddings.norm", width, True)
    buffers: list[BufferTensor] = []
    for stage, (depth, head_count) in enumerate(zip(depths, heads, strict=True)):
        for layer in range(depth):
            prefix = f"{base}encoder.layers.{stage}.blocks.{layer}."
            own, index = _swin_block(fields, prefix, width, window, head_count)
            rows += own
            buffers.append(index)
        if stage + 1 < len(depths):
            prefix = f"{base}encoder.layers.{stage}.downsample."
            rows += linear(f"{prefix}reduction", 2 * width, 4 * width, Role.OTHER)
            rows += norm(f"{prefix}norm", 4 * width, True)
            width, side = 2 * width, side // 2
    rows += norm(f"{base}layernorm", width, True)
    return Layout((*rows, *_classifier(fields, width)), buffers=tuple(buffers))


def _swin_block(
    fields: Fields, prefix: str, width: int, window: int, heads: int
) -> tuple[list[Row], BufferTensor]:
    bias = f"{prefix}attention.relative_position_bias.relative_position"
    squares = dict.fromkeys((*_QKV, "o_proj"), (width, width))
    biased = squares if fields.flag("qkv_bias", True) else ("o_proj",)
    ffn = fields.multiple("mlp_ratio", 4.0, width)
    rows = [
        *linears(f"{prefix}attention.", squares, Role.ATTENTION, biased),
        Row(f"{bias}_bias_table", ((2 * window - 1) ** 2, heads), Role.EMBEDDING),
        *norm(f"{prefix}layernorm_before", width, True),
        *norm(f"{prefix}layernorm_after", width, True),
        *linear(f"{prefix}mlp.fc1", ffn, width, Role.MLP, True),
        *linear(f"{prefix}mlp.fc2", width, ffn, Role.MLP, True),
    ]
    return rows, BufferTensor(f"{bias}_index", (window**4,), DTYPES["int64"])


def mamba2(fields: Fields) -> Layout | None:
    """Mamba-2: no attention; each layer is one projection in, a short convolution, a scan, one out."""
    if fields.task() not in ("", "ForCausalLM"):
        return None
    hidden, vocab = fields.count("hidden_size"), fields.count("vocab_size")
    inner = fields.multiple("expand", 2, hidden)
    heads, head_dim = fields.count("num_heads", 128), fields.count("head_dim", 64)
    if heads * head_dim != inner:
        raise fields.refuse("num_heads")
    convolved = inner + 2 * fields.count("n_groups", 8) * fields.count("state_size", 128)
    bias = fields.flag("use_bias")
    rows = [Row("backbone.embeddings.weight", (vocab, hidden), Role.EMBEDDING)]
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"backbone.layers.{layer}."
        mixer = f"{prefix}mixer."
        rows += norm(f"{prefix}norm", hidden)
        rows += [Row(f"{mixer}{name}", (heads,), Role.OTHER) for name in ("dt_bias", "A_log", "D")]
        kernel, biased = fields.count("conv_kernel", 4), fields.flag("use_conv_bias", True)
        rows += convolution(f"{mixer}conv1d", convolved, 1, kernel, bias=biased)
        rows += linear(f"{mixer}in_proj", inner + convolved + heads, hidden, Role.MLP, bias)
        rows += norm(f"{mixer}norm", inner)
        rows += linear(f"{mixer}out_proj", hidden, inner, Role.MLP, bias)
    rows += norm("backbone.norm_f", hidden)
    tied = fields.flag("tie_word_embeddings")
    rows += [] if tied else linear("lm_head", vocab, hidden, Role.HEAD)
    return Layout(tuple(rows), tied=(("lm_head.weight", "backbone.embeddings.weight"),) if tied else ())
