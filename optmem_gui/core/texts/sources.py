"""English templates: a step from a ``config.json`` or from a user's function."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "source.no_transformers": "config.json: transformers does not load in the worker's Python ({cause}); install it there (pip install transformers) or choose another Python in the settings",
    "source.no_config": "config.json: it holds no object; open the config.json of a model",
    "source.config_too_large": "{path}: larger than {most_bytes}, which no config is; open the config.json of a model",
    "source.config_unreadable": "{path}: cannot be read ({cause}); check the file and its permissions",
    "source.own_code": "config.json: {family} brings code of its own ({code}), which is not run; write a function that builds it and give it as FILE.py:NAME",
    "source.unknown_family": "config.json: transformers {version} does not know {family}; update it, or write a function that builds the model and give it as FILE.py:NAME",
    "source.config_refused": "config.json: transformers cannot build {family} from it ({cause}); correct what it names",
    "source.no_diffusers": "config.json: {family} needs diffusers, which does not load in the worker's Python ({cause}); install it there (pip install diffusers) or choose another Python in the settings",
    "source.unknown_diffusers": "config.json: diffusers {version} has no model {family}; update it, or open the weights instead",
    "source.silent": "config.json: the library said nothing for {seconds} seconds and was stopped; try again, or open the weights instead",
    "source.no_answer": "config.json: the worker ended before it had built the model ({cause}); open the weights instead",
    "source.no_task": "config.json: it is not known what {family} is trained on; write a function that returns model, batch and loss and give it as FILE.py:NAME",
    "source.too_long": "Sequence: {sequence} tokens are more than the {positions} positions that the model has; shorten the sequence",
    "source.whole_blocks_only": "Checkpointing: transformers recomputes whole blocks, not {checkpointing}; choose full or none",
    "source.full_loss_only": "Loss: the models of transformers compute the full loss, not {loss}; choose full, or write a function of your own",
    "source.function_form": "Function: {given} is not of the form FILE.py:NAME; name a Python file and a function in it",
    "source.no_file": "Function: there is no file {file}; correct the path before the colon",
    "source.no_function": "Function: {file} has no function {name}; correct the name after the colon",
    "source.function_answer": "Function: {place} returned ({given}); return (model, batch, loss) or (model, loss) with a torch.nn.Module first and a function last",
    "source.no_loss": "Function: the loss of {place} is {given}; return a tensor with one element",
    "source.function_failed": "Function: {place} failed ({cause}); correct that line",
}
