"""Autocast as CUDA has it, for meta tensors, which have none.

Every operator of CUDA's lists has a rule here; which operator is in which list is taken from
``aten/src/ATen/autocast_mode.h`` (torch 2.13), and a test compares the names with those that torch itself
has registered. Weights are cast once and kept until the outermost region ends
(``aten/src/ATen/autocast_mode.cpp``, ``cached_cast``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from optmem_gui.worker.simulate.dispatch import Handler, is_active, uncast

DEVICE = "cuda"

HALF = (
    "_convolution",
    "_convolution.deprecated",
    "_scaled_dot_product_flash_attention",
    "_thnn_fused_gru_cell",
    "_thnn_fused_lstm_cell",
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d.input",
    "conv_transpose3d.input",
    "convolution",
    "cudnn_convolution",
    "cudnn_convolution_transpose",
    "einsum",
    "gru_cell",
    "linalg_multi_dot",
    "linalg_vecdot",
    "linear",
    "lstm_cell",
    "matmul",
    "mm",
    "mv",
    "prelu",
    "rnn_relu_cell",
    "rnn_tanh_cell",
    "scaled_dot_product_attention",
)
"""Run in the region's type; weights go through the cache."""

FULL = (
    "_upsample_bicubic2d_aa",
    "_upsample_bilinear2d_aa",
    "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d",
    "acos",
    "asin",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cosh",
    "cosine_embedding_loss",
    "cosine_similarity",
    "dist",
    "erfinv",
    "exp",
    "expm1",
    "frobenius_norm.dim",
    "group_norm",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "log",
    "log10",
    "log1p",
    "log2",
    "logsumexp",
    "margin_ranking_loss",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "native_layer_norm",
    "nll_loss",
    "nll_loss2d",
    "nuclear_norm",
    "nuclear_norm.dim",
    "pdist",
    "poisson_nll_loss",
    "pow.Scalar",
    "pow.Tensor_Scalar",
    "pow.Tensor_Tensor",
    "reciprocal",
    "renorm",
    "rms_norm",
    "rsqrt",
    "sinh",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softplus",
    "tan",
    "triplet_margin_loss",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_linear1d",
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest3d",
    "upsample_trilinear3d",
)
"""Run in fp32: 16-bit arguments are cast."""

FULL_RESULT = (
    "cumprod",
    "cumsum",
    "linalg_matrix_norm",
    "linalg_matrix_norm.str_ord",
    "linalg_vector_norm",
    "log_softmax.int",
    "prod",
    "prod.dim_int",
    "softmax.int",
    "sum",
    "sum.dim_IntList",
)
"""Give fp32 unless the call names a type; the argument is not cast."""

FULL_NORM = ("norm.Scalar", "norm.ScalarOpt_dim")
"""Become the form that names fp32."""

WIDEST = (
    "addcdiv",
    "addcmul",
    "atan2",
    "bilinear",
    "cross",
    "dot",
    "grid_sampler",
    "index_put",
    "scatter_add",
    "tensordot",
    "vdot",
)
"""Run in the widest type among the arguments."""

REFUSED = ("binary_cross_entropy",)
"""Not allowed under autocast."""

casts: dict[int, Tensor] = {}
"""16-bit copies of weights, by the weight; they live until the outermost region ends."""

_held: list[Tensor] = []
"""The weights behind the keys: an address must not be given to another weight meanwhile."""

labelled: list[Callable[[Tensor], None]] = []
"""Told of every copy that is kept."""


def clear() -> None:
    """The outermost region ended."""
    casts.clear()
    _held.clear()


def _is_eligible(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and value.is_meta
        and value.is_floating_point()
        and value.dtype != torch.float64
    )


def cached_cast(value: Any, dtype: torch.dtype) -> Any:
    """An argument in ``dtype``; tensors in lists too."""
    if isinstance(value, (list, tuple)):
        return type(value)(cached_cast(each, dtype) for each in value)
    if not _is_eligible(value) or value.dtype == dtype:
        return value
    keeps = torch.is_autocast_cache_enabled() and not torch.is_inference_mode_enabled()
    if dtype != torch.float32 and keeps and _is_weight(value):
        kept = casts.get(id(value))
        if kept is None:
            kept = casts[id(value)] = value.to(dtype)
            _held.append(value)
            for tell in labelled:
                tell(kept)
        return kept
    return value.to(dtype)


def _is_weight(value: Tensor) -> bool:
    is_own_leaf = value.is_leaf and not value._is_view()  # noqa: SLF001  # torch has no public name for it
    return value.dtype == torch.float32 and value.requires_grad and is_own_leaf


def _half(op: Any) -> Handler:
    def run(*args: Any, **kwargs: Any) -> Any:
        with uncast():
            if not is_active():
                return op(*args, **kwargs)
            dtype = torch.get_autocast_dtype(DEVICE)
            return op(*cached_cast(args, dtype), **_cast_named(kwargs, dtype))

    return run


def _full(op: Any) -> Handler:
    def run(*args: Any, **kwargs: Any) -> Any:
        with uncast():
            return op(*cached_cast(args, torch.float32), **_cast_named(kwargs, torch.float32))

    return run


def _full_result(op: Any) -> Handler:
    names = [argument.name for argument in op._schema.arguments]  # noqa: SLF001  # no public way leads there
    place = names.index("dtype")
    by_name_only = op._schema.arguments[place].kwarg_only  # noqa: SLF001  # no public way leads there

    def run(*args: Any, **kwargs: Any) -> Any:
        with uncast():
            if _is_eligible(args[0]):
                if by_name_only or len(args) <= place:
                    if kwargs.get("dtype") is None:
                        kwargs["dtype"] = torch.float32
                elif args[place] is None:
                    args = (*args[:place], torch.float32, *args[place + 1 :])
            return op(*args, **kwargs)

    return run


def _full_norm(op: Any) -> Handler:
    aten = torch.ops.aten
    single = op is aten.norm.Scalar

    def run(value: Any, *args: Any, **kwargs: Any) -> Any:
        with uncast():
            if not _is_eligible(value):
                return op(value, *args, **kwargs)
            if single:
                return aten.norm.ScalarOpt_dtype(value, args[0] if args else 2, dtype=torch.float32)
            exponent, dims, *keep = args
            return aten.norm.ScalarOpt_dim_dtype(
                value, exponent, dims, *(keep or [False]), dtype=torch.float32
            )

    return run


def _widest(op: Any) -> Handler:
    def run(*args: Any, **kwargs: Any) -> Any:
        with uncast():
            dtype = torch.get_autocast_dtype(DEVICE)
            for each in _tensors(args):
                if _is_eligible(each) and each.dtype == torch.float32:
                    dtype = torch.float32
            return op(*cached_cast(args, dtype), **kwargs)

    return run


def _tensors(values: Iterable[Any]) -> Iterable[Any]:
    for each in values:
        if isinstance(each, (list, tuple)):
            yield from _tensors(each)
        else:
            yield each


def _refused(op: Any) -> Handler:
    def run(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"{op._schema.name} is unsafe under autocast; use binary_cross_entropy_with_logits"  # noqa: SLF001  # no public way leads there
        )

    return run


def _cast_named(kwargs: dict[str, Any], dtype: torch.dtype) -> dict[str, Any]:
    return {name: cached_cast(value, dtype) for name, value in kwargs.items()}


def _find(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default", None)


def rules() -> dict[str, Handler]:
    """The rule of every operator that this torch has, by its name."""
    made: dict[str, Handler] = {}
    lists: tuple[tuple[tuple[str, ...], Callable[[Any], Handler]], ...] = (
        (HALF, _half),
        (FULL, _full),
        (FULL_RESULT, _full_result),
        (FULL_NORM, _full_norm),
        (WIDEST, _widest),
        (REFUSED, _refused),
    )
    for names, rule in lists:
        for name in names:
            op = _find(name)
            if op is not None:
                made[name] = rule(op)
    return made
