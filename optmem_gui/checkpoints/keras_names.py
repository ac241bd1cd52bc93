"""Names of variables in Keras files: those that are stored, and those that numbers stand for.

Source: ``keras/src/layers``, Keras 3.15.
"""

from __future__ import annotations

import re

NOT_TRAINED = frozenset(
    ("moving_mean", "moving_variance", "mean", "variance", "count", "seed_generator_state")
)
"""Variables of ``BatchNormalization``, ``Normalization`` and random layers that no optimizer touches."""

_KERNEL = ("kernel", "bias")
_SCALE = ("gamma", "beta")
_VARIABLES = {
    "dense": _KERNEL,
    "einsum_dense": _KERNEL,
    "conv1d": _KERNEL,
    "conv2d": _KERNEL,
    "conv3d": _KERNEL,
    "conv1d_transpose": _KERNEL,
    "conv2d_transpose": _KERNEL,
    "conv3d_transpose": _KERNEL,
    "depthwise_conv1d": _KERNEL,
    "depthwise_conv2d": _KERNEL,
    "separable_conv1d": ("depthwise_kernel", "pointwise_kernel", "bias"),
    "separable_conv2d": ("depthwise_kernel", "pointwise_kernel", "bias"),
    "embedding": ("embeddings",),
    "layer_normalization": _SCALE,
    "group_normalization": _SCALE,
    "lstm_cell": ("kernel", "recurrent_kernel", "bias"),
    "gru_cell": ("kernel", "recurrent_kernel", "bias"),
    "simple_rnn_cell": ("kernel", "recurrent_kernel", "bias"),
}
"""Variables of a layer in the order in which Keras 3.15 numbers them, by the layer's class."""

_OWN = {
    "query_dense": _KERNEL,
    "key_dense": _KERNEL,
    "value_dense": _KERNEL,
    "output_dense": _KERNEL,
    "cell": ("kernel", "recurrent_kernel", "bias"),
}
"""The same by the attribute that holds an inner layer."""


def variable_names(layer: tuple[str, ...], numbers: list[str]) -> list[str]:
    """Names for the numbered variables of a layer, as far as its class tells them."""
    key = re.sub(r"_\d+$", "", layer[-1]) if layer else ""
    count = len(numbers)
    if key == "batch_normalization" and count >= 2:
        head = _SCALE if count == 4 else tuple(numbers[:-2])
        return [*head, "moving_mean", "moving_variance"] if len(head) == count - 2 else numbers
    if key == "normalization" and count == 3:
        return ["mean", "variance", "count"]
    if "seed_generator" in key:
        return [f"{key}_state" if count == 1 else number for number in numbers]
    names = _VARIABLES.get(key) or _OWN.get(layer[-1] if layer else "", ())
    return list(names[:count]) if count <= len(names) else [f"vars.{number}" for number in numbers]


def plain_name(stored: str) -> str:
    """A TensorFlow name in dots: ``dense/kernel:0`` is ``dense.kernel``."""
    return re.sub(r":\d+$", "", stored).strip("/").replace("/", ".")
