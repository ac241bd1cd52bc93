"""What an optimizer implementation is, as data: its options, its state tensors, its temporaries.

A declaration says, for each state tensor, its shape rule, its dtype rule, when it exists and where it
lives. The rules themselves stand in :mod:`optmem_gui.core.optimizers.rules`; a new implementation
combines them and adds no code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from optmem_gui.core.dtypes import DType
from optmem_gui.core.layout import Layout
from optmem_gui.core.model import Role, Shape, TensorGroup
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Options, OptionValue, Target
from optmem_gui.core.texts import TEMPLATES

Kind = Literal["bool", "int", "float", "choice"]
Effect = Literal["state", "temporaries"]
Created = Literal["construction", "first_step"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option of one implementation with its value, and the device the step runs on.

    Attributes:
        values: Options by name, defaults filled in.
        target: Device whose rules apply.
    """

    values: Mapping[str, OptionValue]
    target: Target

    def on(self, name: str) -> bool:
        """Whether an option is set to something other than off, zero or automatic."""
        return bool(self.values.get(name))

    def whole(self, name: str) -> int:
        """Value of an ``int`` option."""
        value = self.values[name]
        if not isinstance(value, int):
            raise TypeError(f"option {name} holds {value!r}, not a whole number")
        return value


Predicate = Callable[[Settings], bool]


@dataclass(frozen=True, slots=True)
class Option:
    """One keyword of the constructor.

    An option is also the condition "it is switched on": it can stand wherever a declaration asks *when*.

    Attributes:
        name: Keyword of the constructor, or of the program where ``keyword`` is False.
        kind: What values it takes.
        default: The implementation's own default; None means the implementation decides (shown as auto).
        affects: What of the memory it changes; empty for an option that is accepted and changes nothing.
        minimum: Smallest number allowed.
        maximum: Largest number allowed.
        choices: Values of a ``choice``.
        keyword: The constructor takes it under this name as it is.
    """

    name: str
    kind: Kind
    default: OptionValue
    affects: tuple[Effect, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    keyword: bool = True

    @property
    def help(self) -> Reason:
        """What it does to memory."""
        return Reason(f"optimizer.option.{self.name}")

    def __call__(self, settings: Settings) -> bool:
        """Whether it is switched on."""
        return settings.on(self.name)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a state tensor is made for: one parameter, or all of them laid end to end.

    Attributes:
        shape: Elements along each axis.
        dtype: Type of the parameter the optimizer sees.
        role: What the parameter does.
        leaf: Name of the module that owns it.
        settings: Options in force, for a rule whose size or type an option decides (a rank, a type).
        field: Name inside that module, ``weight`` or ``bias``.
        whole: Shape of the parameter where ``shape`` is what this rank holds of a sharded tensor; None where
            it is all there is.
    """

    shape: Shape
    dtype: DType
    role: Role = Role.OTHER
    leaf: str = ""
    settings: Settings = Settings({}, "cuda")  # frozen, so shared without harm
    field: str = ""
    whole: Shape | None = None

    @property
    def together(self) -> Shape:
        """Shape of the parameter that all ranks hold together."""
        return self.shape if self.whole is None else self.whole


@dataclass(frozen=True, slots=True)
class ShapeRule:
    """How large a state tensor is.

    Attributes:
        key: Name of its formula among the templates, ``optimizer.shape.<key>``.
        shape: Shape for one subject; None where this subject has no such tensor.
        full_size: It has as many elements as the parameter, so a scheme that forces the type of the
            moments applies to it.
        several: Where one subject has a list of tensors: all their shapes, in place of ``shape``.
    """

    key: str
    shape: Callable[[Subject], Shape | None]
    full_size: bool = False
    several: Callable[[Subject], Iterable[Shape]] | None = None

    def tensors(self, subject: Subject) -> Iterable[Shape]:
        """Shapes of every tensor that one subject has."""
        if self.several is not None:
            return self.several(subject)
        shape = self.shape(subject)
        return () if shape is None else (shape,)


@dataclass(frozen=True, slots=True)
class DTypeRule:
    """Which type a state tensor has.

    Attributes:
        key: Name of its sentence among the templates, ``optimizer.dtype.<key>``.
        dtype: Type for one subject.
    """

    key: str
    dtype: Callable[[Subject], DType]


Placement = Callable[[Subject], bool]
"""Whether the state of one subject lives in host memory."""

CountRule = Callable[[Settings, "int | None"], int]
"""Tensors of one state that one subject has after so many steps; None asks for the steady state."""


def one(settings: Settings, steps: int | None) -> int:
    """One tensor a subject, from the start."""
    del settings, steps
    return 1


def always(settings: Settings) -> bool:
    """The condition that always holds."""
    del settings
    return True


def never(settings: Settings) -> bool:
    """The condition that never holds."""
    del settings
    return False


def nowhere(subject: Subject) -> bool:
    """The placement of state that is on the device for every subject."""
    del subject
    return False


@dataclass(frozen=True, slots=True)
class State:
    """One entry of the optimizer's state.

    Attributes:
        name: Its key in ``optimizer.state[parameter]``.
        shape: How large it is.
        dtype: Which type it has.
        when: Whether it exists.
        host: Whether it lives in host memory while the parameters are on a GPU.
        paged: For which subjects it does even where ``host`` does not hold.
        count: How many there are, for lists.
        whole: One for the whole optimizer (all parameters laid end to end), not one a parameter.
    """

    name: str
    shape: ShapeRule
    dtype: DTypeRule
    when: Predicate = always
    host: Predicate = never
    paged: Placement = nowhere
    count: CountRule = one
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Conflict:
    """Options that cannot go together.

    Attributes:
        when: The combination.
        key: Template that says why and what to do.
    """

    when: Predicate
    key: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """What every trained parameter must be.

    Attributes:
        accepts: Whether a group of parameters can be trained with it.
        key: Template that says why not and what to do.
    """

    accepts: Callable[[TensorGroup], bool]
    key: str


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that one step takes beside weights, gradients and state.

    Attributes:
        bytes: Requested bytes at the highest moment of a steady step.
        rounded_bytes: The same with every tensor in 512-byte blocks of its own.
        why: The formula.
        first_step_bytes: Of the first step, None where it is the same.
        exact: False where the number depends on the data or on more of the order; it is then a bound.
        predicted: False where nothing is known of the step, because another runtime runs it.
    """

    bytes: int
    rounded_bytes: int
    why: Reason
    first_step_bytes: int | None = None
    exact: bool = True
    predicted: bool = True


TemporariesRule = Callable[[Layout, Settings], Need]

NoticeRule = Callable[[Layout, Settings], "Iterable[Reason]"]
"""What to know about these options on this model, such as a rank that is larger than a side."""

Handing = Literal["list", "named", "low_rank", "muon", "algorithm", "model"]
"""What the constructor takes in place of a list of parameters: ``(name, parameter)`` pairs; groups of which
the projected ones say their rank; groups that say ``use_muon`` or their ``algorithm``; the model itself."""


def no_notice(layout: Layout, settings: Settings) -> Iterable[Reason]:
    """The rule of an implementation that has nothing to say."""
    del layout, settings
    return ()


@dataclass(frozen=True, slots=True)
class Implementation:
    """One optimizer of one library.

    Attributes:
        id: ``library.Name``.
        path: Dotted import path of the class.
        family: What the algorithm belongs to, for grouping.
        options: Options that the constructor takes.
        states: What it keeps.
        temporaries: What one step takes beside that.
        source: Where the rules were read.
        arguments: Keywords its constructor is always given, because it refuses its own default (a momentum
            of 0) or has none.
        proven: Library and version whose real state the declaration was compared with, 0 bytes apart.
        aliases: Short names, lower case.
        created: When the state is allocated.
        conflicts: Combinations of options that it refuses.
        requirement: What every trained parameter must be, if not just anything.
        cautions: Templates of what a user should know before relying on it.
        belief: Whether a template ``optimizer.<id>.belief`` corrects what people often expect.
        low_precision_gradients: It takes 16-bit gradients beside fp32 master weights, so no fp32 copy of
            the gradients is made.
        runtime: What runs the step. Of another one than torch only the state is predicted.
        notices: What to know about the chosen options on the present model.
        handing: How its constructor is given the parameters.
        fused_backward: Its method that runs backward and updates meanwhile, called with the loss and the
            learning rate; empty where ``step`` updates.
        state_attributes: Its attributes that keep the state, where that is not ``state``.
    """

    id: str
    path: str
    family: str
    options: tuple[Option, ...]
    states: tuple[State, ...]
    temporaries: TemporariesRule
    source: str
    arguments: Options = ()
    proven: str = ""
    aliases: tuple[str, ...] = ()
    created: Created = "first_step"
    conflicts: tuple[Conflict, ...] = ()
    requirement: Requirement | None = None
    cautions: tuple[str, ...] = ()
    belief: bool = False
    low_precision_gradients: bool = False
    runtime: str = "torch"
    notices: NoticeRule = no_notice
    handing: Handing = "list"
    fused_backward: str = ""
    state_attributes: tuple[str, ...] = ()

    @property
    def library(self) -> str:
        """The library it comes from."""
        return self.id.partition(".")[0]

    @property
    def name(self) -> str:
        """Name of the class."""
        return self.id.partition(".")[2]

    @property
    def about(self) -> Reason:
        """What it is, in one line: its own, or that of its family."""
        own = f"optimizer.{self.id}"
        return Reason(own if own in TEMPLATES else f"optimizer.family.{self.family}")

    @property
    def belief_reason(self) -> Reason | None:
        """What people often expect of it and why it is not so."""
        return Reason(f"optimizer.{self.id}.belief") if self.belief else None

    def option(self, name: str) -> Option | None:
        """The option of that name."""
        return next((option for option in self.options if option.name == name), None)

    def settings(self, options: Options, target: Target) -> Settings:
        """Chosen options over the defaults."""
        defaults = {option.name: option.default for option in self.options}
        return Settings({**defaults, **dict(options)}, target)
