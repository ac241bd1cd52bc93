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
    "cli.usage": "{why}; see `optmem {command} --help`",
    "cli.not_available": "{option} is not available yet; leave it out",
    "cli.no_model": "no model: give a PATH, `--params 7B` or `--preset ID`",
    "cli.several_models": "{given} each name a model; keep one of them",
    "cli.several_paths": "{path}: several files together are not available yet; give one file, or the folder they lie in",
    "cli.check_needs_gpu": "--check: nothing to check against; add `--gpu ID`, such as `--gpu h100-80gb`",
    "cli.option_form": "--option {given}: write NAME=VALUE, such as `--option momentum=0.9`",
    "cli.out_of_range": "{option}: {given} is not a whole number from {low} to {high}",
    "cli.pattern": "--trainable {given}: is not a regular expression ({why}); write `all` or a pattern such as `lm_head|norm`",
    "cli.nothing_trainable": "--trainable {given}: matches no parameter of this model; names look like {example}",
    "cli.lora_incomplete": "{option}: needs --lora-rank; add it, such as `--lora-rank 16`",
    "cli.no_architecture": "--preset {given}: is not known; choose one of {known}",
    "cli.window_missing": "the window cannot open: {why}; install it, or use a subcommand such as `optmem estimate --params 7B`",
    "cli.interrupted": "stopped",
}
