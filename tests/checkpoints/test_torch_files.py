from __future__ import annotations

import argparse
import collections
import enum
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, refusal, write_zip


class Custom(nn.Module):
    """A user's class, which reading must not need."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.frozen = nn.Linear(4, 2)
        self.frozen.weight.requires_grad_(False)
        self.register_buffer("table", torch.zeros(7))


class Colour(enum.Enum):
    RED = 1


def _trained(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()


def test_batch_norm_with_adams_state(tmp_path: Path) -> None:
    """10 weights + 10 biases; means, variances and a counter; two moments of 20 elements each."""
    model = nn.BatchNorm2d(10)
    adam = torch.optim.Adam(model.parameters())
    _trained(model, adam)
    path = tmp_path / "bn.pt"
    torch.save({"model": model.state_dict(), "optimizer": adam.state_dict()}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.format == "torch-zip"
    assert checkpoint.param_count == checkpoint.trainable_count == 20
    assert [(b.name, b.shape) for b in checkpoint.spec.buffers] == [
        ("running_mean", (10,)),
        ("running_var", (10,)),
        ("num_batches_tracked", ()),
    ]
    assert checkpoint.buffer_count == 20 + 1
    optimizer = checkpoint.optimizer
    assert optimizer is not None
    assert optimizer.kind == "adam"
    assert optimizer.states == ("exp_avg", "exp_avg_sq")
    assert (optimizer.element_count, optimizer.state_bytes) == (40, 160)
    assert (optimizer.step_count, optimizer.step_bytes, optimizer.param_count) == (2, 8, 20)
    assert not checkpoint.warnings


def test_a_slice_counts_its_elements_and_names_the_storage_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "slice.pt"
    torch.save({"w": torch.zeros(100_000)[:10]}, path)
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.tensor_bytes) == (10, 40)
    assert codes(checkpoint) == {"view_of_storage"}
    assert checkpoint.warnings[0].values["storage_bytes"] == 400_000


def test_tied_weights_count_once_and_other_views_of_a_storage_do_not_tie(tmp_path: Path) -> None:
    """Tied: same storage, offset, shape and stride. A transpose or the second half is another tensor."""
    block = torch.zeros(2, 10, 10)
    state = {"embed": block[0], "head": block[0], "second": block[1], "turned": block[0].t()}
    path = tmp_path / "tied.pt"
    torch.save(state, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.tied == (("head", "embed"),)
    assert checkpoint.param_count == 300
    assert checkpoint.ref.tied_count == 1


def test_an_expanded_tensor_is_logical_in_count_and_small_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "expanded.pt"
    torch.save({"w": torch.zeros(1).expand(1000, 1000)}, path)
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.tensor_bytes) == (1_000_000, 4)
    assert codes(checkpoint) == {"expanded_view"}


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.float8_e4m3fn,
        torch.float8_e5m2,
        torch.float8_e4m3fnuz,
        torch.float8_e5m2fnuz,
        torch.complex64,
        torch.complex128,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.uint16,
        torch.uint32,
        torch.uint64,
        torch.bool,
    ],
    ids=str,
)
def test_every_type_torch_saves_has_its_bytes(tmp_path: Path, dtype: torch.dtype) -> None:
    tensor = torch.zeros(6, dtype=dtype)
    path = tmp_path / "typed.pt"
    torch.save({"w": tensor}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.tensor_bytes == tensor.nbytes
    floating = dtype.is_floating_point or dtype.is_complex
    assert (checkpoint.param_count, checkpoint.buffer_count) == ((6, 0) if floating else (0, 6))


def _with_storage_kind(kind: str, numel: int, claimed: int | None = None) -> bytes:
    """A state dict of one tensor whose storage class has any name (protocol 2, written by hand)."""
    return (
        b"\x80\x02}X\x01\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\n"
        + kind.encode()
        + b"\nX\x01\0\0\x000X\x03\0\0\0cpuK"
        + bytes([numel])
        + b"tQK\0K"
        + bytes([numel if claimed is None else claimed])
        + b"\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtRs."
    )


def test_an_unknown_storage_kind_counts_by_shape_and_takes_its_bytes_from_the_storage(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "new.pt", _with_storage_kind("Float24Storage", 8), {"0": bytes(24)})
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.tensor_bytes) == (8, 24)
    assert "unknown_storage" in codes(checkpoint)


def test_a_tensor_that_reaches_beyond_its_storage_is_refused(tmp_path: Path) -> None:
    """9 elements over a storage that says 8; 8 elements over a record that holds 7."""
    for pickled, record in (
        (_with_storage_kind("FloatStorage", 8, 9), bytes(32)),
        (_with_storage_kind("FloatStorage", 8), bytes(28)),
    ):
        path = write_zip(tmp_path / "bad.pt", pickled, {"0": record})
        assert refusal(path).code == "checkpoint.view_outside_storage"


def test_a_storage_that_is_not_in_the_zip_makes_it_incomplete(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(write_zip(tmp_path / "cut.pt", _with_storage_kind("FloatStorage", 8)))
    assert checkpoint.param_count == 8
    assert not checkpoint.complete
    assert "storage_missing" in codes(checkpoint)


@pytest.mark.parametrize("container", ["state_dict", "model_state_dict", "model", "my_state_dict", "net"])
@pytest.mark.parametrize("prefix", ["", "module.", "_orig_mod.", "module._orig_mod."])
def test_containers_and_wrappers_are_seen_through(tmp_path: Path, container: str, prefix: str) -> None:
    model = nn.Linear(10, 5)
    state = {prefix + name: tensor for name, tensor in model.state_dict().items()}
    path = tmp_path / "nested.pt"
    torch.save({container: state, "epoch": 3, "config": {"lr": 1e-3, "device": torch.device("cpu")}}, path)
    checkpoint = open_checkpoint(path)
    assert [tensor.name for tensor in checkpoint.spec.parameters] == ["weight", "bias"]
    assert checkpoint.param_count == 55


def test_tensors_are_found_at_any_depth_in_file_order(tmp_path: Path) -> None:
    path = tmp_path / "deep.pt"
    torch.save({"a": {"b": [{"c": torch.zeros(2)}, torch.zeros(3)]}, "d": (torch.zeros(4),)}, path)
    checkpoint = open_checkpoint(path)
    names = [(tensor.name, tensor.numel) for tensor in checkpoint.spec.parameters]
    assert names == [("a.b.0.c", 2), ("a.b.1", 3), ("d.0", 4)]


def test_a_lightning_checkpoint_is_its_state_dict(tmp_path: Path) -> None:
    model = Custom()
    adam = torch.optim.Adam([p for p in model.parameters() if p.requires_grad])
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    adam.step()
    content = {
        "state_dict": model.state_dict(),
        "optimizer_states": [adam.state_dict()],
        "lr_schedulers": [{"base": torch.zeros(5)}],
        "callbacks": {"EarlyStopping": {"best": torch.zeros(9)}},
        "loops": {"fit": {"total": torch.zeros(2)}},
        "hyper_parameters": {"width": 4},
    }
    path = tmp_path / "last.ckpt"
    torch.save(content, path)
    checkpoint = open_checkpoint(path)
    total = sum(parameter.numel() for parameter in model.parameters())
    trained = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    assert checkpoint.param_count == total + 7  # `table` is a buffer only to the module, not by its name
    assert checkpoint.optimizer is not None
    assert (checkpoint.optimizer.kind, checkpoint.optimizer.element_count) == ("adam", 2 * trained)
    assert codes(checkpoint) == {"other_tensors", "optimizer_differs"}
    assert checkpoint.warnings[0].values["count"] == 5 + 9 + 2


def test_a_pickled_module_says_itself_what_is_a_parameter_and_what_trains(tmp_path: Path) -> None:
    model = Custom()
    path = tmp_path / "whole.pt"
    torch.save(model, path)
    checkpoint = open_checkpoint(path)
    expected = {name: parameter.requires_grad for name, parameter in model.named_parameters()}
    assert {tensor.name: tensor.trainable for tensor in checkpoint.spec.parameters} == expected
    assert {b.name for b in checkpoint.spec.buffers} == {name for name, _ in model.named_buffers()}
    assert checkpoint.trainable_count == sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert "code_references" not in codes(checkpoint)


def test_harmless_extras_become_opaque_and_tensors_still_count(tmp_path: Path) -> None:
    content = {
        "model": {"w": torch.zeros(3, 3)},
        "args": argparse.Namespace(lr=0.1),
        "best": np.float64(0.5),
        "history": np.zeros(3),
        "colour": Colour.RED,
        "counts": collections.Counter("aab"),
        "kinds": {1, 2},
        "where": Path("/tmp"),  # noqa: S108  # only a value to pickle
        "grouped": collections.defaultdict(list, {"a": [1]}),
    }
    path = tmp_path / "extras.pt"
    torch.save(content, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 9
    assert "code_references" not in codes(checkpoint)
    assert "objects_skipped" in codes(checkpoint)


def test_random_states_are_no_model(tmp_path: Path) -> None:
    path = tmp_path / "rng_state.pth"
    torch.save({"cpu": torch.get_rng_state(), "numpy": np.random.default_rng(0).bit_generator.state}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 0
    assert "no_weights" in codes(checkpoint)


def test_an_optimizer_alone_is_no_model(tmp_path: Path) -> None:
    model = nn.Linear(10, 5)
    sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    _trained(model, sgd)
    path = tmp_path / "optimizer.pt"
    torch.save(sgd.state_dict(), path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 0
    assert checkpoint.optimizer is not None
    assert (checkpoint.optimizer.kind, checkpoint.optimizer.param_count) == ("sgd-momentum", 55)
    assert "(sgd-momentum) for 55 parameters" in str(checkpoint.warnings[0])


def test_an_averaged_copy_does_not_double_the_model(tmp_path: Path) -> None:
    model = nn.Linear(10, 5).state_dict()
    path = tmp_path / "ema.pt"
    torch.save({"state_dict": model, "state_dict_ema": {k: v.clone() for k, v in model.items()}}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 55
    assert codes(checkpoint) == {"average_ignored"}
    torch.save({"ema": {"shadow": model}}, path)
    assert open_checkpoint(path).param_count == 55


def test_a_pickled_optimizer_is_recognised_beside_its_model(tmp_path: Path) -> None:
    model = nn.Linear(3, 4)
    adam = torch.optim.Adam(model.parameters())
    _trained(model, adam)
    path = tmp_path / "objects.pt"
    torch.save({"model": model, "optimizer": adam}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 16
    assert checkpoint.optimizer is not None
    assert (checkpoint.optimizer.kind, checkpoint.optimizer.element_count) == ("adam", 32)
    assert codes(checkpoint) == {"objects_skipped"}


class Subclass(torch.Tensor):
    """A tensor subclass, which torch pickles with its own rebuild function."""


@pytest.mark.parametrize(
    "tensor",
    [
        torch.empty(3, 4, device="meta"),
        torch.zeros(3, 4).as_subclass(Subclass),
        nn.Parameter(torch.zeros(3, 4).as_subclass(Subclass)),
    ],
    ids=["meta", "subclass", "parameter of a subclass"],
)
def test_tensors_without_a_plain_storage_count_by_their_shape(tmp_path: Path, tensor: torch.Tensor) -> None:
    path = tmp_path / "special.pt"
    torch.save({"w": tensor}, path)
    checkpoint = open_checkpoint(path)
    assert (checkpoint.param_count, checkpoint.tensor_bytes) == (12, 48)
    assert not checkpoint.warnings


def test_a_lone_tensor_and_a_list_of_tensors_are_read(tmp_path: Path) -> None:
    path = tmp_path / "plain.pt"
    torch.save(torch.zeros(3), path)
    assert open_checkpoint(path).param_count == 3
    torch.save([torch.zeros(3), torch.zeros(2)], path)
    assert [tensor.name for tensor in open_checkpoint(path).spec.parameters] == ["0", "1"]


def test_partitioned_weights_are_not_zero_parameters(tmp_path: Path) -> None:
    path = tmp_path / "zero_pp_rank_0_mp_rank_00_model_states.pt"
    empty = {"a.weight": torch.zeros(0, dtype=torch.float16), "a.bias": torch.zeros(0, dtype=torch.float16)}
    torch.save({"module": empty}, path)
    checkpoint = open_checkpoint(path)
    assert codes(checkpoint) == {"partitioned"}
    assert "ZeRO-3" in str(checkpoint.warnings[0])
    shapes = [{"a.weight": torch.Size([3, 4]), "a.bias": torch.Size([3])}]
    torch.save({"module": empty, "param_shapes": shapes}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 15
    assert {tensor.dtype.id for tensor in checkpoint.spec.parameters} == {"fp16"}
    assert "zero3_shapes" in codes(checkpoint)


def test_torch_script_is_counted_from_its_pickle(tmp_path: Path) -> None:
    path = tmp_path / "script.pt"
    model = nn.Sequential(nn.Linear(10, 5), nn.ReLU(), nn.Linear(5, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch.jit is deprecated, its files are not gone
        torch.jit.script(model).save(str(path))  # type: ignore[no-untyped-call]  # torch has no types here
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 55 + 12
    assert "code_references" not in codes(checkpoint)


def test_a_subclass_counts_by_its_outer_shape(tmp_path: Path) -> None:
    """A pickle that rebuilds a wrapper subclass: its inner tensors are not added."""

    def torch_name(name: str) -> Any:
        return getattr(torch._utils, name)

    class Wrapper:
        def __reduce__(self) -> tuple[Any, ...]:
            args = (torch.Tensor, torch.float32, (8, 4), (4, 1), 0, torch.strided, torch.device("cpu"), True)
            return (torch_name("_rebuild_wrapper_subclass"), args)

    path = write_zip(tmp_path / "sub.pt", pickle.dumps({"w": Wrapper()}, protocol=2))
    assert open_checkpoint(path).param_count == 32


@pytest.mark.parametrize("name", ["_fsdp_wrapped_module._flat_param", "layers.0.flat_param_0"])
def test_flat_parameters_of_fsdp_are_called_flat(tmp_path: Path, name: str) -> None:
    """``LOCAL_STATE_DICT`` saves a rank's piece of all parameters laid end to end: the shapes are gone."""
    path = tmp_path / "pytorch_model_fsdp_rank0.bin"
    torch.save({name: torch.zeros(1000)}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 1000
    assert "flat_parameters" in codes(checkpoint)
