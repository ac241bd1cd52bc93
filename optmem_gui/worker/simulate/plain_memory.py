"""Memory without a caching allocator."""

from __future__ import annotations


class PlainMemory:
    """What stands for the caching allocator where there is none: every byte as it was asked for.

    Attributes:
        statistics: Itself; names are those of the caching allocator's.
        allocated: Bytes in use.
        allocated_peak: Most of them since the last reset.
    """

    def __init__(self) -> None:
        self.statistics = self
        self.allocated = self.allocated_peak = 0
        self._sizes: dict[int, int] = {}
        self._next = 0

    @property
    def reserved(self) -> int:
        """Nothing is held beyond what is in use."""
        return self.allocated

    @property
    def reserved_peak(self) -> int:
        """As above."""
        return self.allocated_peak

    def reset_peaks(self) -> None:
        """A new stretch begins."""
        self.allocated_peak = self.allocated

    def malloc(self, size: int) -> int:
        """Take memory; the answer stands for its address."""
        self._next += 1
        self._sizes[self._next] = size
        self.allocated += size
        self.allocated_peak = max(self.allocated_peak, self.allocated)
        return self._next

    def free(self, address: int) -> None:
        """Give it back."""
        self.allocated -= self._sizes.pop(address)

    def empty_cache(self) -> None:
        """There is no cache."""
