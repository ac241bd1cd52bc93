"""State dicts that real optimizers write are recognised as the implementation that wrote them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import torch

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.checkpoints.optimizer_found import StateInFile
from optmem_gui.checkpoints.optimizer_match import recorded_groups
from optmem_gui.core.optimizers.catalogue import CATALOGUE, find
from optmem_gui.core.optimizers.state import StateRow, optimizer_state
from optmem_gui.core.scenario import Options
from tests.core.optimizers.package_runs import parameters_of, stepped
from tests.core.optimizers.real import layout_of

SHAPES: tuple[tuple[int, ...], ...] = ((96, 64), (64, 96), (128, 128), (96,), (64,))
MATRICES = SHAPES[:3]

RECOGNISED: tuple[tuple[str, Options], ...] = (
    ("torch.AdamW", ()),
    ("torch.AdamW", (("amsgrad", True),)),
    ("torch.AdamW", (("foreach", False), ("weight_decay", 0.1))),
    ("torch.AdamW", (("fused", True),)),
    ("torch.Adam", ()),
    ("torch.NAdam", ()),
    ("torch.RAdam", ()),
    ("torch.Adamax", ()),
    ("torch.Adadelta", ()),
    ("torch.Adagrad", ()),
    ("torch.RMSprop", ()),
    ("torch.RMSprop", (("centered", True), ("momentum", 0.9))),
    ("torch.Rprop", ()),
    ("torch.ASGD", ()),
    ("torch.SGD", (("momentum", 0.9),)),
    ("torch.SGD", (("momentum", 0.9), ("nesterov", True), ("weight_decay", 1e-4))),
    ("torch.Adafactor", ()),
    ("torch.Muon", ()),
    ("bitsandbytes.AdamW8bit", ()),
    ("bitsandbytes.Adam8bit", ()),
    ("bitsandbytes.Lion8bit", ()),
    ("torchao.AdamW8bit", ()),
    ("torchao.AdamW4bit", ()),
    ("torchao.AdamWFp8", ()),
    ("transformers.Adafactor", ()),
    ("lion_pytorch.Lion", ()),
    ("prodigyopt.Prodigy", ()),
    ("schedulefree.AdamWScheduleFree", ()),
    ("pytorch_optimizer.SOAP", ()),
    ("pytorch_optimizer.Shampoo", ()),
    ("pytorch_optimizer.CAME", ()),
    ("torch_optimizer.Lamb", ()),
    ("adan_pytorch.Adan", ()),
)


def _named(value: object) -> str | None:
    if isinstance(value, tuple):
        return ",".join(f"{name}={setting}" for name, setting in value) or "defaults"
    return None


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of another library, whatever they are
        yield


@pytest.mark.parametrize(("name", "options"), RECOGNISED, ids=_named)
def test_the_writer_is_named_and_its_estimate_is_the_file(
    tmp_path: Path, name: str, options: Options
) -> None:
    """The implementation, its options and the parameters are found; what it would keep is what is there."""
    implementation = find(name)
    shapes = MATRICES if name == "torch.Muon" else SHAPES
    optimizer = stepped(implementation, options, parameters_of(shapes, torch.float32))
    path = tmp_path / "optimizer.pt"
    torch.save(optimizer.state_dict(), path)
    found = open_checkpoint(path).optimizer
    assert found is not None
    assert found.match is not None
    assert (found.match.id, found.match.options, found.match.exact) == (name, options, True)
    assert found.param_count == sum(torch.Size(shape).numel() for shape in shapes)
    estimated = optimizer_state(implementation, found.match.options, layout_of(shapes, "fp32"), "cuda")
    in_groups = {state.name for state in implementation.states if state.whole}
    assert _by_name(found.rows, in_groups) == _by_name(estimated.rows, in_groups)
    assert found.bytes_per_parameter == pytest.approx(found.total_bytes / found.param_count)


def _by_name(rows: Iterable[StateInFile | StateRow], left_out: set[str]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for row in rows:
        name = row.name.removesuffix("_0").removesuffix("_1")
        if name not in left_out:
            sizes[name] = sizes.get(name, 0) + row.bytes
    return sizes


def test_sgd_without_momentum_keeps_nothing_and_is_known_by_its_groups(tmp_path: Path) -> None:
    optimizer = stepped(find("torch.SGD"), (), parameters_of(SHAPES, torch.float32))
    torch.save(optimizer.state_dict(), tmp_path / "optimizer.pt")
    found = open_checkpoint(tmp_path / "optimizer.pt").optimizer
    assert found is not None
    assert found.match is not None
    assert (found.match.id, found.total_bytes, found.kind) == ("torch.SGD", 0, "sgd")


def test_what_leaves_the_same_file_is_named_too(tmp_path: Path) -> None:
    """Nothing in a state dict tells a paged optimizer from one that is not."""
    optimizer = stepped(find("bitsandbytes.PagedAdamW8bit"), (), parameters_of(SHAPES, torch.float32))
    torch.save(optimizer.state_dict(), tmp_path / "optimizer.pt")
    found = open_checkpoint(tmp_path / "optimizer.pt").optimizer
    assert found is not None
    assert found.match is not None
    assert "bitsandbytes.PagedAdamW8bit" in (found.match.id, *found.match.also)


def test_the_type_of_the_state_follows_the_parameters(tmp_path: Path) -> None:
    optimizer = stepped(find("torch.AdamW"), (), parameters_of(SHAPES, torch.bfloat16))
    torch.save(optimizer.state_dict(), tmp_path / "optimizer.pt")
    found = open_checkpoint(tmp_path / "optimizer.pt").optimizer
    assert found is not None
    assert set(found.dtypes) == {"bf16"}
    assert found.match is not None
    assert found.match.exact
    assert found.state_bytes == 2 * 2 * found.param_count


def test_a_state_that_nothing_keeps_has_no_match(tmp_path: Path) -> None:
    state = {0: {"one_of_a_kind": torch.zeros(7), "step": 3}}
    torch.save({"state": state, "param_groups": [{"lr": 0.1, "params": [0]}]}, tmp_path / "optimizer.pt")
    found = open_checkpoint(tmp_path / "optimizer.pt").optimizer
    assert found is not None
    assert (found.match, found.kind, found.step, found.param_count) == (None, "unknown", 3, 7)


def test_the_recorded_groups_are_of_implementations_that_exist() -> None:
    assert set(recorded_groups()) <= set(CATALOGUE)
    assert len(recorded_groups()) > 250
    assert all(set(row) == {"groups", "states"} for row in recorded_groups().values())


@pytest.mark.parametrize(
    ("name", "later"),
    [
        ("torch.Adam", {"weight_decay": 0}),
        ("torch.AdamW", {"weight_decay": 0.01}),
    ],
)
def test_an_old_release_counted_steps_in_python(tmp_path: Path, name: str, later: dict[str, float]) -> None:
    # Before 1.12 torch kept ``step`` as an int, and its groups had these keys and no others.
    parameter = torch.nn.Parameter(torch.zeros(8, 4))
    state = {"step": 7, "exp_avg": torch.zeros(8, 4), "exp_avg_sq": torch.zeros(8, 4)}
    group = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, **later, "amsgrad": False, "params": [0]}
    path = tmp_path / "old.ckpt"
    saved = {
        "state_dict": {"weight": parameter.data},
        "optimizer_states": [{"state": {0: state}, "param_groups": [group]}],
    }
    torch.save(saved, path)
    found = open_checkpoint(path).optimizer
    assert found is not None
    assert found.match is not None
    assert found.match.id == name
    assert found.kind == "adam"
    assert (found.step, found.element_count) == (7, 64)
