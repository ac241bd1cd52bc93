"""Torch's Python side while a step is traced: a GPU seems to be there, and its name means the meta device."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
import torch.amp.grad_scaler
import torch.optim  # every optimizer's module holds its own reference to the lists of devices
import torch.utils.checkpoint
from torch.overrides import _get_current_function_mode_stack
from torch.utils import _foreach_utils
from torch.utils._device import DeviceContext

from optmem_gui.core.kernels.releases import Release
from optmem_gui.worker.simulate import autocast
from optmem_gui.worker.simulate.dispatch import META, casting
from optmem_gui.worker.simulate.indices import FULL_SLICES_UNTIL, with_full_slices
from optmem_gui.worker.simulate.tracker import Tracker

_DEVICE_LISTS = ("_get_foreach_kernels_supported_devices", "_get_fused_kernels_supported_devices")


@contextmanager
def pretended_gpu(tracker: Tracker) -> Iterator[None]:
    """Everything below, for the time of a trace."""
    with ExitStack() as stack:
        for target, name, value in _patches(tracker):
            if hasattr(target, name):
                stack.enter_context(mock.patch.object(target, name, value))
        _let_optimizers_choose(stack)
        if tracker.machine.release <= FULL_SLICES_UNTIL:
            stack.enter_context(with_full_slices())
        stack.callback(autocast.clear)
        yield


def _patches(tracker: Tracker) -> Iterator[tuple[Any, str, Any]]:
    yield from _cuda(tracker)
    yield from _autocast(tracker.machine.release)
    yield from _creation()
    checkpoint = torch.utils.checkpoint
    infer: Any = checkpoint._infer_device_type  # noqa: SLF001  # no public way leads there
    yield checkpoint, "_infer_device_type", lambda *args: _gpu(infer(*args))
    yield torch, "compile", _eager(tracker)
    yield torch.nn.Module, "compile", lambda module, *args, **kwargs: tracker.note("simulate.compiled")
    # on a GPU a moved model keeps its parameters and gives them other memory; between host and meta torch
    # would make new ones, which an optimizer or a second module that shares them does not know
    yield torch.__future__, "get_swap_module_params_on_conversion", _answers(True)


def _eager(tracker: Tracker) -> Callable[..., Any]:
    """``torch.compile`` that compiles nothing: what it fuses, and keeps less of, is not modelled."""

    def compile_(model: Any = None, **options: Any) -> Any:
        tracker.note("simulate.compiled")
        return (lambda function: function) if model is None else model

    return compile_


def _gpu(device_type: str) -> str:
    """The device type that a meta tensor stands for."""
    return autocast.DEVICE if device_type == "meta" else device_type


def _cuda(tracker: Tracker) -> Iterator[tuple[Any, str, Any]]:
    """What programs ask of ``torch.cuda``."""
    cuda = torch.cuda
    capability = divmod(tracker.machine.capability or 80, 10)
    for name, value in (
        ("is_available", True),
        ("device_count", 1),
        ("current_device", 0),
        ("is_bf16_supported", True),
        ("is_initialized", True),
        ("get_device_name", "GPU"),
        ("get_device_capability", capability),
        ("memory_allocated", 0),
        ("max_memory_allocated", 0),
        ("memory_reserved", 0),
        ("max_memory_reserved", 0),
    ):
        yield cuda, name, _answers(value)
    for name in (
        "_lazy_init",
        "synchronize",
        "set_device",
        "manual_seed",
        "manual_seed_all",
        "reset_peak_memory_stats",
    ):
        yield cuda, name, _answers(None)
    yield cuda, "empty_cache", tracker.empty_cache
    yield cuda.amp.common, "amp_definitely_not_available", _answers(False)
    for name in ("range_push", "range_pop", "mark"):
        yield cuda.nvtx, name, _answers(None)
    yield cuda.nvtx, "range", lambda *args, **kwargs: contextlib.nullcontext()
    yield torch.Tensor, "pin_memory", lambda tensor, *args, **kwargs: tensor


def _answers(value: Any) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> Any:
        return value

    return answer


def _autocast(release: Release) -> Iterator[tuple[Any, str, Any]]:
    """Regions of autocast name the GPU, also where a program takes the name from a meta tensor."""
    del release
    for name in ("is_autocast_enabled", "get_autocast_dtype", "set_autocast_dtype"):
        yield torch, name, _named(getattr(torch, name))
    set_enabled = torch.set_autocast_enabled

    def turn(device_type: Any, enabled: bool | None = None) -> None:
        if enabled is None:
            device_type, enabled = autocast.DEVICE, device_type
        device_type = _gpu(device_type)
        set_enabled(device_type, enabled)
        if device_type == autocast.DEVICE:
            casting(bool(enabled))

    yield torch, "set_autocast_enabled", turn
    clear_cache = torch.clear_autocast_cache

    def clear() -> None:
        clear_cache()
        autocast.clear()

    yield torch, "clear_autocast_cache", clear
    region = torch.amp.autocast_mode.autocast
    start = region.__init__

    def begin(self: Any, device_type: str, *args: Any, **kwargs: Any) -> None:
        start(self, _gpu(device_type), *args, **kwargs)

    yield region, "__init__", begin
    available = torch.amp.is_autocast_available
    yield torch.amp, "is_autocast_available", lambda device_type: available(_gpu(device_type))


def _named(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        return function(_gpu(args[0]), *args[1:]) if args and isinstance(args[0], str) else function(*args)

    return run


def _creation() -> Iterator[tuple[Any, str, Any]]:
    """Functions that copy from the host by themselves, past the dispatcher."""
    for name in ("tensor", "as_tensor", "asarray"):
        yield torch, name, _from_host(getattr(torch, name))
    yield torch, "Generator", _Generator


def _from_host(function: Callable[..., Any]) -> Callable[..., Any]:
    def make(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is None:  # ``with torch.device(...)`` knows these functions by identity
            device = _default_device()
        if torch.device(device).type not in ("cuda", "meta"):
            return function(*args, **kwargs)
        wants_gradient = kwargs.pop("requires_grad", False)
        kwargs["device"] = "cpu"
        if args and isinstance(args[0], torch.Tensor) and args[0].is_meta:
            del kwargs["device"]
        made = function(*args, **kwargs).to(META)
        return made.requires_grad_() if wants_gradient else made

    return make


def _default_device() -> torch.device:
    """Where tensors are made that name no device; asking torch would make one to find out."""
    for mode in reversed(_get_current_function_mode_stack()):  # type: ignore[no-untyped-call]  # the library leaves it untyped
        if isinstance(mode, DeviceContext):
            return torch.device(mode.device)
    return torch.device("cpu")


class _Generator(torch._C.Generator):  # noqa: SLF001  # no public way leads there
    """Random numbers of a GPU: nothing draws them."""

    def __new__(cls, device: Any = "cpu") -> Any:  # torch's stub does not know it as a class
        """One on the host."""
        del device
        return torch._C.Generator("cpu")  # noqa: SLF001  # no public way leads there


def _let_optimizers_choose(stack: ExitStack) -> None:
    """Optimizers take their list and fused kernels for meta tensors as they do on a GPU."""
    for name in _DEVICE_LISTS:
        original = getattr(_foreach_utils, name)
        replacement = _with_meta(original)
        for module in list(sys.modules.values()):
            if (
                getattr(module, "__name__", "").startswith("torch.")
                and getattr(module, name, None) is original
            ):
                stack.enter_context(mock.patch.object(module, name, replacement))


def _with_meta(original: Callable[[], list[str]]) -> Callable[[], list[str]]:
    return lambda: [*original(), "meta"]
