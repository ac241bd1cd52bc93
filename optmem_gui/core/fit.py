"""Does a run fit in the memory that is free, and if not, how large a model of the same shape does?"""

from __future__ import annotations

from collections.abc import Callable

from optmem_gui.core.reasons import Reason


def largest_param_count(fits: Callable[[int], bool], upper: int) -> int:
    """The largest parameter count up to ``upper`` that fits, by bisection; 0 when not even one does.

    Args:
        fits: Whether a model of so many parameters fits. Assumed to hold for every smaller count where it
            holds; a synthetic shape changes in steps, so the answer is always one that was tried.
        upper: Largest count to try, at least 1.
    """
    if fits(upper):
        return upper
    low, high = 0, upper
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def fits_free_memory(
    needed_bytes: int, free_bytes: int | None, bytes_for: Callable[[int], int], param_count: int
) -> Reason | None:
    """Ask before a run that would not fit.

    Args:
        needed_bytes: Estimate of what the process takes.
        free_bytes: Free on the device, None where nobody says; nothing is warned about then.
        bytes_for: The same estimate for another number of parameters of the same shape.
        param_count: Parameters of the run.

    Returns:
        None when it fits or cannot be known; else the warning, whose value ``count`` is the largest model
        that would (absent when none does).
    """
    if free_bytes is None or needed_bytes <= free_bytes:
        return None
    largest = largest_param_count(lambda count: bytes_for(count) <= free_bytes, max(1, param_count - 1))
    values = {"needed_bytes": needed_bytes, "free_bytes": free_bytes}
    if largest == 0:
        return Reason("measure.nothing_fits", values)
    return Reason("measure.would_not_fit", {**values, "count": largest})
