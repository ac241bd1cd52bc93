"""English templates: what a trace warns of, assumes or refuses."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "simulate.value_read": "{place} reads a value of a tensor (module {module}); it was taken to be {value}, so a branch on it may go the other way on a GPU",
    "simulate.cudnn_workspace": "cuDNN chooses the workspace of a convolution itself: 0 to {most_bytes} a call, the upper end is in the high peak only",
    "simulate.unproven": "Not yet compared with a GPU: {operators}",
    "simulate.other_internals": "torch {torch} works otherwise inside than the simulation expects ({cause}); choose a Python with torch 2.9 to 2.13 in the settings",
    "simulate.other_references": "torch {torch} counts references otherwise than the simulation expects ({alone}, {shared}); choose a Python with torch 2.9 to 2.13 in the settings",
    "simulate.other_storages": "torch {torch} does not tell when storages end, which the simulation needs; choose a Python with torch 2.9 to 2.13 in the settings",
    "simulate.operator_failed": "Simulate: {operator} cannot be traced without a GPU at {place} ({cause}); the estimate stays, leave out what depends on the data",
    "simulate.program_failed": "Simulate: {place} failed ({cause}); correct it, or give a model that runs on meta tensors",
    "simulate.compiled": "torch.compile is left out: the step is traced as it runs without it, which takes more memory",
    "simulate.optimizer_by_rule": "{optimizer} does not run here ({cause}); its state and scratch follow the catalogue's rules, the rest is traced",
}
