"""English templates: precision schemes."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "precision.unknown": "Precision: {given} is not known; choose one of {known}",
    "precision.fp32": "Everything in fp32: 4 bytes for a weight, 4 for its gradient.",
    "precision.bf16": "Pure bf16: weights, gradients and a state that follows them take 2 bytes each. No fp32 copy.",
    "precision.fp16": "Pure fp16: 2 bytes for weights and gradients, no fp32 copy; small updates are lost.",
    "precision.amp-bf16": (
        "torch.autocast over fp32 weights: weights, gradients and optimizer state stay fp32. Only activations and "
        "transient 16-bit casts of the weights are smaller: AMP does not halve model states."
    ),
    "precision.amp-fp16": (
        "torch.autocast in fp16 with a GradScaler: weights, gradients and optimizer state stay fp32. AMP does not "
        "halve model states."
    ),
    "precision.bf16-autocast": "Weights loaded in bf16 and trained under autocast: what HF Trainer does with a bf16 folder.",
    "precision.bf16-master": "bf16 weights and gradients; the optimizer updates an fp32 copy (apex O2, DeepSpeed bf16).",
    "precision.fp16-master": "fp16 weights and gradients; the optimizer updates an fp32 copy (apex O2, DeepSpeed fp16).",
    "precision.megatron-bf16": "bf16 weights, fp32 main gradients, fp32 main weights: 18 bytes a parameter with Adam.",
    "precision.te-fp8": (
        "TransformerEngine on bf16 weights: each matrix also keeps an fp8 copy and its transpose through the step. "
        "fp8 makes the products faster, not the model states smaller."
    ),
    "precision.te-fp8-fp32": "TransformerEngine on fp32 weights: fp8 copies and transposes are kept beside them.",
    "precision.torchao-fp8": (
        "torchao float8 training on bf16 weights: casts are made on the fly for each product; nothing is kept."
    ),
    "precision.msamp-o2": "MS-AMP O2: fp8 weights and gradients, fp16 master weights, fp8 and fp16 Adam moments.",
}
