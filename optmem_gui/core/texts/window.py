"""English templates: what was typed into a field of the window, what was dropped on it, what it did."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "batch.not_a_number": "Batch: {given} is not a whole number; write one such as 1, 8 or 32, or leave it empty",
    "batch.out_of_range": "Batch: {given} is outside 1 to {limit_count}; write a smaller batch",
    "sequence.not_a_number": "Sequence: {given} is not a whole number; write tokens such as 2048 or 4096",
    "sequence.out_of_range": "Sequence: {given} is outside 1 to {limit_count}; write fewer tokens",
    "accumulate.not_a_number": "Accumulation: {given} is not a whole number; write micro-batches a step such as 1 or 8",
    "accumulate.out_of_range": "Accumulation: {given} is outside 1 to {limit_count}; write fewer micro-batches",
    "lora.rank_not_a_number": "LoRA rank: {given} is not a whole number; write one such as 8 or 16",
    "lora.rank_out_of_range": "LoRA rank: {given} is outside 1 to {limit_count}; write a smaller rank",
    "lora.targets_empty": "LoRA targets: nothing was named; write module names such as q_proj, v_proj or all-linear",
    "option.not_a_number": "{option}: {given} is not a number; write one such as {example}",
    "what_if.memory": "Device memory: {given} is not a size in GiB; write one such as 24 or 79.1, or leave it empty",
    "what_if.needs_memory": "Device memory: the threshold is a share of it; write how many GiB the device has",
    "drop.nothing_local": "Nothing opened: what was dropped is not a file or folder on this computer",
    "drop.several": "Nothing opened: {number_count} items were dropped; drop one file, or the folder that holds them",
    "drop.unknown_kind": "Nothing opened: {name} is no checkpoint, model folder, config.json, .optmem file or memory snapshot",
    "plan.no_gpu": "no GPU to plan for; choose one in the tool bar",
    "window.settings_reset": "The settings file could not be read and was set aside as {path}; defaults are used",
    "window.settings_newer": "{path} was written by a newer OptMem; what this version does not know is kept as it is",
    "window.settings_not_saved": "Settings cannot be saved in {path}; this session works, nothing is remembered",
}
