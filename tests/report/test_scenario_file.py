"""Scenario files: what is written comes back, and whatever else is in a file is refused in one line."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.dtypes import DTYPES, F32
from optmem_gui.core.errors import UserError
from optmem_gui.core.layer_form import LatentAttention, LayerForm, Mixture
from optmem_gui.core.model import BufferGroup, ModelRef, Role, Source, TensorGroup
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.precision import SCHEMES
from optmem_gui.core.recipes import RECIPES, changed_fields, with_recipe
from optmem_gui.core.residents import Resident
from optmem_gui.core.scenario import Attention, BaseDType, Lora, Loss, Scenario, Target
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.report import scenario_file, stored_shape
from optmem_gui.report.scenario_file import load_scenario, save_scenario, scenario_text

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_names = _texts.filter(bool)
_sizes = st.integers(1, 1000)
_dtypes = st.sampled_from(sorted(DTYPES.values(), key=str))
_shapes = st.lists(_sizes, max_size=3).map(tuple)
_groups = st.builds(
    TensorGroup, _shapes, _dtypes, st.sampled_from(Role), _texts, _texts, st.booleans(), _sizes
)
_transformers = st.builds(
    TransformerShape,
    *[_sizes] * 7,
    gated=st.booleans(),
    norm=st.sampled_from(["rms", "layer"]),
    positions=st.integers(0, 9),
    dropout=st.floats(0, 1),
)


@st.composite
def _models(draw: st.DrawFn) -> ModelRef:
    groups = tuple(draw(st.lists(_groups, min_size=1, max_size=4)))
    index = st.integers(0, len(groups) - 1)
    return ModelRef(
        title=draw(_texts),
        source=draw(st.sampled_from(Source)),
        groups=groups,
        neighbours=draw(st.frozensets(st.tuples(index, index), max_size=4)),
        buffers=tuple(draw(st.lists(st.builds(BufferGroup, _shapes, _dtypes, _sizes), max_size=2))),
        architecture=draw(st.none() | _transformers),
        path=draw(st.none() | _texts),
        fingerprint=draw(_texts),
        tied_count=draw(st.integers(0, 5)),
        idle_count=draw(st.integers(0, 5)),
        trained=draw(_texts),
    )


_numbers = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False)
_options = st.dictionaries(_texts, st.none() | st.booleans() | _numbers | _texts, max_size=3)
_targets = st.lists(_texts, min_size=1, max_size=3).map(tuple)
_loras = st.builds(Lora, _sizes, _targets, st.sampled_from(get_args(BaseDType)), st.booleans())
_scenarios = st.builds(
    Scenario,
    model=_models(),
    optimizer=_names,
    options=_options.map(lambda options: tuple(sorted(options.items()))),
    precision=st.sampled_from(sorted(SCHEMES)),
    batch=st.none() | _sizes,
    sequence=st.none() | _sizes,
    checkpointing=st.sampled_from(["none", "attention", "full", "every-4"]),
    attention=st.sampled_from(get_args(Attention)),
    loss=st.sampled_from(get_args(Loss)),
    accumulate=_sizes,
    clip=st.booleans(),
    set_to_none=st.booleans(),
    keep_logits=st.booleans(),
    lora=st.none() | _loras,
    gpu=st.none() | _names,
    target=st.sampled_from(get_args(Target)),
    recipe=st.none() | st.sampled_from(sorted(RECIPES)),
)


@given(scenario=_scenarios)
def test_what_is_saved_comes_back(scenario: Scenario, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("saved") / "模型 ü.optmem"
    save_scenario(path, scenario)
    back = load_scenario(path)
    assert back == scenario
    assert [type(value) for _, value in back.options] == [type(value) for _, value in scenario.options]


def test_every_field_of_the_program_is_in_the_file() -> None:
    pairs = (
        (scenario_file._StoredScenario, Scenario),
        (scenario_file._StoredLora, Lora),
        (scenario_file._StoredParallel, Parallel),
        (scenario_file._StoredResident, Resident),
        (stored_shape.StoredTransformer, TransformerShape),
        (stored_shape.StoredForm, LayerForm),
        (stored_shape.StoredMixture, Mixture),
        (stored_shape.StoredLatent, LatentAttention),
        (scenario_file._StoredGroup, TensorGroup),
        (scenario_file._StoredBuffer, BufferGroup),
    )
    for stored, program in pairs:
        assert set(stored.__struct_fields__) == {field.name for field in fields(program)}
    kept = {field.name for field in fields(ModelRef) if field.init}
    assert set(scenario_file._StoredModel.__struct_fields__) == kept


def test_what_is_left_out_of_a_layout_is_what_the_program_takes() -> None:
    stored = scenario_file._StoredParallel(2, "fsdp2")
    assert msgspec.structs.asdict(stored) == asdict(Parallel(2, "fsdp2"))


@pytest.mark.parametrize("recipe_id", RECIPES)
def test_a_file_names_the_recipe_that_its_choices_began_with(tmp_path: Path, recipe_id: str) -> None:
    begun = with_recipe(Scenario(synthetic_ref(1_000_000)), RECIPES[recipe_id])
    path = tmp_path / "begun.optmem"
    save_scenario(path, replace(begun, precision="te-fp8"))
    back = load_scenario(path)
    assert back.recipe == recipe_id
    assert changed_fields(back) == ("precision",)
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == scenario_file.SCHEMA


def test_a_file_without_a_recipe_stays_what_older_programs_read(saved: Path) -> None:
    document = json.loads(saved.read_text(encoding="utf-8"))
    assert document["schema"] == 1
    assert "recipe" not in document["scenario"]
    assert load_scenario(saved).recipe is None


def test_a_recipe_that_only_another_version_knows_is_kept(saved: Path) -> None:
    scenario = load_scenario(_edited(saved, ("scenario", "recipe"), "of-tomorrow"))
    assert changed_fields(scenario) == ()
    save_scenario(saved, scenario)
    assert load_scenario(saved).recipe == "of-tomorrow"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.optmem"
    save_scenario(path, Scenario(synthetic_ref(1_000_000), lora=Lora(8)))
    return path


def _edited(path: Path, place: tuple[str | int, ...], value: Any) -> Path:
    document = json.loads(path.read_text(encoding="utf-8"))
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def _refusal(path: Path) -> UserError:
    with pytest.raises(UserError) as refused:
        load_scenario(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    return refused.value


@pytest.mark.parametrize(
    ("place", "value", "field"),
    [
        (("scenario", "batch"), "four", "$.scenario.batch"),
        (("scenario", "batch"), 0, "$.scenario.batch"),
        (("scenario", "batch"), -1, "$.scenario.batch"),
        (("scenario", "batch"), 2.5, "$.scenario.batch"),
        (("scenario", "batch"), 10**30, "$.scenario.batch"),
        (("scenario", "checkpointing"), "every-0", "$.scenario.checkpointing"),
        (("scenario", "precision"), "fp7", "$.scenario.precision"),
        (("scenario", "attention"), "psychic", "$.scenario.attention"),
        (("scenario", "lora", "targets"), [], "$.scenario.lora.targets"),
        (("scenario", "model", "groups"), [], "$.scenario.model.groups"),
        (("scenario", "model", "groups", 0, 1), "float7", "$.scenario.model.groups[0]"),
        (("scenario", "model", "groups", 0, 0), [10**18, 10**18], "$.scenario.model.groups"),
        (("scenario", "model", "groups", 0, 0), [1] * 33, "$.scenario.model.groups[0][0]"),
        (("scenario", "model", "groups", 0, 6), 0, "$.scenario.model.groups[0][6]"),
        (("scenario", "model", "neighbours"), [[0, 999]], "$.scenario.model.neighbours"),
        (("scenario", "model", "architecture", "heads"), 0, "$.scenario.model.architecture.heads"),
        (("scenario", "bacth"), 4, "bacth"),
        (("scenario", "recipe"), 3, "$.scenario.recipe"),
        (("schema",), "one", "schema"),
    ],
)
def test_a_value_that_does_not_fit_names_its_field(
    saved: Path, place: tuple[str | int, ...], value: Any, field: str
) -> None:
    assert field in str(_refusal(_edited(saved, place, value)))


@pytest.mark.parametrize("name", ["batch", "optimizer", "precision", "gpu", "lora", "loss", "clip", "recipe"])
def test_a_field_of_a_template_that_was_left_empty_says_so(saved: Path, name: str) -> None:
    refused = _refusal(_edited(saved, ("scenario", name), ""))
    assert refused.code == "scenario_file.empty_field"
    assert f"$.scenario.{name} was left empty" in str(refused)


def test_the_mark_that_editors_put_before_a_text_is_no_part_of_it(saved: Path) -> None:
    scenario = load_scenario(saved)
    saved.write_text(saved.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert load_scenario(saved) == scenario


def test_a_newer_file_says_update(saved: Path) -> None:
    refused = _refusal(_edited(_edited(saved, ("schema",), 99), ("program",), "9.1"))
    assert refused.code == "scenario_file.newer"
    assert "9.1" in str(refused)


def test_a_newer_file_with_new_fields_still_says_update(saved: Path) -> None:
    newer = _edited(_edited(saved, ("schema",), scenario_file.SCHEMA + 1), ("scenario",), {"universe": 42})
    assert _refusal(newer).code == "scenario_file.newer"


def test_every_half_written_file_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    cut = saved.with_name("cut.optmem")
    for end in range(0, len(whole) - 2, 97):
        cut.write_bytes(whole[:end])
        assert _refusal(cut).code.startswith("scenario_file.")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"PK\x03\x04",
        b'{"format": "optmem-scenario"}',
        b"9" * 10_000,
    ],
    ids=["empty", "object", "list", "null", "not-utf8", "zip", "no-schema", "long-number"],
)
def test_other_content_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.optmem"
    path.write_bytes(content)
    _refusal(path)


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.optmem"
    path.write_bytes(
        b'{"format": "optmem-scenario", "schema": 1, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    )
    assert "nested too deeply" in str(_refusal(path))


def test_a_file_of_absurd_size_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.optmem"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    assert _refusal(path).code == "scenario_file.too_large"


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    assert _refusal(tmp_path / "none.optmem").code == "file.not_found"
    assert _refusal(tmp_path).code == "file.unreadable"


def test_a_failed_write_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UserError, match="No space left on device"):
        save_scenario(saved, Scenario(synthetic_ref(5)))
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        save_scenario(tmp_path / "none" / "run.optmem", Scenario(synthetic_ref(5)))
    assert refused.value.code == "output.not_written"


def test_a_link_keeps_pointing_at_the_file(saved: Path) -> None:
    link = saved.with_name("link.optmem")
    try:
        link.symlink_to(saved)
    except OSError as error:  # Windows without developer mode
        pytest.skip(f"no symbolic links here: {error}")
    save_scenario(link, Scenario(synthetic_ref(5)))
    assert link.is_symlink()
    assert load_scenario(saved).model.param_count == 5


def test_a_file_stays_small_for_a_large_model() -> None:
    # Groups, not tensors: 70 billion parameters in as many rows as a block has kinds of tensors.
    assert len(scenario_text(Scenario(synthetic_ref(70_000_000_000)))) < 4000
    assert F32.id in scenario_text(Scenario(synthetic_ref(7)))


def test_a_path_that_is_no_unicode_is_saved(tmp_path: Path) -> None:
    model = replace(synthetic_ref(7), path="runs/\udcff.pt", title="\udcff.pt")
    save_scenario(tmp_path / "odd.optmem", Scenario(model))
    assert load_scenario(tmp_path / "odd.optmem").model.path == "runs/?.pt"


def test_a_shape_of_many_parts_comes_back_from_a_file(tmp_path: Path) -> None:
    """DeepSeek-V2 has all of them; what is as in Llama is not written, so that older programs read it."""
    deepseek, llama = (preset_ref(name) for name in ("deepseek-v2", "llama-3.1-8b"))
    for model in (deepseek, llama):
        path = tmp_path / f"{model.title}.optmem"
        save_scenario(path, Scenario(model))
        assert load_scenario(path).model.architecture == model.architecture
    stored = json.loads(path.read_text(encoding="utf-8"))["scenario"]["model"]["architecture"]
    assert {"form", "mixture", "latent"}.isdisjoint(stored)
