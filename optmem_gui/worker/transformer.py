"""The transformer that a measurement runs and the tracer traces: one module for every TransformerShape.

Parameters carry the names, shapes and order of
:func:`optmem_gui.core.synthetic.transformer_tensors`. The operations are those of Hugging Face's Llama
where the shape is Llama's (rms norm in elementary operations, rotary positions, SwiGLU) and of a
GPT-2-like decoder otherwise (``layer_norm``, GELU, learned positions), so what autograd saves is what
users' runs save. :mod:`optmem_gui.core.activations` predicts this module; each of its rules is tested
against it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from optmem_gui.core.activations.choice import checkpoint_span, expands_heads, loss_chunk_tokens
from optmem_gui.core.scenario import Attention as AttentionKind
from optmem_gui.core.scenario import Loss, Target
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.worker.fused_loss import fused_linear_cross_entropy

Rotary = tuple[Tensor, Tensor]

_BACKENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "math": SDPBackend.MATH,
}
_REMAINDER_SCALE = 1e-6


class RmsNorm(nn.Module):
    """Root-mean-square norm as transformers' ``LlamaRMSNorm`` computes it: in fp32, cast back, scaled."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise the last dimension."""
        full = x.to(torch.float32)
        full = full * torch.rsqrt(full.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * full.to(x.dtype)


def _rotate(x: Tensor, rotary: Rotary) -> Tensor:
    cos, sin = rotary
    half = x.shape[-1] // 2
    return (x * cos) + (torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin)


def _expand_heads(x: Tensor, times: int) -> Tensor:
    """Repeat key or value heads so that there is one a query head (a copy)."""
    batch, heads, tokens, width = x.shape
    return x[:, :, None].expand(batch, heads, times, tokens, width).reshape(batch, -1, tokens, width)


class SelfAttention(nn.Module):
    """Causal self-attention with grouped key and value heads."""

    def __init__(self, shape: TransformerShape, kind: AttentionKind, recompute: bool) -> None:
        super().__init__()
        query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        bias = shape.biases or shape.qkv_biases
        self.q_proj = nn.Linear(shape.hidden, query, bias=bias)
        self.k_proj = nn.Linear(shape.hidden, value, bias=bias)
        self.v_proj = nn.Linear(shape.hidden, value, bias=bias)
        self.o_proj = nn.Linear(query, shape.hidden, bias=shape.biases)
        if shape.head_norms:
            self.q_norm, self.k_norm = RmsNorm(shape.head_dim), RmsNorm(shape.head_dim)
        self.shape, self.kind, self.recompute = shape, kind, recompute

    def forward(self, x: Tensor, rotary: Rotary | None) -> Tensor:
        """Attend over the sequence; [batch, tokens, hidden] in and out."""
        if self.shape.head_norms:
            q = self.q_norm(self._split(self.q_proj(x))).transpose(1, 2)
            k = self.k_norm(self._split(self.k_proj(x))).transpose(1, 2)
            v = self._split(self.v_proj(x)).transpose(1, 2)
        else:
            projections = (self.q_proj, self.k_proj, self.v_proj)
            q, k, v = (self._split(proj(x)).transpose(1, 2) for proj in projections)
        if rotary is not None:
            q, k = _rotate(q, rotary), _rotate(k, rotary)
        if self.recompute:
            mixed: Tensor = checkpoint(
                self._core, q, k, v, use_reentrant=False, preserve_rng_state=self.shape.dropout > 0
            )
        else:
            mixed = self._core(q, k, v)
        del q, k, v
        return self.o_proj(mixed.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))  # type: ignore[no-any-return]  # torch's own types say Any

    def _split(self, x: Tensor) -> Tensor:
        return x.view(x.shape[0], x.shape[1], -1, self.shape.head_dim)

    def _core(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        groups = self.shape.heads // self.shape.kv_heads
        half = q.dtype in (torch.bfloat16, torch.float16) or torch.is_autocast_enabled(q.device.type)
        target: Target = "cpu" if q.device.type == "cpu" else "cuda"
        grouped = groups > 1
        if grouped and expands_heads(self.kind, half=half, shape=self.shape, target=target):
            k, v, grouped = _expand_heads(k, groups), _expand_heads(v, groups), False
        dropout = self.shape.dropout if self.training else 0.0
        if self.kind == "eager":
            return _eager_attention(q, k, v, dropout)
        chosen = _BACKENDS.get(self.kind)
        with contextlib.nullcontext() if chosen is None else sdpa_kernel([chosen]):
            return F.scaled_dot_product_attention(
                q, k, v, dropout_p=dropout, is_causal=True, enable_gqa=grouped
            )


def _eager_attention(q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
    """The textbook form: scores and probabilities exist as [batch, heads, tokens, tokens] tensors."""
    tokens = q.shape[2]
    mask = torch.full((tokens, tokens), float("-inf"), dtype=q.dtype, device=q.device).triu(1)
    scores = torch.matmul(q, k.transpose(2, 3)) * q.shape[-1] ** -0.5
    scores = scores + mask
    scores = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    scores = F.dropout(scores, dropout, dropout > 0)
    return torch.matmul(scores, v)


class Mlp(nn.Module):
    """Two matrices around a GELU, or three with SiLU (SwiGLU)."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        if shape.gated:
            self.gate_proj = nn.Linear(shape.hidden, shape.ffn, bias=shape.biases)
        self.up_proj = nn.Linear(shape.hidden, shape.ffn, bias=shape.biases)
        self.down_proj = nn.Linear(shape.ffn, shape.hidden, bias=shape.biases)
        self.gated = shape.gated

    def forward(self, x: Tensor) -> Tensor:
        """[batch, tokens, hidden] in and out."""
        if self.gated:
            return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))  # type: ignore[no-any-return]  # torch's own types say Any
        return self.down_proj(F.gelu(self.up_proj(x)))  # type: ignore[no-any-return]  # torch's own types say Any


class Block(nn.Module):
    """One pre-norm decoder layer."""

    def __init__(self, shape: TransformerShape, kind: AttentionKind, recompute_attention: bool) -> None:
        super().__init__()
        norm: Callable[[int], nn.Module]
        norm = RmsNorm if shape.norm == "rms" else partial(nn.LayerNorm, bias=shape.biases)
        self.self_attn = SelfAttention(shape, kind, recompute_attention)
        self.mlp = Mlp(shape)
        self.input_layernorm = norm(shape.hidden)
        self.post_attention_layernorm = norm(shape.hidden)
        self.dropout = shape.dropout

    def forward(self, x: Tensor, rotary: Rotary | None) -> Tensor:
        """[batch, tokens, hidden] in and out."""
        x = x + self._drop(self.self_attn(self.input_layernorm(x), rotary))
        return x + self._drop(self.mlp(self.post_attention_layernorm(x)))

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training) if self.dropout else x


class Decoder(nn.Module):
    """Embeddings, blocks and the last norm."""

    def __init__(self, shape: TransformerShape, kind: AttentionKind, checkpointing: str) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocab, shape.hidden)
        if shape.positions:
            self.embed_positions = nn.Embedding(shape.positions, shape.hidden)
        inside = checkpointing == "attention"
        self.layers = nn.ModuleList(Block(shape, kind, inside) for _ in range(shape.layers))
        self.norm = (
            RmsNorm(shape.hidden) if shape.norm == "rms" else nn.LayerNorm(shape.hidden, bias=shape.biases)
        )
        self.shape, self.span = shape, checkpoint_span(checkpointing)

    def forward(self, tokens: Tensor) -> Tensor:
        """[batch, tokens] of ids -> [batch, tokens, hidden]."""
        x = self.embed_tokens(tokens)
        if self.shape.positions:
            x = x + self.embed_positions(torch.arange(tokens.shape[1], device=tokens.device))
        rotary = self._rotary(x) if self.shape.norm == "rms" and not self.shape.positions else None
        if not self.span:
            x = self._run(0, self.shape.layers, x, rotary)
        else:
            for start in range(0, self.shape.layers, self.span):
                end = min(start + self.span, self.shape.layers)
                x = checkpoint(
                    self._run,
                    start,
                    end,
                    x,
                    rotary,
                    use_reentrant=False,
                    preserve_rng_state=self.shape.dropout > 0,
                )
        return self.norm(x)  # type: ignore[no-any-return]  # torch's own types say Any

    def _run(self, start: int, end: int, x: Tensor, rotary: Rotary | None) -> Tensor:
        for index in range(start, end):
            x = self.layers[index](x, rotary)
        return x

    def _rotary(self, x: Tensor) -> Rotary:
        width = self.shape.head_dim
        steps = torch.arange(0, width, 2, dtype=torch.float32, device=x.device)
        places = torch.arange(x.shape[1], dtype=torch.float32, device=x.device)
        angles = torch.outer(places, 10000.0 ** (-steps / width))
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


class Transformer(nn.Module):
    """A decoder with its loss, built from dimensions alone.

    Args:
        shape: Dimensions; ``named_parameters()`` equals ``transformer_tensors(shape)``.
        attention: Kernel; ``auto`` leaves the choice to torch.
        loss: ``full`` keeps all logits, ``chunked`` recomputes them a slice at a time, ``fused`` computes
            the gradient in the forward pass and keeps none.
        checkpointing: ``none``, ``attention``, ``full`` or ``every-K``.
        keep_logits: Hold the logits until :attr:`logits` is cleared, as a loop that returns them does
            (``full`` only).

    Raises:
        UserError: The kind of checkpointing is not known.
    """

    def __init__(
        self,
        shape: TransformerShape,
        attention: AttentionKind = "auto",
        loss: Loss = "full",
        checkpointing: str = "none",
        keep_logits: bool = False,
    ) -> None:
        super().__init__()
        self.model = Decoder(shape, attention, checkpointing)
        self.lm_head = (
            _tied_head(self.model.embed_tokens.weight)
            if shape.tied_head
            else nn.Linear(shape.hidden, shape.vocab, bias=False)
        )
        if shape.remainder:
            self.remainder = nn.Parameter(torch.ones(shape.remainder))
        self.shape, self.loss, self.keep_logits = shape, loss, keep_logits
        self.logits: Tensor | None = None

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, nn.Parameter]]:
        """As in every module, but the remainder comes last, where the synthetic model has it."""
        found = list(super().named_parameters(prefix, recurse, remove_duplicate))
        last = f"{prefix}.remainder" if prefix else "remainder"
        yield from sorted(found, key=lambda pair: pair[0] == last)

    def forward(self, tokens: Tensor, labels: Tensor) -> Tensor:
        """Mean cross-entropy; both arguments are int64 [batch, tokens], labels already shifted."""
        hidden = self.model(tokens)
        if self.loss == "full":
            loss = self._full(hidden, labels)
        else:
            flat, targets = hidden.view(-1, self.shape.hidden), labels.reshape(-1)
            size = loss_chunk_tokens(flat.shape[0], self.shape)
            loss = (self._chunked if self.loss == "chunked" else self._fused)(flat, targets, size)
        if self.shape.remainder:
            loss = loss + _REMAINDER_SCALE * self.remainder.float().square().sum()
        return loss

    def _full(self, hidden: Tensor, labels: Tensor) -> Tensor:
        logits = self.lm_head(hidden)
        if self.keep_logits:
            self.logits = logits
        return F.cross_entropy(logits.float().view(-1, self.shape.vocab), labels.reshape(-1))

    def _chunked(self, hidden: Tensor, labels: Tensor, size: int) -> Tensor:
        total = hidden.new_zeros((), dtype=torch.float32)
        for part, target in zip(torch.split(hidden, size), torch.split(labels, size), strict=True):
            total = total + checkpoint(
                self._part, part, target, use_reentrant=False, preserve_rng_state=False
            )
        return total / labels.numel()

    def _part(self, hidden: Tensor, labels: Tensor) -> Tensor:
        return F.cross_entropy(self.lm_head(hidden).float(), labels, reduction="sum")

    def _fused(self, hidden: Tensor, labels: Tensor, size: int) -> Tensor:
        device = hidden.device.type
        compute = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else hidden.dtype
        return fused_linear_cross_entropy(hidden, self.lm_head.weight, labels, size, compute)


def _tied_head(weight: Tensor) -> nn.Linear:
    """A head over the embedding's storage; a weight of its own is never made, not even for a moment."""
    head = nn.Linear(1, 1, bias=False)
    head.weight = weight
    head.out_features, head.in_features = weight.shape
    return head


class VectorModel(nn.Module):
    """One vector, for parameter counts too small for a transformer.

    Args:
        param_count: Elements.
    """

    def __init__(self, param_count: int) -> None:
        super().__init__()
        self.remainder = nn.Parameter(torch.ones(param_count))

    def forward(self, tokens: Tensor | None = None, labels: Tensor | None = None) -> Tensor:
        """The mean square of the vector; the arguments are there to match :class:`Transformer`."""
        return self.remainder.float().square().mean()
