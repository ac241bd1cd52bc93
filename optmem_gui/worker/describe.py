"""A model from the text of its config, on the meta device: names, shapes, types and ties, no memory.

Nothing is looked up and no code that a config brings along is run: the library builds the class it has.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn

from optmem_gui.core.describing import DescribedTensor, DescribeReport, DescribeRequest
from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Failed, Progress
from optmem_gui.worker.failures import explain
from optmem_gui.worker.job import TORCH_DTYPES
from optmem_gui.worker.sources import pretrained

_IDS = {dtype: dtype_id for dtype_id, dtype in TORCH_DTYPES.items()}
_CONFIGURED = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_REFUSALS = (ValueError, TypeError, KeyError, AttributeError, ImportError, RuntimeError)
"""What the classes raise on numbers that do not fit together."""


def describe(request: DescribeRequest, send: Callable[[Progress], None]) -> DescribeReport | Failed:
    """Build the model and list it.

    Args:
        request: The config.
        send: Told when the libraries are loaded.
    """
    send(Progress("build", 0, 1))
    try:
        data = _object(request.config)
        library, model = _diffusers(data) if "_class_name" in data else _transformers(request.config, data)
    except UserError as error:
        return Failed(error.code, error.reason.key, error.reason.values)
    except Exception as error:  # noqa: BLE001  # whatever the library raises becomes a message
        return explain(error, 0, "build", "cpu")
    return _report(library, model)


def _object(text: str) -> dict[str, Any]:
    data = json.loads(text)
    if not isinstance(data, dict):
        raise UserError("source.no_config")
    return data


def _transformers(text: str, data: dict[str, Any]) -> tuple[str, nn.Module]:
    """The class that the config names, else the one that is trained, in the type of its weights."""
    config = pretrained.read_config(text)
    library = pretrained.load_library()
    named = (getattr(config, "architectures", None) or [""])[0]
    found = getattr(library, named, None) if named.isidentifier() else None
    known = isinstance(found, type) and issubclass(found, library.PreTrainedModel)
    chosen: Any = found if known else pretrained.model_class(config)
    wanted = str(data.get("dtype") or data.get("torch_dtype") or "").removeprefix("torch.")
    try:
        with torch.device("meta"):
            model: nn.Module = chosen._from_config(  # noqa: SLF001  # the library's entry
                config, dtype=_CONFIGURED.get(wanted, torch.float32)
            )
    except _REFUSALS as error:
        raise UserError("source.config_refused", family=chosen.__name__, cause=_cause(error)) from error
    return f"transformers {library.__version__}", model


def _diffusers(data: dict[str, Any]) -> tuple[str, nn.Module]:
    """A model of diffusers; its config names the class and nothing else is needed.

    Raises:
        UserError: The library is missing, has no such model, or refuses a value.
    """
    name = str(data["_class_name"])[:60]
    try:
        diffusers: Any = import_module("diffusers")  # a second, and not everyone has it
    except ImportError as error:
        raise UserError("source.no_diffusers", family=name, cause=_cause(error)) from error
    found = getattr(diffusers, name, None) if name.isidentifier() else None
    if not isinstance(found, type) or not issubclass(found, diffusers.ModelMixin):
        raise UserError("source.unknown_diffusers", family=name, version=diffusers.__version__)
    chosen: Any = found
    try:
        with torch.device("meta"):
            model: nn.Module = chosen.from_config(dict(data))
    except _REFUSALS as error:
        raise UserError("source.config_refused", family=name, cause=_cause(error)) from error
    return f"diffusers {diffusers.__version__}", model


def _report(library: str, model: nn.Module) -> DescribeReport:
    first: dict[int, str] = {}
    for name, parameter in model.named_parameters():
        first[id(parameter)] = name
    every = model.named_parameters(remove_duplicate=False)
    return DescribeReport(
        library,
        type(model).__name__,
        tuple(_tensor(name, p, p.requires_grad) for name, p in model.named_parameters()),
        tuple(_tensor(name, b, False) for name, b in model.named_buffers()),
        tuple((name, first[id(p)]) for name, p in every if first[id(p)] != name),
    )


def _tensor(name: str, tensor: Tensor, trainable: bool) -> DescribedTensor:
    dtype = _IDS.get(tensor.dtype, str(tensor.dtype).removeprefix("torch."))
    return DescribedTensor(name, tuple(tensor.shape), dtype, trainable)


def _cause(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
