"""TorchScript archives that torch writes, and what came before and beside torch's zip."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
import torch
from torch import nn

from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",  # of torch, which writes the files, not of ours
    "ignore::FutureWarning",  # as above
)


class Net(nn.Module):
    """Own parameters and buffers beside those of two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.scale = nn.Parameter(torch.ones(8))
        self.register_buffer("table", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Anything."""
        out: torch.Tensor = self.norm(self.first(x)) * self.scale
        return out


def _saved(model: nn.Module, path: Path, *, traced: bool) -> Path:
    model.eval()
    example = torch.zeros(2, 4)
    script = torch.jit.trace(model, example) if traced else torch.jit.script(model)  # type: ignore[no-untyped-call]  # the library leaves it untyped
    script.save(str(path))
    return path


@pytest.mark.parametrize("traced", [False, True])
def test_parameters_and_buffers_are_those_of_the_module(tmp_path: Path, traced: bool) -> None:
    model = Net()
    model.first.weight.requires_grad_(False)
    checkpoint = open_checkpoint(_saved(model, tmp_path / "model.pt", traced=traced))
    assert {t.name: t.shape for t in checkpoint.spec.parameters} == {
        name: tuple(parameter.shape) for name, parameter in model.named_parameters()
    }
    assert {t.name for t in checkpoint.spec.buffers} == {name for name, _ in model.named_buffers()}
    trained = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    assert checkpoint.trainable_count == trained
    assert codes(checkpoint) == {"torchscript"}


def test_a_model_saved_for_inference_can_be_trained_whole(tmp_path: Path) -> None:
    model = Net().requires_grad_(False)
    checkpoint = open_checkpoint(_saved(model, tmp_path / "model.pt", traced=False))
    assert checkpoint.trainable_count == sum(parameter.numel() for parameter in model.parameters())


def test_nothing_but_headers_and_code_is_read(tmp_path: Path) -> None:
    path = _saved(
        nn.Sequential(nn.Linear(4, 1000), nn.Linear(1000, 1000)), tmp_path / "model.pt", traced=False
    )
    assert path.stat().st_size > 4_000_000
    assert open_checkpoint(path).bytes_read < 20_000


@pytest.mark.parametrize("name", ["model.pt", "model.pth"])
def test_the_tar_era_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    """torch.save before 0.2 wrote a tar of ``sys_info``, ``pickle``, ``tensors`` and ``storages``."""
    path = tmp_path / name
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for member in ("sys_info", "pickle", "tensors", "storages"):
            entry = tarfile.TarInfo(member)
            entry.size = 3
            archive.addfile(entry, io.BytesIO(b"abc"))
    assert refusal(path).code == "checkpoint.torch_tar"


@pytest.mark.parametrize("new", [True, False])
def test_a_zip_called_tar_is_opened_as_what_it_is(tmp_path: Path, new: bool) -> None:
    """``checkpoint.pth.tar`` is a common name for a file that torch.save wrote as it always does."""
    path = tmp_path / "checkpoint.pth.tar"
    torch.save({"state_dict": {"w": torch.zeros(3, 4)}, "epoch": 3}, path, _use_new_zipfile_serialization=new)
    assert open_checkpoint(path).param_count == 12
    path.write_bytes(b"something else")
    assert refusal(path).code == "checkpoint.other_format"
