"""What training libraries do by default, as far as memory feels it.

A recipe changes only what its library decides; the model, the batch and the GPU stay. Each default names
where it was read; every field can be changed afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import TensorGroup
from optmem_gui.core.scenario import Lora, Scenario

STORED = "as stored"
"""Precision of a model that is loaded in the type of its file and computed in it."""

STORED_AUTOCAST = "as stored, autocast bf16"
"""The same under ``torch.autocast`` to bf16."""

_STORED = {"bf16": "bf16", "fp16": "fp16"}
_AUTOCAST = {"bf16": "bf16-autocast"}


@dataclass(frozen=True, slots=True)
class Default:
    """One default of a library.

    Attributes:
        field: Field of :class:`~optmem_gui.core.scenario.Scenario` it decides.
        value: What the field becomes; for ``precision`` also :data:`STORED` or :data:`STORED_AUTOCAST`.
        source: Where it was read.
    """

    field: str
    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to train.

    Attributes:
        id: Name on the command line.
        title: Name on screen.
        library: Whose defaults they are, with its version.
        defaults: What it decides.
    """

    id: str
    title: str
    library: str
    defaults: tuple[Default, ...]


_NO_LORA = Default("lora", None, "no adapters are added")
_TORCH = (
    _NO_LORA,
    Default("precision", "fp32", "torch.get_default_dtype() is torch.float32"),
    Default("optimizer", "torch.AdamW", "torch.optim.AdamW"),
    Default("options", (), "torch.optim.AdamW: foreach=None, fused=None: foreach on CUDA"),
    Default("clip", False, "nothing calls clip_grad_norm_"),
    Default("set_to_none", True, "Optimizer.zero_grad(set_to_none=True)"),
    Default("checkpointing", "none", "nothing calls torch.utils.checkpoint"),
)
_TRAINER = (
    Default("optimizer", "torch.AdamW", "TrainingArguments.optim='adamw_torch_fused'"),
    Default("options", (("fused", True),), "TrainingArguments.optim='adamw_torch_fused'"),
    Default("clip", True, "TrainingArguments.max_grad_norm=1.0"),
    Default("checkpointing", "none", "TrainingArguments.gradient_checkpointing=False"),
)
_STORED_TYPE = Default("precision", STORED, "from_pretrained(dtype='auto'), TrainingArguments.bf16=False")
_TUNE_TARGETS = ("q_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
_TUNE = "recipes/configs/llama3_1/8B_lora_single_device.yaml"

RECIPES: dict[str, Recipe] = {
    recipe.id: recipe
    for recipe in (
        Recipe("torch", "Plain PyTorch", "torch 2.13.0", _TORCH),
        Recipe("hf-trainer", "HF Trainer", "transformers 5.24.0", (_NO_LORA, _STORED_TYPE, *_TRAINER)),
        Recipe(
            "hf-trainer-bf16",
            "HF Trainer, bf16=True",
            "transformers 5.24.0",
            (
                _NO_LORA,
                Default("precision", STORED_AUTOCAST, "from_pretrained(dtype='auto'), bf16=True: autocast"),
                *_TRAINER,
            ),
        ),
        Recipe(
            "peft-lora",
            "PEFT LoRA",
            "peft 0.21.2, transformers 5.24.0",
            (
                Default(
                    "lora",
                    Lora(rank=8, base_dtype="bf16"),
                    "LoraConfig.r=8, get_peft_model(autocast_adapter_dtype=True)",
                ),
                Default(
                    "precision", "bf16-autocast", "TrainingArguments.bf16=True, as PEFT's examples set it"
                ),
                *_TRAINER,
            ),
        ),
        Recipe(
            "peft-qlora",
            "PEFT QLoRA",
            "peft 0.21.2, transformers 5.24.0",
            (
                Default(
                    "lora",
                    Lora(rank=8, base_dtype="nf4"),
                    "LoraConfig.r=8, BitsAndBytesConfig.bnb_4bit_use_double_quant=False; nf4 and the default "
                    "fp4 take the same",
                ),
                Default(
                    "precision", "bf16-autocast", "TrainingArguments.bf16=True, as PEFT's examples set it"
                ),
                *(default for default in _TRAINER if default.field != "checkpointing"),
                Default(
                    "checkpointing",
                    "full",
                    "prepare_model_for_kbit_training(use_gradient_checkpointing=True)",
                ),
            ),
        ),
        Recipe(
            "torchtune-lora",
            "torchtune LoRA",
            "torchtune 0.6.1",
            (
                Default(
                    "lora",
                    Lora(rank=8, targets=_TUNE_TARGETS, base_dtype="bf16", adapter_fp32=False),
                    f"{_TUNE}: lora_rank, lora_attn_modules, apply_lora_to_mlp",
                ),
                Default("precision", "bf16", f"{_TUNE}: dtype"),
                Default("optimizer", "torch.AdamW", f"{_TUNE}: optimizer"),
                Default("options", (("fused", True),), f"{_TUNE}: optimizer.fused"),
                Default("clip", False, f"{_TUNE}: clip_grad_norm"),
                Default("checkpointing", "full", f"{_TUNE}: enable_activation_checkpointing"),
                Default("loss", "chunked", f"{_TUNE}: loss is CEWithChunkedOutputLoss"),
            ),
        ),
        Recipe(
            "lightning",
            "Lightning",
            "lightning 2.6.6",
            (
                Default("precision", "fp32", "Trainer(precision=None) is '32-true'"),
                Default("clip", False, "Trainer(gradient_clip_val=None)"),
                Default("checkpointing", "none", "Trainer checkpoints no activations"),
            ),
        ),
        Recipe(
            "keras",
            "Keras",
            "keras 3.15.1",
            (
                _NO_LORA,
                Default("precision", "fp32", "keras.config.floatx() is 'float32'"),
                Default("optimizer", "keras.RMSprop", "Trainer.compile(optimizer='rmsprop')"),
                Default("options", (), "keras.optimizers.RMSprop()"),
            ),
        ),
    )
}
"""Every recipe, in the order it is offered."""


def find_recipe(recipe_id: str) -> Recipe:
    """Look a recipe up.

    Raises:
        UserError: There is no such recipe.
    """
    try:
        return RECIPES[recipe_id]
    except KeyError:
        raise UserError("recipe.unknown", given=recipe_id[:60], known=", ".join(RECIPES)) from None


def with_recipe(scenario: Scenario, recipe: Recipe) -> Scenario:
    """The same scenario with what a library does by default."""
    changes = {default.field: default.value for default in recipe.defaults}
    changes["precision"] = _precision(changes["precision"], scenario.model.groups)
    return replace(scenario, **changes)


def _precision(value: str, groups: Iterable[TensorGroup]) -> str:
    if value not in (STORED, STORED_AUTOCAST):
        return value
    sizes: Counter[str] = Counter()
    for group in groups:
        sizes[group.dtype.id] += group.param_count
    stored = sizes.most_common(1)[0][0] if sizes else ""
    return _STORED.get(stored, "fp32") if value == STORED else _AUTOCAST.get(stored, "amp-bf16")
