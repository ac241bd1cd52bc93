"""A Llama-like model small enough for many processes, with sizes that divide by nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import nn
from torch.nn import functional

VOCAB, HIDDEN, HEADS, HEAD_DIM, FFN, LAYERS = 50, 20, 8, 6, 40, 3
"""A vocabulary and a width that 4 and 8 do not divide; heads and MLP that they do, for tensor parallelism."""


class Attention(nn.Module):
    """Attention without a mask or rotary positions: only the tensors matter."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("q_proj", "k_proj", "v_proj"):
            setattr(self, name, nn.Linear(HIDDEN, HEADS * HEAD_DIM, bias=False))
        self.o_proj = nn.Linear(HEADS * HEAD_DIM, HIDDEN, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Heads that this rank has."""
        batch, tokens, _ = x.shape
        q, k, v = (
            getattr(self, name)(x).view(batch, tokens, -1, HEAD_DIM).transpose(1, 2)
            for name in ("q_proj", "k_proj", "v_proj")
        )
        mixed = (q @ k.transpose(2, 3)).softmax(-1) @ v
        return self.o_proj(mixed.transpose(1, 2).reshape(batch, tokens, -1))  # type: ignore[no-any-return]  # torch's own types say Any


class Mlp(nn.Module):
    """Gate, up and down."""

    def __init__(self) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(HIDDEN, FFN, bias=False)
        self.up_proj = nn.Linear(HIDDEN, FFN, bias=False)
        self.down_proj = nn.Linear(FFN, HIDDEN, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """SwiGLU."""
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))  # type: ignore[no-any-return]  # torch's own types say Any


class Layer(nn.Module):
    """One block."""

    def __init__(self) -> None:
        super().__init__()
        self.self_attn = Attention()
        self.mlp = Mlp()
        self.input_layernorm = nn.RMSNorm(HIDDEN)
        self.post_attention_layernorm = nn.RMSNorm(HIDDEN)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Both branches."""
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))  # type: ignore[no-any-return]  # torch's own types say Any


class Tiny(nn.Module):
    """Embedding, layers, norm and head."""

    def __init__(self) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCAB, HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(HIDDEN)
        self.lm_head = nn.Linear(HIDDEN, VOCAB, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Mean of the logits: a loss whose gradient reaches every parameter."""
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x)).float().mean()  # type: ignore[no-any-return]  # torch's own types say Any


WIDTH = 256
"""Wide enough that an eighth of a matrix still has a block-wise 8-bit state (4096 elements and more)."""


class Product(nn.Module):
    """One matrix, named as a part of an MLP: what low-rank optimizers project."""

    def __init__(self, width: int = WIDTH, height: int = WIDTH) -> None:
        super().__init__()
        self.up_proj = nn.Linear(width, height, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Only that."""
        return self.up_proj(x)  # type: ignore[no-any-return]  # torch's own types say Any


class Matrices(nn.Module):
    """Matrices alone, for optimizers that take nothing else."""

    sides: tuple[int, ...] = (WIDTH,) * (LAYERS + 1)

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Product(width, height) for width, height in pairwise(self.sides))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """One after the other."""
        x: Any = tokens[:, :1].float().expand(-1, self.sides[0]).to(next(self.parameters()).dtype)
        for layer in self.layers:
            x = layer(x)
        return x.float().mean()  # type: ignore[no-any-return]  # torch's own types say Any


class Oblong(Matrices):
    """A tall, a wide and a square matrix, with rows that neither 2 nor 4 processes share out evenly."""

    sides = (18, 37, 21, 21)


MODELS: dict[str, type[nn.Module]] = {"tiny": Tiny, "matrices": Matrices, "oblong": Oblong}
