"""Head and cross-entropy in one operation that keeps no logits."""

from __future__ import annotations

from typing import cast

import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by
from torch import Tensor
from torch.autograd.function import FunctionCtx


class _Context(FunctionCtx):
    """What autograd's context offers and its stub leaves out."""

    needs_input_grad: tuple[bool, ...]
    saved_tensors: tuple[Tensor | None, Tensor | None]


def fused_linear_cross_entropy(
    hidden: Tensor, weight: Tensor, labels: Tensor, chunk_tokens: int, compute: torch.dtype
) -> Tensor:
    """Mean cross-entropy of ``hidden @ weight.T``, with gradients made chunk by chunk in the forward pass.

    The scheme of Liger-Kernel's ``fused_linear_cross_entropy`` (Hsu et al., arXiv 2410.10989, section
    3.3), in plain torch: no logits outlive their chunk, and what is kept for backward is the gradient of
    ``hidden`` and of ``weight`` themselves.

    Args:
        hidden: [tokens, width].
        weight: [vocabulary, width].
        labels: int64 [tokens].
        chunk_tokens: Tokens whose logits exist at once.
        compute: Type of the products.
    """
    loss = _FusedLinearCrossEntropy.apply(hidden, weight, labels, chunk_tokens, compute)  # type: ignore[no-untyped-call]  # the library leaves it untyped
    return cast("Tensor", loss)


class _FusedLinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: _Context, hidden: Tensor, weight: Tensor, *rest: object) -> Tensor:
        labels, chunk_tokens, compute = cast("tuple[Tensor, int, torch.dtype]", rest)
        wants_hidden, wants_weight = ctx.needs_input_grad[:2]
        hidden_grad = torch.empty_like(hidden) if wants_hidden else None
        weight_grad = torch.zeros_like(weight) if wants_weight else None
        total = hidden.new_zeros((), dtype=torch.float32)
        with torch.autocast(hidden.device.type, enabled=False):
            matrix = weight.to(compute)
            for start in range(0, hidden.shape[0], chunk_tokens):
                rows = slice(start, start + chunk_tokens)
                part = hidden[rows].to(compute)
                loss, grad = _chunk(part, matrix, labels[rows], hidden.shape[0])
                total += loss
                if hidden_grad is not None:
                    hidden_grad[rows] = grad @ matrix
                if weight_grad is not None:
                    weight_grad += (grad.t() @ part).to(weight.dtype)
                del grad, part
        ctx.save_for_backward(hidden_grad, weight_grad)  # type: ignore[arg-type]  # None is allowed
        return total / hidden.shape[0]

    @staticmethod
    def backward(ctx: _Context, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        hidden_grad, weight_grad = ctx.saved_tensors
        scaled = (None if made is None else made.mul_(grad_outputs[0]) for made in (hidden_grad, weight_grad))
        return (*scaled, None, None, None)


def _chunk(part: Tensor, matrix: Tensor, labels: Tensor, token_count: int) -> tuple[Tensor, Tensor]:
    """Summed loss of one chunk, and the gradient of its logits."""
    logits = F.linear(part, matrix).float()
    loss = F.cross_entropy(logits, labels, reduction="sum")
    # d loss / d logits = softmax - one-hot, written over the logits themselves
    torch.softmax(logits, dim=-1, out=logits)
    logits.scatter_add_(1, labels[:, None], logits.new_full((len(labels), 1), -1.0))
    return loss, logits.div_(token_count).to(part.dtype)
