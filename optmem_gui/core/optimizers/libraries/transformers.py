"""transformers' own optimizer, as a declaration.

Source: ``Adafactor`` in transformers/optimization.py 5.24.0. State is made like the gradient, which 16-bit
parameters have cast to fp32 first, so it is fp32 for all of them; ``step`` is a Python number.
"""

from __future__ import annotations

from optmem_gui.core.dtypes import F32
from optmem_gui.core.optimizers.declare import Implementation, Option, Settings, State
from optmem_gui.core.optimizers.per_tensor import PerTensor
from optmem_gui.core.optimizers.rules import (
    COLUMNS_OF_LAST_TWO,
    ROWS_OF_LAST_TWO,
    VECTORS_ONLY,
    fixed,
)
from optmem_gui.core.optimizers.rules_quantized import ONE_NUMBER, full

BETA1 = Option("beta1", "float", None, ("state",), minimum=0)


def _first_moment(settings: Settings) -> bool:
    """``beta1`` is given, 0 included."""
    return settings.values.get("beta1") is not None


ADAFACTOR = Implementation(
    "transformers.Adafactor",
    path="transformers.optimization.Adafactor",
    family="adafactor",
    options=(BETA1,),
    states=(
        State("exp_avg", full(), fixed(F32), when=_first_moment),
        State("exp_avg_sq_row", ROWS_OF_LAST_TWO, fixed(F32)),
        State("exp_avg_sq_col", COLUMNS_OF_LAST_TWO, fixed(F32)),
        State("exp_avg_sq", VECTORS_ONLY, fixed(F32)),
        State("RMS", ONE_NUMBER, fixed(F32)),
    ),
    temporaries=PerTensor(fp32=2, previous_fp32=1, cast=2),
    source="transformers/optimization.py, transformers 5.24.0",
    proven="transformers 5.24.0",
    belief=True,
)

TRANSFORMERS = (ADAFACTOR,)
