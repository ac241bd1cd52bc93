"""Recordings of optimizers that cannot be installed beside the tests, and estimates in their form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.state import OptimizerState
from optmem_gui.core.scenario import Options

FOLDER = Path(__file__).parent / "recorded"

States = dict[str, tuple[int, int]]
"""Tensors and bytes by ``name type``."""


@dataclass(frozen=True)
class RecordedRow:
    """One optimizer, set of options and type, and everything it held after three steps."""

    library: str
    id: str
    options: Options
    dtype: str
    shapes: tuple[Shape, ...]
    states: States
    temporaries_bytes: int = 0

    def __str__(self) -> str:
        chosen = ",".join(f"{name}={value}" for name, value in self.options) or "defaults"
        return f"{self.id}-{chosen}-{self.dtype}"


def rows_of(*names: str) -> Iterator[RecordedRow]:
    """Every row of some recordings; shapes stand once in the file, or in each row where they differ."""
    for name in names:
        document = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        for row in document["rows"]:
            yield RecordedRow(
                library=document["library"],
                id=row["id"],
                options=tuple(sorted(row["options"].items())),
                dtype=row["dtype"],
                shapes=tuple(tuple(shape) for shape in row.get("shapes", document.get("shapes"))),
                states={key: (count, size) for key, (count, size) in row["states"].items()},
                temporaries_bytes=row.get("temporaries_bytes", 0),
            )


def states_of(state: OptimizerState) -> States:
    """An estimate in the same form."""
    found: States = {}
    for row in state.rows:
        count, size = found.get(f"{row.name} {row.dtype}", (0, 0))
        found[f"{row.name} {row.dtype}"] = (count + row.tensor_count, size + row.bytes)
    return dict(sorted(found.items()))
