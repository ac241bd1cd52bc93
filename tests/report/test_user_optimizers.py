"""A user's optimizers survive a restart; a damaged file loses nothing and stops nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.optimizers.catalogue import ALIASES, CATALOGUE, find
from optmem_gui.core.optimizers.probed_rules import Case, Condition, ProbedState, Size, UserOptimizer
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.paths import OPTIMIZERS_FILE
from optmem_gui.report.user_optimizers import (
    add_user_optimizer,
    adopt_user_optimizers,
    load_user_optimizers,
    save_user_optimizers,
)

ENTRY = UserOptimizer(
    "user.Mine",
    "mine.optim.Mine",
    "mine 1.0",
    (
        ProbedState("step", (Case(Size("scalar"), "fp32"),), host=True),
        ProbedState(
            "moment", (Case(Size("full"), "uint8", (Condition("numel", 4096),)), Case(Size("full"), "fp32"))
        ),
        ProbedState(
            "rows", (Case(Size("rest", -1), "like", (Condition("ndim", 2),)), Case(Size("none"), "like"))
        ),
    ),
    options=(("rank", 4), ("name", "x"), ("fast", True), ("eps", 0.5), ("none", None)),
    step_tensors=2.5,
)


@pytest.fixture(autouse=True)
def _catalogue_as_it_was() -> Iterator[None]:
    entries, names = dict(CATALOGUE), dict(ALIASES)
    yield
    for name in set(CATALOGUE) - set(entries):
        del CATALOGUE[name]
    for name in set(ALIASES) - set(names):
        del ALIASES[name]


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / OPTIMIZERS_FILE
    save_user_optimizers(path, [ENTRY])
    assert load_user_optimizers(path) == ((ENTRY,), None)
    assert [file.name for file in path.parent.iterdir()] == [OPTIMIZERS_FILE]


def test_an_entry_works_like_any_other_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / OPTIMIZERS_FILE
    save_user_optimizers(path, [ENTRY])
    assert adopt_user_optimizers(path) is None
    assert find("mine.optim.Mine").id == "user.Mine"
    model = synthetic_ref(10_000_000)
    breakdown = compute(Scenario(model, optimizer="user.Mine", precision="fp32"))
    moment = sum(g.count * g.numel * (1 if g.numel >= 4096 else 4) for g in model.groups)
    rows = sum(4 * g.count * (g.numel // g.shape[-1]) for g in model.groups if len(g.shape) > 1)
    state = breakdown.component("optimizer_state")
    assert state.bytes == moment + rows + 4 * model.tensor_count
    assert state.host_bytes == 4 * model.tensor_count


def test_no_file_is_no_problem(tmp_path: Path) -> None:
    assert load_user_optimizers(tmp_path / OPTIMIZERS_FILE) == ((), None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        '{"version": 99, "optimizers": []}',
        '{"version": 1, "optimizers": [{}]}',
        '{"version": 1, "optimizers": [7]}',
        "[" * 100_000,
        "\udcff",
    ],
)
def test_a_damaged_file_is_set_aside(tmp_path: Path, text: str) -> None:
    path = tmp_path / OPTIMIZERS_FILE
    path.write_bytes(text.encode(errors="surrogateescape"))
    entries, notice = load_user_optimizers(path)
    assert entries == ()
    assert notice is not None
    assert str(path) in str(notice)
    assert not path.exists()
    assert (tmp_path / "optimizers.json.bad").exists()


@pytest.mark.parametrize("change", [{"id": "torch.AdamW"}, {"dtype": "fp3"}])
def test_a_file_cannot_replace_a_builtin_or_name_a_type_that_is_none(
    tmp_path: Path, change: dict[str, str]
) -> None:
    path = tmp_path / OPTIMIZERS_FILE
    entry = replace(ENTRY, id=change.get("id", ENTRY.id))
    save_user_optimizers(path, [entry])
    document = json.loads(path.read_text())
    if "dtype" in change:
        document["optimizers"][0]["states"][0]["cases"][0]["dtype"] = change["dtype"]
        path.write_text(json.dumps(document))
    before = CATALOGUE["torch.AdamW"]
    assert adopt_user_optimizers(path) is not None
    assert CATALOGUE["torch.AdamW"] is before


def test_the_same_class_again_replaces_and_another_of_its_name_gets_a_number(tmp_path: Path) -> None:
    path = tmp_path / OPTIMIZERS_FILE
    assert add_user_optimizer(path, ENTRY).id == "user.Mine"
    assert add_user_optimizer(path, replace(ENTRY, proven="mine 2.0")).id == "user.Mine"
    assert add_user_optimizer(path, replace(ENTRY, path="other.Mine")).id == "user.Mine2"
    entries, _ = load_user_optimizers(path)
    assert [(entry.id, entry.path, entry.proven) for entry in entries] == [
        ("user.Mine", "mine.optim.Mine", "mine 2.0"),
        ("user.Mine2", "other.Mine", "mine 1.0"),
    ]
    assert CATALOGUE["user.Mine2"].path == "other.Mine"


def test_what_cannot_be_written_is_said_and_the_entry_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be saved"):
        add_user_optimizer(tmp_path / "file" / OPTIMIZERS_FILE, ENTRY)
    assert "user.Mine" in CATALOGUE
