"""Recipes against the defaults of the libraries themselves, and what they make of a scenario."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import inspect
from typing import Any

import pytest

from optmem_gui.core.dtypes import BF16
from optmem_gui.core.estimate import compute
from optmem_gui.core.model import ModelSpec, ParameterTensor, Role, Source, group_model
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.recipes import MACHINE_GPUS, RECIPES, find_recipe, followed, with_recipe
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref

SMALL = Scenario(synthetic_ref(1_000_000_000), batch=1, sequence=128)


@pytest.mark.parametrize("recipe_id", RECIPES)
def test_every_recipe_gives_an_estimate_and_keeps_the_rest(recipe_id: str) -> None:
    found = with_recipe(SMALL, find_recipe(recipe_id))
    assert (found.model, found.batch, found.sequence, found.gpu) == (SMALL.model, 1, 128, None)
    assert compute(found).peak_bytes > 0
    assert with_recipe(found, find_recipe(recipe_id)) == found


@pytest.mark.parametrize("library", ["torch", "transformers", "peft", "accelerate"])
def test_the_versions_are_those_that_are_compared(library: str) -> None:
    installed = importlib.metadata.version(library).partition("+")[0]
    named = [recipe.library for recipe in RECIPES.values() if f"{library} " in recipe.library]
    assert named
    assert all(f"{library} {installed}" in text for text in named)


def test_plain_torch() -> None:
    torch = pytest.importorskip("torch")
    recipe = with_recipe(SMALL, RECIPES["torch"])
    assert torch.get_default_dtype() == torch.float32
    assert recipe.precision == "fp32"
    signature = inspect.signature(torch.optim.AdamW).parameters
    assert signature["foreach"].default is None
    assert signature["fused"].default is None
    assert recipe.options == ()
    zero = inspect.signature(torch.optim.Optimizer.zero_grad).parameters["set_to_none"].default
    assert recipe.set_to_none is zero


def test_hf_trainer() -> None:
    transformers = pytest.importorskip("transformers")
    defaults: dict[str, Any] = {
        field.name: field.default for field in dataclasses.fields(transformers.TrainingArguments)
    }
    recipe = with_recipe(SMALL, RECIPES["hf-trainer"])
    assert defaults["optim"] == "adamw_torch_fused"
    assert (recipe.optimizer, dict(recipe.options)) == ("torch.AdamW", {"fused": True})
    assert recipe.clip is (defaults["max_grad_norm"] > 0)
    assert (recipe.checkpointing != "none") is bool(defaults["gradient_checkpointing"])
    assert not defaults["bf16"]
    assert not defaults["fp16"]


def test_a_bf16_folder_takes_8_bytes_a_parameter_with_bf16_true() -> None:
    # 2 weights + 2 gradients + 2 x 2 of Adam: the file's type is kept, bf16=True only adds autocast.
    rows = (ParameterTensor("w.weight", (4096, 4096), BF16, Role.MLP),)
    scenario = Scenario(group_model(ModelSpec("folder", Source.FILE, rows)))
    for recipe_id, precision in (("hf-trainer", "bf16"), ("hf-trainer-bf16", "bf16-autocast")):
        recipe = with_recipe(scenario, RECIPES[recipe_id])
        assert recipe.precision == precision
        found = compute(recipe)
        parts = ("weights", "gradients", "optimizer_state")
        states = sum(found.component(part).bytes for part in parts)
        assert 8 * 4096**2 <= states <= 8 * 4096**2 + 16  # and Adam's step counter


def test_a_full_precision_file_is_trained_in_it() -> None:
    assert with_recipe(SMALL, RECIPES["hf-trainer"]).precision in ("fp32", "bf16")
    stored = SMALL.model.groups[0].dtype.id
    expected = {"bf16": "bf16-autocast"}.get(stored, "amp-bf16")
    assert with_recipe(SMALL, RECIPES["hf-trainer-bf16"]).precision == expected


def test_peft() -> None:
    peft = pytest.importorskip("peft")
    transformers = pytest.importorskip("transformers")
    for recipe_id in ("peft-lora", "peft-qlora"):
        lora = with_recipe(SMALL, RECIPES[recipe_id]).lora
        assert lora is not None
        assert lora.rank == peft.LoraConfig().r
        adapters = inspect.signature(peft.get_peft_model).parameters["autocast_adapter_dtype"].default
        assert lora.adapter_fp32 is adapters
    quantized = transformers.BitsAndBytesConfig(load_in_4bit=True)
    assert not quantized.bnb_4bit_use_double_quant
    prepare = inspect.signature(peft.prepare_model_for_kbit_training).parameters
    assert prepare["use_gradient_checkpointing"].default is True
    recipe = with_recipe(SMALL, RECIPES["peft-qlora"])
    assert recipe.checkpointing == "full"
    assert recipe.lora is not None
    assert recipe.lora.base_dtype == "nf4"


@pytest.mark.parametrize("recipe_id", RECIPES)
def test_what_was_changed_afterwards_is_told_apart(recipe_id: str) -> None:
    recipe = find_recipe(recipe_id)
    found = with_recipe(SMALL, recipe)
    assert not any(each.differs for each in followed(found, recipe))
    changed = dataclasses.replace(found, precision="te-fp8", optimizer="torch.SGD", options=())
    differing = {each.default.field for each in followed(changed, recipe) if each.differs}
    assert "precision" in differing
    assert differing <= {"precision", "optimizer", "options"}


def test_a_recipe_for_several_gpus_keeps_their_number() -> None:
    recipe = RECIPES["deepspeed-zero3"]
    assert with_recipe(SMALL, recipe).parallel.gpus == MACHINE_GPUS
    two = dataclasses.replace(SMALL, parallel=Parallel(2, "ddp", bucket_view=True, host_bytes=7))
    assert with_recipe(two, recipe).parallel == Parallel(2, "zero3", host_bytes=7)


def test_zero_3_holds_16_bytes_a_parameter_shared_among_all() -> None:
    # 2 weights + 2 gradients + 4 master + 8 Adam; the fp32 gradient partition exists at the step alone.
    found = compute(with_recipe(SMALL, RECIPES["deepspeed-zero3"]))
    parts = ("weights", "gradients", "master_weights", "optimizer_state")
    whole = sum(found.component(part).bytes for part in parts) * MACHINE_GPUS
    # vectors below stage3_param_persistence_threshold stay whole on every rank
    assert 16 * SMALL.model.param_count <= whole <= 16.1 * SMALL.model.param_count


def test_accelerate_fsdp2() -> None:
    accelerate = pytest.importorskip("accelerate")
    prepare = pytest.importorskip("accelerate.utils.fsdp_utils").fsdp2_prepare_model
    plugin = accelerate.FullyShardedDataParallelPlugin(fsdp_version=2)
    plugin.set_mixed_precision("bf16")
    recipe = with_recipe(SMALL, RECIPES["hf-trainer-fsdp2"])
    assert recipe.parallel.reshard is plugin.reshard_after_forward
    policy = str(plugin.mixed_precision_policy)
    assert "param_dtype=torch.bfloat16" in policy
    assert ("reduce_dtype=torch.float32" in policy) is recipe.parallel.fp32_reduce
    assert recipe.precision == "amp-bf16"
    assert "param.data.to(torch.float32)" in inspect.getsource(prepare)


def test_fully_shard() -> None:
    fsdp = pytest.importorskip("torch.distributed.fsdp")
    signature = inspect.signature(fsdp.fully_shard).parameters
    assert signature["reshard_after_forward"].default is None
    assert fsdp.MixedPrecisionPolicy().param_dtype is None
    recipe = with_recipe(SMALL, RECIPES["fsdp2"])
    assert (recipe.precision, recipe.parallel.shard, recipe.parallel.offload) == ("fp32", "fsdp2", "none")
