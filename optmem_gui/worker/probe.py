"""Step an optimizer that the user named on tensors of many shapes, and write down what it keeps."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import metadata
from typing import Any

import torch
from torch import Tensor, nn

from optmem_gui.core.errors import UserError
from optmem_gui.core.probing import ProbedParameter, ProbedTensor, ProbeReport, ProbeRequest
from optmem_gui.core.protocol import Failed, Message, PhaseSample, Progress
from optmem_gui.worker.cpu_meter import CpuMeter
from optmem_gui.worker.device import hello
from optmem_gui.worker.job import TORCH_DTYPES, torch_dtype
from optmem_gui.worker.update import first_line, make_optimizer, optimizer_class

_IDS = {dtype: name for name, dtype in TORCH_DTYPES.items()}
_MEASURED_SIDE = 512
_PLACED_SHAPE = (64, 64)
_OWN = ("state", "param_groups", "defaults")
"""Attributes of every optimizer that are looked at by other means, or hold no tensors of their own."""

_ANY = (Exception, SystemExit)
"""What a class of a user's may raise; an exit must not take the report with it."""


class Probing:
    """One probe.

    Args:
        request: What to probe.
        send: Where messages go.
    """

    def __init__(self, request: ProbeRequest, send: Callable[[Message], None]) -> None:
        self._request, self._send = request, send
        self._growing: dict[str, None] = {}
        self._outside: dict[str, dict[int, ProbedTensor]] = {}
        self._early = True

    def run(self) -> ProbeReport | Failed:
        """Probe; whatever the class raises becomes a message."""
        self._send(hello(torch.device("cpu")))
        if self._request.folder:
            sys.path.insert(0, self._request.folder)
        torch.manual_seed(0)
        try:
            self._class = optimizer_class(self._request.path)
        except UserError as error:
            return Failed(error.code, error.code, error.reason.values)
        except _ANY as error:
            values = {"path": self._request.path, "cause": _said(error)}
            return Failed("probe.import_failed", "probe.import_failed", values, traceback.format_exc())
        parameters = tuple(self._parameters())
        taken = [seen for seen in parameters if not seen.refused]
        return ProbeReport(
            version=_version(self._class),
            torch=torch.__version__,
            parameters=parameters,
            together_bytes=self._together([seen.shape for seen in taken if seen.dtype == taken[0].dtype]),
            outside=tuple(max(sizes.items())[1] for sizes in self._outside.values() if len(sizes) > 1),
            tables=tuple(sizes.popitem()[1] for sizes in self._outside.values() if len(sizes) == 1),
            growing=tuple(self._growing),
            at_construction=bool(taken) and self._early,
            on_host=self._on_host() if taken else None,
            step_tensors=self._step_tensors() if taken else None,
        )

    def _parameters(self) -> Iterator[ProbedParameter]:
        request = self._request
        count = len(request.dtypes) * len(request.shapes)
        step = 0
        for dtype in request.dtypes:
            for shape in request.shapes:
                step += 1
                self._send(Progress("probe", step, count))
                yield self._alone(shape, dtype)

    def _alone(self, shape: tuple[int, ...], dtype: str) -> ProbedParameter:
        parameter = nn.Parameter(torch.randn(shape, dtype=torch.float32).to(torch_dtype(dtype)))
        try:
            optimizer = self._make([parameter])
            early = {tensor.name for tensor in _state(optimizer, parameter)}
            sizes: list[dict[str, int]] = []
            for _ in range(self._request.steps):
                _step(optimizer, [parameter])
                sizes.append({tensor.name: tensor.bytes for tensor in _state(optimizer, parameter)})
        except _ANY as error:
            return ProbedParameter(shape, dtype, _said(error))
        tensors = tuple(_state(optimizer, parameter))
        self._early = self._early and all(tensor.name in early for tensor in tensors if tensor.shape)
        self._growing |= {name: None for name in sizes[-1] if sizes[-1][name] != sizes[-2].get(name)}
        for tensor in _outside(optimizer, {_storage(parameter)}):
            self._outside.setdefault(tensor.name, {})[tensor.bytes] = tensor
        return ProbedParameter(shape, dtype, "", tensors)

    def _make(self, parameters: list[nn.Parameter]) -> Any:  # noqa: ANN401  # a class of the user's own
        made = make_optimizer(self._class, self._request.path, parameters, dict(self._request.options))
        train = getattr(made, "train", None)  # schedule-free optimizers want to be told
        if callable(train):
            train()
        return made

    def _together(self, shapes: list[tuple[int, ...]]) -> int | None:
        """Bytes of state of all of them in one optimizer."""
        parameters = [nn.Parameter(torch.randn(shape)) for shape in shapes]
        try:
            optimizer = self._make(parameters)
            for _ in range(self._request.steps):
                _step(optimizer, parameters)
        except _ANY:
            return None
        known = {_storage(parameter) for parameter in parameters}
        total = sum(tensor.bytes for tensor in _outside(optimizer, known))
        for parameter in parameters:
            held = (tensor for each in _held(optimizer, parameter) for tensor in _tensors(each, "", known))
            total += sum(tensor.bytes for tensor in held)
        return total

    def _on_host(self) -> tuple[str, ...] | None:
        """Names that stay on the CPU while the parameter is elsewhere: on a GPU, or nowhere at all."""
        device = "cuda" if torch.cuda.is_available() else "meta"
        parameter = nn.Parameter(torch.randn(_PLACED_SHAPE, device=device))
        try:
            optimizer = self._make([parameter])
            _step(optimizer, [parameter])
        except _ANY:
            return None
        return tuple(tensor.name for tensor in _state(optimizer, parameter) if tensor.device == "cpu")

    def _step_tensors(self) -> float | None:
        """What a later step takes beside the state: two equal matrices, because the one before may linger."""
        side = _MEASURED_SIDE
        parameters = [nn.Parameter(torch.randn(side, side)) for _ in range(2)]
        samples: list[PhaseSample] = []
        try:
            optimizer = self._make(parameters)
            for _ in range(2):
                _step(optimizer, parameters)
            _give_gradients(parameters)
            with CpuMeter(samples.append).phase(3, "optimizer_step"):
                optimizer.step()
        except _ANY:
            return None
        size = 4 * side * side
        return round((samples[0].peak_bytes - samples[0].start_bytes) / size, 2)


def _step(optimizer: Any, parameters: Iterable[nn.Parameter]) -> None:  # noqa: ANN401  # the user's own
    """One step with gradients; a closure only where the class insists on one."""
    _give_gradients(parameters)
    try:
        optimizer.step()
    except TypeError as error:
        if "closure" not in str(error):
            raise
        optimizer.step(lambda: _loss(parameters))


def _give_gradients(parameters: Iterable[nn.Parameter]) -> None:
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)


def _loss(parameters: Iterable[nn.Parameter]) -> Tensor:
    _give_gradients(parameters)
    return torch.rand(())


def _state(optimizer: Any, parameter: nn.Parameter) -> Iterator[ProbedTensor]:  # noqa: ANN401  # as above
    """Tensors in the state of a parameter, without those that stand elsewhere too: they are shared."""
    known = {_storage(parameter)}
    for _ in _outside(optimizer, known):  # notes their storages
        pass
    for held in _held(optimizer, parameter):
        yield from _tensors(held, "", known)


def _held(optimizer: Any, parameter: nn.Parameter) -> Iterator[object]:  # noqa: ANN401  # as above
    """State of a parameter, that of an optimizer inside this one included."""
    for each in _optimizers(optimizer):
        if isinstance(each.state, Mapping):
            yield each.state.get(parameter)


def _optimizers(optimizer: Any) -> Iterator[Any]:  # noqa: ANN401  # as above
    yield optimizer
    for value in vars(optimizer).values():
        if isinstance(value, torch.optim.Optimizer) and value is not optimizer:
            yield value


def _outside(optimizer: Any, known: set[int]) -> Iterator[ProbedTensor]:  # noqa: ANN401  # as above
    """Tensors that are in no parameter's state; their storages become known."""
    for key, value in optimizer.state.items() if isinstance(optimizer.state, Mapping) else ():
        if not isinstance(key, Tensor):
            yield from _tensors(value, str(key), known)
    for name, value in vars(optimizer).items():
        if name not in _OWN:
            yield from (tensor for tensor in _tensors(value, name, known) if tensor.bytes)


def _tensors(value: object, name: str, known: set[int]) -> Iterator[ProbedTensor]:
    """Every tensor in nested containers, a quantized one by its parts; shared storage once."""
    if isinstance(value, Tensor):
        yield from _tensor(value, name, known)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            label = str(key) if not isinstance(key, Tensor) else "tensor"
            yield from _tensors(item, f"{name}.{label}".lstrip("."), known)
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from _tensors(item, f"{name}[{place}]", known)


def _tensor(tensor: Tensor, name: str, known: set[int]) -> Iterator[ProbedTensor]:
    flatten = getattr(tensor, "__tensor_flatten__", None)
    if flatten is not None:
        for part in flatten()[0]:
            yield from _tensor(getattr(tensor, part), f"{name}.{part}", known)
        return
    storage = _storage(tensor)
    if storage in known:
        return
    known.add(storage)
    size = tensor.untyped_storage().nbytes()
    whole = size == tensor.numel() * tensor.element_size()
    shape = tuple(tensor.shape) if whole else (size // tensor.element_size(),)
    dtype = _IDS.get(tensor.dtype, str(tensor.dtype).removeprefix("torch."))
    yield ProbedTensor(name, shape, dtype, tensor.device.type, size)


def _storage(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)  # noqa: SLF001  # torch's only identity of a storage


def _said(error: BaseException) -> str:
    if isinstance(error, UserError):
        return str(error.reason.values.get("cause", error))
    return f"{type(error).__name__}: {first_line(error)}"


def _version(factory: type[Any]) -> str:
    """Library and version of a class; its module where it belongs to none that is installed."""
    package = factory.__module__.partition(".")[0]
    names = metadata.packages_distributions().get(package, [])
    for name in names:
        return f"{name} {metadata.version(name).partition('+')[0]}"
    return factory.__module__
