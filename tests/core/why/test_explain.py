"""*Why?*: the numbers put in make exactly the result, for every number of many scenarios."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS, Band
from optmem_gui.core.calibration import Calibration
from optmem_gui.core.dtypes import F32
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.model import BufferGroup, Source
from optmem_gui.core.parallel import SHARD_IDS, Parallel
from optmem_gui.core.precision import SCHEMES
from optmem_gui.core.proof import PROOF_KINDS
from optmem_gui.core.residents import Resident
from optmem_gui.core.scenario import Lora, Scenario
from optmem_gui.core.synthetic import synthetic_ref, transformer_ref
from optmem_gui.core.texts import why as texts
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.core.why import beliefs
from optmem_gui.core.why.answer import TIERS, Subject, Why, subjects_of
from optmem_gui.core.why.explain import explain
from optmem_gui.core.why.sources import PAGES
from optmem_gui.engine.gpu_table import find_gpu
from tests.examples import examples

LLAMA = preset_ref("llama-3.2-1b")
WITH_BUFFERS = replace(LLAMA, buffers=(BufferGroup((64,), F32, 3),))
PLAIN = Scenario(LLAMA, batch=2, sequence=512)
FEW_LAYERS = transformer_ref(
    "few layers", Source.CONFIG, TransformerShape(32_000, 1024, 4, 16, 4, 64, 2816, norm="rms")
)
SCENARIOS: dict[str, Scenario] = {
    "size alone": Scenario(synthetic_ref(7 * 10**9)),
    "batch": PLAIN,
    "few layers": replace(PLAIN, model=FEW_LAYERS, batch=3, sequence=700),
    "cpu": replace(PLAIN, target="cpu"),
    "clipping and accumulation": replace(PLAIN, clip=True, accumulate=4, precision="amp-bf16"),
    "recomputed": replace(PLAIN, checkpointing="full", attention="eager"),
    "packed": replace(PLAIN, lora=Lora(16, ("all-linear",), "nf4-dq")),
    "int8 base": replace(PLAIN, lora=Lora(8, base_dtype="int8")),
    "frozen base": replace(PLAIN, lora=Lora(8)),
    "8-bit": replace(PLAIN, optimizer="bitsandbytes.AdamW8bit"),
    "a package": replace(PLAIN, optimizer="pytorch_optimizer.Lion"),
    "from source": replace(PLAIN, optimizer="apex.FusedAdam"),
    "another runtime": replace(PLAIN, optimizer="keras.Adam"),
    "nothing kept": replace(PLAIN, optimizer="torch.SGD"),
    "buffers": replace(PLAIN, model=WITH_BUFFERS),
    "residents": replace(PLAIN, residents=(Resident("ema", 10**9, "fp32"), Resident("vae", 10**7, "bf16"))),
    "pipeline": replace(PLAIN, accumulate=8, parallel=Parallel(gpus=4, pp=4)),
    "recomputed, fused loss": replace(PLAIN, checkpointing="full", loss="fused", sequence=2048),
    "offload": replace(
        PLAIN, precision="bf16-master", parallel=Parallel(gpus=4, shard="zero2", offload="optimizer")
    ),
    **{f"precision {scheme}": replace(PLAIN, precision=scheme) for scheme in SCHEMES},
    **{
        f"shard {shard}": replace(
            PLAIN,
            precision="megatron-bf16" if shard == "megatron" else "bf16",
            parallel=Parallel(gpus=4, shard=shard, replicas=2 if shard == "hsdp" else 1),
        )
        for shard in SHARD_IDS
    },
}


def _total(answer: Why) -> Band:
    sides = [[getattr(term, side) for term in answer.terms] for side in ("low", "high")]
    low, high = (sum(side) if answer.operation == "sum" else max(side, default=0) for side in sides)
    return Band(low, high)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_numbers_put_in_make_the_result(name: str) -> None:
    scenario = SCENARIOS[name]
    breakdown = compute(scenario)
    for subject in subjects_of(breakdown):
        answer = explain(subject, scenario)
        if answer.result is None:
            assert answer.terms == ()
            continue
        assert _total(answer) == answer.result, subject
        assert answer.sources, subject
        assert answer.proofs, subject
        assert answer.page in PAGES
        for reason in (
            *(answer.why, answer.formula, *answer.sources),
            *(term.what for term in answer.terms),
            *(proof.what for proof in answer.proofs),
            *(proof.label for proof in answer.proofs),
        ):
            assert str(reason), reason


@pytest.mark.parametrize("name", ["batch", "packed", "pipeline"])
def test_the_result_is_the_number_of_the_estimate(name: str) -> None:
    scenario = SCENARIOS[name]
    breakdown = compute(scenario)
    for row in breakdown.components:
        result = explain(Subject("component", row.id), scenario).result
        assert result == (Band(row.bytes, row.bytes) if row.counted else None)
    for phase in breakdown.phases:
        assert explain(Subject("phase", phase.id), scenario).result == Band(phase.bytes, phase.bytes)
    for place, rank in enumerate(breakdown.ranks):
        assert explain(Subject("rank", str(place)), scenario).result == Band(rank.peak_bytes, rank.peak_bytes)
    tiers = [explain(Subject("tier", tier), scenario).result for tier in TIERS]
    assert tiers == [
        Band(breakdown.peak_bytes, breakdown.peak_bytes),
        breakdown.reserved,
        breakdown.process,
    ]


def test_every_number_can_be_asked_about() -> None:
    subjects = subjects_of(compute(SCENARIOS["pipeline"]))
    asked = {(subject.kind, subject.id) for subject in subjects}
    assert asked >= {("component", name) for name in COMPONENT_IDS}
    assert asked >= {("phase", name) for name in PHASE_IDS}
    assert asked >= {("tier", name) for name in TIERS}
    assert ("rank", "1") in asked


def test_weights_by_hand() -> None:
    """7e9 bf16 parameters of 2 B each."""
    (term,) = explain(Subject("component", "weights"), SCENARIOS["size alone"]).terms
    assert str(term.what) == "7,000,000,000 parameters x 2 B (bf16)"
    assert (term.low, term.high) == (14 * 10**9, 14 * 10**9)


def test_packed_weights_name_their_scales() -> None:
    answer = explain(Subject("component", "weights"), SCENARIOS["packed"])
    said = [str(term.what) for term in answer.terms]
    assert any("x 0.5 B (nf4)" in text for text in said)
    assert any("scales of the nf4 blocks" in text for text in said)


def test_the_process_names_what_stands_outside_the_allocator() -> None:
    """With several GPUs, NCCL's channels: 100 to 1500 MiB."""
    one = explain(Subject("tier", "process"), PLAIN)
    several = explain(Subject("tier", "process"), SCENARIOS["shard ddp"])
    assert [term.what.key for term in one.terms] == ["term.reserved", "term.context"]
    assert [term.what.key for term in several.terms] == ["term.reserved", "term.nccl", "term.context"]
    assert (several.terms[1].low, several.terms[1].high) == (100 << 20, 1500 << 20)


def test_a_calibrated_gpu_is_the_source_of_the_process() -> None:
    """500 MiB measured on the user's own GPU in place of 250 to 650 MiB of other people's."""
    size = 500 << 20
    found = Calibration("GPU-1", "H100", "h100-80gb", "580", "2.13", size, size, 80 << 30, None, "2026-01-02")
    gpu = replace(find_gpu("h100-80gb"), calibration=found)
    answer = explain(Subject("tier", "process"), PLAIN, gpu)
    assert [(term.low, term.high) for term in answer.terms[1:]] == [(size, size)]
    assert _total(answer) == answer.result == compute(PLAIN, gpu).process
    assert [proof.kind for proof in answer.proofs] == ["probed"]
    assert {reason.key for reason in answer.sources} == {"assume.calibrated"}


def test_the_workspace_is_that_of_the_gpu() -> None:
    """A Hopper GPU has 32 MiB a thread."""
    gpu: Gpu = find_gpu("h100-80gb")
    (term,) = explain(Subject("component", "workspace"), PLAIN, gpu).terms
    assert term.low == 2 * (32 << 20)


def test_what_does_not_exist_is_not_explained() -> None:
    with pytest.raises(StopIteration):
        explain(Subject("component", "nothing"), PLAIN)


@pytest.mark.parametrize(
    ("scenario", "component", "belief"),
    [
        (replace(PLAIN, precision="amp-bf16"), "weights", "belief.amp_halves"),
        (replace(PLAIN, precision="amp-fp16"), "master_weights", "belief.amp_master"),
        (PLAIN, "weights", "belief.sixteen_always"),
        (replace(PLAIN, optimizer="bitsandbytes.Adam8bit"), "optimizer_state", "belief.eight_bit_everything"),
        (SCENARIOS["packed"], "weights", "belief.four_bits"),
        (SCENARIOS["recomputed"], "activations", "belief.checkpointing_removes"),
        (replace(PLAIN, attention="eager"), "activations", "belief.activations_parameters"),
        (SCENARIOS["clipping and accumulation"], "gradients", "belief.accumulation_copies"),
        (SCENARIOS["shard zero3"], "communication", "belief.sharded_all"),
    ],
)
def test_beliefs_follow_the_scenario(scenario: Scenario, component: str, belief: str) -> None:
    found = explain(Subject("component", component), scenario).belief
    assert found is not None
    assert found.key == belief


def test_the_belief_about_an_optimizer_is_its_own() -> None:
    found = explain(
        Subject("component", "optimizer_state"), replace(PLAIN, optimizer="transformers.Adafactor")
    )
    assert found.belief is not None
    assert found.belief.key == "optimizer.transformers.Adafactor.belief"


def test_every_text_is_used() -> None:
    """Each term and source is met in some scenario; beliefs and proofs are at least named by the rules."""
    met = {f"belief.{key}" for rules in beliefs.RULES.values() for key, _ in rules}
    for scenario in SCENARIOS.values():
        for subject in subjects_of(compute(scenario)):
            answer = explain(subject, scenario)
            met |= {reason.key for reason in (answer.why, answer.formula, *answer.sources)}
            met |= {term.what.key for term in answer.terms} | {proof.what.key for proof in answer.proofs}
    met |= {f"proof.{form}.{kind}" for form in ("kind", "with") for kind in PROOF_KINDS}
    met |= {f"proof.optimizer.{kind}" for kind in PROOF_KINDS}
    assert set(texts.TEXTS) - met == set()


@examples(20)
@given(
    batch=st.integers(1, 8),
    sequence=st.integers(1, 2048),
    scheme=st.sampled_from(sorted(SCHEMES)),
    optimizer=st.sampled_from(["torch.AdamW", "torch.SGD", "transformers.Adafactor", "torchao.AdamW8bit"]),
    checkpointing=st.sampled_from(["none", "full", "every-2", "attention"]),
)
def test_it_adds_up_whatever_the_numbers(
    batch: int, sequence: int, scheme: str, optimizer: str, checkpointing: str
) -> None:
    scenario = replace(
        PLAIN,
        batch=batch,
        sequence=sequence,
        precision=scheme,
        optimizer=optimizer,
        checkpointing=checkpointing,
    )
    for component in ("weights", "optimizer_state", "activations", "temporaries", "rounding"):
        answer = explain(Subject("component", component), scenario)
        assert answer.result is not None
        assert _total(answer) == answer.result
