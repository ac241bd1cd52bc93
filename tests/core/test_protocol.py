from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.protocol import (
    PROTOCOL_VERSION,
    Categories,
    Failed,
    Hello,
    Message,
    PhaseSample,
    Progress,
    ProtocolError,
    Result,
    Sample,
    SamplerNote,
    StateRow,
    StepResult,
    VersionError,
    decode,
    encode,
)
from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.core.scenario import Lora
from optmem_gui.core.synthetic import synthetic_shape

PHASE = PhaseSample(1, "forward", 10, 20, 100, 300, 400, 512, 1024, points=((11, 200), (15, 400)))
STEP = StepResult(1, (PHASE,), Categories(weights=7 * 10**12), 200, 0.25)
MESSAGES: tuple[Message, ...] = (
    MeasureRequest(
        "GPU-1",
        "torch.optim.SGD",
        (("momentum", 0.9), ("foreach", None), ("nesterov", True), ("history", 3), ("mode", "x")),
        "amp-bf16",
        synthetic_shape(100_000),
        lora=Lora(8),
    ),
    MeasureRequest("cpu", "torch.optim.SGD", tensors=(BareTensor((3, 4), "bf16"), BareTensor((), "int64"))),
    Hello(1, "3.10.0", "2.13.0", "CPU", None, None, 5),
    Progress("backward", 2, 3),
    PHASE,
    STEP,
    Result(PHASE, STEP, STEP, (StateRow("step", "float32", True, 3, 12),), 10**15, 10**15, 1.5),
    Failed(
        "error", "measure.step_failed", {"cause": "x", "step": 1, "share": 0.5}, "trace\nback", 1, "forward"
    ),
    Sample(9, 1 << 40, None, 5),
    SamplerNote("process", "nvml.process_hidden", {}),
)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_every_message_survives_the_line(message: Message) -> None:
    line = encode(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == message


def test_a_true_option_stays_true_and_a_one_stays_a_one() -> None:
    request = MeasureRequest("cpu", "x", (("a", True), ("b", 1), ("c", 1.0)))
    decoded = decode(encode(request))
    assert isinstance(decoded, MeasureRequest)
    assert [type(value) for _, value in decoded.options] == [bool, int, float]


def test_text_in_any_language_and_with_line_breaks_is_one_line() -> None:
    failed = Failed("error", "measure.step_failed", {"cause": "内存不足\nü"}, "a\r\nb\u2028c")
    assert decode(encode(failed)) == failed


def test_an_unknown_kind_is_ignored_and_an_unknown_field_too() -> None:
    assert decode(b'{"v":1,"kind":"from the future"}') is None
    assert decode(b'{"v":1,"kind":"progress","stage":"load","step":1,"steps":3,"new":[1]}') == Progress(
        "load", 1, 3
    )


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_version_is_an_error(version: object) -> None:
    with pytest.raises(VersionError) as caught:
        decode(json.dumps({"v": version, "kind": "progress"}).encode())
    assert caught.value.given == version


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (b"", "JSON"),
        (b"hello", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[1]", "object"),
        (b'{"kind":"progress"}', "version"),
        (b'{"v":1,"kind":"progress","stage":"load","step":1}', r"\$\.steps: missing"),
        (b'{"v":1,"kind":"progress","stage":"load","step":1.5,"steps":3}', r"\$\.step: .*whole number"),
        (b'{"v":1,"kind":"progress","stage":"load","step":true,"steps":3}', r"\$\.step"),
        (b'{"v":1,"kind":"progress","stage":7,"step":1,"steps":3}', r"\$\.stage: expected str"),
        (b'{"v":1,"kind":"sample","clock_ns":1,"rss_bytes":"x"}', r"\$\.rss_bytes"),
        (b'{"v":1,"kind":"measure","device":"cpu","optimizer":"x","tensors":[{"shape":3}]}', r"tensors\[0\]"),
        (b'{"v":1,"kind":"measure","device":"cpu","optimizer":"x","options":[["a"]]}', r"options\[0\]"),
        (b'{"v":1,"kind":"measure","device":"cpu","optimizer":"x","attention":"fast"}', r"\$\.attention"),
        (b'{"v":1,"kind":"note","series":"a","key":"b","values":3}', r"\$\.values: expected an object"),
    ],
)
def test_what_is_no_message_is_refused_with_the_place(line: bytes, place: str) -> None:
    with pytest.raises(ProtocolError, match=place):
        decode(line)


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(line: bytes) -> None:
    try:
        message = decode(line)
    except ProtocolError:
        return
    assert message is None or encode(message)


@given(st.integers(0, 1 << 70), st.none() | st.integers(0, 1 << 70))
def test_numbers_of_any_size_are_exact(clock: int, size: int | None) -> None:
    assert decode(encode(Sample(clock, size))) == Sample(clock, size)


def test_what_stands_between_steps_leaves_the_host_and_the_gradients_out() -> None:
    found = Categories(
        weights=4, gradients=4, master_weights=8, optimizer_state=10, optimizer_state_host=2, buffers=1
    )
    assert found.persistent_bytes == 4 + 8 + 10 - 2 + 1


@given(st.integers(0, 1 << 63), *(st.none() | st.integers(0, 1 << 50) for _ in range(3)))
def test_a_sample_is_written_as_any_other_message(
    clock: int, device: int | None, process: int | None, rss: int | None
) -> None:
    sample = Sample(clock, device, process, rss)
    general = {"v": PROTOCOL_VERSION, "kind": "sample", **dataclasses.asdict(sample)}
    assert json.loads(encode(sample)) == general
    assert list(json.loads(encode(sample))) == list(general)
    assert encode(sample).endswith(b"}\n")
