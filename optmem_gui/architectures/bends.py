"""Activation functions by the names that configs give them, as far as what each keeps is known."""

from __future__ import annotations

from optmem_gui.architectures.fields import Fields
from optmem_gui.core.layer_form import Activation

_KINDS: dict[str, Activation] = {
    "gelu": "function",
    "gelu_pytorch_tanh": "function",
    "silu": "function",
    "swish": "function",
    "relu": "relu",
    "gelu_new": "steps",
    "gelu_fast": "fast",
}


def bend(fields: Fields, name: str, default: str) -> Activation | None:
    """What the activation function keeps; None where that is not known.

    Args:
        fields: The config.
        name: Field that names the function.
        default: Function where the config leaves it out.
    """
    return _KINDS.get(fields.word(name, default))
