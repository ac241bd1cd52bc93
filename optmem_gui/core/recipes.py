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
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.scenario import Lora, Scenario

STORED = "as stored"
"""Precision of a model that is loaded in the type of its file and computed in it."""

STORED_AUTOCAST = "as stored, autocast bf16"
"""The same under ``torch.autocast`` to bf16."""

LAYOUT = "parallel."
"""Defaults of fields that begin so are those of the layout over several GPUs."""

MACHINE_GPUS = 8
"""GPUs that a recipe for several is laid out over where there is one: those of one machine."""

_STORED = {"bf16": "bf16", "fp16": "fp16"}
_AUTOCAST = {"bf16": "bf16-autocast"}


@dataclass(frozen=True, slots=True)
class Default:
    """One default of a library.

    Attributes:
        field: Field of :class:`~optmem_gui.core.scenario.Scenario` it decides; after :data:`LAYOUT` one of
            :class:`~optmem_gui.core.parallel.Parallel`.
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
_ZERO = "runtime/zero/config.py"
_DEEPSPEED = (
    _NO_LORA,
    Default("precision", "bf16-master", 'ds_config: "bf16": {"enabled": true}'),
    Default(
        "optimizer", "deepspeed.FusedAdam", 'ds_config: "optimizer": {"type": "AdamW"}, nothing offloaded'
    ),
    Default("options", (), "ops/adam/fused_adam.py"),
    Default("clip", False, "runtime/constants.py: GRADIENT_CLIPPING_DEFAULT = 0.0"),
    Default("checkpointing", "none", "nothing calls deepspeed.checkpointing"),
    Default("parallel.offload", "none", f"{_ZERO}: offload_optimizer, offload_param = None"),
    Default("parallel.bucket_elements", 500_000_000, f"{_ZERO}: reduce_bucket_size"),
)
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
            "deepspeed-zero2",
            "DeepSpeed ZeRO-2",
            "deepspeed 0.19.8",
            (*_DEEPSPEED, Default("parallel.shard", "zero2", 'ds_config: "zero_optimization": {"stage": 2}')),
        ),
        Recipe(
            "deepspeed-zero3",
            "DeepSpeed ZeRO-3",
            "deepspeed 0.19.8",
            (
                *_DEEPSPEED,
                Default("parallel.shard", "zero3", 'ds_config: "zero_optimization": {"stage": 3}'),
                Default("parallel.live_elements", 1_000_000_000, f"{_ZERO}: stage3_max_live_parameters"),
            ),
        ),
        Recipe(
            "fsdp2",
            "PyTorch FSDP2",
            "torch 2.13.0",
            (
                *_TORCH,
                Default("parallel.shard", "fsdp2", "fully_shard()"),
                Default("parallel.offload", "none", "fully_shard(offload_policy=OffloadPolicy())"),
                Default("parallel.reshard", True, "reshard_after_forward=None: all but the root"),
            ),
        ),
        Recipe(
            "hf-trainer-fsdp2",
            "HF Trainer, FSDP2, bf16=True",
            "transformers 5.24.0, accelerate 1.15.0",
            (
                _NO_LORA,
                Default("precision", "amp-bf16", "fsdp2_prepare_model(): trained parameters become fp32"),
                *_TRAINER,
                Default("parallel.shard", "fsdp2", "FullyShardedDataParallelPlugin(fsdp_version=2)"),
                Default("parallel.offload", "none", "FullyShardedDataParallelPlugin.cpu_offload=False"),
                Default("parallel.reshard", True, "reshard_after_forward=True for fsdp_version=2"),
                Default("parallel.fp32_reduce", False, "set_mixed_precision('bf16'): reduce_dtype is bf16"),
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
    """The same scenario with what a library does by default, and the recipe's name.

    A recipe for several GPUs keeps their number; one GPU becomes :data:`MACHINE_GPUS`.
    """
    changes = {name: value for name, value in _resolved(scenario, recipe) if not name.startswith(LAYOUT)}
    layout = {
        name.removeprefix(LAYOUT): value
        for name, value in _resolved(scenario, recipe)
        if name.startswith(LAYOUT)
    }
    if layout:
        changes["parallel"] = _laid_out(scenario.parallel, layout)
    return replace(scenario, recipe=recipe.id, **changes)


def _laid_out(given: Parallel, layout: dict[str, Any]) -> Parallel:
    gpus = given.gpus if given.gpus > 1 else MACHINE_GPUS
    return replace(ONE_GPU, gpus=gpus, host_bytes=given.host_bytes, **layout)


@dataclass(frozen=True, slots=True)
class Followed:
    """Whether a scenario does what a recipe says, for one of its defaults.

    Attributes:
        default: The default.
        expected: Its value for this model.
        value: What the scenario has.
    """

    default: Default
    expected: Any
    value: Any

    @property
    def differs(self) -> bool:
        """Whether something else was chosen."""
        return bool(self.expected != self.value)


def changed_fields(scenario: Scenario) -> tuple[str, ...]:
    """Fields in which a scenario differs from the recipe that it began with; none without a known one."""
    recipe = RECIPES.get(scenario.recipe or "")
    return (
        ()
        if recipe is None
        else tuple(row.default.field for row in followed(scenario, recipe) if row.differs)
    )


def followed(scenario: Scenario, recipe: Recipe) -> tuple[Followed, ...]:
    """Every default of a recipe beside what a scenario has."""
    return tuple(
        Followed(default, expected, _value(scenario, name))
        for default, (name, expected) in zip(recipe.defaults, _resolved(scenario, recipe), strict=True)
    )


def _value(scenario: Scenario, name: str) -> Any:  # noqa: ANN401  # each field has a type of its own
    if name.startswith(LAYOUT):
        return getattr(scenario.parallel, name.removeprefix(LAYOUT))
    return getattr(scenario, name)


def _resolved(scenario: Scenario, recipe: Recipe) -> list[tuple[str, Any]]:
    """Fields and values, what depends on the model worked out."""
    groups = scenario.model.groups
    return [
        (each.field, _precision(each.value, groups) if each.field == "precision" else each.value)
        for each in recipe.defaults
    ]


def _precision(value: str, groups: Iterable[TensorGroup]) -> str:
    if value not in (STORED, STORED_AUTOCAST):
        return value
    sizes: Counter[str] = Counter()
    for group in groups:
        sizes[group.dtype.id] += group.param_count
    stored = sizes.most_common(1)[0][0] if sizes else ""
    return _STORED.get(stored, "fp32") if value == STORED else _AUTOCAST.get(stored, "amp-bf16")
