"""The dimensions that activations of encoders, vision and speech transformers follow from, as a config says.

Defaults are those of ``configuration_*.py`` of transformers 5.24. None stands for a class or a variant that
the program has no rules for: a bare encoder has no loss, a regression another one.
"""

from __future__ import annotations

from optmem_gui.architectures.fields import Fields
from optmem_gui.core.networks import Activation, BertShape, TextHead, VitShape

_TEXT_HEADS: dict[str, TextHead] = {
    "ForMaskedLM": "words",
    "ForSequenceClassification": "sequence",
    "ForTokenClassification": "token",
}
_ACTIVATIONS: dict[str, Activation] = {"gelu": "gelu", "gelu_new": "gelu_new", "relu": "relu"}


def bert_shape(fields: Fields, task: str, *, tied: bool = True, numbered: bool = False) -> BertShape | None:
    """BERT, or RoBERTa whose positions are ``numbered``.

    Raises:
        UserError: A number is missing or impossible.
    """
    head, activation = _TEXT_HEADS.get(task), _ACTIVATIONS.get(fields.word("hidden_act", "gelu"))
    unlike = fields.flag("is_decoder") or fields.flag("add_cross_attention")
    if head is None or activation is None or unlike or fields.count("chunk_size_feed_forward", 0, least=0):
        return None
    if head == "sequence" and not _one_of_several(fields):
        return None
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads", 12)
    if hidden % heads:
        return None
    dropout = fields.ratio("hidden_dropout_prob", 0.1)
    return BertShape(
        vocab=fields.count("vocab_size"),
        hidden=hidden,
        layers=fields.layers("num_hidden_layers"),
        heads=heads,
        ffn=fields.count("intermediate_size"),
        positions=fields.count("max_position_embeddings", 512),
        types=fields.count("type_vocab_size", 2),
        head=head,
        labels=fields.labels(),
        tied=tied,
        numbered=numbered,
        activation=activation,
        dropout=dropout,
        attention_dropout=fields.ratio("attention_probs_dropout_prob", 0.1),
        head_dropout=fields.ratio("classifier_dropout", dropout),
    )


def vit_shape(fields: Fields) -> VitShape | None:
    """ViT with its classifier.

    Raises:
        UserError: A number is missing or impossible.
    """
    activation = _ACTIVATIONS.get(fields.word("hidden_act", "gelu"))
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads", 12)
    known = fields.task() == "ForImageClassification" and _one_of_several(fields)
    if activation is None or not known or hidden % heads or fields.has("head_dim"):
        return None
    return VitShape(
        image=fields.count("image_size", 224),
        patch=fields.count("patch_size", 16),
        channels=fields.count("num_channels", 3),
        hidden=hidden,
        layers=fields.layers("num_hidden_layers"),
        heads=heads,
        ffn=fields.count("intermediate_size"),
        labels=fields.labels(),
        qkv_biases=fields.flag("qkv_bias", True),
        activation=activation,
        dropout=fields.ratio("hidden_dropout_prob"),
        attention_dropout=fields.ratio("attention_probs_dropout_prob"),
    )


def _one_of_several(fields: Fields) -> bool:
    """Whether a classifier chooses one of several classes: its loss is cross-entropy."""
    problem = fields.word("problem_type", "single_label_classification")
    return problem == "single_label_classification" and fields.labels() > 1
