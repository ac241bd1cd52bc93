"""Adam-mini's second moment: one number a head, a row or a tensor, decided by the parameter's name.

The order of the questions is that of the step: a bias keeps Adam's second moment; queries and keys one
number a head of ``dim * dim // n_heads`` elements; embeddings, outputs, values, projections and MLPs one
number a row; everything else, norms included, one number. Names are seen here as the module and the role.
Source: adam_mini/adam_mini.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Role, Shape
from optmem_gui.core.optimizers.declare import Option, ShapeRule, Subject

DIM = Option("dim", "int", 2048, ("state",), minimum=1, maximum=1_000_000)
HEADS = Option("n_heads", "int", 32, ("state",), minimum=1, maximum=100_000)

_HEAD_NAMES = ("k_proj", "q_proj", "wq", "wk", "query", "key")
_ROW_NAMES = (
    *("embed", "embd", "wte"),
    *("lm_head", "output", "final_layer"),
    *("v_proj", "wv", "value"),
    *("feed_forward", "linear", "mlp"),
    *("o_proj", "wo", "attn.proj"),
)
_ROW_ROLES = (Role.EMBEDDING, Role.HEAD, Role.MLP)


def _named(subject: Subject, names: Iterable[str]) -> bool:
    name = f"{subject.leaf}.{subject.field}".lower()
    return any(part in name for part in names)


def is_bias(subject: Subject) -> bool:
    """Whether it keeps Adam's second moment."""
    return _named(subject, ("bias",))


def _mean(subject: Subject) -> Shape | None:
    if is_bias(subject):
        return None
    if _named(subject, _HEAD_NAMES):
        return _heads(subject)
    if subject.role in _ROW_ROLES or _named(subject, _ROW_NAMES):
        return (subject.shape[0], 1) if len(subject.shape) > 1 else _refuse(subject, "adam_mini_vector")
    return ()


def _heads(subject: Subject) -> Shape:
    values = subject.settings
    head = values.whole("dim") ** 2 // values.whole("n_heads")
    if not head or prod(subject.shape) % head:
        return _refuse(subject, "adam_mini_heads")
    return prod(subject.shape) // head, 1


def _refuse(subject: Subject, key: str) -> Shape:
    """The real step stops here too.

    Raises:
        UserError: Always; it names the tensor.
    """
    shape = " x ".join(map(str, subject.shape)) or "a single number"
    values = subject.settings.values
    raise UserError(
        f"optimizer.{key}",
        tensor=f"{subject.leaf}.{subject.field}".strip("."),
        shape=shape,
        dim=int(values["dim"] or 0),
        heads=int(values["n_heads"] or 0),
    )


MEANS = ShapeRule("head_row_or_tensor", _mean)
"""One number a head, a row or a tensor."""

BIASES = ShapeRule("biases", lambda subject: subject.shape if is_bias(subject) else None)
"""As many elements as each bias."""
