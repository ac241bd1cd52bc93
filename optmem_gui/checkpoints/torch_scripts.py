"""TorchScript archives: modules described by a pickle, parameters and buffers named in the code beside it.

The code is never run. Every class in it begins with ``__parameters__`` and ``__buffers__``, two lists of
names that are taken as text. Source: ``torch/csrc/jit/serialization/python_print.cpp`` and
``export_module.cpp`` of torch 2.13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from optmem_gui.checkpoints.pickle_values import Made, Value
from optmem_gui.checkpoints.torch_values import Tensor

MAX_CODE_BYTES = 1 << 25
"""Most code that is looked through for lists of names."""

ROOT = "__torch__."
_CLASS = re.compile(
    r"^class (\w+)\(Module\):\s*\n\s*__parameters__ = \[([^\]\n]*)\]\s*\n\s*__buffers__ = \[([^\]\n]*)\]",
    re.MULTILINE,
)
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class Names:
    """What a class of modules calls its tensors."""

    parameters: frozenset[str]
    buffers: frozenset[str]


def classes_in(code: Mapping[str, str]) -> dict[str, Names]:
    """The lists of every class.

    Args:
        code: Text of each file by its path below ``code/``, such as ``__torch__/torch/nn/modules/linear.py``.
    """
    found = {}
    for path, text in code.items():
        module = path.removesuffix(".py").replace("/", ".")
        for name, parameters, buffers in _CLASS.findall(text):
            found[f"{module}.{name}"] = Names(
                frozenset(_NAME.findall(parameters)), frozenset(_NAME.findall(buffers))
            )
    return found


def as_modules(value: Value, classes: Mapping[str, Names]) -> Value:
    """The same objects with their tensors told apart, as a pickled ``nn.Module`` has them.

    A parameter is trained if it asks for a gradient; where none does (a model saved for inference), all are.
    """
    made = list(_objects(value))
    held = [
        (each, each.state, classes[each.path])
        for each in made
        if isinstance(each.state, dict) and each.path in classes
    ]
    any_grad = any(
        isinstance(state.get(name), Tensor) and state[name].grad
        for _, state, names in held
        for name in names.parameters
    )
    for each, state, names in held:
        parameters = {
            name: replace(item, parameter=True, trainable=item.grad or not any_grad)
            for name, item in state.items()
            if name in names.parameters and isinstance(item, Tensor)
        }
        buffers = {
            name: item for name, item in state.items() if name not in parameters and isinstance(item, Tensor)
        }
        rest = {name: item for name, item in state.items() if not isinstance(item, Tensor)}
        each.state = {"_parameters": parameters, "_buffers": buffers, "_modules": rest}
    return value


def _objects(value: Value) -> Iterator[Made]:
    todo, seen = [value], set[int]()
    while todo:
        item = todo.pop()
        if not isinstance(item, (Made, dict, list, tuple)) or id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, Made):
            yield item
            todo += [item.state, item.items, item.elements]
        else:
            todo += item.values() if isinstance(item, dict) else item
