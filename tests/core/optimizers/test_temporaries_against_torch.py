"""Temporaries of a step against the bytes alive in real steps, as torch dispatches them.

Zero-dimensional tensors are not in the estimate: a few numbers a parameter is all the two may differ by. What
operators allocate inside themselves (matrix products on the CPU) is not seen here and not estimated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from optmem_gui.core.dtypes import BF16
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import Temporaries, step_temporaries
from optmem_gui.core.scenario import Options, Target
from tests.core.optimizers.real import (
    LIGHT,
    TORCH_DTYPES,
    Run,
    allow_capturable_on_cpu,
    layout_of,
    option_sets,
    shapes_for,
)

SCALAR_BYTES = 128
"""What 0-d tensors may take a parameter."""

EQUAL: tuple[Shape, ...] = ((64, 64),) * 4
ORDERS: tuple[tuple[Shape, ...], ...] = (
    EQUAL,
    ((128, 64), (96, 64), (16, 64)),
    ((16, 64), (96, 64), (128, 64)),
    ((80, 64), (128, 64), (48, 64)),
    ((128, 64),),
)
"""Equal parameters; falling, rising, a hill; one alone."""

LBFGS = CATALOGUE["torch.LBFGS"]
SPARSE_ADAM = CATALOGUE["torch.SparseAdam"]
ADAFACTOR = CATALOGUE["torch.Adafactor"]
EXACT = [
    each for each in CATALOGUE.values() if each.id.startswith("torch.") and each not in (LBFGS, SPARSE_ADAM)
]


def _steps_before(implementation: Implementation) -> int:
    """Steps until the steady one: RAdam's rectification only starts at step 6."""
    return 6 if implementation.name == "RAdam" else 1


def _cases(together: int) -> Iterator[tuple[Implementation, Options]]:
    for implementation in EXACT:
        for options in option_sets(implementation, together):
            yield implementation, options


def _named(value: object) -> str | None:
    if isinstance(value, Implementation):
        return value.name
    if isinstance(value, tuple):
        return ",".join(f"{name}={setting}" for name, setting in value) or "defaults"
    return None


def _estimate(
    implementation: Implementation, options: Options, shapes: Sequence[Shape], precision: str
) -> Temporaries:
    """For the CPU; a capturable run is only pretended there, so its loop or lists are asked for by name."""
    target: Target = "cpu"
    if ("capturable", True) in options:
        target = "cuda"
        if not {"foreach", "fused"} & dict(options).keys():
            options = tuple(sorted((*options, ("foreach", False))))
    return step_temporaries(implementation, options, layout_of(shapes, precision), target)


def _measured(
    implementation: Implementation, options: Options, shapes: Sequence[Shape], precision: str
) -> int:
    run = Run(implementation, options, shapes, TORCH_DTYPES[precision])
    run.advance(_steps_before(implementation))
    return run.step()[1]


@pytest.mark.parametrize(("implementation", "options"), list(_cases(2)), ids=_named)
def test_temporaries_depend_on_the_order(
    implementation: Implementation, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_capturable_on_cpu(monkeypatch)
    for shapes in ORDERS:
        estimated = _estimate(implementation, options, shapes, "fp32")
        measured = _measured(implementation, options, shapes, "fp32")
        assert estimated.exact
        assert abs(measured - estimated.bytes) <= SCALAR_BYTES * len(shapes), shapes


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize(("implementation", "options"), list(_cases(1)), ids=_named)
def test_temporaries_of_mixed_shapes(
    implementation: Implementation, options: Options, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For Adafactor's loop the largest vector is counted once more than it may be held."""
    allow_capturable_on_cpu(monkeypatch)
    shapes = shapes_for(implementation, LIGHT)
    estimated = _estimate(implementation, options, shapes, precision)
    measured = _measured(implementation, options, shapes, precision)
    slack = 0 if estimated.exact else 4 * max(shape[0] for shape in shapes if len(shape) == 1)
    assert estimated.exact or implementation is ADAFACTOR
    assert -SCALAR_BYTES * len(shapes) <= estimated.bytes - measured <= SCALAR_BYTES + slack


@pytest.mark.parametrize(
    ("name", "more", "lists"),
    [
        ("Adam", (), 1),
        ("AdamW", (), 1),
        ("RAdam", (), 1),
        ("RMSprop", (), 1),
        ("NAdam", (), 1),
        ("NAdam", (("weight_decay", 0.1),), 2),
        ("Adadelta", (), 2),
    ],
)
def test_lists_of_two_types_are_alive_together(name: str, more: Options, lists: int) -> None:
    """foreach takes type after type, still holding the list before: exact for one list, else a bound."""
    implementation = CATALOGUE[f"torch.{name}"]
    options: Options = (("foreach", True), *more)
    shapes: tuple[Shape, ...] = ((64, 64), (96, 64), (32, 64), (128, 64))
    layout = layout_of(shapes, "fp32")
    narrow = tuple(replace(p, optimized=BF16) if p.group.shape[0] < 64 else p for p in layout.placed)
    estimated = step_temporaries(implementation, options, replace(layout, placed=narrow), "cpu")
    run = Run(implementation, options, shapes, TORCH_DTYPES["fp32"])
    run.parameters[2].data = run.parameters[2].data.to(TORCH_DTYPES["bf16"])
    run.advance(_steps_before(implementation))
    difference = estimated.bytes - run.step()[1]
    assert estimated.exact is (lists == 1)
    assert -SCALAR_BYTES * len(shapes) <= difference
    assert not estimated.exact or difference <= SCALAR_BYTES


@pytest.mark.parametrize("iterations", [1, 2, 3, 5])
def test_flat_vectors_of_lbfgs(iterations: int) -> None:
    options: Options = (("history_size", 3), ("max_iter", iterations))
    shapes: tuple[Shape, ...] = ((96, 64), (32,), (128, 32))
    estimated = step_temporaries(LBFGS, options, layout_of(shapes, "fp32"), "cpu")
    run = Run(LBFGS, options, shapes, TORCH_DTYPES["fp32"])
    measured = [run.step()[1] for _ in range(6)]
    assert estimated.exact
    assert abs(measured[0] - estimated.first_step_bytes) <= 1024
    assert abs(max(measured) - estimated.bytes) <= 1024


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_line_search_stays_under_its_bound(precision: str) -> None:
    options: Options = (("history_size", 3), ("line_search_fn", "strong_wolfe"), ("max_iter", 6))
    shapes: tuple[Shape, ...] = ((96, 64), (32,), (128, 32))
    estimated = step_temporaries(LBFGS, options, layout_of(shapes, precision), "cpu")
    run = Run(LBFGS, options, shapes, TORCH_DTYPES[precision])
    assert not estimated.exact
    assert max(run.step()[1] for _ in range(6)) <= estimated.bytes + 2048


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize(
    "shapes", [((1000, 96),), ((1000, 96), (1000, 96)), ((500, 96), (1000, 96)), ((1000, 96), (900, 96))]
)
def test_touched_rows_of_sparse_adam(shapes: tuple[Shape, ...], precision: str) -> None:
    """The test's gradients touch every row once, which is what the estimate supposes."""
    estimated = step_temporaries(SPARSE_ADAM, (), layout_of(shapes, precision), "cpu")
    assert not estimated.exact
    assert abs(_measured(SPARSE_ADAM, (), shapes, precision) - estimated.bytes) <= SCALAR_BYTES


@pytest.mark.parametrize(
    ("name", "options", "target", "parameters"),
    [
        ("AdamW", (), "cuda", 4),  # one list of everything
        ("AdamW", (), "cpu", 3),  # 2 of the current, 1 of the one before
        ("AdamW", (("fused", True),), "cuda", 0),
        ("AdamW", (("fused", False),), "cuda", 3),  # said out loud, it switches the automatic foreach off
        ("AdamW", (("tensor_lr", True),), "cuda", 3),
        ("AdamW", (("capturable", True), ("tensor_lr", True)), "cuda", 4),
        ("SGD", (), "cuda", 0),
        ("SGD", (("momentum", 0.9),), "cuda", 0),
        ("SGD", (("weight_decay", 0.1),), "cuda", 4),
        ("Adadelta", (), "cuda", 8),
        ("Adagrad", (), "cuda", 8),
        ("RAdam", (), "cpu", 5),
    ],
)
def test_step_mode_by_hand(name: str, options: Options, target: Target, parameters: int) -> None:
    """Four parameters of 64 x 64 in fp32: 16,384 bytes each."""
    found = step_temporaries(CATALOGUE[f"torch.{name}"], options, layout_of(EQUAL, "fp32"), target)
    assert found.bytes == parameters * 64 * 64 * 4
    assert found.rounded_bytes == found.bytes  # every one is a multiple of 512


def test_adafactor_runs_the_loop_on_cuda() -> None:
    """Current and previous variance, 64 row and 64 column means in fp32 and one mean of them."""
    found = step_temporaries(ADAFACTOR, (), layout_of(EQUAL, "fp32"), "cuda")
    assert found.bytes == 2 * 64 * 64 * 4 + 2 * 64 * 4 + 4
