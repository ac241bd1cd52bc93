"""Functions that CUDA runs otherwise than the meta device: what autograd records is replaced as a whole."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from optmem_gui.core.kernels.releases import NEWEST, Release
from optmem_gui.worker.simulate.attention import Call, attend
from optmem_gui.worker.simulate.dispatch import META, Handler, composite, is_active
from optmem_gui.worker.simulate.einsum import EINSUM_SWAPS_SINCE, einsum_in_order
from optmem_gui.worker.simulate.facts import Machine

_aten = torch.ops.aten

machine: list[Machine] = []
"""The target under way."""


def release() -> Release:
    """Release of torch that is stood for."""
    return machine[-1].release if machine else NEWEST


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """With a bias and an input that is no plain matrix: a product, then the bias is added into it.

    Source: ``aten/src/ATen/native/Linear.cpp``; for meta tensors torch adds out of place.
    """
    flat = x.dim() == 2 or (x.dim() == 3 and x.is_contiguous())
    if bias is None or flat or not is_active():
        return composite(_aten.linear.default, x, weight, bias)  # type: ignore[no-any-return]  # torch's own types say Any
    return torch.matmul(x, weight.t()).add_(bias)


def dropout(x: Tensor, p: float, train: bool) -> Tensor:
    """One kernel with a mask of a byte an element (``is_fused_kernel_acceptable`` in native/Dropout.cpp)."""
    if is_active() and train and 0 < p < 1 and x.numel():
        return torch.native_dropout(x, p, train)[0]
    return composite(_aten.dropout.default, x, p, train)  # type: ignore[no-any-return]  # torch's own types say Any


def attention(  # noqa: PLR0917  # torch passes them so
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """``scaled_dot_product_attention`` by the kernel that CUDA takes."""
    call = Call(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    if not machine:
        out = _aten._scaled_dot_product_attention_math(  # noqa: SLF001  # no public way leads there
            query, key, value, attn_mask, dropout_p, is_causal, None, scale=scale, enable_gqa=enable_gqa
        )
        return out[0]  # type: ignore[no-any-return]  # torch's own types say Any
    return attend(call, machine[-1])


def einsum(equation: str, tensors: list[Tensor], *, path: list[int] | None = None) -> Tensor:
    """Older releases keep the order of two operands, so the layout of the result differs."""
    if is_active() and release() < EINSUM_SWAPS_SINCE and path is None:
        out = einsum_in_order(equation, tensors)
        if out is not None:
            return out
    return composite(_aten.einsum.default, equation, tensors, path=path)  # type: ignore[no-any-return]  # torch's own types say Any


def _on_device(device: Any) -> Any:
    return META if device is not None and device.type == "cuda" else device


def to_device(x: Tensor, device: torch.device, *args: Any, **kwargs: Any) -> Tensor:
    """``x.to(device, dtype)``: what is asked to the GPU comes to the meta device."""
    return composite(_aten.to.device, x, _on_device(device), *args, **kwargs)  # type: ignore[no-any-return]  # torch's own types say Any


def to_layout(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """``x.to(device)`` and ``x.cuda()``."""
    if "device" in kwargs:
        kwargs["device"] = _on_device(kwargs["device"])
    return composite(_aten.to.dtype_layout, x, *args, **kwargs)  # type: ignore[no-any-return]  # torch's own types say Any


ON_META: dict[str, Handler] = {
    "linear": linear,
    "dropout": dropout,
    "scaled_dot_product_attention": attention,
    "einsum": einsum,
    "to.device": to_device,
    "to.dtype_layout": to_layout,
}
ON_HOST: dict[str, Handler] = {"to.device": to_device, "to.dtype_layout": to_layout}
"""The same for tensors that lie on the host."""
