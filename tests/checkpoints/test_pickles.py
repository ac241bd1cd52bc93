from __future__ import annotations

import io
import os
import pickle
import pickletools
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.checkpoints.pickle_machine import HANDLERS
from optmem_gui.checkpoints.pickle_values import Made, Symbol
from optmem_gui.checkpoints.pickles import walk_pickle
from optmem_gui.core.errors import UserError
from tests.checkpoints.builders import codes, refusal, write_zip

_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.binary().map(bytearray),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text() | st.integers(), inner)
        | st.tuples(inner, inner, inner, inner)
    ),
    max_leaves=20,
)


@given(value=_PLAIN, protocol=st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_plain_values_come_out_as_pickle_makes_them(value: Any, protocol: int) -> None:
    if protocol < 5:
        value = _without_bytearrays(value)
    if protocol < 3:
        value = _without_bytes(value)
    data = pickle.dumps(value, protocol=protocol)
    walked = walk_pickle(io.BytesIO(data), {}, "f")
    assert walked.value == value
    assert not walked.named


def _without_bytearrays(value: Any) -> Any:
    return _mapped(value, lambda leaf: bytes(leaf) if isinstance(leaf, bytearray) else leaf)


def _without_bytes(value: Any) -> Any:
    return _mapped(value, lambda leaf: leaf.hex() if isinstance(leaf, bytes) else leaf)


def _mapped(value: Any, change: Any) -> Any:
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in value)
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    return change(value)


def test_every_instruction_of_the_format_is_known() -> None:
    known = {opcode.code.encode("latin-1") for opcode in pickletools.opcodes}
    assert set(HANDLERS) == known - {b"."}


def test_a_class_stays_a_name() -> None:
    walked = walk_pickle(io.BytesIO(pickle.dumps(complex(1, 2))), {}, "f")
    assert isinstance(walked.value, Made)
    assert walked.value.maker == Symbol("builtins.complex")
    assert walked.value.args == (1.0, 2.0)
    assert walked.called == {"builtins.complex"}


class _Runs:
    """Creates a file when it is unpickled for real."""

    def __init__(self, sentinel: Path, how: str) -> None:
        self.sentinel, self.how = sentinel, how

    def __reduce__(self) -> tuple[Any, ...]:
        if self.how == "eval":
            return (eval, (f"open({str(self.sentinel)!r}, 'w')",))
        return (os.system, (f"touch {self.sentinel}",))


def _hostile(sentinel: Path) -> dict[str, bytes]:
    """The same act in the ways that scanners were fooled with."""
    touch = f"touch {sentinel}".encode()
    runs = {f"protocol {p}": pickle.dumps({"w": _Runs(sentinel, "system")}, protocol=p) for p in range(6)}
    return {
        **runs,
        "eval": pickle.dumps(_Runs(sentinel, "eval")),
        "global": b"cos\nsystem\n(S'" + touch + b"'\ntR.",
        "instance": b"(S'" + touch + b"'\nios\nsystem\n.",
        "object": b"(cos\nsystem\nS'" + touch + b"'\no.",
        "memoised": b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94h\0h\x01\x93\x94h\x02\x8c"
        + bytes([len(touch)])
        + touch
        + b"\x85R.",
        "new object": b"\x80\x02cos\nsystem\n(U" + bytes([len(touch)]) + touch + b"t\x81.",
        "build": b"\x80\x02c__main__\nThing\n)\x81}U\x0c__setstate__cos\nsystem\nsb(U"
        + bytes([len(touch)])
        + touch
        + b"tb.",
    }


@pytest.mark.parametrize("kind", list(_hostile(Path("x"))))
def test_nothing_in_a_pickle_is_executed_and_code_is_named(tmp_path: Path, kind: str) -> None:
    sentinel = tmp_path / "executed"
    data = _hostile(sentinel)[kind]
    checkpoint = open_checkpoint(write_zip(tmp_path / "model.pt", data))
    assert checkpoint.param_count == 0
    assert "code_references" in codes(checkpoint)
    text = " ".join(str(reason) for reason in checkpoint.warnings)
    assert "system" in text or "eval" in text
    assert "not executed" in text
    bare = tmp_path / "bare.pt"
    bare.write_bytes(data)
    error = refusal(bare)
    assert error.code == "checkpoint.bare_pickle_code"
    assert not sentinel.exists()


def test_the_sentinel_would_have_been_made(tmp_path: Path) -> None:
    """The act above is real: unpickling it leaves the file, so its absence means something."""
    sentinel = tmp_path / "executed"
    pickle.loads(pickle.dumps(_Runs(sentinel, "system")))  # noqa: S301  # the point of this test
    assert sentinel.exists()


def test_code_in_a_later_pickle_or_after_damage_is_still_named(tmp_path: Path) -> None:
    bare = tmp_path / "bare.pt"
    bare.write_bytes(pickle.dumps([1]) + b"cposix\nsystem\n(S'true'\ntR.")
    assert "posix.system" in str(refusal(bare))
    bare.write_bytes(b"csubprocess\nPopen\n(S'true'\ntR\xff")
    assert "subprocess.Popen" in str(refusal(bare))


def test_bytes_inside_a_pickle_are_data(tmp_path: Path) -> None:
    inner = b"cos\nsystem\n(S'true'\ntR."
    checkpoint = open_checkpoint(write_zip(tmp_path / "m.pt", pickle.dumps({"b": inner}, protocol=4)))
    assert "code_references" not in codes(checkpoint)


@pytest.mark.parametrize(
    "name",
    [
        "builtins.print",
        "builtins.getattr",
        "builtins.exec",
        "nt.system",
        "sys.exit",
        "torch.storage._load_from_bytes",
    ],
)
def test_names_that_can_run_code_are_named(tmp_path: Path, name: str) -> None:
    module, _, function = name.rpartition(".")
    data = f"c{module}\n{function}\n(tR.".encode()
    assert name in str(open_checkpoint(write_zip(tmp_path / "m.pt", data)).warnings[0])


def test_shared_and_circular_containers_are_visited_once(tmp_path: Path) -> None:
    """Forty lists that each hold the one before twice are 2**40 paths, and one list holds itself."""
    nest: list[Any] = [1]
    for _ in range(40):
        nest = [nest, nest]
    circle: list[Any] = []
    circle.append(circle)
    path = tmp_path / "m.pt"
    torch.save({"nest": nest, "circle": circle, "w": torch.zeros(3)}, path)
    assert open_checkpoint(path).param_count == 3


@pytest.mark.parametrize("opening", [b"]", b"(", b"}U\x01a", b"\x80\x02"])
def test_endless_nesting_is_bounded(tmp_path: Path, opening: bytes) -> None:
    closing = {b"]": b"a", b"(": b"t", b"}U\x01a": b"s", b"\x80\x02": b""}[opening]
    depth = 20_000
    data = opening * depth + b"N" + closing * depth + b"."
    checkpoint = open_checkpoint(write_zip(tmp_path / "m.pt", data))
    assert checkpoint.param_count == 0


def test_a_tensor_of_absurd_size_is_refused(tmp_path: Path) -> None:
    shape = b"(\x8a\x08" + (2**40).to_bytes(8, "little") + b"\x8a\x08" + (2**40).to_bytes(8, "little") + b"t"
    data = (
        b"\x80\x02}X\x01\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\n"
        b"X\x01\0\0\x000X\x03\0\0\0cpuK\x01tQK\0" + shape + b"(K\0K\0t\x89NtRs."
    )
    error = refusal(write_zip(tmp_path / "m.pt", data, {"0": bytes(4)}))
    assert error.code == "checkpoint.tensor_too_large"


@given(data=st.binary(max_size=120))
def test_any_bytes_as_a_pickle_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    _opens_or_refuses(write_zip(tmp_path_factory.getbasetemp() / "fuzz.pt", data))


_OPCODES = st.sampled_from([opcode.code.encode("latin-1") for opcode in pickletools.opcodes])


@given(
    parts=st.lists(_OPCODES | st.binary(max_size=3) | st.just(b"K\x01") | st.just(b"ctorch\nFloatStorage\n"))
)
def test_any_instructions_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]
) -> None:
    _opens_or_refuses(write_zip(tmp_path_factory.getbasetemp() / "fuzz.pt", b"".join(parts) + b"."))


@pytest.fixture(scope="module")
def real_pickle() -> bytes:
    stream = io.BytesIO()
    torch.save({"model": torch.nn.BatchNorm1d(3), "state": {"w": torch.zeros(2, 2)}}, stream)
    import zipfile

    with zipfile.ZipFile(stream) as archive:
        return archive.read("archive/data.pkl")


@given(position=st.integers(0, 10_000), byte=st.integers(0, 255), cut=st.integers(0, 10_000))
def test_a_damaged_real_pickle_is_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, real_pickle: bytes, position: int, byte: int, cut: int
) -> None:
    data = bytearray(real_pickle)
    data[position % len(data)] = byte
    _opens_or_refuses(write_zip(tmp_path_factory.getbasetemp() / "fuzz.pt", bytes(data)))
    _opens_or_refuses(write_zip(tmp_path_factory.getbasetemp() / "fuzz.pt", bytes(data[: cut % len(data)])))


def _opens_or_refuses(path: Path) -> None:
    try:
        checkpoint = open_checkpoint(path)
    except UserError as error:
        assert "\n" not in str(error)  # noqa: PT017  # reading is fine too
    else:
        assert checkpoint.ref.param_count == checkpoint.param_count
