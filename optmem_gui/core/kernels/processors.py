"""The GPU as a launch configuration sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Processors:
    """Streaming multiprocessors of a GPU.

    Attributes:
        count: How many (``multiProcessorCount``).
        threads: Most threads resident on one (``maxThreadsPerMultiProcessor``).
    """

    count: int
    threads: int


FEWEST = Processors(10, 1024)
"""No larger than the smallest GPU of the table: the low end where the GPU is not known."""

MOST = Processors(192, 2048)
"""As large as the largest full die (GB202 and GB100 have 192 multiprocessors): the high end."""

_THREADS = {
    **dict.fromkeys(
        ("sm_37", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_80", "sm_90", "sm_100", "sm_103"), 2048
    ),
    **dict.fromkeys(("sm_86", "sm_87", "sm_89", "sm_120", "sm_121"), 1536),
    "sm_75": 1024,
}


def threads_of(architecture: str) -> int | None:
    """Most threads resident on a multiprocessor of a compute capability; None where it is not known.

    Source: CUDA C++ Programming Guide, technical specifications per compute capability.
    """
    return _THREADS.get(architecture)
