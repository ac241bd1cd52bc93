"""English templates: probing a user's own optimizer, and the entries that come of it."""

from __future__ import annotations

_REFUSED: dict[str, str] = {
    "probe.path": "Optimizer class: {given} is no import path; write package.module:Class, such as mypackage.optim:MyAdam",
    "probe.option": "Option: {given} is not name=value; write it as in lr=0.001 or amsgrad=true",
    "probe.import_failed": "{path}: importing its module raised an error ({cause}); correct the module, or choose the Python that has it",
    "probe.all_refused": "{path}: raised an error for every parameter it was given ({cause}); correct the class, or give the options it needs",
    "probe.silent": "{path}: did not answer for {seconds} seconds while it was probed and was stopped; nothing was added",
    "probe.cancelled": "{path}: the probe was stopped; nothing was added",
    "probe.no_answer": "{path}: the probing process ended without an answer ({cause}); look at the details",
    "probe.shape_refused": "{optimizer} refused such parameters when it was probed: {tensor} has shape {shape}; train it with another optimizer",
    "probe.dtype_refused": "{optimizer} was not seen to train {dtype} parameters, only {known}; choose another precision",
}

_COMMAND: dict[str, str] = {
    "cli.no_such_group": "{option}: {given} is not in the catalogue; choose one of {known}",
    "cli.probe_needs_yes": "{path}: is code that would be run, and nobody can be asked here; add --yes if you want that",
}

_UNEXPLAINED: dict[str, str] = {
    "probe.unexplained": "{state}: no rule explains its sizes ({examples})",
    "probe.not_confirmed": "{state}: the rule that explains the first shapes is wrong for others ({examples})",
    "probe.unknown_dtype": "{state}: its type {dtype} is not known to this program",
    "probe.grows": "{state}: still changes its size after the second step",
    "probe.outside": "{state}: {size_bytes} that the optimizer keeps outside its state of a parameter",
    "probe.shared": "All parameters in one optimizer have {together_bytes} of state, one by one they have {alone_bytes}: something is kept once for all",
    "probe.unclear_refusal": "Some shapes are refused and no rule tells which ({cause})",
}

_ENTRIES: dict[str, str] = {
    "probe.caution": "{optimizer} is your own entry, found by probing with the options it was given; its step was measured on a CPU with two equal matrices.",
    "probe.file_damaged": "{path}: your optimizers cannot be read ({why}); the file was set aside as {aside}",
    "probe.file_unreadable": "{path}: your optimizers cannot be read ({why}); check that you may read it",
    "probe.file_not_written": "{path}: your optimizer cannot be saved ({why}); it stays until the program ends",
    "optimizer.family.user": "Your own entry, its rules found by probing.",
}

_SHAPES: dict[str, str] = {
    "optimizer.shape.probed_constant": "{state}: {tensor_count} x one table of fixed size in {dtype} = {total_bytes}",
    "optimizer.shape.probed_packed": "{state}: two values in each {dtype} element, {element_count} elements = {total_bytes}",
    "optimizer.shape.probed_blocks": "{state}: one {dtype} number a block, {element_count} of them = {total_bytes}",
    "optimizer.shape.probed_axis": "{state}: one {dtype} number for each place along one axis, {element_count} of them = {total_bytes}",
    "optimizer.shape.probed_rest": "{state}: one axis averaged away, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.probed_square": "{state}: a square matrix as wide as one axis, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.probed_triangle": "{state}: the triangle of a square matrix as wide as one axis, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.probed_low_rank": "{state}: a factor of low rank for each matrix, {element_count} elements in {dtype} = {total_bytes}",
}

TEXTS: dict[str, str] = {**_REFUSED, **_COMMAND, **_UNEXPLAINED, **_ENTRIES, **_SHAPES}
