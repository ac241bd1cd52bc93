"""A small decoder of our own whose traced step is pinned: ``decoder.py:step`` is a user's function.

It has what the rules are about: einsum projections, RMS norms in fp32, rotary positions by slices, an
explicit attention with a causal mask, and a head whose weight the embedding shares.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, LAYERS, VOCABULARY, BATCH, TOKENS = 256, 4, 3, 1000, 2, 128
HEAD = WIDTH // HEADS


class Norm(nn.Module):
    """Root mean square over the width, computed in fp32."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return (wide * scale).to(x.dtype) * self.weight


class Projection(nn.Module):
    """A linear map without a bias, written as einsum."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs).normal_(std=inputs**-0.5))

    def forward(self, x: Tensor) -> Tensor:
        return torch.einsum("bti,oi->bto", x, self.weight)


def rotate(x: Tensor, angles: Tensor) -> Tensor:
    """Turn the two halves of every head by the position."""
    first, second = x[..., : HEAD // 2], x[..., HEAD // 2 :]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)


class Block(nn.Module):
    """Attention and a gated MLP, each behind a norm and beside a residual."""

    def __init__(self) -> None:
        super().__init__()
        self.norm_attention, self.norm_mlp = Norm(), Norm()
        self.qkv = Projection(WIDTH, 3 * WIDTH)
        self.out = Projection(WIDTH, WIDTH)
        self.gate_up = Projection(WIDTH, 8 * WIDTH)
        self.down = Projection(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor, angles: Tensor, mask: Tensor) -> Tensor:
        batch, tokens, _ = x.shape
        heads = self.qkv(self.norm_attention(x)).view(batch, tokens, 3, HEADS, HEAD).transpose(1, 3)
        q, k, v = heads.unbind(2)
        scores = torch.einsum("bhqd,bhkd->bhqk", rotate(q, angles), rotate(k, angles)) * HEAD**-0.5
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
        mixed = torch.einsum("bhqk,bhkd->bhqd", weights, v)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, WIDTH))
        gate, up = self.gate_up(self.norm_mlp(x)).chunk(2, -1)
        added: Tensor = self.down(functional.silu(gate) * up)
        return x + added


class Decoder(nn.Module):
    """Tokens in, logits out."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = Norm()

    def forward(self, tokens: Tensor) -> Tensor:
        count = tokens.shape[1]
        frequencies = 10_000 ** -torch.linspace(0, 1, HEAD // 2, device=tokens.device)
        angles = torch.outer(torch.arange(count, device=tokens.device).float(), frequencies)
        mask = torch.ones(count, count, dtype=torch.bool, device=tokens.device).triu(1)
        x: Tensor = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, angles, mask)
        return torch.einsum("btw,vw->btv", self.norm(x), self.embedding.weight)


def loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Cross-entropy of the next token."""
    tokens, labels = batch
    logits = model(tokens)
    return functional.cross_entropy(logits.view(-1, VOCABULARY), labels.view(-1))


def step(device: str) -> tuple[nn.Module, tuple[Tensor, Tensor], object]:
    """What a user's function returns: the model, a batch and the loss."""
    model = Decoder().to(device)
    tokens = torch.randint(0, VOCABULARY, (BATCH, TOKENS), device=device)
    return model, (tokens, tokens.clone()), loss
