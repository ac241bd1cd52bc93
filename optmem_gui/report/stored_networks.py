"""Dimensions of encoders, vision and speech transformers as ``.optmem`` files hold them, each by its kind."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import msgspec

from optmem_gui.core.networks import Activation, BertShape, Network, TextHead, VitShape
from optmem_gui.core.units import MAX_PARAM_COUNT

_Positive = Annotated[int, msgspec.Meta(ge=1, le=MAX_PARAM_COUNT)]
_Ratio = Annotated[float, msgspec.Meta(ge=0, le=1)]


class StoredNetwork(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """Base of all of them."""


class StoredBert(StoredNetwork, frozen=True, tag="bert"):
    """A :class:`~optmem_gui.core.networks.BertShape`."""

    vocab: _Positive
    hidden: _Positive
    layers: _Positive
    heads: _Positive
    ffn: _Positive
    positions: _Positive
    types: _Positive
    head: TextHead
    labels: _Positive
    tied: bool
    numbered: bool
    activation: Activation
    dropout: _Ratio
    attention_dropout: _Ratio
    head_dropout: _Ratio


class StoredVit(StoredNetwork, frozen=True, tag="vit"):
    """A :class:`~optmem_gui.core.networks.VitShape`."""

    image: _Positive
    patch: _Positive
    channels: _Positive
    hidden: _Positive
    layers: _Positive
    heads: _Positive
    ffn: _Positive
    labels: _Positive
    qkv_biases: bool
    activation: Activation
    dropout: _Ratio
    attention_dropout: _Ratio


AnyStoredNetwork = StoredBert | StoredVit
_STORED: dict[type[Network], type[AnyStoredNetwork]] = {BertShape: StoredBert, VitShape: StoredVit}
_SHAPES: dict[type[AnyStoredNetwork], type[Network]] = {stored: shape for shape, stored in _STORED.items()}


def store_network(network: Network | None) -> AnyStoredNetwork | None:
    """What a file holds of it."""
    return None if network is None else _STORED[type(network)](**asdict(network))


def restore_network(stored: AnyStoredNetwork | None) -> Network | None:
    """What a file held."""
    return None if stored is None else _SHAPES[type(stored)](**msgspec.structs.asdict(stored))
