"""Steps that a user's function returns: what is accepted, what runs where, and every failure as one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.precision import precision
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.worker.build import build
from optmem_gui.worker.job import Job

CPU, META = torch.device("cpu"), torch.device("meta")

STEP = """
import torch
from torch import nn

def step():
    model = nn.Linear(4, 3)
    batch = {"x": torch.randn(5, 4), "y": torch.randn(5, 3)}
    return model, batch, lambda model, batch: (model(batch["x"]) - batch["y"]).square().mean()

def closed():
    model = nn.Linear(4, 3)
    return model, lambda: model(torch.ones(2, 4)).sum()

def placed(device):
    model = nn.Linear(4, 3, device=device)
    return model, torch.ones(2, 4, device="cpu"), lambda model, x: model(x).sum()
"""


WRONG_WIDTH = """import torch
from torch import nn
def step():
    model = nn.Linear(4, 3)
    return model, torch.ones(2, 5), lambda model, x: model(x).sum()
"""


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    """The folder on the path and the imported files belong to the worker's process, not to the tests'."""
    path, folder = list(sys.path), Path.cwd()
    yield
    sys.path[:] = path
    for name in ("optmem_function", "beside"):
        sys.modules.pop(name, None)
    assert Path.cwd() == folder


def job(folder: Path, text: str, name: str = "step", device: torch.device = CPU, scheme: str = "fp32") -> Job:
    file = folder / "mine.py"
    file.write_text(dedent(text), encoding="utf-8")
    request = MeasureRequest("cpu", "torch.optim.SGD", function=f"{file}:{name}")
    return build(request, precision(scheme), device)


def run(folder: Path, text: str, name: str) -> None:
    made = job(folder, text, name)
    made.loss(made.batch())


def refused(folder: Path, text: str, name: str = "step") -> UserError:
    with pytest.raises(UserError) as caught:
        run(folder, text, name)
    assert "\n" not in str(caught.value)
    return caught.value


def test_model_batch_and_loss(tmp_path: Path) -> None:
    found = job(tmp_path, STEP)
    assert [tuple(p.shape) for p in found.parameters] == [(3, 4), (3,)]
    batch = found.batch()
    assert sorted(tuple(tensor.shape) for tensor in batch) == [(5, 3), (5, 4)]
    loss = found.loss(batch)
    loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    assert all(p.grad is not None for p in found.parameters)


def test_every_micro_batch_is_a_copy_of_its_own(tmp_path: Path) -> None:
    found = job(tmp_path, STEP)
    first, second = found.batch(), found.batch()
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert not {t.data_ptr() for t in first} & {t.data_ptr() for t in second}


def test_a_loss_that_makes_its_own_batch(tmp_path: Path) -> None:
    found = job(tmp_path, STEP, "closed")
    assert found.batch() == ()
    assert found.loss(()).shape == ()


@pytest.mark.parametrize("name", ["step", "closed", "placed"])
def test_on_meta_everything_is_on_meta(tmp_path: Path, name: str) -> None:
    found = job(tmp_path, STEP, name, META)
    batch = found.batch()
    assert {t.device.type for t in (*found.parameters, *batch, found.loss(batch))} == {"meta"}


def test_the_type_is_the_model_s_own_unless_the_scheme_asks(tmp_path: Path) -> None:
    text = STEP.replace("nn.Linear(4, 3)", "nn.Linear(4, 3).double()")
    assert {p.dtype for p in job(tmp_path, text).parameters} == {torch.float64}
    assert {p.dtype for p in job(tmp_path, text, scheme="bf16").parameters} == {torch.bfloat16}


def test_files_beside_it_are_imported_and_read_again_after_an_edit(tmp_path: Path) -> None:
    text = "import beside\ndef step(): return beside.model(), lambda: None\n"
    for width in (2, 7):
        source = f"from torch import nn\ndef model(): return nn.Linear({width}, 1)\n"
        (tmp_path / "beside.py").write_text(source)
        assert job(tmp_path, text).parameters[0].shape == (1, width)


def test_it_runs_in_its_folder_and_not_as_main(tmp_path: Path) -> None:
    (tmp_path / "width.txt").write_text("6")
    text = """
        import sys
        from pathlib import Path
        from torch import nn
        if __name__ == "__main__":
            raise SystemExit("run as a script")
        def step():
            assert sys.stdin.read() == ""
            return nn.Linear(int(Path("width.txt").read_text()), 1), lambda: None
    """
    assert job(tmp_path, text).parameters[0].shape == (1, 6)


@pytest.mark.parametrize(
    ("text", "place", "cause"),
    [
        ("def step():\n    return 1 / 0\n", "mine.py:2", "ZeroDivisionError"),
        ("import no_such_thing_at_all\n", "mine.py:1", "ModuleNotFoundError"),
        ("def step(:\n    pass\n", "mine.py:1", "SyntaxError"),
        ("import sys\ndef step():\n    sys.exit(3)\n", "mine.py:3", "SystemExit"),
        ("def step(width):\n    pass\n", "mine.py", "TypeError"),
        (
            WRONG_WIDTH,
            "mine.py:5",
            "RuntimeError",
        ),
    ],
)
def test_a_failure_names_its_line(tmp_path: Path, text: str, place: str, cause: str) -> None:
    error = refused(tmp_path, text)
    assert error.code == "source.function_failed"
    assert f"{place} failed" in str(error)
    assert cause in str(error)


def test_a_failure_below_names_the_innermost_own_file(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("def model():\n    raise ValueError('too wide')\n")
    error = refused(tmp_path, "import beside\ndef step(): return beside.model()\n")
    assert "beside.py:2 failed (ValueError: too wide)" in str(error)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ("None", "(NoneType)"),
        ("nn.Linear(1, 1)", "(Linear)"),
        ("(1, 2, 3)", "(int, int, int)"),
        ("(nn.Linear(1, 1), torch.ones(2, 1), 5)", "(Linear, tensor (2, 1), int)"),
    ],
)
def test_another_answer_is_described(tmp_path: Path, answer: str, given: str) -> None:
    error = refused(tmp_path, f"import torch\nfrom torch import nn\ndef step(): return {answer}\n")
    assert error.code == "source.function_answer"
    assert given in str(error)


@pytest.mark.parametrize("loss", ["None", "3.0", "model.weight"])
def test_a_loss_is_one_number(tmp_path: Path, loss: str) -> None:
    text = (
        f"from torch import nn\ndef step():\n    model = nn.Linear(2, 3)\n    return model, lambda: {loss}\n"
    )
    assert refused(tmp_path, text).code == "source.no_loss"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("mine.py", "source.function_form"),
        ("mine.py:", "source.function_form"),
        (":step", "source.function_form"),
        ("mine.py:a.b", "source.function_form"),
        ("nowhere.py:step", "source.no_file"),
    ],
)
def test_a_name_that_is_none(given: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        build(MeasureRequest("cpu", "torch.optim.SGD", function=given), precision("fp32"), CPU)
    assert caught.value.code == code


def test_a_function_that_is_not_there(tmp_path: Path) -> None:
    error = refused(tmp_path, STEP, "other")
    assert error.code == "source.no_function"
    assert "other" in str(error)


def test_out_of_memory_stays_what_it_is(tmp_path: Path) -> None:
    """The parent plots it as a result, so it must not become a failure of the function."""
    text = """
        import torch
        def step():
            raise torch.OutOfMemoryError("Tried to allocate 2.00 GiB")
    """
    with pytest.raises(torch.OutOfMemoryError):
        job(tmp_path, text)


def test_all_parameters_frozen_is_said(tmp_path: Path) -> None:
    text = """
        from torch import nn
        def step():
            return nn.Linear(2, 2).requires_grad_(False), lambda: None
    """
    assert refused(tmp_path, text).code == "measure.nothing_to_train"


def test_data_that_is_no_tensor(tmp_path: Path) -> None:
    text = """
        import numpy as np
        from torch import nn
        def step():
            batch = [np.ones((3, 2), dtype=np.float32), 2.0]
            return nn.Linear(2, 1), batch, lambda model, batch: model(batch[0]).sum() * batch[1]
    """
    found = job(tmp_path, text)
    assert [tuple(t.shape) for t in found.batch()] == [(3, 2)]
    assert found.loss(found.batch()).shape == ()


def test_environment_is_left(tmp_path: Path) -> None:
    before = dict(os.environ)
    job(tmp_path, STEP)
    assert dict(os.environ) == before
