"""Which kernel computes attention on a GPU, and what it takes besides its results.

Sources: ``transformers/cuda/sdp_utils.cpp`` (``select_sdp_backend`` and the checks of each kernel) and
``transformers/attention.cpp`` (``scaled_dot_product_attention``) in aten/src/ATen/native, torch 2.13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by
from torch import Tensor

from optmem_gui.core.kernels.attention import (
    AttentionCall,
    efficient_backward_buffers,
    flash_backward_buffers,
)
from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.facts import Machine
from optmem_gui.worker.simulate.shapes import compute
from optmem_gui.worker.simulate.tracker import Tracker, plain

_aten = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)
_FLASH_HEAD_DIM = 256
_CUDNN_HEAD_DIM = 128
_SM_AMPERE_CONSUMER = (86, 89, 120, 121)


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments of ``scaled_dot_product_attention``."""

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    dropout: float
    is_causal: bool
    scale: float | None
    grouped: bool

    @property
    def needs_gradient(self) -> bool:
        """Whether a backward may follow (``should_compute_logsumexp``)."""
        wants = any(each.requires_grad for each in (self.query, self.key, self.value))
        return torch.is_grad_enabled() and wants


def choose(call: Call, machine: Machine) -> str:
    """The kernel CUDA would take: ``flash``, ``efficient``, ``cudnn`` or ``math``."""
    order = torch._C._get_sdp_priority_order()  # noqa: SLF001  # no public way leads there
    checks: dict[int, tuple[str, Callable[[], bool], Callable[[], bool]]] = {
        1: ("flash", torch.backends.cuda.flash_sdp_enabled, lambda: _flash_runs(call, machine)),
        2: (
            "efficient",
            torch.backends.cuda.mem_efficient_sdp_enabled,
            lambda: _efficient_runs(call, machine),
        ),
        0: ("math", torch.backends.cuda.math_sdp_enabled, lambda: True),
        3: ("cudnn", torch.backends.cuda.cudnn_sdp_enabled, lambda: _cudnn_runs(call, machine)),
    }
    for backend in order:
        name, enabled, runs = checks.get(int(backend), ("", bool, bool))
        if enabled() and runs():
            return name
    return "math"


def _is_plain(call: Call) -> bool:
    """Four dimensions, no empty sequence, elements of a head side by side."""
    parts = (call.query, call.key, call.value)
    return all(each.dim() == 4 and each.shape[2] > 0 and each.stride(-1) == 1 for each in parts)


def _same_heads(call: Call) -> bool:
    return call.query.shape[1] == call.key.shape[1] == call.value.shape[1]


def _heads_fit(call: Call) -> bool:
    """Grouped keys and values must be asked for, and divide the queries' heads."""
    if _same_heads(call):
        return True
    keys, values, queries = call.key.shape[1], call.value.shape[1], call.query.shape[1]
    return call.grouped and keys == values and queries % keys == 0


def _flash_runs(call: Call, machine: Machine) -> bool:
    dtype, width = call.query.dtype, call.query.shape[-1]
    if dtype not in _HALF or call.mask is not None or not _is_plain(call) or not _heads_fit(call):
        return False
    if machine.capability and machine.capability < 80:
        return False
    if width > _FLASH_HEAD_DIM or not width == call.key.shape[-1] == call.value.shape[-1]:
        return False
    if call.is_causal and call.query.shape[2] != call.key.shape[2]:
        return False
    small_chip = machine.capability in _SM_AMPERE_CONSUMER
    return not (small_chip and call.needs_gradient and width > 192 and (width > 224 or call.dropout > 0))


def _efficient_runs(call: Call, machine: Machine) -> bool:
    dtype = call.query.dtype
    if dtype not in (*_HALF, torch.float32) or not _is_plain(call) or not _same_heads(call):
        return False
    if dtype == torch.bfloat16 and not machine.has_bf16:
        return False
    alignment = _alignment(dtype, machine)
    return call.query.shape[-1] % alignment == 0 and call.value.shape[-1] % alignment == 0


def _alignment(dtype: torch.dtype, machine: Machine) -> int:
    """Elements that a load of the memory-efficient kernel takes (``minimum_gemm_alignment``)."""
    if dtype in _HALF:
        return 8 if machine.capability == 0 or machine.capability >= 75 else 4
    return 4 if machine.capability == 0 or machine.capability >= 80 else 1


def _cudnn_runs(call: Call, machine: Machine) -> bool:
    dtype, width = call.query.dtype, call.query.shape[-1]
    if dtype not in _HALF or not _is_plain(call) or not _heads_fit(call) or width % 8:
        return False
    return width <= _CUDNN_HEAD_DIM and (machine.capability == 0 or machine.capability >= 80)


def attend(call: Call, machine: Machine) -> Tensor:
    """Run the operator of the kernel that CUDA would take."""
    kernel = choose(call, machine)
    if kernel == "flash":
        return _flash(call)
    if kernel == "efficient":
        return _efficient(call)
    if kernel == "cudnn":
        out = _aten._scaled_dot_product_cudnn_attention(  # noqa: SLF001  # no public way leads there
            call.query,
            call.key,
            call.value,
            call.mask,
            call.needs_gradient,
            call.dropout,
            call.is_causal,
            False,
            scale=call.scale,
        )
        return out[0]  # type: ignore[no-any-return]  # torch's own types say Any
    out = _aten._scaled_dot_product_attention_math(  # noqa: SLF001  # no public way leads there
        call.query,
        call.key,
        call.value,
        call.mask,
        call.dropout,
        call.is_causal,
        None,
        scale=call.scale,
        enable_gqa=call.grouped,
    )
    return out[0]  # type: ignore[no-any-return]  # torch's own types say Any


def _flash(call: Call) -> Tensor:
    """The head is padded to a multiple of 8 and the result cut back (``pad_last_dim``)."""
    width = call.query.shape[-1]
    scale = call.scale if call.scale is not None else 1 / math.sqrt(width)
    parts = [call.query, call.key, call.value]
    if width % 8:
        parts = [F.pad(each, (0, 8 - width % 8)) for each in parts]
    out = _aten._scaled_dot_product_flash_attention(  # noqa: SLF001  # no public way leads there
        *parts, call.dropout, call.is_causal, False, scale=scale
    )[0]
    return out[..., :width] if width % 8 else out  # type: ignore[no-any-return]  # torch's own types say Any


def _efficient(call: Call) -> Tensor:
    mask = None if call.mask is None else _additive(call.mask, call.query.dtype)
    out = _aten._scaled_dot_product_efficient_attention(  # noqa: SLF001  # no public way leads there
        call.query,
        call.key,
        call.value,
        mask,
        call.needs_gradient,
        call.dropout,
        call.is_causal,
        scale=call.scale,
    )
    return out[0]  # type: ignore[no-any-return]  # torch's own types say Any


def _additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """A mask of truth values as one that is added (``convert_boolean_attn_mask``), rows padded to 16."""
    if mask.dtype == torch.bool:
        made = torch.zeros_like(mask, dtype=dtype)
        mask = made.masked_fill_(mask.logical_not(), -math.inf)
    last = mask.shape[-1]
    if last % 16:
        mask = F.pad(mask, (0, 16 - last % 16))[..., :last]
    return mask


def flash_forward(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """No recording holds it yet."""
    tracker.unproven.add(name)
    return plain(tracker, op, name, args, kwargs)


def efficient_forward(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """Seed and offset of its random numbers lie on the host."""
    out = compute(op, args, kwargs)
    tracker.see(out[:2], name)
    if not args[0].is_meta:
        return out
    return (*out[:2], *(torch.zeros((), dtype=torch.int64, device="cpu") for _ in out[2:]))


def flash_backward(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """The gradient of the queries is summed in fp32, one row a block."""
    out = plain(tracker, op, name, args, kwargs)
    if args[1].is_meta:
        call = _dimensions(args[1], args[2])
        deterministic = torch.are_deterministic_algorithms_enabled()
        tracker.play(
            name,
            lambda processors: flash_backward_buffers(
                call, deterministic=deterministic, processors=processors
            ),
        )
    return out


def efficient_backward(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """Products of gradient and output, and tiles of the queries' gradient."""
    out = plain(tracker, op, name, args, kwargs)
    if args[1].is_meta:
        call = _dimensions(args[1], args[2])
        tracker.play(name, lambda _: efficient_backward_buffers(call))
    return out


def _dimensions(query: Tensor, key: Tensor) -> AttentionCall:
    batch, heads, queries, width = query.shape
    return AttentionCall(
        batch=batch,
        heads=heads,
        queries=queries,
        keys=key.shape[2],
        head_dim=width,
        element_bytes=query.element_size(),
        kv_heads=key.shape[1],
    )
