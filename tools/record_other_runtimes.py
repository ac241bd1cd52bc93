"""Record what optimizers of Keras, tf_keras and optax really keep, for tests that cannot install them.

    python tools/record_other_runtimes.py keras|tf_keras|optax --output FILE [--only NAME]

Run it in any environment that has the library; KERAS_BACKEND chooses what runs Keras (tensorflow, torch or
jax). It builds every optimizer that the catalogue has of that library by its dotted path, with its defaults
and with each option that changes its state, takes three steps on variables of mixed shapes in fp32, bf16
and fp16, and writes every tensor that it holds, summed by name and type. The committed recordings also
hold rows of other backends and of tf.compat.v1, read the same way.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import re
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.scenario import Options
from tools.record_optimizer_states import values

SHAPES: tuple[tuple[int, ...], ...] = (
    (512, 384), (384,), (3, 3, 32, 64), (1000, 96), (), (1, 1), (4095,), (4096,), (4097,), (256, 256),
)  # fmt: skip
"""Dense and bias, convolution, embedding, a single number, 1 x 1, vectors around 4096, a square matrix."""

EMBEDDING = 3
DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
NAMES = {
    **{long: short for short, long in DTYPES.items()},
    **{name: name for name in ("int32", "int64", "uint32", "bool")},
}
STEPS = 3

Held = Iterable[tuple[str, Any]]


def cases(implementation: Implementation) -> Iterator[Options]:
    """The defaults, and every option that changes the state by itself."""
    yield ()
    for option in implementation.options:
        if "state" in option.affects and option.name != "backend":
            for value in values(option):
                yield ((option.name, value),)


def summed(tensors: Held) -> dict[str, list[int]]:
    """Number and bytes of tensors by ``name type``; what has no elements is left out."""
    found: dict[str, list[int]] = {}
    for name, tensor in tensors:
        dtype = str(getattr(tensor.dtype, "name", tensor.dtype)).removeprefix("torch.")
        width = {"bool": 1, "bfloat16": 2, "float16": 2}.get(dtype, 8 if dtype.endswith("64") else 4)
        size = width * int(np.prod(tensor.shape))
        if size:
            row = found.setdefault(f"{name} {NAMES[dtype]}", [0, 0])
            row[0] += 1
            row[1] += size
    return dict(sorted(found.items()))


def of_keras(implementation: Implementation, options: dict[str, Any], dtype: str) -> Held:
    """Variables of a Keras optimizer after three steps."""
    library = importlib.import_module(implementation.library)
    chosen = {name: value for name, value in options.items() if name not in ("loss_scaling", "schedule")}
    if options.get("schedule"):
        chosen["learning_rate"] = library.optimizers.schedules.ExponentialDecay(0.01, 10, 0.9)
    made = getattr(library.optimizers, implementation.name)(**chosen)
    if options.get("loss_scaling"):
        keras_3 = implementation.library == "keras"
        wrap = library.optimizers if keras_3 else library.mixed_precision
        made = wrap.LossScaleOptimizer(made)
    variables = [_keras_variable(library, i, shape, dtype) for i, shape in enumerate(SHAPES)]
    made.build(variables)
    for _ in range(STEPS):
        gradients = [_keras_gradient(library, shape, dtype) for shape in SHAPES]
        _apply(made, gradients, variables)
    inner = getattr(made, "inner_optimizer", made)
    lists = [
        (name, value)
        for name, value in vars(inner).items()
        if isinstance(value, list) and name != "_trainable_variables"
    ]
    kept = {id(item): name.lstrip("_") for name, value in lists for item in value}
    untracked = [item for _, value in lists for item in value if hasattr(item, "dtype")]
    found = [*(each for one in (inner, made) for each in _variables(one)), *untracked]
    for variable in {id(each): each for each in found}.values():
        name = _keras_name(getattr(variable, "path", variable.name), variable.name)
        bare = re.fullmatch(r"kernel\d+|embeddings", name)
        yield (kept[id(variable)] if bare else name), variable


def _variables(optimizer: Any) -> Iterable[Any]:  # noqa: ANN401  # of any library
    found: Iterable[Any] = optimizer.variables() if callable(optimizer.variables) else optimizer.variables
    return found


def _keras_variable(library: types.ModuleType, index: int, shape: tuple[int, ...], dtype: str) -> object:
    name = "embeddings" if index == EMBEDDING else f"kernel{index}"
    start = np.random.default_rng(index).standard_normal(shape).astype("float32")
    if library.__name__ == "tf_keras":
        tensorflow = importlib.import_module("tensorflow")
        return tensorflow.Variable(tensorflow.cast(start, dtype), name=name)
    with library.name_scope("embedding" if index == EMBEDDING else f"layer{index}"):
        return library.Variable(start, dtype=dtype, name=name)


def _keras_gradient(library: types.ModuleType, shape: tuple[int, ...], dtype: str) -> object:
    start = np.random.default_rng(7).standard_normal(shape).astype("float32")
    if library.__name__ == "tf_keras":
        tensorflow = importlib.import_module("tensorflow")
        return tensorflow.cast(start, dtype)
    return library.ops.cast(library.ops.convert_to_tensor(start), dtype)


def _apply(optimizer: Any, gradients: list[object], variables: list[object]) -> None:  # noqa: ANN401  # of any library
    if hasattr(optimizer, "apply"):
        optimizer.apply(gradients, variables)
    else:
        optimizer.apply_gradients(zip(gradients, variables, strict=True))


def _keras_name(path: str, name: str) -> str:
    """``adam/layer0_kernel0_momentum`` -> ``momentum``: what stands behind the variable's own name."""
    last = (path or name).split("/")[-1].split(":")[0]
    return re.sub(r"^.*?(kernel\d+|embeddings)_", "", last)


def of_optax(implementation: Implementation, options: dict[str, Any], dtype: str) -> Held:
    """Leaves of an optax state after three updates."""
    jax, optax = importlib.import_module("jax"), importlib.import_module("optax")
    jnp = jax.numpy
    factory: Any = optax
    for part in implementation.path.split(".")[1:]:
        factory = getattr(factory, part)
    chosen = {name: value for name, value in options.items() if name not in ("multi_steps", "schedule")}
    rate = optax.exponential_decay(0.01, 10, 0.9) if options.get("schedule") else 0.01
    made = factory(**{**_required(implementation.name), "learning_rate": rate, **chosen})
    if options.get("multi_steps"):
        made = optax.MultiSteps(made, 4)
    shapes = [shape for shape in SHAPES if shape or implementation.name != "sm3"]
    params = {f"p{i}": jnp.ones(shape, dtype) for i, shape in enumerate(shapes)}
    state = made.init(params)
    extra = (
        {"value": 1.0} if implementation.name in ("polyak_sgd", "contrib.momo", "contrib.momo_adam") else {}
    )
    with jax.disable_jit():
        for step in range(STEPS):
            gradients = {name: jnp.full_like(value, 0.1 * (step + 1)) for name, value in params.items()}
            updates, state = made.update(gradients, state, params, **extra)
            params = optax.apply_updates(params, updates)
    for path, leaf in jax.tree_util.tree_flatten_with_path(state)[0]:
        keys = [str(getattr(k, "name", getattr(k, "key", getattr(k, "idx", k)))) for k in path]
        own = [key for key in keys if not key.isdigit() and not re.fullmatch(r"p\d+", key)]
        yield own[-1], leaf


def _required(name: str) -> dict[str, Any]:
    """Arguments without a default."""
    needed: dict[str, dict[str, Any]] = {
        "noisy_sgd": {"key": 0},
        "contrib.dpsgd": {"l2_norm_clip": 1.0, "noise_multiplier": 0.1, "key": 0},
    }
    return needed.get(name, {})


READERS = {"keras": of_keras, "tf_keras": of_keras, "optax": of_optax}


def recording(library: str, only: str | None) -> dict[str, Any]:
    """Rows of every optimizer, set of options and type; what the library refuses stands under ``failed``."""
    rows: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    backend = {"backend": os.environ.get("KERAS_BACKEND", "tensorflow")} if library == "keras" else {}
    for implementation in (each for each in CATALOGUE.values() if each.library == library):
        if only is not None and implementation.name != only:
            continue
        for options in cases(implementation):
            shown = {**{k: v for k, v in backend.items() if v != "tensorflow"}, **dict(options)}
            for short, dtype in DTYPES.items():
                row: dict[str, Any] = {"id": implementation.id, "options": shown, "dtype": short}
                try:
                    row["states"] = summed(READERS[library](implementation, dict(options), dtype))
                    rows.append(row)
                except Exception as error:  # noqa: BLE001  # what a library cannot do is part of the record
                    failed.append({**row, "error": f"{type(error).__name__}: {error}".splitlines()[0]})
    version = importlib.metadata.version(library.replace("_", "-"))
    return {
        "library": f"{library} {version}",
        "shapes": SHAPES,
        "steps": STEPS,
        "rows": rows,
        "failed": failed,
    }


def main() -> int:
    """Write the recording of one library."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library", choices=sorted(READERS))
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--only", help="name of one optimizer")
    arguments = parser.parse_args()
    made = recording(arguments.library, arguments.only)
    text = json.dumps(made, separators=(",", ":")).replace('{"id"', '\n{"id"')
    arguments.output.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(made['rows'])} rows, {len(made['failed'])} failed\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
