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
"""A GPU smaller than any that trains: the low end where the GPU is not known."""

MOST = Processors(192, 2048)
"""As large as the largest full die (GB202 and GB100 have 192 multiprocessors): the high end."""

_THREADS = {
    "sm_75": 1024,
    "sm_86": 1536,
    "sm_87": 1536,
    "sm_89": 1536,
    "sm_110": 1536,
    "sm_120": 1536,
    "sm_121": 1536,
}


def threads_of(architecture: str) -> int | None:
    """Most threads resident on a multiprocessor of a compute capability; None where it is not known.

    Source: CUDA C++ Programming Guide, table of technical specifications per compute capability.
    """
    if architecture in _THREADS:
        return _THREADS[architecture]
    known_2048 = ("sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_80", "sm_90", "sm_100", "sm_103")
    return 2048 if architecture in known_2048 else None
