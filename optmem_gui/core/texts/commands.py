"""English templates: files, the command line, and what is not offered yet."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "file.not_found": "{path}: there is no such file or folder; check the path",
    "file.unreadable": "{path}: cannot be read ({why}); check that it is a file and that you may read it",
    "output.not_written": "{path}: cannot be written ({why}); choose another folder or name",
    "scenario_file.not_a_scenario": "{path}: is not an OptMem scenario ({why}); choose a file that OptMem saved",
    "scenario_file.damaged": "{path}: is damaged or was only half written ({why}); save the scenario again",
    "scenario_file.invalid": "{path}: {field} does not fit ({why}); correct it, or save the scenario again",
    "scenario_file.newer": "{path}: was saved by OptMem {program} in file version {given}, this one reads up to {known}; update OptMem",
    "scenario_file.too_large": "{path}: {size_bytes} is too large for a scenario, the limit is {limit_bytes}; choose a file that OptMem saved",
    "scenario_file.model_missing": "{path}: the model is not there any more; what the scenario stored of it is used",
    "scenario_file.model_changed": "{path}: the model changed since the scenario was saved; what the scenario stored is used until you open the model again",
    "cli.usage": "{why}; see `{command} --help`",
    "cli.not_available": "{option} is not available yet; leave it out",
    "cli.no_model": "no model: give a PATH, `--params 7B` or `--preset ID`",
    "cli.several_models": "{given} each name a model; keep one of them",
    "cli.several_paths": "{path}: several files together are not available yet; give one file, or the folder they lie in",
    "cli.check_needs_gpu": "--check: nothing to check against; add `--gpu ID`, such as `--gpu h100-80gb`",
    "cli.out_of_range": "{option}: {given} is not a whole number from {low} to {high}",
    "trainable.pattern": "trainable parameters: {given} is not a regular expression ({why}); write `all` or a pattern such as `lm_head|norm`",
    "trainable.nothing": "trainable parameters: {given} matches no parameter that can be trained; names look like {example}",
    "trainable.no_names": "--trainable: a scenario file keeps no tensor names; open the model itself with it",
    "trainable.too_many": "--trainable: {tensor_count} tensors are too many to name one by one; give a smaller number of parameters",
    "cli.lora_incomplete": "{option}: needs --lora-rank; add it, such as `--lora-rank 16`",
    "cli.batch_without_sequence": "--batch: the length of a sequence is missing; add `--seq N`, such as `--seq 2048`",
    "cli.unknown_command": "{given}: is neither a file nor a subcommand; did you mean `optmem {near}`?",
    "start.no_qt": "the window cannot open: PySide6 is not installed; run `pip install PySide6-Essentials==6.10.3`, or use `optmem estimate --params 7B`",
    "start.no_display": "the window cannot open: there is no display; set DISPLAY, run under `xvfb-run`, or use `optmem estimate --params 7B`",
    "start.qt_broken": "the window cannot open: Qt does not load ({why}); reinstall it with `pip install --force-reinstall PySide6-Essentials==6.10.3`",
    "start.library": "the window cannot open: {library} is missing; on Debian and Ubuntu run `apt-get install {package}`, see README.md for all of them",
}
