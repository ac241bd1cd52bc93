"""What readers find, as values, and the reading itself: bytes counted, progress, a wish to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from optmem_gui.checkpoints.optimizer_found import OptimizerInFile
from optmem_gui.core.describing import DescribeReport
from optmem_gui.core.dtypes import DType
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Shape
from optmem_gui.core.reasons import Reason, Value

Row = tuple[str, Shape, DType]
"""Name, logical shape and element type of one stored tensor."""


MAX_TEXT = 160
"""Characters of a name from a file that are shown."""


class Cancelled(Exception):  # noqa: N818  # it reports a wish, not a failure
    """The user stopped the reading."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reading has come.

    Attributes:
        file: Name of the file being read.
        done_count: Files finished.
        total_count: Files to read; 0 while a library builds a model, which tells no progress.
    """

    file: str
    done_count: int
    total_count: int


Build = Callable[[str, Callable[[], bool]], DescribeReport | None]
"""Asks a library what a config makes, from its text; None where the question was stopped."""


class Reading:
    """One opening under way: counts the bytes that were read, reports progress, listens for a stop.

    Attributes:
        read_bytes: Bytes taken from disk so far.
    """

    def __init__(
        self,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        build: Build | None = None,
    ) -> None:
        self.read_bytes = 0
        self._progress = progress
        self._cancelled = cancelled
        self._build = build

    def check(self) -> None:
        """Stop here if the user asked for it.

        Raises:
            Cancelled: The user did.
        """
        if self._cancelled():
            raise Cancelled

    @property
    def can_build(self) -> bool:
        """Whether somebody can ask a model's own library what a config makes."""
        return self._build is not None

    def built(self, config: str, file: str) -> DescribeReport:
        """What a model's own library makes of a config.

        Raises:
            UserError: The library is missing or refuses it.
            Cancelled: The user stopped it.
        """
        if self._build is None:
            raise AssertionError("asked for a library although there is none")
        if self._progress is not None:
            self._progress(Progress(file, 0, 0))
        report = self._build(config, self._cancelled)
        if report is None:
            raise Cancelled
        return report

    def files(self, paths: Iterable[Path]) -> Iterable[Path]:
        """Pass files through, with progress and a check for a stop before each."""
        listed = list(paths)
        for index, path in enumerate(listed):
            self.check()
            if self._progress is not None:
                self._progress(Progress(shown(path), index, len(listed)))
            yield path


@dataclass(frozen=True, slots=True)
class Known:
    """What the file itself says about a tensor, where it says more than a name.

    Attributes:
        parameter: An ``nn.Parameter``; False for a registered buffer.
        trainable: Its ``requires_grad``.
    """

    parameter: bool
    trainable: bool = True


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A packed weight as the parameter it stands for."""

    name: str
    shape: Shape
    dtype: DType
    scheme: str


@dataclass(frozen=True, slots=True)
class Packing:
    """What is packed in a checkpoint.

    Attributes:
        weights: Stored name to the parameter behind it.
        companions: Names of scales and other bookkeeping that no general rule knows.
        assumed_bits: Nothing says how many bits a packed weight has; 4 was taken.
    """

    weights: Mapping[str, Unpacked]
    companions: frozenset[str]
    assumed_bits: bool = False


NOTHING_PACKED = Packing({}, frozenset())


@dataclass(frozen=True, slots=True)
class Contents:
    """What one reader found, before parameters and buffers are told apart.

    Attributes:
        rows: Distinct model tensors in file order.
        tied: Pairs (other name, name it shares storage with).
        known: What the file says about single tensors.
        optimizer: State of an optimizer, if any.
        warnings: What the user should know.
        complete: Everything the headers promise is there.
        file_bytes: Size of the files on disk.
        tensor_bytes: Bytes the distinct tensors address.
        file_count: Files the tensors came from.
        declared: Numbers the file claims about itself (``total_parameters``), shown as claims only.
        packing: Which weights are packed, where the file itself says it.
        describe: From all rows of the checkpoint to the words of a ``config.json``, where the file itself
            says what a config says.
        title: The model's name, where the file itself says it.
        averages: Tensors of an averaged copy (EMA) of the model.
    """

    rows: list[Row]
    tied: tuple[tuple[str, str], ...] = ()
    known: Mapping[str, Known] = field(default_factory=dict)
    optimizer: OptimizerInFile | None = None
    warnings: tuple[Reason, ...] = ()
    complete: bool = True
    file_bytes: int = 0
    tensor_bytes: int = 0
    file_count: int = 1
    declared: int | None = None
    packing: Packing = NOTHING_PACKED
    describe: Callable[[list[Row]], dict[str, Any]] | None = None
    title: str = ""
    averages: tuple[Row, ...] = ()


def refused(key: str, /, **values: Value) -> UserError:
    """The error that refuses a checkpoint; names taken from the file are made fit for one line."""
    return UserError(key, **_one_line(values))


def remark(key: str, /, **values: Value) -> Reason:
    """A warning: the key of its template and what its placeholders stand for."""
    return Reason(key, _one_line(values))


def _one_line(values: dict[str, Value]) -> dict[str, Value]:
    return {name: printable(value) if isinstance(value, str) else value for name, value in values.items()}


def printable(text: str) -> str:
    """Text from a file, cut and without line breaks, control characters or broken Unicode."""
    clean = "".join(char if char.isprintable() else "?" for char in text[: MAX_TEXT + 1])
    return clean if len(clean) <= MAX_TEXT else f"{clean[: MAX_TEXT - 1]}…"


def shown(path: Path) -> str:
    """A file's name that can be printed everywhere, also when it is no valid Unicode."""
    return printable(path.name or str(path))
