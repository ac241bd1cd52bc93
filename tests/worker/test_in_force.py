"""What is asked for is really in force in the worker: seen in the operators that run, not in the request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint as recompute

from optmem_gui.core.comparison import compare
from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.precision import SCHEMES
from optmem_gui.core.protocol import Result
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.scenario import Options, Scenario
from optmem_gui.core.synthetic import synthetic_ref, synthetic_shape
from optmem_gui.worker.measure import Run

SHAPE = synthetic_shape(20_000)
PLAIN = MeasureRequest("cpu", "torch.optim.AdamW", shape=SHAPE, steps=2, batch=2, sequence=8)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


class Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """Counts operators, and the types that matrix products read."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.count: Counter[str] = Counter()
        self.product_dtypes: set[torch.dtype] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        self.count[name] += 1
        if name in ("mm", "addmm", "bmm"):
            self.product_dtypes |= {each.dtype for each in args if isinstance(each, torch.Tensor)}
        return func(*args, **(kwargs or {}))


def run(request: MeasureRequest) -> Result:
    return Run(request, lambda message: None).measure()


def seen(request: MeasureRequest) -> Operators:
    operators = Operators()
    with operators:
        run(request)
    return operators


STEPS = [
    ((("foreach", True),), "_foreach_lerp_", ("_fused_adamw_", "lerp_")),
    ((("foreach", False),), "lerp_", ("_fused_adamw_", "_foreach_lerp_")),
    ((("fused", True),), "_fused_adamw_", ("_foreach_lerp_", "lerp_")),
]


@pytest.mark.parametrize(("options", "runs", "others"), STEPS)
def test_the_step_runs_the_implementation_that_was_chosen(
    options: Options, runs: str, others: tuple[str, ...]
) -> None:
    count = seen(replace(PLAIN, options=options)).count
    assert count[runs] > 0
    assert all(count[other] == 0 for other in others)


@pytest.mark.parametrize(
    ("checkpointing", "times"),
    [("none", 0), ("full", None), ("attention", None), ("every-2", 2)],
)
def test_blocks_are_recomputed_as_they_are_asked_to_be(
    checkpointing: str, times: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stretch is recomputed once a step: each of 3 blocks, or the 2 stretches of at most 2 blocks."""
    assert SHAPE is not None
    calls = 0
    real = recompute

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        return real(*arguments, **named)

    monkeypatch.setattr("optmem_gui.worker.transformer.checkpoint", counted)
    run(replace(PLAIN, shape=replace(SHAPE, layers=3), checkpointing=checkpointing))
    assert calls == PLAIN.steps * (3 if times is None else times)


@pytest.mark.parametrize("clip", [True, False])
def test_gradients_are_clipped_before_the_step(clip: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    norms: list[float] = []
    real = nn.utils.clip_grad_norm_

    def watched(parameters: Any, most: float) -> Any:
        listed = list(parameters)
        answer = real(listed, most)
        gradients = [p.grad for p in listed if p.grad is not None]
        norms.append(float(torch.linalg.vector_norm(torch.stack([g.norm() for g in gradients]))))
        return answer

    monkeypatch.setattr(nn.utils, "clip_grad_norm_", watched)
    run(replace(PLAIN, clip=clip))
    assert len(norms) == (PLAIN.steps if clip else 0)
    assert all(norm <= 1 + 1e-5 for norm in norms)


@pytest.mark.parametrize("accumulate", [1, 3])
def test_micro_batches_add_up_before_one_step(accumulate: int) -> None:
    operators = seen(replace(PLAIN, accumulate=accumulate, options=(("fused", True),)))
    assert operators.count["embedding"] == PLAIN.steps * accumulate
    assert operators.count["_fused_adamw_"] == PLAIN.steps


@pytest.mark.parametrize("set_to_none", [True, False])
def test_gradients_are_freed_or_zeroed(set_to_none: bool) -> None:
    result = run(replace(PLAIN, set_to_none=set_to_none))
    held = result.steady.phases[0].parts.get("gradients", (0,))[0]
    assert held == (0 if set_to_none else result.steady.categories.gradients)


PRODUCTS = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "amp-bf16": torch.bfloat16,
    "amp-fp16": torch.float16,
    "bf16-autocast": torch.bfloat16,
    "bf16-master": torch.bfloat16,
    "megatron-bf16": torch.bfloat16,
}


@pytest.mark.parametrize(("scheme", "dtype"), PRODUCTS.items())
def test_matrix_products_run_in_the_type_of_the_scheme(scheme: str, dtype: torch.dtype) -> None:
    operators = seen(replace(PLAIN, precision=scheme))
    assert operators.product_dtypes == {dtype}
    scaled = operators.count["_amp_foreach_non_finite_check_and_unscale_"] > 0
    assert scaled == SCHEMES[scheme].scaler


@pytest.mark.parametrize("scheme", [each.id for each in SCHEMES.values() if each.runs_in_torch])
def test_every_scheme_that_torch_runs_holds_what_is_estimated(scheme: str) -> None:
    asked = Scenario(synthetic_ref(20_000), precision=scheme, batch=1, sequence=8, target="cpu")
    result = run(measure_request(asked, "cpu", 2))
    rows = {row.id: row for row in compare(compute(measured_scenario(asked, "cpu")), result)}
    for component in ("weights", "gradients", "master_weights", "optimizer_state"):
        assert rows[component].difference_bytes == 0, component
