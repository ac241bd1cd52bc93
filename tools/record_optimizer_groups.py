"""Record what the optimizers of the catalogue write into a state dict: files are recognised by it.

    python tools/record_optimizer_groups.py [--libraries a,b] --output resources/data/optimizer_groups.json

Run it in an environment that has the libraries; entries of libraries that are not there are kept as they
are. What only CUDA can step is taken from the constructors (:data:`READ`). Of every optimizer it records
the keys of its parameter groups with their plain values at the
defaults, and the keys that a matrix has in ``state``.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from importlib import import_module
from inspect import Parameter, signature
from itertools import product
from pathlib import Path
from typing import Any

import torch
import torch.distributed
from torch._C._distributed_c10d import HashStore

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import ParameterTensor, Role
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import constructor_keywords
from tests.core.optimizers.handed import handed
from tests.core.optimizers.package_runs import gradients, load, parameters_of, step

SHAPES: tuple[tuple[tuple[int, ...], ...], ...] = (((128, 128), (128,)), ((128, 128),), ((128,),))
"""Tried in turn: some optimizers take matrices only, LBFGS and others anything."""

_ADAM = {"betas": [0.9, 0.999], "eps": 1e-08, "lr": 0.001, "weight_decay": 0.0}
_APEX = {**_ADAM, "bias_correction": True, "step": 1}
_MOMENTS = ["exp_avg", "exp_avg_sq"]
READ: dict[str, dict[str, Any]] = {
    "deepspeed.FusedAdam": {"groups": {**_ADAM, "bias_correction": True}, "states": [*_MOMENTS, "step"]},
    "deepspeed.DeepSpeedCPUAdam": {
        "groups": {**_ADAM, "weight_decay": 0, "bias_correction": True, "amsgrad": False},
        "states": [*_MOMENTS, "step"],
    },
    "deepspeed.DeepSpeedCPULion": {
        "groups": {"betas": [0.9, 0.999], "lr": 0.001, "weight_decay": 0},
        "states": ["exp_avg", "step"],
    },
    "apex.FusedAdam": {"groups": _APEX, "states": _MOMENTS},
    "apex.FusedLAMB": {
        "groups": {**_APEX, "eps": 1e-06, "weight_decay": 0.01, "grad_averaging": True, "max_grad_norm": 1.0},
        "states": _MOMENTS,
    },
}
"""Read in ops/adam and ops/lion of deepspeed 0.19.8, and in apex/optimizers of apex at commit 6424da3."""

FROM_TRAINING = ("params", "initial_lr", "swa_lr", "param_names")
"""Keys that schedulers and trainers add."""


def recorded(implementation: Implementation) -> dict[str, Any]:
    """Group keys with plain values, and state keys.

    Raises:
        RuntimeError: No set of shapes could be stepped.
    """
    problems = []
    for shapes, dtype in product(SHAPES, (torch.float32, torch.bfloat16)):
        parameters = parameters_of(shapes, dtype)
        roles = [Role.MLP if len(shape) > 1 else Role.NORM for shape in shapes]
        tensors = [
            ParameterTensor(f"blocks.0.{role}{index}.weight", shape, F32, role)
            for index, (role, shape) in enumerate(zip(roles, shapes, strict=True))
        ]
        try:
            plain = implementation.handing == "list"
            first = list(parameters) if plain else handed(implementation, (), tensors, parameters)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of another library, whatever they are
                saved = _saved(implementation, first, parameters)
        except Exception as error:  # noqa: BLE001  # whatever a library raises, the next shapes are tried
            problems.append(f"{type(error).__name__}: {error}")
            continue
        groups: dict[str, Any] = {}
        for group in saved["param_groups"]:
            groups.update({key: _plain(value) for key, value in group.items() if key not in FROM_TRAINING})
        states = {str(key) for entry in saved["state"].values() if isinstance(entry, dict) for key in entry}
        return {"groups": dict(sorted(groups.items())), "states": sorted(states)}
    raise RuntimeError(" | ".join(problems)[:200])


def _saved(
    implementation: Implementation, first: object, parameters: list[torch.nn.Parameter]
) -> dict[str, Any]:
    """The state dict after two steps."""
    factory, keywords = load(implementation.path), dict(constructor_keywords(implementation, ()))
    rate = signature(factory).parameters.get("lr")
    if rate is not None and rate.default is Parameter.empty:
        keywords["lr"] = 1e-3
    optimizer = factory(first, **keywords)
    for _ in range(2):
        if hasattr(optimizer, "train"):
            optimizer.train()
        gradients(parameters)
        step(optimizer, parameters)
    saved: dict[str, Any] = optimizer.state_dict()
    return saved


def _plain(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value][:4]
    return value if isinstance(value, (bool, int, float, str)) or value is None else "..."


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--libraries", default="")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    torch.distributed.init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    wanted = {name for name in arguments.libraries.split(",") if name}
    rows = json.loads(arguments.output.read_text(encoding="utf-8")) if arguments.output.exists() else {}
    for implementation in CATALOGUE.values():
        if implementation.runtime != "torch" or (wanted and implementation.library not in wanted):
            continue
        try:
            import_module(implementation.path.rpartition(".")[0])
            rows[implementation.id] = recorded(implementation)
        except Exception as error:  # noqa: BLE001  # a library that is not there, or stops: its row stays as it was
            print(f"{implementation.id}: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201  # what a script prints
    rows |= READ
    kept = {key: rows[key] for key in CATALOGUE if key in rows}
    lines = ",\n".join(
        f"{json.dumps(key)}: {json.dumps(row, separators=(',', ':'))}" for key, row in kept.items()
    )
    arguments.output.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
