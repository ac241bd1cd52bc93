"""Active parameters of mixtures of experts, against published figures."""

from __future__ import annotations

import pytest

from optmem_gui.architectures.config import read_config
from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.estimate import compute
from optmem_gui.core.scenario import Scenario

DEEPSEEK_V3 = {
    "model_type": "deepseek_v3",
    "vocab_size": 129280,
    "hidden_size": 7168,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}


@pytest.mark.parametrize(
    ("preset", "active"),
    [
        ("mixtral-8x7b", 12_879_925_248),  # 12.9B, arXiv 2401.04088
        ("qwen3-30b-a3b", 3_353_032_704),  # 3.3B, model card
        ("llama-3.1-8b", 8_030_261_248),  # no experts: all of them
    ],
)
def test_active_parameters_of_presets(preset: str, active: int) -> None:
    model = preset_ref(preset)
    found = compute(Scenario(model)).parameters
    assert found.active == active
    # what is held and trained is all of them: a mixture saves arithmetic, not memory
    assert found.total == found.trainable == model.param_count


def test_active_parameters_of_deepseek_v3() -> None:
    spec = read_config(DEEPSEEK_V3, "config.json").model("DeepSeek-V3")
    assert spec is not None
    # 671.0B in all, 37B active (README); 37,552,282,624 without the routers' correction vectors, which
    # every token visits too: 256 elements in each of 58 layers
    assert spec.param_count == 671_026_419_200
    assert spec.param_count - spec.idle_count == 37_552_282_624 + 256 * 58


def test_a_token_cannot_visit_more_experts_than_there_are() -> None:
    config = {**DEEPSEEK_V3, "num_experts_per_tok": 1000}
    spec = read_config(config, "config.json").model("DeepSeek-V3")
    assert spec is not None
    assert spec.idle_count == 0
