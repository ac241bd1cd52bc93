"""What the allocator counts, as ``torch.cuda.memory_stats`` does for all pools together."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(slots=True)
class Statistics:
    """Counters. Names and meanings as in ``DeviceStats`` (c10/core/CachingDeviceAllocator.h).

    Attributes:
        allocated: Bytes of blocks in use; ``torch.cuda.memory_allocated``.
        active: The same and blocks that wait for another stream.
        requested: Bytes that were asked for in those.
        reserved: Bytes of all segments; ``torch.cuda.memory_reserved``.
        inactive_split: Free bytes of segments of fixed size that hold other blocks as well.
        segments: Segments of fixed size that are held.
        allocated_peak: Most allocated so far.
        active_peak: Most active so far.
        requested_peak: Most requested so far.
        reserved_peak: Most reserved so far.
        segments_peak: Most segments so far.
        retries: Times that the device refused and the cache was emptied (``num_alloc_retries``).
        out_of_memory: Times that nothing helped (``num_ooms``).
        device_allocations: Segments taken and ranges mapped (``num_device_alloc``).
        device_frees: Segments given back and ranges unmapped (``num_device_free``).
    """

    allocated: int = 0
    active: int = 0
    requested: int = 0
    reserved: int = 0
    inactive_split: int = 0
    segments: int = 0
    allocated_peak: int = 0
    active_peak: int = 0
    requested_peak: int = 0
    reserved_peak: int = 0
    segments_peak: int = 0
    retries: int = 0
    out_of_memory: int = 0
    device_allocations: int = 0
    device_frees: int = 0

    def grow(self, size_bytes: int, segment_count: int) -> None:
        """Memory came from the device: segments of fixed size, or pages (``segment_count`` 0)."""
        self.reserved += size_bytes
        self.segments += segment_count
        self.device_allocations += 1
        self.reserved_peak = max(self.reserved_peak, self.reserved)
        self.segments_peak = max(self.segments_peak, self.segments)

    def shrink(self, size_bytes: int, segment_count: int) -> None:
        """Memory went back to the device."""
        self.reserved -= size_bytes
        self.segments -= segment_count
        self.device_frees += 1

    def hand_out(self, block_bytes: int, requested_bytes: int) -> None:
        """A block came into use."""
        self.allocated += block_bytes
        self.active += block_bytes
        self.requested += requested_bytes
        # Written out: max() would cost a call each, on the path of every allocation.
        if self.allocated > self.allocated_peak:  # noqa: PLR1730  # as above
            self.allocated_peak = self.allocated
        if self.active > self.active_peak:  # noqa: PLR1730  # as above
            self.active_peak = self.active
        if self.requested > self.requested_peak:  # noqa: PLR1730  # as above
            self.requested_peak = self.requested

    def reset_peaks(self) -> None:
        """Start the peaks again from what is there now (``reset_peak_memory_stats``)."""
        self.allocated_peak = self.allocated
        self.active_peak = self.active
        self.requested_peak = self.requested
        self.reserved_peak = self.reserved
        self.segments_peak = self.segments

    def as_dict(self) -> dict[str, int]:
        """All counters by name."""
        return asdict(self)
