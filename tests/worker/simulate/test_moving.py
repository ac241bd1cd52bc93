"""A model that is moved to the GPU after something else holds its parameters."""

from __future__ import annotations

import torch
from torch import nn

from tests.worker.simulate.tracing import tracing


class Tied(nn.Module):
    """Two modules with one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 16, bias=False)
        self.head.weight = self.embedding.weight


def test_an_optimizer_made_before_updates_the_moved_parameters() -> None:
    with tracing() as tracker:
        model = nn.Linear(64, 64)
        optimizer = torch.optim.AdamW(model.parameters())
        model.to("cuda")
        model(torch.randn(4, 64, device="cuda")).sum().backward()
        optimizer.step()
        state = optimizer.state[model.weight]
        block = tracker.block_of(state["exp_avg"])
    assert model.weight.is_meta
    assert block is not None
    assert block.requested == 4 * 64 * 64


def test_a_shared_parameter_stays_shared() -> None:
    with tracing() as tracker:
        model = Tied().cuda()
        sizes = [block.requested for block in tracker.tape.events]
    assert model.head.weight is model.embedding.weight
    assert sizes == [4 * 16 * 8]


def test_in_inference_mode_autocast_keeps_no_copies_of_weights() -> None:
    # recorded: a decoder under inference_mode frees each cast at once, under no_grad it keeps one a weight
    copies = []
    for mode in (torch.no_grad, torch.inference_mode):
        with tracing() as tracker:
            model = nn.Linear(64, 64, bias=False).cuda()
            x = torch.randn(4, 64, device="cuda")
            with mode(), torch.autocast("cuda", dtype=torch.bfloat16):
                model(x)
                model(x)
            made = [block for block in tracker.tape.events if block.requested == 2 * 64 * 64]
        copies.append(len({id(block) for block in made}))
    assert copies == [1, 2]


def test_an_update_in_place_has_no_temporaries_of_its_own() -> None:
    with tracing() as tracker:
        a, b, c = (torch.empty(1024, device="cuda") for _ in range(3))
        start = len(tracker.tape.events)
        a.addcmul_(b, c, value=0.5).addcdiv_(b, c).uniform_().normal_().mul_(b).lerp_(c, 0.1)
        assert len(tracker.tape.events) == start
