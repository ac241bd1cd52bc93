"""Precision schemes: which copy of a parameter exists in which type, and who holds it.

References: torch.autocast documentation (weights stay fp32, casts are transient); ZeRO paper,
arXiv 1910.02054 section 3.1 (2 + 2 + 12 bytes); Megatron-LM ``theoretical_memory_usage.py`` (18 bytes);
TransformerEngine ``fp8_autocast`` (fp8 copies beside high-precision weights); torchao ``Float8Linear``
(dynamic casts, nothing kept); FP8-LM, arXiv 2310.18313 table 1 (MS-AMP: 2 + 1 + 1 + 2 bytes).
"""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.dtypes import BF16, F8_E4M3, F16, F32, DType
from optmem_gui.core.errors import UserError


@dataclass(frozen=True, slots=True)
class PrecisionScheme:
    """Who holds what.

    Attributes:
        id: Name on the command line.
        weights: Type of the weights that forward reads.
        gradients: Type in which gradients persist from backward to the step.
        master: Type of a separate copy that the optimizer updates, if there is one.
        autocast: Type of torch.autocast's transient casts, if it is on.
        step_gradients: Type of a gradient copy made at the step, unless the optimizer takes ``gradients``.
        cached_weight_bits: Bits of low-precision copies kept beside each matrix through the step
            (TransformerEngine's fp8 weight and its transpose).
        first_moment: Type forced on the optimizer's first state tensor, if any (MS-AMP).
        second_moment: Type forced on the second one.
        persistent_gradients: Gradients live in a buffer that is zeroed, never freed (Megatron).
        scaler: A GradScaler is used.
        runs_in_torch: torch itself can run the scheme, so it can be measured.
    """

    id: str
    weights: DType
    gradients: DType
    master: DType | None = None
    autocast: DType | None = None
    step_gradients: DType | None = None
    cached_weight_bits: int = 0
    first_moment: DType | None = None
    second_moment: DType | None = None
    persistent_gradients: bool = False
    scaler: bool = False
    runs_in_torch: bool = True

    @property
    def optimizer_dtype(self) -> DType:
        """Type of the parameters the optimizer sees; states that follow the parameter take it."""
        return self.master or self.weights

    @property
    def compute(self) -> DType:
        """Type of the matrix products' inputs, which decides what activations cost."""
        return self.autocast or self.weights


SCHEMES: dict[str, PrecisionScheme] = {
    scheme.id: scheme
    for scheme in (
        PrecisionScheme("fp32", F32, F32),
        PrecisionScheme("bf16", BF16, BF16),
        PrecisionScheme("fp16", F16, F16),
        PrecisionScheme("amp-bf16", F32, F32, autocast=BF16),
        PrecisionScheme("amp-fp16", F32, F32, autocast=F16, scaler=True),
        PrecisionScheme("bf16-autocast", BF16, BF16, autocast=BF16),
        PrecisionScheme("bf16-master", BF16, BF16, master=F32, step_gradients=F32),
        PrecisionScheme("fp16-master", F16, F16, master=F32, step_gradients=F32, scaler=True),
        PrecisionScheme("megatron-bf16", BF16, F32, master=F32, persistent_gradients=True),
        PrecisionScheme("te-fp8", BF16, BF16, cached_weight_bits=16, runs_in_torch=False),
        PrecisionScheme("te-fp8-fp32", F32, F32, autocast=BF16, cached_weight_bits=16, runs_in_torch=False),
        PrecisionScheme("torchao-fp8", BF16, BF16, runs_in_torch=False),
        PrecisionScheme(
            "msamp-o2",
            F8_E4M3,
            F8_E4M3,
            master=F16,
            autocast=BF16,
            first_moment=F8_E4M3,
            second_moment=F16,
            runs_in_torch=False,
        ),
    )
}
"""Every scheme, in the order the window lists them. To add one: an entry here and its texts."""


def precision(scheme_id: str) -> PrecisionScheme:
    """Look a scheme up.

    Raises:
        UserError: There is no such scheme.
    """
    try:
        return SCHEMES[scheme_id]
    except KeyError:
        raise UserError("precision.unknown", given=scheme_id, known=", ".join(SCHEMES)) from None
