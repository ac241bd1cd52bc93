"""English templates: what was refused in the inputs, and what to do."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "count.empty": "Parameters: nothing was typed; write a number such as 7B, 125M or 6.74e9",
    "count.negative": "Parameters: {given} is negative; write a positive number such as 7B",
    "count.not_a_number": "Parameters: {given} is not a number; write 7B, 125M, 6.74e9 or 7,000,000,000",
    "count.ambiguous": "Parameters: {given} can be read two ways; write it without the separator, or as 1.5e9",
    "count.not_whole": "Parameters: {given} is not a whole number of parameters; did you mean a suffix, as in 1.5B?",
    "count.zero": "Parameters: a model needs at least one parameter",
    "count.too_large": "Parameters: {given} is more than 1,000,000T (1e18); check the exponent",
    "lora.rank_too_small": "LoRA rank: {rank} is below 1; write a rank such as 8 or 16",
    "lora.no_target": "LoRA targets: no linear layer is called {targets}; this model has {known}",
    "scenario.unknown_field": "{field}: {given} is not known; choose one of {known}",
    "gpu.unknown": "GPU: {given} is not in the table; run `optmem estimate --gpu all` or choose one of {known}",
}
