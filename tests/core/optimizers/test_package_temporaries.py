"""Temporaries of packages, counted in real steps: close, and said not to be exact."""

from __future__ import annotations

from itertools import chain

import pytest
import torch

from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import ParameterTensor, Shape
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.libraries.learning_rate_free import LEARNING_RATE_FREE
from optmem_gui.core.optimizers.libraries.low_rank import LOW_RANK
from optmem_gui.core.optimizers.libraries.matrices import MUON
from optmem_gui.core.optimizers.libraries.memory_light import ADAM_MINI
from optmem_gui.core.optimizers.libraries.single_algorithm import SINGLE_ALGORITHM
from optmem_gui.core.optimizers.state import step_temporaries
from optmem_gui.core.scenario import Options
from tests.core.optimizers.handed import handed, layout_of_tensors
from tests.core.optimizers.live_bytes import extra_peak
from tests.core.optimizers.package_runs import gradients, parameters_of, step, stepped, tensors_of

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
EQUAL: tuple[Shape, ...] = ((256, 256),) * 8
MIXED: tuple[Shape, ...] = (
    *((), (1, 1), (4097,), (384, 512), (384,)),
    *((16, 8, 3, 3), (1000, 96), (512, 256), (256, 256)),
)
SMALL_BYTES = 4096
"""Single numbers, and vectors beside matrices, are left out of the rules."""

RECTIFIED = 8
"""Steps after which RAdam's rectification runs."""

BUILT = (*SINGLE_ALGORITHM, *LEARNING_RATE_FREE, *LOW_RANK, MUON[0], ADAM_MINI)
CASES = [each for each in BUILT if "Closure" not in each.name]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # adamw-bf16 calls what torch renamed
@pytest.mark.parametrize("precision", list(DTYPES))
@pytest.mark.parametrize("shapes", [EQUAL, MIXED], ids=["equal", "mixed"])
@pytest.mark.parametrize("implementation", CASES, ids=lambda each: each.id)
def test_close_to_a_real_step(
    implementation: Implementation, shapes: tuple[Shape, ...], precision: str
) -> None:
    """Never much less than what the step takes, never more than a third above it."""
    if implementation.library == "adamw_bf16" and precision != "bf16":
        pytest.skip("takes bf16 only")
    options: Options = (("rank", 64),) if implementation.handing == "low_rank" else ()
    tensors = tuple(ParameterTensor(f"l{i}.weight", shape, F32) for i, shape in enumerate(shapes))
    parameters = parameters_of(shapes, DTYPES[precision])
    first = None
    if implementation.handing != "list":
        first = handed(implementation, options, tensors, parameters)
    optimizer = stepped(implementation, options, parameters, steps=RECTIFIED, first=first)
    gradients(parameters)
    grads = (parameter.grad for parameter in parameters if parameter.grad is not None)
    known = chain(parameters, grads, (tensor for _, tensor in tensors_of(optimizer)))
    real, _ = extra_peak(lambda: step(optimizer, parameters), known)

    estimated = step_temporaries(implementation, options, layout_of_tensors(tensors, precision), "cpu")

    assert not estimated.exact or not real
    assert 0.97 * real - SMALL_BYTES <= estimated.bytes <= 1.34 * real + SMALL_BYTES
