"""A step of the user's own: a function in a Python file that returns the model, a batch and the loss.

The function is called once, without arguments or, where it takes one called ``device``, with the device it
is to build on. It returns one of::

    model, batch, loss      loss(model, batch) -> scalar tensor
    model, loss             loss() -> scalar tensor, which makes its own batch

``model`` is a ``torch.nn.Module``; ``batch`` is a tensor or any nesting of lists, tuples and mappings, and
fresh copies of the tensors (and NumPy arrays) in it are handed over for every micro-batch. New tensors are
made on the device unless the code says otherwise. The file runs in the worker alone, in its own folder, and
not as ``__main__``.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from optmem_gui.core.errors import UserError
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.worker.job import Batch, Job

_MODULE = "optmem_function"
"""Name the file is imported under; not its own, which could be that of a library."""

_MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Place:
    """Where a function is.

    Attributes:
        file: The Python file.
        name: The function in it.
    """

    file: Path
    name: str

    @classmethod
    def parse(cls, text: str) -> Place:
        """Read ``FILE.py:NAME``.

        Raises:
            UserError: It is not of this form, or there is no such file.
        """
        file, _, name = text.rpartition(":")
        if not file or not name.isidentifier():
            raise UserError("source.function_form", given=text)
        if not Path(file).is_file():
            raise UserError("source.no_file", file=file)
        return cls(Path(file).resolve(), name)


def build_function(request: MeasureRequest, weights: torch.dtype, device: torch.device) -> Job:
    """Call the user's function and make a job of what it returns.

    Args:
        request: Names the function.
        weights: Type that the precision scheme holds weights in; fp32, the type that torch makes by itself,
            leaves the model as the function returned it.
        device: Where to build.

    Raises:
        UserError: The file or the function fails, or returns something else; the line names the place.
    """
    place = Place.parse(request.function)
    with _in_folder(place.file.parent), torch.device(device), blamed(place.file):
        answer = _call(_load(place), device)
    model, batch, loss = _checked(answer, place)
    model.to(device, None if weights is torch.float32 else weights)
    leaves, form = pytree.tree_flatten(batch)
    leaves = [_on_host(leaf) for leaf in leaves]
    alone = batch is None
    del answer, batch  # a data loader keeps no batch on the device

    def make() -> Batch:
        return tuple(leaf.detach().to(device, copy=True) for leaf in leaves if isinstance(leaf, Tensor))

    def value(tensors: Batch) -> Tensor:
        fresh = iter(tensors)
        with torch.device(device), blamed(place.file):
            filled = [next(fresh) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
            found = loss() if alone else loss(model, pytree.tree_unflatten(filled, form))
        if not isinstance(found, Tensor) or found.numel() != 1:
            raise UserError("source.no_loss", place=f"{place.file.name}:{place.name}", given=_kind(found))
        return found

    return Job(
        parameters=tuple(model.parameters()),
        buffers=tuple(model.buffers()),
        batch=make,
        loss=value,
        drop_logits=lambda: None,
        module=model,
    )


def _on_host(leaf: object) -> object:
    """A tensor as a data loader holds it; of a meta tensor, which has no values, only the form counts."""
    if isinstance(leaf, Tensor):
        return torch.empty_like(leaf, device="cpu") if leaf.is_meta else leaf.detach().cpu()
    return torch.as_tensor(leaf, device="cpu") if hasattr(leaf, "__array__") else leaf


def _load(place: Place) -> Callable[..., object]:
    folder = place.file.parent
    for name in [name for name, module in sys.modules.items() if _is_own(name, module, folder)]:
        del sys.modules[name]  # a file that was edited since is read again
    importlib.invalidate_caches()
    spec = importlib.util.spec_from_file_location(_MODULE, place.file)
    if spec is None or spec.loader is None:
        raise UserError("source.function_form", given=str(place.file))
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    spec.loader.exec_module(module)
    found = getattr(module, place.name, None)
    if not callable(found):
        raise UserError("source.no_function", file=place.file.name, name=place.name)
    return cast("Callable[..., object]", found)


def _is_own(name: str, module: object, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    top = name.partition(".")[0]
    if not isinstance(file, str) or top in (*sys.stdlib_module_names, "__main__", "optmem_gui"):
        return False
    return _is_in(file, folder)


def _is_in(file: str, folder: Path) -> bool:
    """Whether a file is the user's: in the folder, and not in an environment that lies there as well."""
    path = Path(file)
    return folder in path.parents and not {"site-packages", "dist-packages"} & set(path.parts)


def _call(function: Callable[..., object], device: torch.device) -> object:
    takes = inspect.signature(function).parameters
    return function(device=device) if "device" in takes else function()


def _checked(answer: object, place: Place) -> tuple[nn.Module, Any, Callable[..., object]]:
    items = answer if isinstance(answer, tuple) else (answer,)
    if len(items) == 2:
        items = (items[0], None, items[1])
    if len(items) != 3 or not isinstance(items[0], nn.Module) or not callable(items[2]):
        given = ", ".join(_kind(item) for item in items[:4])
        raise UserError("source.function_answer", place=f"{place.file.name}:{place.name}", given=given)
    return items


def _kind(value: object) -> str:
    return f"tensor {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Run where the file lies, so that its imports and its relative paths work; nothing to read on stdin."""
    before = Path.cwd()
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    os.chdir(folder)
    stdin, no_bytecode = sys.stdin, sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # bytecode is told apart by whole seconds, and an edit may be faster
    try:
        with Path(os.devnull).open(encoding="utf-8") as empty:
            sys.stdin = empty
            yield
    finally:
        sys.stdin, sys.dont_write_bytecode = stdin, no_bytecode
        os.chdir(before)


@contextmanager
def blamed(file: Path) -> Iterator[None]:
    """Turn what code of a user raises into one line that names the file and line.

    Out of memory and what the program raises itself pass: they have sentences of their own.

    Raises:
        UserError: Something in there raised.
    """
    try:
        yield
    except (UserError, MemoryError, torch.OutOfMemoryError):
        raise
    except SystemExit as error:
        raise UserError("source.function_failed", place=_line(error, file), cause="SystemExit") from error
    except Exception as error:
        if "you tried to allocate" in str(error):  # the CPU allocator has no exception of its own
            raise
        cause = f"{type(error).__name__}: {error}".splitlines()[0][:_MOST_CHARACTERS]
        raise UserError("source.function_failed", place=_line(error, file), cause=cause) from error


def _line(error: BaseException, file: Path) -> str:
    """``file.py:12``: the innermost line in the user's folder; of a syntax error the line it names."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}:{error.lineno or 0}"
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if _is_in(frame.filename, file.parent)]
    return f"{Path(inside[-1].filename).name}:{inside[-1].lineno}" if inside else file.name
