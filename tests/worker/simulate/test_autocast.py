"""Autocast on meta tensors against CUDA's lists and its cache."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by

from optmem_gui.worker.simulate import autocast
from tests.worker.simulate.tracing import events, kept, now, taken, tracing

_BF16 = torch.bfloat16


def test_every_operator_that_torch_casts_on_cuda_has_a_rule() -> None:
    registered = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCUDA")
    assert {name.removeprefix("aten::") for name in registered} == set(autocast.rules())


def test_weight_is_cast_once_until_the_outermost_region_ends() -> None:
    with tracing() as tracker:
        weight = torch.zeros(64, 64, device="cuda", requires_grad=True)
        x = torch.zeros(8, 64, device="cuda", dtype=_BF16)
        with torch.no_grad(), torch.autocast("cuda", dtype=_BF16):
            start = now(tracker)
            with torch.autocast("cuda", dtype=_BF16):
                torch.mm(x, weight)
            torch.einsum("bi,ij->bj", x, weight)
            casts = [pair for pair in taken(tracker, start) if pair[0] == "_to_copy"]
            assert casts == [("_to_copy", 64 * 64 * 2)]
            held = kept(tracker, start)
        assert held == 64 * 64 * 2
        assert kept(tracker, start) == 0


def test_cast_of_an_activation_is_not_kept() -> None:
    with tracing() as tracker:
        x, y = torch.zeros(64, 64, device="cuda"), torch.zeros(64, 64, device="cuda")
        start = now(tracker)
        with torch.autocast("cuda", dtype=_BF16):
            torch.mm(x, y)
            torch.mm(x, y)
    assert sum(1 for pair in taken(tracker, start) if pair[0] == "_to_copy") == 4


def test_cache_can_be_turned_off() -> None:
    with tracing() as tracker:
        weight = torch.zeros(64, 64, device="cuda", requires_grad=True)
        x = torch.zeros(8, 64, device="cuda", dtype=_BF16)
        start = now(tracker)
        with torch.no_grad(), torch.autocast("cuda", dtype=_BF16, cache_enabled=False):
            torch.mm(x, weight)
            torch.mm(x, weight)
    assert sum(1 for pair in taken(tracker, start) if pair[0] == "_to_copy") == 2


def test_region_inside_may_turn_it_off() -> None:
    with tracing():
        x = torch.zeros(8, 8, device="cuda")
        with torch.autocast("cuda", dtype=_BF16):
            assert torch.mm(x, x).dtype == _BF16
            with torch.autocast("cuda", enabled=False):
                assert torch.mm(x, x).dtype == torch.float32
            assert torch.mm(x, x).dtype == _BF16
        assert torch.mm(x, x).dtype == torch.float32


@pytest.mark.parametrize("name", ["cuda", "meta"])
def test_region_may_take_its_device_from_a_tensor(name: str) -> None:
    """Libraries write ``torch.autocast(x.device.type)``, and a traced tensor is a meta tensor."""
    with tracing():
        x = torch.zeros(8, 8, device="cuda")
        with torch.autocast(name, dtype=_BF16):
            assert torch.is_autocast_enabled(x.device.type)
            assert torch.mm(x, x).dtype == _BF16


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda x: torch.softmax(x, -1), torch.float32),
        (lambda x: x.sum(), torch.float32),
        (lambda x: x.sum(dtype=_BF16), _BF16),
        (lambda x: x.norm(), torch.float32),
        (lambda x: x.exp(), torch.float32),
        (lambda x: F.layer_norm(x, (8,)), torch.float32),
        (lambda x: x + x, _BF16),
        (F.gelu, _BF16),
        (lambda x: torch.addcmul(x, x.float(), x), torch.float32),
        (lambda x: F.linear(x.double(), x.double()), torch.float64),
    ],
)
def test_operators_give_what_cuda_gives(run: object, expected: torch.dtype) -> None:
    with tracing():
        x = torch.zeros(8, 8, device="cuda", dtype=_BF16)
        with torch.autocast("cuda", dtype=_BF16):
            assert run(x).dtype == expected  # type: ignore[operator]  # values of a table of cases


def test_sum_does_not_copy_what_it_adds() -> None:
    with tracing() as tracker:
        x = torch.zeros(64, 64, device="cuda", dtype=_BF16)
        start = now(tracker)
        with torch.autocast("cuda", dtype=_BF16):
            x.sum()
    assert taken(tracker, start) == [("sum", 4)]


def test_cross_entropy_keeps_two_and_four_bytes_a_logit() -> None:
    rows, classes = 64, 1000
    with tracing() as tracker:
        logits = torch.zeros(rows, classes, device="cuda", dtype=_BF16, requires_grad=True)
        labels = torch.zeros(rows, dtype=torch.int64, device="cuda")
        start = now(tracker)
        with torch.autocast("cuda", dtype=_BF16):
            loss = F.cross_entropy(logits, labels)
    assert loss.dtype == torch.float32
    assert kept(tracker, start) == rows * classes * (2 + 4) + 4 + 4


def test_backward_inside_the_region_runs_with_it() -> None:
    """The sum over rows that a bias needs gives fp32 there, which is then cast back."""
    for inside, expected in ((True, 4), (False, 2)):
        with tracing() as tracker:
            x = torch.zeros(64, 32, device="cuda", dtype=_BF16)
            bias = torch.zeros(32, device="cuda", dtype=_BF16, requires_grad=True)
            weight = torch.zeros(64, 32, device="cuda", dtype=_BF16)
            loss = ((x + bias) * weight).sum()
            start = now(tracker)
            with torch.autocast("cuda", dtype=_BF16, enabled=inside):
                loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        sums = [size for name, size in taken(tracker, start) if name == "sum"]
        assert sums == [32 * expected]


def test_checkpoint_runs_again_under_the_autocast_of_its_forward() -> None:
    from torch.utils.checkpoint import checkpoint

    for reentrant in (False, True):
        with tracing() as tracker:
            layer = torch.nn.Linear(64, 64, device="cuda")
            x = torch.zeros(8, 64, device="cuda", requires_grad=True)
            with torch.autocast("cuda", dtype=_BF16):
                out = checkpoint(lambda y: torch.relu(layer(y)), x, use_reentrant=reentrant)  # noqa: B023  # called before the loop goes on
            start = now(tracker)
            out.sum().backward()
        again = [size for name, size in taken(tracker, start) if name == "addmm"]
        assert again == [8 * 64 * 2], reentrant


def test_function_without_a_16_bit_form_is_refused() -> None:
    with tracing():
        x = torch.zeros(8, device="cuda")
        with torch.autocast("cuda", dtype=_BF16), pytest.raises(RuntimeError, match="unsafe under autocast"):
            F.binary_cross_entropy(x, x)


def test_copies_of_weights_are_told_apart() -> None:
    with tracing() as tracker:
        weight = torch.zeros(64, 64, device="cuda", requires_grad=True)
        with torch.autocast("cuda", dtype=_BF16):
            out = weight @ weight
        copies = [block for block in tracker.tape.events if block.category == "autocast_copies"]
    assert {block.requested for block in copies} == {64 * 64 * 2}
    assert out.dtype == _BF16
    assert len(events(tracker)) >= len(copies)
