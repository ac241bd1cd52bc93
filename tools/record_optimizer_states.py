"""Record what the optimizers of one library really keep, for tests that cannot install that library.

    python tools/record_optimizer_states.py LIBRARY --output FILE

Run it in any environment that has the library and torch. It builds every optimizer that the catalogue has of
LIBRARY by its dotted path, with its defaults and with each option that changes its state, runs real steps
on parameters of mixed shapes in fp32, bf16 and fp16, and writes every tensor that it holds, summed by
name and type, and the most bytes that a later step held beside them.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import inspect
import json
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Effect, Implementation, Option
from optmem_gui.core.optimizers.state import constructor_keywords
from optmem_gui.core.scenario import Options, OptionValue
from tests.core.optimizers.live_bytes import extra_peak

SHAPES: tuple[tuple[int, ...], ...] = (
    (), (1, 1), (4095,), (4096,), (4097,), (96, 128), (96,), (24, 16, 3, 3), (24,), (250, 48), (512, 256),
)  # fmt: skip
"""0-d, 1 x 1, vectors around 4096, linear and bias, convolution and bias, embedding, a matrix of 131,072."""

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
NAMES = {
    torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16", torch.float64: "fp64",
    torch.uint8: "uint8", torch.int8: "int8", torch.int16: "int16", torch.int32: "int32",
    torch.int64: "int64", torch.float8_e4m3fn: "fp8_e4m3", torch.bool: "bool",
}  # fmt: skip
STEPS = 3


def held(
    optimizer: torch.optim.Optimizer, parameters: Sequence[torch.Tensor]
) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor an optimizer holds, once a storage, under the name it is kept by.

    Looked through are its state, its parameter groups, its attributes and those it set on its parameters; a
    tensor of a quantized class is taken apart into its inner ones (``exp_avg.codes``). Parameters and their
    gradients are left out.
    """
    seen = {p.untyped_storage().data_ptr() for p in parameters if p.numel()}
    seen |= {p.grad.untyped_storage().data_ptr() for p in parameters if p.grad is not None}
    groups = [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
    known = {"state", "param_groups", "defaults"}
    rest = {name: value for name, value in vars(optimizer).items() if name not in known}
    visited: set[int] = set()
    for name, tensor in chain(
        *(_leaves("", entry, visited) for entry in optimizer.state.values()),
        _leaves("", groups, visited),
        _leaves("", rest, visited),
        *(_leaves("", vars(parameter), visited) for parameter in parameters),
    ):
        storage = tensor.untyped_storage().data_ptr()
        if storage not in seen:
            seen.add(storage)
            yield name, tensor


def _leaves(name: str, value: object, visited: set[int]) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        if hasattr(value, "__tensor_flatten__"):
            for inner in value.__tensor_flatten__()[0]:
                yield f"{name}.{inner}", getattr(value, inner)
        else:
            yield name, value
        return
    if id(value) in visited or not isinstance(value, dict | list | tuple):
        return
    visited.add(id(value))
    pairs = value.items() if isinstance(value, dict) else ((name, item) for item in value)
    for key, item in pairs:
        yield from _leaves(key if isinstance(key, str) else name, item, visited)


def summed(tensors: Iterable[tuple[str, torch.Tensor]]) -> dict[str, list[int]]:
    """Number and bytes of tensors by ``name type``."""
    found: dict[str, list[int]] = {}
    for name, tensor in tensors:
        row = found.setdefault(f"{name} {NAMES[tensor.dtype]}", [0, 0])
        row[0] += 1
        row[1] += tensor.untyped_storage().nbytes()
    return dict(sorted(found.items()))


def values(option: Option) -> tuple[OptionValue, ...]:
    """Values of an option that differ from its default."""
    if option.kind == "bool":
        return tuple(value for value in (True, False) if value is not option.default)
    if option.kind == "choice":
        return tuple(choice for choice in option.choices if choice != option.default)
    if option.kind == "int":
        doubled = int(option.default or 1) * 2
        fits = option.maximum is None or doubled <= option.maximum
        return (doubled if fits else int(option.minimum or 1),)
    return (0.0,) if option.default and not option.minimum else (0.9,)


def cases(implementation: Implementation, effects: Iterable[Effect] = ("state",)) -> Iterator[Options]:
    """The defaults, and every option that has one of these effects by itself."""
    yield ()
    for option in implementation.options:
        if option.keyword and set(effects) & set(option.affects):
            for value in values(option):
                yield ((option.name, value),)


def build(
    implementation: Implementation, options: Options, parameters: list[torch.nn.Parameter]
) -> torch.optim.Optimizer:
    """The real optimizer."""
    module, _, name = implementation.path.rpartition(".")
    keywords = dict(constructor_keywords(implementation, options))
    factory = getattr(importlib.import_module(module), name)
    rate = inspect.signature(factory).parameters.get("lr")
    if rate is not None and rate.default is inspect.Parameter.empty:
        keywords.setdefault("lr", 1e-3)
    made: torch.optim.Optimizer = factory(parameters, **keywords)
    return made


def _gradients(optimizer: torch.optim.Optimizer, parameters: Sequence[torch.nn.Parameter]) -> None:
    """New gradients; with their graph for an optimizer that differentiates them again."""
    if not getattr(optimizer, "is_second_order", False):
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter)
        return
    for parameter in parameters:
        parameter.grad = None
    torch.stack([(parameter**3).float().sum() for parameter in parameters]).sum().backward(create_graph=True)


def record(implementation: Implementation, options: Options, dtype: str) -> dict[str, Any]:
    """Step one optimizer and read what it holds."""
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.randn(shape).to(DTYPES[dtype])) for shape in SHAPES]
    optimizer = build(implementation, options, parameters)
    row: dict[str, Any] = {"id": implementation.id, "options": dict(options), "dtype": dtype}
    row["at_construction"] = sum(size for _, size in summed(held(optimizer, parameters)).values())
    for step in range(STEPS + 1):
        _gradients(optimizer, parameters)
        if step < STEPS:
            optimizer.step()
            continue
        row["states"] = summed(held(optimizer, parameters))
        gradients = (p.grad for p in parameters if p.grad is not None)
        known = chain(parameters, gradients, (tensor for _, tensor in held(optimizer, parameters)))
        row["temporaries_bytes"] = extra_peak(optimizer.step, known)[0]
    return row


def recording(library: str) -> dict[str, Any]:
    """Rows of every optimizer, set of options and type; what the library refuses stands under ``failed``."""
    rows: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    wanted = [each for each in CATALOGUE.values() if each.library == library]
    effects: tuple[Effect, ...] = ("state", "temporaries")
    tried = [
        (each, options, dtype) for each in wanted for options in cases(each, effects) for dtype in DTYPES
    ]
    for implementation, options, dtype in tried:
        row, error = attempt(implementation, options, dtype)
        if row is not None:
            rows.append(row)
        else:
            which = {"id": implementation.id, "options": dict(options), "dtype": dtype}
            failed.append({**which, "error": error})
    distribution = importlib.metadata.packages_distributions()[library][0]
    return {
        "library": f"{distribution} {importlib.metadata.version(distribution)}",
        "torch": torch.__version__.partition("+")[0],
        "shapes": SHAPES,
        "steps": STEPS,
        "rows": rows,
        "failed": failed,
    }


def attempt(
    implementation: Implementation, options: Options, dtype: str
) -> tuple[dict[str, Any] | None, str]:
    """One row, or the first line of why there is none."""
    try:
        return record(implementation, options, dtype), ""
    except Exception as error:  # noqa: BLE001  # what a library cannot do here is part of the record
        return None, f"{type(error).__name__}: {error}".splitlines()[0]


def main() -> int:
    """Write the recording of one library."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # of another library, whatever they are
    torch.compiler.set_stance("force_eager")  # compiling changes no state, and hides what the step makes
    made = recording(arguments.library)
    text = json.dumps(made, separators=(",", ":")).replace('{"id"', '\n{"id"')
    arguments.output.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(made['rows'])} rows, {len(made['failed'])} failed\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
