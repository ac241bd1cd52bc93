"""What a GPU, its driver and torch add to what torch reserves, as measurements on that GPU found it.

A closed form only knows a wide band for it (:data:`optmem_gui.core.overhead.CONTEXT_BYTES`): the CUDA
context, loaded kernels and the handles of libraries differ by architecture, driver and release of torch, and
hardly by what is trained.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.breakdown import Band
from optmem_gui.core.reasons import Reason, Value


@dataclass(frozen=True, slots=True)
class Calibration:
    """One GPU with one driver and one torch.

    Attributes:
        uuid: The driver's name for the GPU.
        device: Its product name.
        gpu: Its id in the table of GPUs; empty where the table does not have it.
        driver: Version of the driver.
        torch: Version of torch.
        low_bytes: Least that a measured process held on the GPU beyond what torch reserved.
        high_bytes: Most of it, over all runs.
        total_bytes: Memory of the GPU as the driver says it.
        reserved_bytes: The driver's own part; None where it does not say.
        date: Of the latest run, ``YYYY-MM-DD``.
        run_count: Runs it is made of.
    """

    uuid: str
    device: str
    gpu: str
    driver: str
    torch: str
    low_bytes: int
    high_bytes: int
    total_bytes: int
    reserved_bytes: int | None
    date: str
    run_count: int = 1

    @property
    def key(self) -> tuple[str, str, str]:
        """What a calibration holds for: another driver or torch has one of its own."""
        return (self.uuid, self.driver, self.torch)

    @property
    def context(self) -> Band:
        """What a process takes beyond what torch reserves."""
        return Band(self.low_bytes, self.high_bytes)

    @property
    def usable_bytes(self) -> int | None:
        """What processes can share; None where the driver does not tell its own part."""
        return None if self.reserved_bytes is None else self.total_bytes - self.reserved_bytes

    def with_run(self, run: Calibration) -> Calibration:
        """The same after one more run with the same key."""
        return replace(
            run,
            low_bytes=min(self.low_bytes, run.low_bytes),
            high_bytes=max(self.high_bytes, run.high_bytes),
            run_count=self.run_count + run.run_count,
        )

    def reason(self, replaced: Band) -> Reason:
        """The assumption that a number rests on it.

        Args:
            replaced: The band that it takes the place of.
        """
        return Reason("assume.calibrated", self._values(replaced))

    def told(self, replaced: Band) -> Reason:
        """That a measurement found it; as :meth:`reason`."""
        return Reason("calibrate.done", self._values(replaced))

    def _values(self, replaced: Band) -> dict[str, Value]:
        return {
            "uuid": self.uuid,
            "driver": self.driver or "?",
            "torch": self.torch,
            "date": self.date,
            "runs_count": self.run_count,
            "low_bytes": self.low_bytes,
            "high_bytes": self.high_bytes,
            "band_low_bytes": replaced.low,
            "band_high_bytes": replaced.high,
        }


def release(torch: str) -> str:
    """``major.minor`` of a version of torch: patch releases and builds do not change what is predicted."""
    return ".".join(torch.split("+", maxsplit=1)[0].split(".")[:2])


def chosen_for(gpu: str, known: tuple[Calibration, ...], torch: str = "") -> Calibration | None:
    """The calibration that a GPU of the table is predicted with: the latest of that GPU.

    Args:
        gpu: Id in the table.
        known: Every calibration, the latest last.
        torch: Version of the torch that will train; one of another release does not hold for it. Any does
            where nothing is asked for.
    """
    fitting = [one for one in known if one.gpu == gpu and torch in ("", release(one.torch))]
    return fitting[-1] if fitting else None
