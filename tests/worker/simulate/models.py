"""Models of well-known architectures, written for hand calculations of what they keep."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Perceptron(nn.Module):
    """Two hidden layers with ReLU."""

    def __init__(self, width: int = 1024, hidden: int = 4096, classes: int = 10) -> None:
        super().__init__()
        self.first = nn.Linear(width, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(F.relu(self.second(F.relu(self.first(x)))))  # type: ignore[no-any-return]  # torch's own types say Any


class GptBlock(nn.Module):
    """A block of GPT-2 with flash attention and dropout."""

    def __init__(self, width: int = 768, heads: int = 12, dropout: float = 0.1) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads, self.dropout = heads, dropout

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm1(x)).split(width, dim=2)
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in parts)
        mixed = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout, is_causal=True)
        mixed = mixed.transpose(1, 2).contiguous().view(batch, tokens, width)
        x = x + F.dropout(self.proj(mixed), self.dropout)
        hidden = F.gelu(self.up(self.norm2(x)), approximate="tanh")
        return x + F.dropout(self.down(hidden), self.dropout)


class Gpt(nn.Module):
    """GPT-2, 124 M parameters, with a tied head.

    Args:
        full_logits: The loss is computed of fp32 logits, as many programs do.
        recompute: Every block is checkpointed: ``""``, ``"new"`` or ``"reentrant"``.
    """

    def __init__(
        self, *, full_logits: bool = True, recompute: str = "", layers: int = 12, vocab: int = 50257
    ) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocab, 768), nn.Embedding(1024, 768)
        self.blocks = nn.ModuleList(GptBlock() for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(768), nn.Linear(768, vocab, bias=False)
        self.head.weight = self.tokens.weight
        self.full_logits, self.recompute = full_logits, recompute

    def forward(self, tokens: Tensor, labels: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        x = F.dropout(x, 0.1)
        for block in self.blocks:
            if self.recompute:
                x = checkpoint(block, x, use_reentrant=self.recompute == "reentrant")
            else:
                x = block(x)
        logits = self.head(self.norm(x))
        if self.full_logits:
            return F.cross_entropy(logits.float().view(-1, logits.shape[-1]), labels.view(-1))
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), labels.view(-1))


class Bottleneck(nn.Module):
    """A block of ResNet-50."""

    def __init__(self, before: int, middle: int, stride: int) -> None:
        super().__init__()
        after = 4 * middle
        self.conv1 = nn.Conv2d(before, middle, 1, bias=False)
        self.conv2 = nn.Conv2d(middle, middle, 3, stride, 1, bias=False)
        self.conv3 = nn.Conv2d(middle, after, 1, bias=False)
        self.bn1, self.bn2, self.bn3 = (nn.BatchNorm2d(n) for n in (middle, middle, after))
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(
                nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, x: Tensor) -> Tensor:
        short = self.shortcut(x)
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        return F.relu(self.bn3(self.conv3(y)) + short, inplace=True)


class ResNet50(nn.Module):
    """ResNet-50 with its loss."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, 1)
        blocks, before = [], 64
        for middle, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for index in range(count):
                blocks.append(Bottleneck(before, middle, stride if index == 0 else 1))
                before = 4 * middle
        self.blocks, self.out = nn.Sequential(*blocks), nn.Linear(2048, 1000)

    def forward(self, images: Tensor, labels: Tensor) -> Tensor:
        x = self.pool(F.relu(self.bn(self.conv(images)), inplace=True))
        return F.cross_entropy(self.out(self.blocks(x).mean((2, 3))), labels)
