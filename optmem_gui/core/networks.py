"""Dimensions of encoders, encoder-decoders, vision and speech transformers that activations follow from.

A decoder is a :class:`optmem_gui.core.transformer.TransformerShape`. These are the others: each names the
class of transformers that trains it, and the head that stands on top decides what the loss keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Activation = Literal["gelu", "gelu_new", "relu"]
Fed = Literal["tokens", "images", "pairs", "speech"]
TextHead = Literal["words", "sequence", "token"]


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of an attention.

    Attributes:
        count: How many.
        head_dim: Elements of each.
        dropout: Probability with which attention drops.
    """

    count: int
    head_dim: int
    dropout: float


@dataclass(frozen=True, slots=True)
class BertShape:
    """BERT and RoBERTa with the head that trains them.

    Attributes:
        vocab: Rows of the word embedding.
        hidden: Width of the residual stream.
        layers: Blocks.
        heads: Attention heads.
        ffn: Width inside the MLP.
        positions: Rows of the position embedding.
        types: Rows of the token type embedding.
        head: ``words`` predicts masked words, ``sequence`` and ``token`` classify.
        labels: Classes of a classifier.
        tied: The word predictor shares the word embedding's storage.
        numbered: Positions are counted for each sequence, past its padding (RoBERTa).
        activation: Of the MLP and of the word predictor.
        dropout: Of the embeddings and of both residual branches.
        attention_dropout: Of the attention probabilities.
        head_dropout: Before a classifier.
    """

    vocab: int
    hidden: int
    layers: int
    heads: int
    ffn: int
    positions: int
    types: int
    head: TextHead
    labels: int = 2
    tied: bool = True
    numbered: bool = False
    activation: Activation = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    head_dropout: float = 0.1

    @property
    def fed(self) -> Fed:
        """What a micro-batch is made of."""
        return "tokens"

    @property
    def own_sequence(self) -> int | None:
        """Tokens of a sequence where the config fixes them."""
        return None

    @property
    def most_tokens(self) -> int:
        """Tokens that have a position."""
        return self.positions - 2 if self.numbered else self.positions

    def logit_count(self, batch: int, sequence: int) -> int:
        """Elements of the logits of a micro-batch."""
        if self.head == "sequence":
            return batch * self.labels
        return batch * sequence * (self.vocab if self.head == "words" else self.labels)

    @property
    def attention(self) -> Heads:
        """Heads of every layer."""
        return Heads(self.heads, self.hidden // self.heads, self.attention_dropout)


@dataclass(frozen=True, slots=True)
class VitShape:
    """ViT with its classifier.

    Attributes:
        image: Pixels of a side.
        patch: Pixels of a side of a patch.
        channels: Colours.
        hidden: Width of the residual stream.
        layers: Blocks.
        heads: Attention heads.
        ffn: Width inside the MLP.
        labels: Classes.
        qkv_biases: Query, key and value projections carry biases.
        activation: Of the MLP.
        dropout: Of the embeddings and of both residual branches.
        attention_dropout: Of the attention probabilities.
    """

    image: int
    patch: int
    channels: int
    hidden: int
    layers: int
    heads: int
    ffn: int
    labels: int
    qkv_biases: bool = True
    activation: Activation = "gelu"
    dropout: float = 0.0
    attention_dropout: float = 0.0

    @property
    def fed(self) -> Fed:
        """What a micro-batch is made of."""
        return "images"

    @property
    def own_sequence(self) -> int:
        """Patches of an image and the class token."""
        return (self.image // self.patch) ** 2 + 1

    @property
    def most_tokens(self) -> int:
        """Tokens that have a position."""
        return self.own_sequence

    def logit_count(self, batch: int, sequence: int) -> int:
        """Elements of the logits of a micro-batch."""
        del sequence  # an image has one class
        return batch * self.labels

    @property
    def attention(self) -> Heads:
        """Heads of every layer."""
        return Heads(self.heads, self.hidden // self.heads, self.attention_dropout)


Network = BertShape | VitShape
"""Any of them."""

KINDS: dict[type[Network], str] = {BertShape: "bert", VitShape: "vit"}
"""How files and documents name each of them."""
