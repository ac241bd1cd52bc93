"""What is asked of the worker, and what it answers, when a library builds a model from its config."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DescribeRequest:
    """Build a model without memory and list what is in it.

    Attributes:
        config: Text of a ``config.json`` of transformers or diffusers.
    """

    config: str


@dataclass(frozen=True, slots=True)
class DescribedTensor:
    """One parameter or buffer.

    Attributes:
        name: Full dotted name.
        shape: Elements along each axis.
        dtype: Id of its type; what torch calls it where the program does not know the type.
        trainable: Whether the class trains it.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    trainable: bool = True


@dataclass(frozen=True, slots=True)
class DescribeReport:
    """A model as its library builds it.

    Attributes:
        library: Name and version, such as ``transformers 5.24.0``.
        name: Class that was built.
        parameters: Distinct parameters, in order.
        buffers: What is kept beside them and saved with them, and large tables that are not saved.
        tied: Pairs (other name, name it shares storage with).
    """

    library: str
    name: str
    parameters: tuple[DescribedTensor, ...]
    buffers: tuple[DescribedTensor, ...] = ()
    tied: tuple[tuple[str, str], ...] = ()
