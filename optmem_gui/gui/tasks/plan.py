"""Which layouts fit, off the UI thread, one number of GPUs after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, QThread, Signal

from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.planner import (
    PlannedLayout,
    Planner,
    counts,
    engines_for,
    ranked,
)

BEYOND = 2
"""How often the number that is enough is doubled, to see what more GPUs would give."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan as far as it has come.

    Attributes:
        scenario: What is trained.
        gpu: Every rank's GPU.
        tried: Ranked layouts by number of GPUs.
        enough: The smallest number of GPUs on which a layout surely fits, None until it is found.
        engines: Peak by number of GPUs for each engine alone, the model not split otherwise.
        done: Nothing more comes.
        reason: Why there is no plan.
    """

    scenario: Scenario
    gpu: Gpu
    tried: Mapping[int, tuple[PlannedLayout, ...]] = field(default_factory=dict)
    enough: int | None = None
    engines: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    done: bool = False
    reason: Reason | None = None


class PlanThread(QThread):
    """Plans one scenario.

    Emits:
        progressed: A :class:`Plan` after each number of GPUs, the last one ``done``.
    """

    progressed = Signal(object)

    def __init__(self, scenario: Scenario, gpu: Gpu, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.plan = Plan(scenario, gpu)
        self.defect: Exception | None = None

    def run(self) -> None:
        """Try one number after the other until one is enough, and a little beyond."""
        try:
            self._run()
        except UserError as error:
            self._tell(replace(self.plan, done=True, reason=error.reason))
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread
            self.defect = error

    def _run(self) -> None:
        planner, more = Planner(self.plan.scenario, self.plan.gpu), BEYOND
        for gpus in counts():
            layouts = []
            for layout in planner.layouts(gpus):
                if self.isInterruptionRequested():
                    return
                layouts.append(layout)
            best = tuple(ranked(layouts))
            enough = self.plan.enough
            if enough is None and best and best[0].fits == "yes":
                enough = gpus
            elif enough is not None:
                more -= 1
            self._tell(
                replace(
                    self.plan,
                    tried={**self.plan.tried, gpus: best},
                    enough=enough,
                    engines=self._alone(best, gpus),
                )
            )
            if more == 0:
                break
        self._tell(replace(self.plan, done=True))

    def _alone(self, layouts: tuple[PlannedLayout, ...], gpus: int) -> Mapping[str, Mapping[int, int]]:
        """Peaks of the layouts that split nothing, beside those of fewer GPUs."""
        found = {name: dict(peaks) for name, peaks in self.plan.engines.items()}
        for layout in layouts:
            chosen = layout.parallel
            if chosen.tp * chosen.pp * chosen.cp * chosen.ep > 1:
                continue
            names = engines_for(self.plan.scenario) if gpus == 1 else (chosen.shard,)
            for name in names:
                found.setdefault(name, {})[gpus] = layout.peak_bytes
        return found

    def _tell(self, plan: Plan) -> None:
        self.plan = plan
        self.progressed.emit(plan)
