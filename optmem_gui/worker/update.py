"""The optimizer's half of a step: master weights, gradient copies, scaling, clipping, the update itself."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from optmem_gui.core.errors import UserError
from optmem_gui.core.precision import PrecisionScheme
from optmem_gui.core.protocol import StateRow
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.worker.handing import handed
from optmem_gui.worker.job import torch_dtype

_MAX_NORM = 1.0
_DEEPEST = 6
"""Containers and objects within each other that are looked into for tensors."""

_RATE = 1e-3
"""Learning rate of an optimizer that has no default for it."""

_INIT_SCALE = 1.0
"""A scale that cannot overflow: GradScaler would skip the step and the state would not appear in it."""


class Update:
    """Everything between backward and the next forward.

    Attributes:
        trainable: Parameters that forward reads and backward gives gradients.
        masters: Separate copies that the optimizer updates, in the same order; empty without any.
        main_gradients: Gradients that persist in the master's type (Megatron-LM), in the same order.
        optimizer: The optimizer under measurement.
        needs_closure: It evaluates the loss itself (LBFGS).

    Args:
        request: What is run.
        scheme: Its precision scheme.
        trainable: Parameters that get a gradient.
        device: Where they are.
        make: Makes the optimizer, in place of the class that the request names.
        names: Of the trainable parameters, for an optimizer that goes by them.
        model: What an optimizer is handed that takes the model; a list of the parameters where there is none.
    """

    def __init__(
        self,
        request: MeasureRequest,
        scheme: PrecisionScheme,
        trainable: Sequence[nn.Parameter],
        device: torch.device,
        make: Callable[[Sequence[nn.Parameter]], torch.optim.Optimizer] | None = None,
        *,
        names: Sequence[str] = (),
        model: nn.Module | None = None,
    ) -> None:
        self.trainable = tuple(trainable)
        self.masters: tuple[nn.Parameter, ...] = ()
        self.main_gradients: tuple[Tensor, ...] = ()
        if scheme.master is not None and request.lora is None:
            master = torch_dtype(scheme.master.id)
            self.masters = tuple(nn.Parameter(p.detach().to(master, copy=True)) for p in self.trainable)
            if scheme.gradients is not scheme.weights:
                self._keep_main_gradients(torch_dtype(scheme.gradients.id))
        self._clip, self._set_to_none = request.clip, request.set_to_none
        optimized = self.masters or self.trainable
        if make is None:
            factory = optimizer_class(request.optimizer)
            whole = model or nn.ParameterList(optimized)
            given = whole if request.whole_model else handed(request, names, optimized)
            made = make_optimizer(factory, request.optimizer, given, dict(request.options))
        else:
            made = make(optimized)
        self.optimizer: torch.optim.Optimizer = made
        self.needs_closure = _needs_closure(type(made))
        own = make is None  # what stands in for the optimizer has a step and a state like any other
        self._fused, self._attributes = (
            (request.fused_backward, request.state_attributes) if own else ("", ())
        )
        self._scaler = (
            torch.amp.GradScaler(device.type, init_scale=_INIT_SCALE)
            if scheme.scaler and not self.needs_closure
            else None
        )

    def _keep_main_gradients(self, dtype: torch.dtype) -> None:
        """Megatron-LM adds each gradient to a main gradient as it arrives and drops it."""
        self.main_gradients = tuple(torch.zeros_like(p, dtype=dtype) for p in self.trainable)
        for parameter, main in zip(self.trainable, self.main_gradients, strict=True):
            parameter.register_post_accumulate_grad_hook(_adder(main))  # type: ignore[no-untyped-call]  # the library leaves it untyped

    def scaled(self, loss: Tensor) -> Tensor:
        """The loss to call backward on."""
        return loss if self._scaler is None else self._scaler.scale(loss)

    def backward(self, loss: Tensor) -> None:
        """Gradients of a loss as :meth:`scaled` gives it; some optimizers update meanwhile."""
        if self._fused:
            getattr(self.optimizer, self._fused)(loss, _RATE)
        else:
            loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped

    def state(self) -> Iterator[tuple[str, Tensor]]:
        """(name, tensor) for every tensor of the optimizer's state."""
        yield from state_tensors(stepped(self))
        for name in self._attributes:
            yield from ((name, tensor) for tensor in tensors_in(getattr(self.optimizer, name)))

    def gradients(self) -> Iterator[Tensor]:
        """Gradients as they persist from backward to the step."""
        if self.main_gradients:
            yield from self.main_gradients
            return
        for parameter in self.trainable:
            if parameter.grad is not None:
                yield parameter.grad

    def step(self, closure: Callable[[], float] | None = None) -> None:
        """Copy gradients to the masters, unscale, clip, update, copy back."""
        optimized = self.masters or self.trainable
        if closure is None:
            self.after_backward()
        if self._scaler is not None:
            self._scaler.unscale_(self.optimizer)
        if self._clip and closure is None:
            torch.nn.utils.clip_grad_norm_(optimized, _MAX_NORM)
        if closure is not None:
            self.optimizer.step(closure)
        elif self._fused:
            return
        elif self._scaler is not None:
            self._scaler.step(self.optimizer)
            self._scaler.update()
        else:
            self.optimizer.step()
        self.before_forward()
        for master in self.masters:
            master.grad = None

    def zero(self) -> None:
        """Free or zero the gradients, as ``zero_grad`` does."""
        for main in self.main_gradients:
            main.zero_()
        for parameter in self.trainable:
            if self._set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.zero_()

    def after_backward(self) -> None:
        """Give the masters their gradients: the main ones as they are, 16-bit ones as a copy."""
        if not self.masters:
            return
        for master, gradient in zip(self.masters, self.gradients(), strict=True):
            master.grad = gradient if gradient.dtype == master.dtype else gradient.to(master.dtype)

    def before_forward(self) -> None:
        """Copy the masters into the weights that forward reads."""
        if not self.masters:
            return
        with torch.no_grad():
            for parameter, master in zip(self.trainable, self.masters, strict=True):
                parameter.copy_(master)


def _adder(main: Tensor) -> Callable[[Tensor], None]:
    def add(parameter: Tensor) -> None:
        if parameter.grad is not None:
            main.add_(parameter.grad)
            parameter.grad = None

    return add


def optimizer_class(path: str) -> type[Any]:
    """Import an optimizer by its dotted path.

    Raises:
        UserError: The library is not installed where the worker runs, or has no such class.
    """
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise UserError("measure.no_library", path=path, cause=str(error)) from error
    except AttributeError:
        raise UserError("measure.no_optimizer", path=path, torch=torch.__version__) from None
    if not isinstance(found, type):
        raise UserError("measure.no_optimizer", path=path, torch=torch.__version__)
    return found


def make_optimizer(
    factory: type[Any], path: str, parameters: Sequence[Any] | nn.Module, options: Mapping[str, object]
) -> torch.optim.Optimizer:
    """Call the constructor.

    Args:
        factory: The class.
        path: Its import path, for the error.
        parameters: As it takes them: a list of parameters, of pairs with names or of groups, or the model.
        options: Keywords.

    Raises:
        UserError: It refuses an option or a parameter; its own words are quoted.
    """
    if "lr" not in options and _needs_rate(factory):
        options = {**options, "lr": _RATE}
    try:
        given = parameters if isinstance(parameters, nn.Module) else list(parameters)
        made: torch.optim.Optimizer = factory(given, **options)
    except (TypeError, ValueError, RuntimeError, AssertionError) as error:
        raise UserError("measure.optimizer_refused", path=path, cause=first_line(error)) from error
    _train(made)
    return made


def _train(optimizer: torch.optim.Optimizer) -> None:
    """Schedule-free optimizers hold averaged weights until they are told that training goes on."""
    train = getattr(optimizer, "train", None)
    if callable(train):
        train()


def first_line(error: BaseException) -> str:
    """First line of an error's text, or its type where it says nothing."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def _needs_rate(factory: type[Any]) -> bool:
    """The learning rate has no default (older torch's SGD)."""
    rate = inspect.signature(factory).parameters.get("lr")
    return rate is not None and not isinstance(rate.default, (int, float, Tensor, type(None)))


def _needs_closure(factory: type[Any]) -> bool:
    closure = inspect.signature(factory.step).parameters.get("closure")
    return closure is not None and closure.default is inspect.Parameter.empty


def stepped(update: Update) -> torch.optim.Optimizer:
    """The optimizer that holds state: the one inside, where it deals parameters out to several ranks."""
    inside = getattr(update.optimizer, "optim", None)
    return inside if isinstance(inside, torch.optim.Optimizer) else update.optimizer


def local_part(tensor: Tensor) -> Tensor:
    """What of a tensor that is split over several processes (a ``DTensor``) is on this one."""
    part = getattr(tensor, "_local_tensor", tensor)
    return part if isinstance(part, Tensor) else tensor


def state_rows(tensors: Iterable[tuple[str, Tensor]], device: torch.device) -> tuple[StateRow, ...]:
    """Every tensor of an optimizer's state, added up by name, type and place; shared storage once."""
    sizes: dict[tuple[str, str, bool], tuple[int, int]] = {}
    seen: set[int] = set()
    for name, tensor in tensors:
        storage = tensor.untyped_storage()
        if storage._cdata in seen:  # noqa: SLF001  # torch's only identity of a storage that may be empty
            continue
        seen.add(storage._cdata)  # noqa: SLF001  # no public way leads there
        key = (name, str(tensor.dtype).removeprefix("torch."), tensor.device.type != device.type)
        count, size = sizes.get(key, (0, 0))
        sizes[key] = (count + 1, size + storage.nbytes())
    return tuple(StateRow(*key, count, size) for key, (count, size) in sizes.items())


def state_tensors(optimizer: torch.optim.Optimizer) -> Iterator[tuple[str, Tensor]]:
    """(name, tensor) for every tensor in ``optimizer.state``, however nested."""
    for held in optimizer.state.values():
        for name, tensor in _named(held, ""):
            yield name, local_part(tensor)


def tensors_in(value: object) -> Iterator[Tensor]:
    """Every tensor in a value, however nested."""
    for _, tensor in _named(value, ""):
        yield tensor


def _named(value: object, name: str, depth: int = _DEEPEST) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif not depth:
        return
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _named(item, str(key), depth - 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _named(item, name, depth - 1)
    elif hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        for key, item in vars(value).items():  # such as a projector
            yield from _named(item, key, depth - 1)


def tensor_bytes(tensors: Iterable[Tensor]) -> int:
    """Bytes of the storages behind tensors, each counted once."""
    storages = (local_part(tensor).untyped_storage() for tensor in tensors)
    return sum({storage._cdata: storage.nbytes() for storage in storages}.values())  # noqa: SLF001  # no public way leads there
