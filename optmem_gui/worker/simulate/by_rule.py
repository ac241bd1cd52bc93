"""An optimizer that is not installed, or does not run without a GPU: what it takes, by the catalogue's rules.

The rules are those of the estimate, compared with real libraries; only what the optimizer itself takes comes
from them, everything around it is traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn

from optmem_gui.core.dtypes import DTYPES
from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.model import ModelSpec, ParameterTensor, Role, Source, group_model, split_name
from optmem_gui.core.optimizers.catalogue import ALIASES, CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation, Settings, State, Subject
from optmem_gui.core.optimizers.state import step_temporaries
from optmem_gui.core.precision import PrecisionScheme
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.scenario import Options
from optmem_gui.worker.job import TORCH_DTYPES, Job
from optmem_gui.worker.simulate.trace import Make, StandIn

_IDS = {dtype: key for key, dtype in TORCH_DTYPES.items()}
_ROLES = (
    ("embed", Role.EMBEDDING),
    ("lm_head", Role.HEAD),
    ("lora_", Role.ADAPTER),
    ("norm", Role.NORM),
    ("attn", Role.ATTENTION),
    ("attention", Role.ATTENTION),
    ("mlp", Role.MLP),
)
"""What a part of a name says of a parameter; the first that fits."""


def ruled(path: str) -> StandIn | None:
    """What stands for the optimizer of an import path; None where the catalogue has no rules for it."""
    rule = CATALOGUE.get(ALIASES.get(path.lower(), ""))
    if rule is None or rule.runtime != "torch":
        return None

    def stand_in(job: Job, work: MeasureRequest, scheme: PrecisionScheme) -> Make:
        named = {} if job.module is None else {id(p): name for name, p in job.module.named_parameters()}
        names = [named.get(id(parameter), "") for parameter in job.trainable]
        return lambda parameters: RuledOptimizer(
            parameters, names, implementation=rule, options=work.options, scheme=scheme
        )

    return stand_in


class RuledOptimizer(torch.optim.Optimizer):
    """Takes what the rules say, and updates nothing.

    Args:
        parameters: What it is given to update.
        names: Their full names, in the same order.
        implementation: Whose rules.
        options: Options that differ from its defaults.
        scheme: The precision scheme.
    """

    def __init__(
        self,
        parameters: Sequence[nn.Parameter],
        names: Sequence[str],
        *,
        implementation: Implementation,
        options: Options,
        scheme: PrecisionScheme,
    ) -> None:
        super().__init__(list(parameters), {})
        self._implementation = implementation
        self._settings = implementation.settings((*implementation.arguments, *options), "cuda")
        self._rows = [
            ParameterTensor(name, tuple(p.shape), DTYPES[_IDS[p.dtype]], _role(name))
            for name, p in zip(names, parameters, strict=True)
        ]
        need = step_temporaries(implementation, options, _layout(self._rows, scheme), "cuda")
        self._scratch = (need.first_step_bytes, need.bytes)
        self._parameters = tuple(parameters)
        self._steps = 0
        if implementation.created != "first_step":
            self._make_state()

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]  # torch declares it twice, by overloads
        """Make the state that is missing, and the scratch of one step."""
        loss = None if closure is None else closure()
        self._steps += 1
        if self._steps == 1 and not self.state:
            self._make_state()
        scratch = _bytes(self._scratch[self._steps > 1], self._parameters[0].device)
        del scratch
        return loss

    def _make_state(self) -> None:
        device = self._parameters[0].device
        for parameter, row in zip(self._parameters, self._rows, strict=True):
            name, field = split_name(row.name)
            subject = Subject(row.shape, row.dtype, row.role, name, self._settings, field)
            held = dict(self._states(subject, device, whole=False))
            if held:
                self.state[parameter] = held
        count = sum(p.numel() for p in self._parameters)
        everything = Subject((count,), self._rows[0].dtype, settings=self._settings)
        shared = dict(self._states(everything, device, whole=True))
        if shared:
            self.state[self._parameters[0]].update(shared)

    def _states(
        self, subject: Subject, device: torch.device, *, whole: bool
    ) -> Iterator[tuple[str, list[Tensor]]]:
        settings = self._settings
        for state in self._implementation.states:
            if state.whole is whole and state.when(settings) and not _on_host(state, subject, settings):
                dtype = state.dtype.dtype(subject)
                sizes = [dtype.bytes_for(_count(shape)) for shape in state.shape.tensors(subject)]
                times = state.count(settings, None)
                yield state.name, [_bytes(size, device) for size in sizes for _ in range(times)]


def _on_host(state: State, subject: Subject, settings: Settings) -> bool:
    return state.host(settings) or state.paged(subject)


def _count(shape: Sequence[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _bytes(size: int, device: torch.device) -> Tensor:
    return torch.empty(size, dtype=torch.uint8, device=device)


def _role(name: str) -> Role:
    if name.endswith(".bias"):
        return Role.BIAS
    return next((role for part, role in _ROLES if part in name), Role.OTHER)


def _layout(rows: Sequence[ParameterTensor], scheme: PrecisionScheme) -> Layout:
    """The parameters as the rules see them: trained, and held in the type that the optimizer sees."""
    model = group_model(ModelSpec("traced", Source.SYNTHETIC, tuple(rows)))
    placed = tuple(
        PlacedGroup(group, group.dtype, (group.dtype.bytes_for(group.numel),), group.dtype, None, group.dtype)
        for group in model.groups
    )
    return Layout(placed, model.neighbours, scheme)
