# ruff: noqa: ANN401  # models and trees of libraries that are not installed here
"""Save tiny checkpoints with Keras, tf_keras, TensorFlow, Flax and Orbax, for tests that cannot install them.

    python tools/record_other_checkpoints.py keras|tensorflow|jax

Run it in any environment that has the libraries: ``keras tensorflow-cpu``, ``tensorflow-cpu tf-keras`` or
``flax orbax-checkpoint``. For each it writes ``tests/checkpoints/data/<name>.zip`` with the checkpoints and
``<name>.json`` with what the library itself says is in them.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parent.parent / "tests" / "checkpoints" / "data"
LEFT_OUT = ("_sharding", "commit_success.txt")
"""Files of Orbax that say nothing of arrays."""

Said = dict[str, Any]


def variable(name: str, shape: Any, dtype: Any, *, trainable: bool = True) -> list[Any]:
    """One row of a recording."""
    return [name, [int(size) for size in shape], str(dtype), trainable]


def keras_model(keras: Any) -> Any:
    """A convolution, a frozen layer, statistics and code in a Lambda, after one step of Adam."""
    inputs = keras.Input((8, 8, 3))
    hidden = keras.layers.Conv2D(4, 3, use_bias=False)(inputs)
    hidden = keras.layers.BatchNormalization()(hidden)
    hidden = keras.layers.Dense(5, name="classifier")(keras.layers.Flatten()(hidden))
    frozen = keras.layers.Dense(3, name="frozen")
    frozen.trainable = False
    outputs = keras.layers.Lambda(lambda value: value * 2, name="twice")(frozen(hidden))
    model = keras.Model(inputs, outputs)
    model.compile("adam", "mse")
    model.fit(np.zeros((4, 8, 8, 3)), np.zeros((4, 3)), verbose=0)
    return model


def nested_model(keras: Any) -> Any:
    """Attention, an embedding and a model inside a model, in bf16, after one step of AdamW."""
    inner = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(6)], name="mlp")
    inputs = keras.Input((7,), dtype="int32")
    hidden = keras.layers.Embedding(11, 6)(inputs)
    hidden = keras.layers.LayerNormalization()(hidden)
    hidden = keras.layers.MultiHeadAttention(2, 3)(hidden, hidden)
    hidden = inner(hidden)
    hidden = keras.layers.LSTM(4, recurrent_initializer="zeros")(hidden)
    model = keras.Model(inputs, keras.layers.Dense(2)(hidden))
    model.compile(keras.optimizers.AdamW(amsgrad=True), "mse")
    model.fit(np.zeros((4, 7)), np.zeros((4, 2)), verbose=0)
    return model


def of_model(model: Any) -> Said:
    """What Keras says of a model and of its optimizer."""
    trained = {id(weight) for weight in model.trainable_weights}
    weights = [
        variable(getattr(w, "path", w.name), w.shape, keras_type(w), trainable=id(w) in trained)
        for w in model.weights
    ]
    variables = model.optimizer.variables
    slots = [
        variable(getattr(v, "path", v.name), v.shape, keras_type(v))
        for v in (variables() if callable(variables) else variables)
    ]
    return {"weights": weights, "optimizer": slots, "class": type(model.optimizer).__name__}


def keras_type(value: Any) -> str:
    """A variable's type by NumPy's name."""
    return getattr(value.dtype, "name", str(value.dtype))


def record_keras(folder: Path) -> Said:
    """Keras 3: archives, weights and legacy files."""
    import keras  # noqa: PLC0415  # only in its own environment

    keras.utils.set_random_seed(1)
    model, said = keras_model(keras), {}
    model.save(folder / "model.keras")
    model.save_weights(folder / "model.weights.h5")
    model.save(folder / "legacy.h5")
    for name in ("model.keras", "model.weights.h5", "legacy.h5"):
        said[name] = of_model(model)
    keras.config.set_dtype_policy("bfloat16")
    model = nested_model(keras)
    model.save(folder / "nested.keras")
    said["nested.keras"] = of_model(model)
    keras.config.set_dtype_policy("float32")
    deep = keras.Sequential([keras.Input((6,)), *(keras.layers.Dense(6) for _ in range(12))])
    deep.save(folder / "deep.keras")
    said["deep.keras"] = {"weights": of_model_weights(deep), "optimizer": [], "class": ""}
    return said


def of_model_weights(model: Any) -> list[list[Any]]:
    """Weights of a model that was never trained."""
    return [variable(w.path, w.shape, keras_type(w)) for w in model.weights]


def record_tensorflow(folder: Path) -> Said:
    """tf_keras and TensorFlow: legacy files, SavedModels and checkpoints of both generations."""
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    import tensorflow as tf  # noqa: PLC0415  # loaded only when it is wanted
    import tf_keras  # noqa: PLC0415  # loaded only when it is wanted

    model, said = keras_model(tf_keras), {}
    model.save(folder / "tf_keras.h5")
    model.save(folder / "tf_keras.keras")
    said["tf_keras.h5"] = said["tf_keras.keras"] = of_model(model)
    saved = tf.Module()
    saved.kernel = tf.Variable(tf.zeros((5, 3)), name="kernel")
    saved.frozen = tf.Variable(tf.zeros((3,), tf.float16), trainable=False, name="frozen")
    tf.saved_model.save(saved, str(folder / "saved"))
    tracked = tf.train.Checkpoint(model=model, optimizer=model.optimizer, step=tf.Variable(7, dtype=tf.int64))
    tf.train.CheckpointManager(tracked, str(folder / "objects"), 2).save()
    older = tf_keras.Sequential([tf_keras.layers.Dense(4, input_shape=(3,))])
    older.compile(tf_keras.optimizers.legacy.Adam(), "mse")
    older.fit(np.zeros((2, 3)), np.zeros((2, 4)), verbose=0)
    older.save_weights(str(folder / "slots" / "weights"))
    graph_checkpoint(tf, folder / "graph")
    for name in ("saved/variables/variables", "objects/ckpt-1", "slots/weights", "graph/model.ckpt-7"):
        said[name] = of_checkpoint(tf, str(folder / name))
    (folder / "graph" / "model.ckpt-7.meta").unlink()  # the graph, which holds no values
    return said


def graph_checkpoint(tf: Any, folder: Path) -> None:
    """Variables of TensorFlow 1: one in slices, one in bf16, a text, an average and the slots of Adam."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        with v1.variable_scope("embedding", partitioner=v1.fixed_size_partitioner(3)):
            table = v1.get_variable("table", (10, 4))
        kernel = v1.get_variable("kernel", (4, 2))
        v1.get_variable("half", (3,), tf.bfloat16, v1.zeros_initializer())
        v1.get_variable("label", (), tf.string, v1.constant_initializer("text"))
        loss = v1.reduce_sum(kernel) + v1.reduce_sum(v1.nn.embedding_lookup(table, [1]))
        step = v1.train.AdamOptimizer().minimize(loss, v1.train.get_or_create_global_step())
        average = v1.train.ExponentialMovingAverage(0.9).apply([kernel])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run([step, average])
            v1.train.Saver().save(session, str(folder / "model.ckpt"), global_step=7)


def of_checkpoint(tf: Any, prefix: str) -> Said:
    """What TensorFlow's reader says of a checkpoint."""
    reader = tf.train.load_checkpoint(prefix)
    types = reader.get_variable_to_dtype_map()
    shapes = sorted(reader.get_variable_to_shape_map().items())
    return {"variables": [variable(name, shape, types[name].name) for name, shape in shapes]}


def record_jax(folder: Path) -> Said:
    """Flax msgpack files and Orbax folders in each of their layouts."""
    import flax.linen as nn  # noqa: PLC0415  # loaded only when it is wanted
    import jax  # noqa: PLC0415  # loaded only when it is wanted
    import optax  # noqa: PLC0415  # loaded only when it is wanted
    import orbax.checkpoint as ocp  # noqa: PLC0415  # loaded only when it is wanted
    from flax import serialization  # noqa: PLC0415  # loaded only when it is wanted
    from flax.training import train_state  # noqa: PLC0415  # loaded only when it is wanted

    class Model(nn.Module):
        @nn.compact
        def __call__(self, tokens: Any) -> Any:
            hidden = nn.Embed(60, 6)(tokens)
            hidden = nn.Dense(7, param_dtype=jax.numpy.bfloat16)(hidden)
            hidden = nn.BatchNorm(use_running_average=True)(hidden)
            return nn.Dense(3)(hidden)

    model = Model()
    variables = model.init(jax.random.key(0), jax.numpy.zeros((2, 5), jax.numpy.int32))
    params = variables["params"]
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    state = state.apply_gradients(grads=jax.tree.map(jax.numpy.ones_like, params))
    said: Said = {}
    for name, tree in (("params", params), ("variables", variables), ("state", state)):
        (folder / f"{name}.msgpack").write_bytes(serialization.to_bytes(tree))
        said[f"{name}.msgpack"] = of_tree(jax, tree)
    largest, serialization.MAX_CHUNK_SIZE = serialization.MAX_CHUNK_SIZE, 100
    (folder / "chunked.msgpack").write_bytes(serialization.to_bytes(params))
    serialization.MAX_CHUNK_SIZE = largest
    said["chunked.msgpack"] = of_tree(jax, params)
    for name, ocdbt, zarr3 in (("ocdbt", True, False), ("ocdbt-zarr3", True, True), ("zarr", False, False),
                               ("zarr3", False, True)):  # fmt: skip
        ocp.PyTreeCheckpointer(use_ocdbt=ocdbt, use_zarr3=zarr3).save(folder / name, variables)
        said[name] = of_orbax(ocp, jax, folder / name)
    with ocp.CheckpointManager(folder / "manager") as manager:
        manager.save(3, args=ocp.args.StandardSave(state))
    said["manager"] = of_orbax(ocp, jax, folder / "manager" / "3" / "default")
    with ocp.CheckpointManager(folder / "items") as manager:
        saved = ocp.args.Composite(
            params=ocp.args.StandardSave(params), opt_state=ocp.args.PyTreeSave(state.opt_state)
        )
        manager.save(5, args=saved)
    said["items"] = of_tree(jax, {"params": params, "opt_state": state.opt_state})
    return said


def of_tree(jax: Any, tree: Any) -> Said:
    """Arrays of a tree by their paths."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    rows = [
        variable(jax.tree_util.keystr(path), leaf.shape, leaf.dtype)
        for path, leaf in leaves
        if hasattr(leaf, "shape")
    ]
    return {"arrays": rows}


def of_orbax(ocp: Any, jax: Any, folder: Path) -> Said:
    """Arrays of a checkpoint, as Orbax itself describes them."""
    tree = ocp.PyTreeCheckpointer().metadata(folder).item_metadata.tree
    return of_tree(jax, jax.tree.map(lambda leaf: leaf, tree))


RECORDERS: dict[str, tuple[Callable[[Path], Said], tuple[str, ...]]] = {
    "keras": (record_keras, ("keras", "tensorflow", "h5py")),
    "tensorflow": (record_tensorflow, ("tensorflow", "tf_keras", "h5py")),
    "jax": (record_jax, ("jax", "flax", "optax", "orbax-checkpoint", "tensorstore")),
}


def main() -> None:
    """Save, ask, and pack."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library", choices=RECORDERS)
    library = parser.parse_args().library
    record, packages = RECORDERS[library]
    DATA.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        said = record(folder)
        with zipfile.ZipFile(DATA / f"{library}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.name not in LEFT_OUT:
                    archive.write(path, path.relative_to(folder))
    versions = {package: importlib.metadata.version(package) for package in packages}
    document = {"versions": versions, "checkpoints": said}
    (DATA / f"{library}.json").write_text(
        re.sub(r"\n {4,}", " ", json.dumps(document, indent=1)) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
