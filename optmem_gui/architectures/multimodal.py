"""Language models with an image tower, and pairs of a text and an image tower.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from optmem_gui.architectures.decoders import (
    attention,
    dimensions,
    norms,
    stack,
    ties,
)
from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.gemmas import gemma3_block, gemma3_known, gemma3_shape
from optmem_gui.architectures.mixtures import routing
from optmem_gui.architectures.rows import Layout, Row, convolution, gated, linear, linears, norm, table
from optmem_gui.core.model import Role

_KVQ = ("k_proj", "v_proj", "q_proj", "out_proj")
_WHOLE = ("", "ForConditionalGeneration")
_QKV = ("q_proj", "k_proj", "v_proj", "o_proj")


def _patches(fields: Fields, image: int, patch: int) -> int:
    """Patches of a square picture."""
    return (fields.count("image_size", image) // fields.count("patch_size", patch)) ** 2


def _layer(prefix: str, hidden: int, ffn: int, *, norms_first: bool) -> list[Row]:
    """A layer of CLIP's towers and of SigLIP's, which differ in the order in which they name things."""
    first, second = norm(f"{prefix}layer_norm1", hidden, True), norm(f"{prefix}layer_norm2", hidden, True)
    squares = dict.fromkeys(_KVQ, (hidden, hidden))
    inner = linears(f"{prefix}self_attn.", squares, Role.ATTENTION, squares)
    mlp = [
        *linear(f"{prefix}mlp.fc1", ffn, hidden, Role.MLP, True),
        *linear(f"{prefix}mlp.fc2", hidden, ffn, Role.MLP, True),
    ]
    return [*first, *inner, *second, *mlp] if norms_first else [*inner, *first, *mlp, *second]


def siglip_tower(fields: Fields, prefix: str) -> list[Row]:
    """The image tower of SigLIP; without ``vision_use_head`` it ends before its pooling head."""
    hidden, ffn = fields.count("hidden_size", 768), fields.count("intermediate_size", 3072)
    patch = fields.count("patch_size", 16)
    embeddings = f"{prefix}embeddings."
    rows = convolution(
        f"{embeddings}patch_embedding", hidden, fields.count("num_channels", 3), patch, patch, bias=True
    )
    rows += table(f"{embeddings}position_embedding", _patches(fields, 224, 16), hidden)
    for layer in range(fields.layers("num_hidden_layers", 12)):
        rows += _layer(f"{prefix}encoder.layers.{layer}.", hidden, ffn, norms_first=True)
    rows += norm(f"{prefix}post_layernorm", hidden, True)
    if not fields.flag("vision_use_head", True):
        return rows
    head = f"{prefix}head."
    return [
        *rows,
        Row(f"{head}probe", (1, 1, hidden), Role.OTHER),
        Row(f"{head}attention.in_proj_weight", (3 * hidden, hidden), Role.ATTENTION),
        Row(f"{head}attention.in_proj_bias", (3 * hidden,), Role.BIAS),
        *linear(f"{head}attention.out_proj", hidden, hidden, Role.ATTENTION, True),
        *norm(f"{head}layernorm", hidden, True),
        *linear(f"{head}mlp.fc1", ffn, hidden, Role.MLP, True),
        *linear(f"{head}mlp.fc2", hidden, ffn, Role.MLP, True),
    ]


def _text_tower(fields: Fields, prefix: str, *, norms_first: bool, vocab: int, positions: int) -> list[Row]:
    hidden, ffn = fields.count("hidden_size", 512), fields.count("intermediate_size", 2048)
    embeddings = f"{prefix}embeddings."
    rows = table(f"{embeddings}token_embedding", fields.count("vocab_size", vocab), hidden)
    rows += table(
        f"{embeddings}position_embedding", fields.count("max_position_embeddings", positions), hidden
    )
    for layer in range(fields.layers("num_hidden_layers", 12)):
        rows += _layer(f"{prefix}encoder.layers.{layer}.", hidden, ffn, norms_first=norms_first)
    return [*rows, *norm(f"{prefix}final_layer_norm", hidden, True)]


def clip(fields: Fields) -> Layout | None:
    """CLIP: a text tower, an image tower with a class token, two projections, one scale."""
    if fields.task() not in ("", "Model"):
        return None
    text, vision = fields.part("text_config"), fields.part("vision_config")
    hidden, ffn = vision.count("hidden_size", 768), vision.count("intermediate_size", 3072)
    patch, joint = vision.count("patch_size", 32), fields.count("projection_dim", 512)
    rows = [Row("logit_scale", (), Role.OTHER)]
    rows += _text_tower(text, "text_model.", norms_first=False, vocab=49408, positions=77)
    embeddings = "vision_model.embeddings."
    rows.append(Row(f"{embeddings}class_embedding", (hidden,), Role.EMBEDDING))
    rows += convolution(f"{embeddings}patch_embedding", hidden, vision.count("num_channels", 3), patch, patch)
    rows += table(f"{embeddings}position_embedding", _patches(vision, 224, 32) + 1, hidden)
    rows += norm("vision_model.pre_layrnorm", hidden, True)  # spelled so in the class
    for layer in range(vision.layers("num_hidden_layers", 12)):
        rows += _layer(f"vision_model.encoder.layers.{layer}.", hidden, ffn, norms_first=False)
    rows += norm("vision_model.post_layernorm", hidden, True)
    rows += linear("visual_projection", joint, hidden, Role.OTHER)
    rows += linear("text_projection", joint, text.count("hidden_size", 512), Role.OTHER)
    return Layout(tuple(rows))


def siglip(fields: Fields) -> Layout | None:
    """SigLIP: a text tower that ends in a linear layer, an image tower that ends in a pooling head."""
    if fields.task() not in ("", "Model"):
        return None
    text, vision = fields.part("text_config"), fields.part("vision_config")
    hidden = text.count("hidden_size", 768)
    rows = [Row("logit_scale", (1,), Role.OTHER), Row("logit_bias", (1,), Role.OTHER)]
    rows += _siglip_text(text)
    rows += linear("text_model.head", text.count("projection_size", hidden), hidden, Role.OTHER, True)
    rows += siglip_tower(vision, "vision_model.")
    return Layout(tuple(rows))


def _siglip_text(fields: Fields) -> list[Row]:
    defaults = {"hidden_size": 768, "intermediate_size": 3072}
    return _text_tower(
        fields.with_defaults(defaults), "text_model.", norms_first=True, vocab=32000, positions=64
    )


def gemma3(fields: Fields) -> Layout | None:
    """Gemma 3 with its SigLIP tower."""
    if fields.task() not in _WHOLE:
        return None
    text, vision = fields.part("text_config"), fields.part("vision_config")
    tied = {"tie_word_embeddings": fields.flag("tie_word_embeddings", True)}
    text = text.with_defaults({**_GEMMA3_TEXT, **tied})
    shape = gemma3_shape(text)
    width = vision.count("hidden_size", 768)
    base = "model.language_model."
    rows = [
        *siglip_tower(vision, "model.vision_tower."),
        Row("model.multi_modal_projector.mm_input_projection_weight", (width, shape.hidden), Role.OTHER),
        *norm("model.multi_modal_projector.mm_soft_emb_norm", width),
        *stack(fields, shape, gemma3_block(shape, text.flag("attention_bias")), base=base),
    ]
    known = gemma3_known(text, shape)
    return Layout(tuple(rows), known, tied=ties(fields, shape, f"{base}embed_tokens"), text_only=True)


_GEMMA3_TEXT = {
    "vocab_size": 262_208,
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
}
"""Numbers of the class, which the configs of Gemma 3 leave out where they are theirs."""


def mistral3(fields: Fields) -> Layout | None:
    """Mistral Small 3: Mistral with a Pixtral tower.

    Its configs do not say whether the head is tied, and the published weights hold one of its own.
    """
    if fields.task() not in _WHOLE:
        return None
    text, vision = fields.part("text_config"), fields.part("vision_config")
    if text.word("model_type", "mistral") != "mistral":
        raise fields.refuse("text_config")
    shape = dimensions(text.with_defaults({"tie_word_embeddings": fields.flag("tie_word_embeddings")}))
    width, merge = vision.count("hidden_size", 1024), fields.count("spatial_merge_size", 2)
    bias = fields.flag("multimodal_projector_bias")
    projector, base = "model.multi_modal_projector.", "model.language_model."
    rows = [
        *_pixtral_tower(vision, "model.vision_tower."),
        *norm(f"{projector}norm", width),
        *linear(f"{projector}patch_merger.merging_layer", width, width * merge**2, Role.OTHER),
        *linear(f"{projector}linear_1", shape.hidden, width, Role.OTHER, bias),
        *linear(f"{projector}linear_2", shape.hidden, shape.hidden, Role.OTHER, bias),
    ]

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape),
            *gated(f"{prefix}mlp.", shape.hidden, shape.ffn),
            *norms(prefix, shape.hidden),
        ]

    rows += stack(fields, shape, block, base=base)
    return Layout(tuple(rows), shape, tied=ties(fields, shape, f"{base}embed_tokens"), text_only=True)


def _pixtral_tower(fields: Fields, prefix: str) -> list[Row]:
    hidden, ffn = fields.count("hidden_size", 1024), fields.count("intermediate_size", 4096)
    patch = fields.count("patch_size", 16)
    rows = convolution(f"{prefix}patch_conv", hidden, fields.count("num_channels", 3), patch, patch)
    rows += norm(f"{prefix}ln_pre", hidden)
    for layer in range(fields.layers("num_hidden_layers", 24)):
        inner = f"{prefix}transformer.layers.{layer}."
        squares = dict.fromkeys(("k_proj", "v_proj", "q_proj", "o_proj"), (hidden, hidden))
        rows += norm(f"{inner}attention_norm", hidden)
        rows += gated(f"{inner}feed_forward.", hidden, ffn)
        rows += linears(f"{inner}attention.", squares, Role.ATTENTION)
        rows += norm(f"{inner}ffn_norm", hidden)
    return rows


def llama4(fields: Fields) -> Layout | None:
    """Llama 4: experts in every layer (Scout) or every other one (Maverick), a shared one, an image tower."""
    if fields.task() not in _WHOLE:
        return None
    text, vision = fields.part("text_config"), fields.part("vision_config")
    rows = [
        *_llama4_tower(vision, "vision_model."),
        *linear(
            "multi_modal_projector.linear_1",
            text.count("hidden_size"),
            vision.count("vision_output_dim", 7680),
            Role.OTHER,
        ),
    ]
    inner = _llama4_decoder(text, "language_model.")
    return Layout((*rows, *inner.rows), tied=inner.tied, text_only=True, routing=inner.routing)


def llama4_text(fields: Fields) -> Layout:
    """The language model of Llama 4 alone."""
    return _llama4_decoder(fields, "")


def _llama4_decoder(fields: Fields, base: str) -> Layout:
    shape = dimensions(fields)
    used = routing(fields, "num_local_experts", 1)
    count, plain = used[1], fields.count("intermediate_size_mlp", 16384)
    step, biased = fields.count("interleave_moe_layer_step", 1), _QKV if fields.flag("attention_bias") else ()
    sparse = frozenset(fields.indices("moe_layers") or range(step - 1, shape.layers, step))

    def block(prefix: str, layer: int) -> list[Row]:
        inner = f"{prefix}feed_forward."
        rows = attention(prefix, shape, biased)
        if layer not in sparse:
            rows += gated(inner, shape.hidden, plain)
        else:
            rows += [  # (in, out), the other way round than in the other mixtures
                Row(f"{inner}experts.gate_up_proj", (count, shape.hidden, 2 * shape.ffn), Role.EXPERT),
                Row(f"{inner}experts.down_proj", (count, shape.ffn, shape.hidden), Role.EXPERT),
                *linear(f"{inner}router", count, shape.hidden, Role.ROUTER),
                *gated(f"{inner}shared_expert.", shape.hidden, shape.ffn, Role.EXPERT),
            ]
        return [*rows, *norms(prefix, shape.hidden)]

    rows = stack(fields, shape, block, base=f"{base}model.", head=f"{base}lm_head")
    return Layout(
        tuple(rows), tied=ties(fields, shape, f"{base}model.embed_tokens", f"{base}lm_head"), routing=used
    )


def _llama4_tower(fields: Fields, prefix: str) -> list[Row]:
    hidden, ffn = fields.count("hidden_size", 768), fields.count("intermediate_size", 5632)
    patch, channels = fields.count("patch_size", 14), fields.count("num_channels", 3)
    squares = dict.fromkeys(_QKV, (hidden, hidden))
    rows = [
        Row(f"{prefix}class_embedding", (hidden,), Role.EMBEDDING),
        Row(f"{prefix}positional_embedding_vlm", (_patches(fields, 448, 14) + 1, hidden), Role.EMBEDDING),
        *linear(f"{prefix}patch_embedding.linear", hidden, channels * patch**2, Role.OTHER),
        *norm(f"{prefix}layernorm_pre", hidden, True),
        *norm(f"{prefix}layernorm_post", hidden, True),
    ]
    for layer in range(fields.layers("num_hidden_layers", 34)):
        inner = f"{prefix}model.layers.{layer}."
        rows += linears(f"{inner}self_attn.", squares, Role.ATTENTION, squares)
        rows += linear(f"{inner}mlp.fc1", ffn, hidden, Role.MLP, True)
        rows += linear(f"{inner}mlp.fc2", hidden, ffn, Role.MLP, True)
        rows += norms(inner, hidden, bias=True)
    adapter, out = f"{prefix}vision_adapter.mlp.", fields.count("projector_output_dim", 4096)
    rows += linear(f"{adapter}fc1", fields.count("projector_input_dim", 4096), ffn, Role.OTHER)
    return [*rows, *linear(f"{adapter}fc2", out, out, Role.OTHER)]
