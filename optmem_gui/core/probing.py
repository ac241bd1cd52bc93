"""What is asked of the worker, and what it answers, when a user's own optimizer is probed."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.scenario import Options


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """Step one optimizer on tensors of many shapes.

    Attributes:
        path: Import path of the class, such as ``package.module.Class``.
        options: Keywords of its constructor.
        folder: Folder in which its module is looked for first; empty for the usual places.
        shapes: Parameters, each stepped in an optimizer of its own.
        dtypes: Ids of the types that each is stepped in.
        steps: Steps of each.
    """

    path: str
    shapes: tuple[tuple[int, ...], ...]
    options: Options = ()
    folder: str = ""
    dtypes: tuple[str, ...] = ("fp32", "bf16")
    steps: int = 3


@dataclass(frozen=True, slots=True)
class ProbedTensor:
    """One tensor of the optimizer's state.

    Attributes:
        name: Keys that lead to it in ``optimizer.state[parameter]``, joined by dots.
        shape: Elements along each axis of its storage.
        dtype: Id of its type; what torch calls it where the program does not know the type.
        device: Type of its device.
        bytes: Size of its storage.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    bytes: int


@dataclass(frozen=True, slots=True)
class ProbedParameter:
    """What one parameter has after the steps.

    Attributes:
        shape: Its elements along each axis.
        dtype: Id of its type.
        refused: What the class said where it would not take or step such a parameter.
        tensors: State of this parameter.
    """

    shape: tuple[int, ...]
    dtype: str
    refused: str = ""
    tensors: tuple[ProbedTensor, ...] = ()


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """Everything that was seen.

    Attributes:
        version: Library and version of the class, such as ``torch 2.13.0``.
        torch: Version of torch.
        parameters: Every parameter that was stepped, alone.
        together_bytes: State of all parameters of the first type in one optimizer; None where it refuses.
        outside: Tensors that the optimizer keeps elsewhere than in its state, larger for larger parameters.
        tables: Those that are the same whatever the parameter: one for the whole optimizer.
        growing: Names whose size changed after the second step.
        at_construction: The state is there before the first step.
        on_host: Names that stay in host memory while the parameter is elsewhere; None where nobody could say.
        step_tensors: Most memory that a step takes beside the state, in tensors as large as the parameter;
            None where it was not measured.
    """

    version: str
    torch: str
    parameters: tuple[ProbedParameter, ...]
    together_bytes: int | None = None
    outside: tuple[ProbedTensor, ...] = ()
    tables: tuple[ProbedTensor, ...] = ()
    growing: tuple[str, ...] = ()
    at_construction: bool = False
    on_host: tuple[str, ...] | None = None
    step_tensors: float | None = None
