"""What a program that asks a tensor for its value is told where there are no values.

A traced tensor has a shape and no content, so ``if mask.all():`` has to be answered from what is known of
the data: batches are full, in one piece and without padding, as
:mod:`optmem_gui.worker.sources.inputs` makes them.
"""

from __future__ import annotations

from pathlib import Path

import torch

_SURE: dict[tuple[str, str], bool] = {
    ("masking_utils.py", "all"): True,  # no padding, and one sequence a row: nothing is packed
    ("masking_utils.py", "eq"): True,  # as many tokens as there are places
    ("modeling_utils.py", "any"): False,  # padding tokens in the input would be warned about
    ("modeling_attn_mask_utils.py", "all"): True,
    ("modeling_flash_attention_utils.py", "all"): True,
}
"""Questions of the transformers library, by file and the operator that made the asked tensor."""

_LIBRARY = "transformers"


def answer(operator: str, dtype: torch.dtype, file: str) -> tuple[bool | int | float, bool]:
    """A value, and whether it follows from the batch.

    Args:
        operator: What made the tensor, such as ``all``.
        dtype: Its type.
        file: Where the question stands.

    Returns:
        ``all`` is true and ``any`` is false of a full batch; any other truth value is taken to be false, a
        number to be 0. An answer that is not sure may send a branch the other way than on a GPU.
    """
    path = Path(file)
    known = _SURE.get((path.name, operator)) if _LIBRARY in path.parts else None
    if known is not None:
        return known, True
    if dtype == torch.bool:
        return operator == "all", False
    return (0.0 if dtype.is_floating_point else 0), False
