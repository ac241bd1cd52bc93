"""What else lives on the same GPU while a model is trained."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.dtypes import DTYPES
from optmem_gui.core.errors import UserError

_BYTE = "uint8"


@dataclass(frozen=True, slots=True)
class Resident:
    """Something that is there all the time: an EMA copy, a reference model, a frozen encoder.

    Attributes:
        name: What to call it.
        count: Elements.
        dtype: Id of their type.
    """

    name: str
    count: int
    dtype: str

    @classmethod
    def of_bytes(cls, name: str, size_bytes: int) -> Resident:
        """Something of which the size alone is known, such as another process."""
        return cls(name, size_bytes, _BYTE)

    @property
    def size_bytes(self) -> int:
        """Bytes it takes.

        Raises:
            UserError: Its type is not known.
        """
        dtype = DTYPES.get(self.dtype)
        if dtype is None:
            raise UserError(
                "resident.dtype", name=self.name, given=self.dtype, known="fp32, bf16, fp16, int8, nf4"
            )
        return dtype.bytes_for(self.count)
