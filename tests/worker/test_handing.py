"""Optimizers that take groups or names: what a real step keeps equals what is estimated, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import torch
from torch import nn

from optmem_gui.core.comparison import compare
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.grouping import parameter_groups
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.protocol import Result
from optmem_gui.core.requests import Alike, MeasureRequest, ParameterGroup
from optmem_gui.core.scenario import Lora, Options, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.worker.handing import handed
from optmem_gui.worker.measure import Run

EXACT = ("weights", "gradients", "master_weights", "optimizer_state")
MODEL = synthetic_ref(60_000)

Measure = Callable[[MeasureRequest], Result]


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def measure() -> Measure:
    """Real steps in this process."""

    def run(request: MeasureRequest) -> Result:
        return Run(request, lambda message: None).measure()

    return run


def scenario(optimizer: str, options: Options = (), precision: str = "fp32") -> Scenario:
    return Scenario(MODEL, optimizer, options, precision, batch=1, sequence=8, target="cpu")


def heads() -> Options:
    shape = MODEL.architecture
    assert shape is not None
    return (("dim", shape.hidden), ("n_heads", shape.heads))


GROUPED = [
    ("muon.SingleDeviceMuonWithAuxAdam", ()),
    ("muon.SingleDeviceMuonWithAuxAdam", (("split", "matrices"),)),
    ("muon.MuonWithAuxAdam", ()),
    ("adam_mini.Adam_mini", heads()),
    ("galore_torch.GaLoreAdamW", (("rank", 8),)),
    ("galore_torch.GaLoreAdafactor", (("rank", 8),)),
    ("apollo_torch.APOLLOAdamW", (("rank", 8), ("proj", "svd"))),
    ("fira.FiraAdamW", (("rank", 8), ("split", "matrices"))),
]
BARE = [GROUPED[0], GROUPED[3], GROUPED[4]]


@pytest.mark.filterwarnings("ignore")  # of the packages themselves
@pytest.mark.parametrize(("optimizer", "options"), GROUPED)
def test_the_state_of_a_model_is_the_estimated_one(
    optimizer: str, options: Options, measure: Measure
) -> None:
    pytest.importorskip(optimizer.partition(".")[0])
    check(scenario(optimizer, options), measure)


@pytest.mark.filterwarnings("ignore")  # as above
@pytest.mark.parametrize(("optimizer", "options"), BARE)
def test_the_state_of_bare_tensors_is_the_estimated_one(
    optimizer: str, options: Options, measure: Measure
) -> None:
    pytest.importorskip(optimizer.partition(".")[0])
    check(replace(scenario(optimizer, options, "bf16-master"), batch=None, sequence=None), measure)


def check(asked: Scenario, measure: Measure) -> None:
    result = measure(measure_request(asked, "cpu", 2))
    rows = {row.id: row for row in compare(compute(measured_scenario(asked, "cpu")), result)}
    for component in EXACT:
        assert rows[component].difference_bytes == 0, component
    assert rows["optimizer_state"].measured


def test_adapters_are_split_like_other_matrices(measure: Measure) -> None:
    pytest.importorskip("muon")
    lora = Lora(4, ("q_proj", "v_proj"), "bf16")
    check(replace(scenario("muon.SingleDeviceMuonWithAuxAdam", precision="bf16"), lora=lora), measure)


def test_every_parameter_is_in_one_group() -> None:
    """Two hidden matrices among five tensors: the head has the shape of one and another name."""
    request = MeasureRequest(
        "cpu",
        "muon.SingleDeviceMuonWithAuxAdam",
        groups=(
            ParameterGroup((("use_muon", True),), (Alike("q_proj.weight", (4, 4)),)),
            ParameterGroup((("use_muon", False),), rest=True),
        ),
    )
    names = (
        "layers.0.q_proj.weight",
        "layers.1.q_proj.weight",
        "head.weight",
        "q_proj.weight",
        "norm.weight",
    )
    shapes = ((4, 4), (4, 4), (4, 4), (4, 5), (4,))
    parameters = [nn.Parameter(torch.zeros(shape)) for shape in shapes]
    first, second = handed(request, names, parameters)
    assert first["use_muon"] is True
    assert [id(p) for p in first["params"]] == [id(p) for p in parameters[:2]]
    assert [id(p) for p in second["params"]] == [id(p) for p in parameters[2:]]


def test_a_group_without_parameters_is_left_out() -> None:
    request = MeasureRequest(
        "cpu", "x", groups=(ParameterGroup((), matrices=True), ParameterGroup((), rest=True))
    )
    vector = nn.Parameter(torch.zeros(3))
    (only,) = handed(request, ("a",), [vector])
    assert only["params"][0] is vector


def test_a_function_has_no_roles_to_split_by() -> None:
    """The worker alone sees its tensors; by their shapes they can be split all the same."""
    implementation = find("muon.SingleDeviceMuonWithAuxAdam")
    with pytest.raises(UserError, match="split=matrices"):
        parameter_groups(implementation, scenario(implementation.id), function=True)
    asked = scenario(implementation.id, (("split", "matrices"),))
    first, second = parameter_groups(implementation, asked, function=True)
    assert first.matrices
    assert second.rest


def test_dion_says_who_trains_the_rest() -> None:
    """dion/dion.py: a group without ``algorithm`` is Dion's own, the others name theirs."""
    implementation = find("dion.Dion")
    first, second = parameter_groups(implementation, scenario("dion.Dion", (("rest", "lion"),)))
    assert first.values == ()
    assert dict(second.values) == {"algorithm": "lion"}
