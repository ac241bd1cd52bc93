"""Which rule runs which operator; every other one allocates its results and no more."""

from __future__ import annotations

from optmem_gui.worker.simulate import (
    attention,
    host,
    in_place,
    indexing,
    lists,
    norms,
    products,
    reductions,
    softmax,
)
from optmem_gui.worker.simulate.tracker import Rule

_SUMMED = ("addmm", "baddbmm", "addbmm", "addmv")
_PRODUCTS = ("mm", "bmm", "mv", *_SUMMED, *(f"{name}_" for name in _SUMMED))

RULES: dict[str, Rule] = {
    "add": in_place.add,
    "scatter": in_place.into_zeros,
    "scatter_add": in_place.into_zeros,
    "index_add": in_place.into_zeros,
    "_local_scalar_dense": host.read_value,
    "_to_copy": host.copy,
    "copy_": host.copy_into,
    "pow": host.power,
    "resize_": host.resize,
    "_softmax": softmax.softmax,
    "_log_softmax": softmax.softmax,
    **dict.fromkeys(_PRODUCTS, products.product),
    **dict.fromkeys(reductions.KINDS, reductions.reduce),
    "index": indexing.index,
    "index_put": indexing.index_put,
    "index_put_": indexing.index_put,
    "_index_put_impl_": indexing.index_put,
    "_unsafe_index_put": indexing.index_put,
    "embedding_dense_backward": indexing.embedding_backward,
    "native_layer_norm_backward": norms.layer_norm_backward,
    "native_batch_norm_backward": norms.batch_norm_backward,
    "native_dropout": norms.dropout,
    "convolution": norms.convolution,
    "convolution_backward": norms.convolution,
    "_foreach_norm": norms.foreach_norm,
    "_foreach_": lists.in_place,
    "_amp_foreach_non_finite_check_and_unscale_": lists.unscale,
    "_amp_update_scale_": lists.update_scale,
    "_scaled_dot_product_flash_attention": attention.flash_forward,
    "_scaled_dot_product_flash_attention_backward": attention.flash_backward,
    "_scaled_dot_product_efficient_attention": attention.efficient_forward,
    "_scaled_dot_product_efficient_attention_backward": attention.efficient_backward,
}

SEEN_IN_PLACE = frozenset({name for name in RULES if name.endswith("_")})
"""Operators without a new result that have a rule."""
