"""GPUs and the memory their driver reports."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.calibration import Calibration
from optmem_gui.core.kernels.processors import Processors, threads_of
from optmem_gui.core.units import MIB


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU model at one memory size (a name can stand for several sizes).

    Attributes:
        id: Name on the command line, such as ``h100-80gb``.
        name: Name on screen.
        nvml_name: Name the driver reports.
        total_mib: Total the driver reports, MiB.
        reserve_mib: What the driver keeps for itself, MiB; part of the total.
        reserve_read: Whether the reserve was read on this GPU or is the table's median.
        architecture: Compute capability, such as ``sm_90``.
        group: Product line, for menus.
        source: Where the total was read.
        sm_count: Streaming multiprocessors; None where they are not known.
        sm_source: Where their number is from.
        calibration: What measurements on one of them found; None where there were none.
    """

    id: str
    name: str
    nvml_name: str
    total_mib: int
    reserve_mib: int
    reserve_read: bool
    architecture: str
    group: str
    source: str
    sm_count: int | None = None
    sm_source: str = ""
    calibration: Calibration | None = None

    @property
    def threads_per_sm(self) -> int | None:
        """Most threads resident on a multiprocessor, which follows from the compute capability."""
        return threads_of(self.architecture)

    @property
    def processors(self) -> Processors | None:
        """Its multiprocessors, which kernels divide their work among; None where they are not known."""
        if self.sm_count is None or self.threads_per_sm is None:
            return None
        return Processors(self.sm_count, self.threads_per_sm)

    @property
    def usable_bytes(self) -> int:
        """What processes can share: the total less the driver's reserve, as read on this GPU where it was."""
        measured = None if self.calibration is None else self.calibration.usable_bytes
        if measured is not None:
            return measured
        return (self.total_mib - self.reserve_mib) * MIB
