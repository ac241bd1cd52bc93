"""What DeepSpeed's own estimators answer, to stand beside this program's answer.

Source: ``estimate_zero2_model_states_mem_needs`` in deepspeed/runtime/zero/stage_1_and_2.py and
``estimate_zero3_model_states_mem_needs`` in stage3.py, version 0.19.8. They know model states of Adam in
16-bit mixed precision alone; there is none for ZeRO-1. The table in DeepSpeed's documentation is older than
the code (15.93 GB for ZeRO-2 where the code says 11.28), and what it calls GB is GiB.
"""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario

_HOST_FACTOR = 1.5
"""``additional_buffer_factor``: host memory is estimated half as large again."""


@dataclass(frozen=True, slots=True)
class EngineEstimate:
    """An engine's own answer.

    Attributes:
        gpu_bytes: A GPU.
        host_bytes: A machine's host memory.
        left_out: What it leaves out or counts that is not there.
    """

    gpu_bytes: int
    host_bytes: int
    left_out: tuple[Reason, ...]


def zero2_estimate(
    param_count: int, gpus: int, *, offload: bool, gpus_per_node: int | None = None
) -> EngineEstimate:
    """``2 P + 18 P / N`` on a GPU: 16-bit weights, and parts of both gradients, master weights and moments.

    Args:
        param_count: Parameters of the model.
        gpus: Ranks in all.
        offload: The optimizer's part lives in host memory.
        gpus_per_node: GPUs of one machine; all of them where it is None.
    """
    if offload:
        host = param_count * max(4 * gpus, 16) * _HOST_FACTOR
        return EngineEstimate(2 * param_count, int(host), _LEFT_OUT)
    host = param_count * 4 * (gpus_per_node or gpus) * _HOST_FACTOR
    return EngineEstimate(2 * param_count + int(18 * param_count / gpus), int(host), _LEFT_OUT)


def zero3_estimate(
    param_count: int,
    largest_layer: int,
    gpus: int,
    *,
    offload: str = "none",
    gpus_per_node: int | None = None,
) -> EngineEstimate:
    """``4 L + 18 P / N`` on a GPU, L being the elements of the largest module's own parameters.

    Args:
        param_count: Parameters of the model.
        largest_layer: Elements of the largest module's own parameters.
        gpus: Ranks in all.
        offload: ``none``, ``optimizer`` or ``all`` (parameters too).
        gpus_per_node: GPUs of one machine; all of them where it is None.
    """
    each = gpus_per_node or gpus
    part = each / gpus
    largest = 4 * largest_layer
    if offload == "all":
        return EngineEstimate(largest, int(param_count * 18 * part * _HOST_FACTOR), _LEFT_OUT)
    if offload == "optimizer":
        gpu = largest + int(2 * param_count / gpus)
        return EngineEstimate(gpu, int(param_count * 16 * part * _HOST_FACTOR), _LEFT_OUT)
    host = largest_layer * 4 * each * _HOST_FACTOR
    return EngineEstimate(largest + int(18 * param_count / gpus), int(host), _LEFT_OUT)


_LEFT_OUT = tuple(
    Reason(f"deepspeed.left_out.{name}")
    for name in ("activations", "buckets", "live", "temporaries", "context", "optimizer")
)


def engine_estimate(scenario: Scenario) -> EngineEstimate | None:
    """What the engine of a scenario would answer itself; None where it has no estimator.

    Args:
        scenario: The run.
    """
    parallel: Parallel = scenario.parallel
    if parallel == ONE_GPU or parallel.shard not in ("zero2", "zero3"):
        return None
    count = scenario.model.param_count
    if parallel.shard == "zero2":
        return zero2_estimate(count, parallel.gpus, offload=parallel.offload != "none")
    largest = max(group.numel for group in scenario.model.groups)
    return zero3_estimate(count, largest, parallel.gpus, offload=parallel.offload)
