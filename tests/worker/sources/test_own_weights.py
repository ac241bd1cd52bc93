"""A checkpoint's own values: written by the libraries, found in the parameters afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from optmem_gui.checkpoints.weight_files import weight_files
from optmem_gui.core.errors import UserError
from optmem_gui.core.precision import precision
from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.core.synthetic import synthetic_shape
from optmem_gui.worker.build import build
from optmem_gui.worker.job import Job

Write = Callable[[Mapping[str, Tensor], Path], None]
CPU = torch.device("cpu")
SHAPE = synthetic_shape(20_000)
REQUEST = MeasureRequest("cpu", "torch.optim.SGD", shape=SHAPE)


def made(request: MeasureRequest, *paths: Path) -> Job:
    return build(replace(request, own_weights=tuple(map(str, paths))), precision(request.precision), CPU)


def values() -> dict[str, Tensor]:
    """Other values than any model is made with: parameter number n is filled with n / 8."""
    job = build(REQUEST, precision("fp32"), CPU)
    pairs = zip(job.trainable_names, job.parameters, strict=True)
    return {name: torch.full_like(p, at / 8).detach() for at, (name, p) in enumerate(pairs)}


def _safetensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    save_file(dict(tensors), path)


def _torch(tensors: Mapping[str, Tensor], path: Path) -> None:
    torch.save({"epoch": 3, "state_dict": dict(tensors)}, path)


def _old_torch(tensors: Mapping[str, Tensor], path: Path) -> None:
    torch.save(dict(tensors), path, _use_new_zipfile_serialization=False)


@pytest.mark.parametrize(
    ("write", "name"),
    [(_safetensors, "model.safetensors"), (_torch, "model.pt"), (_old_torch, "pytorch_model.bin")],
)
@pytest.mark.parametrize("scheme", ["fp32", "bf16"])
def test_every_parameter_has_the_files_values(write: Write, name: str, scheme: str, tmp_path: Path) -> None:
    write(values(), tmp_path / name)
    job = made(replace(REQUEST, precision=scheme), tmp_path / name)
    for at, parameter in enumerate(job.parameters):
        assert parameter.dtype == (torch.float32 if scheme == "fp32" else torch.bfloat16)
        assert torch.equal(parameter.float(), torch.full(parameter.shape, at / 8))


def test_shards_and_a_prefix_are_one_checkpoint(tmp_path: Path) -> None:
    """Two shards under an index, every name behind the wrapper that saved it."""
    held = {f"wrapped.{name}": tensor for name, tensor in values().items()}
    names = list(held)
    where: dict[str, str] = {}
    for shard, part in (("a.safetensors", names[:3]), ("b.safetensors", names[3:])):
        save_file({name: held[name] for name in part}, tmp_path / shard)
        where |= dict.fromkeys(part, shard)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    files = weight_files(tmp_path)
    assert [Path(file).name for file in files] == ["a.safetensors", "b.safetensors"]
    job = made(REQUEST, *map(Path, files))
    assert [float(p.detach().flatten()[0]) for p in job.parameters] == [at / 8 for at in range(len(names))]


def test_bare_tensors_take_theirs_in_order(tmp_path: Path) -> None:
    file = tmp_path / "two.safetensors"
    rows = {f"layers.{at}.mlp.up_proj.weight": torch.full((3, 2), float(at + 1)) for at in range(2)}
    save_file({**rows, "scale": torch.tensor(7.0)}, file)
    tensors = (
        BareTensor((3, 2), "fp32", count=2, name="mlp.up_proj.weight"),
        BareTensor((), "fp32", name="scale"),
    )
    job = made(MeasureRequest("cpu", "torch.optim.SGD", tensors=tensors), file)
    assert [float(p.detach().flatten()[0]) for p in job.parameters] == [1.0, 2.0, 7.0]


def without(name: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {key: tensor for key, tensor in tensors.items() if key != name}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: without("lm_head.weight", t), "no values for lm_head.weight"),
        (lambda t: {**t, "lm_head.weight": torch.zeros(3, 4)}, r"lm_head.weight is 3 x 4 and the model has"),
        (
            lambda t: {**t, "lm_head.weight": torch.zeros_like(t["lm_head.weight"], dtype=torch.int8)},
            "lm_head.weight is int8 and the model has float32",
        ),
    ],
)
def test_what_does_not_fit_is_one_line(
    change: Callable[[dict[str, Tensor]], dict[str, Tensor]], words: str, tmp_path: Path
) -> None:
    file = tmp_path / "model.safetensors"
    save_file(change(values()), file)
    with pytest.raises(UserError, match=words):
        made(REQUEST, file)


class Hostile:
    """What a pickle runs when it is read carelessly."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return (_shout, ("read",))


def _shout(word: str) -> int:
    raise AssertionError(word)


def test_a_pickle_that_runs_code_runs_none(tmp_path: Path) -> None:
    file = tmp_path / "model.pt"
    torch.save({"state_dict": Hostile()}, file)
    with pytest.raises(UserError, match=r"model\.pt: its values cannot be read"):
        made(REQUEST, file)


@pytest.mark.parametrize("content", [b"", b"\xff" * 64, b'\x10\0\0\0\0\0\0\0{"a":', b"PK\x03\x04rest"])
@pytest.mark.parametrize("name", ["model.safetensors", "model.pt"])
def test_a_damaged_file_is_one_line(content: bytes, name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(UserError, match="cannot be read"):
        made(REQUEST, file)


def test_a_folder_without_values_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "optimizer.pt").write_bytes(b"")
    with pytest.raises(UserError, match="no values that can be loaded"):
        weight_files(tmp_path / "config.json")


def test_an_index_does_not_lead_out_of_its_folder(tmp_path: Path) -> None:
    inside = tmp_path / "model"
    inside.mkdir()
    save_file({"a": torch.zeros(1)}, tmp_path / "outside.safetensors")
    index = inside / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "../outside.safetensors"}}))
    with pytest.raises(UserError, match="no values that can be loaded"):
        weight_files(index)
