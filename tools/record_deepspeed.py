"""Write the small DeepSpeed checkpoints that the tests read, with DeepSpeed itself, on the CPU.

    torchrun --nproc-per-node 2 tools/record_deepspeed.py --stage 2 --output FOLDER

Recorded with deepspeed 0.19.8 and torch 2.13 for ZeRO stages 1 (fp32), 2 and 3 (bf16). The model has a
frozen layer and a buffer.
"""

from __future__ import annotations

import argparse

import deepspeed
import torch
from torch import nn


class Net(nn.Module):
    """An embedding, a trained and a frozen layer, a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.trained = nn.Linear(4, 8)
        self.frozen = nn.Linear(8, 8)
        self.register_buffer("table", torch.arange(8.0))
        self.frozen.requires_grad_(False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """A loss."""
        out: torch.Tensor = self.frozen(self.trained(self.embed(tokens)))
        return out.float().sum()


def main() -> None:
    """Train one step and save."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stage", type=int, required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--local_rank", type=int)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    model = Net()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    config = {
        "train_micro_batch_size_per_gpu": 2,
        "zero_optimization": {"stage": arguments.stage, "stage3_param_persistence_threshold": 0},
        "zero_allow_untested_optimizer": True,
        "zero_force_ds_cpu_optimizer": False,
        "bf16": {"enabled": arguments.stage > 1},
    }
    engine, *_ = deepspeed.initialize(
        model=model, optimizer=torch.optim.AdamW(trained), model_parameters=trained, config=config
    )
    engine.backward(engine(torch.randint(0, 10, (2,))))
    engine.step()
    engine.save_checkpoint(arguments.output)


if __name__ == "__main__":
    main()
