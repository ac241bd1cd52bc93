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
}
