"""English templates: what fits, and what to change so that it does."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "resident.form": "--resident: {given} is not NAME:COUNT:DTYPE; write for example reference:7B:bf16",
    "resident.dtype": "{name}: {given} is no type; choose one of {known}",
    "recipe.unknown": "--recipe: {given} is not known; choose one of {known}",
    "solve.one_gpu": "--solve: name the one GPU to fill, such as --gpu h100-80gb",
    "side.two_files": "{path}: two scenarios are compared as two .optmem files; save the other one as .optmem too",
    "side.more": "{option} takes one scenario; give one .optmem file, or leave it out",
    "solve.no_architecture": "solve: the model's architecture is not known, so activations are not counted; open its config.json or choose a preset",
    "solve.batch_needs": "solve batch: a sequence length is needed; add --seq N",
    "solve.sequence_needs": "solve seq: a batch is needed; add --batch N",
    "way.one": "--ways goes with one scenario and at most one GPU; leave out --solve, --gpu all and a second .optmem file",
    "way.micro_batch": "batch 1, accumulated as often as the batch was large: the same step, more kernel launches",
    "way.checkpointing": "checkpoint every block: forward runs twice, about a third more computation",
    "way.loss": "cross-entropy in chunks: logits are computed again in backward",
    "way.keep_logits": "let go of the logits after the loss: nothing is lost",
    "way.attention": "attention by a fused kernel: its rounding differs, attention weights are not available",
    "way.precision": "a lower precision: updates round more, check the loss curve",
    "way.set_to_none": "free gradients instead of zeroing them: code that reads .grad between steps must expect None",
    "way.eight_bit": "AdamW with 8-bit state: quantized moments, and bitsandbytes has to be installed",
    "way.fused": "the fused step: no lists of temporaries; needs all parameters on the GPU",
    "way.lora": "train adapters of rank 16 alone: the model itself no longer learns",
    "way.nf4": "hold the frozen base in 4 bits: slower, and it rounds the base",
}
