"""``CUDA_VISIBLE_DEVICES`` read as torch reads it."""

from __future__ import annotations

import os
from unittest.mock import patch

import torch.cuda
from hypothesis import example, given
from hypothesis import strategies as st

from optmem_gui.engine.devices import Device, Devices, visible_devices

UUIDS = ("GPU-aa11-01", "GPU-bb22-02", "GPU-bb33-03", "GPU-af7b61d8-04")
GPUS = tuple(Device(uuid, "NVIDIA L4", 24 << 30, 20 << 30) for uuid in UUIDS)

_WORDS = "0|1|2|3|4|-1| 1|x||1gpu|GPU-|GPU-aa|GPU-bb|GPU-bb2|GPU-af7b61d8|MIG-1"
entries = st.sampled_from((*_WORDS.split("|"), *UUIDS))


def by_torch(text: str) -> list[str]:
    """Torch's own reading, with the driver's list of UUIDs in place of a driver."""
    with patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": text}):
        parsed = torch.cuda._parse_visible_devices()
    names = [entry for entry in parsed if isinstance(entry, str)]
    if names:
        ordinals = torch.cuda._transform_uuid_to_ordinals(names, list(UUIDS))
    else:
        ordinals = [entry for entry in parsed if isinstance(entry, int)]
    shown = []
    for ordinal in ordinals:
        if ordinal >= len(UUIDS):
            break  # the driver ends the list at a number that it does not have
        shown.append(UUIDS[ordinal])
    return shown


@given(st.lists(entries, max_size=4).map(",".join))
@example("2,3")
@example("1,1")
@example("")
@example("-1")
@example("GPU-af7b61d8")
@example("GPU-aa11-01,GPU-aa")
@example("0,GPU-bb22-02")
@example("GPU-bb22-02,0")
def test_what_is_visible_is_what_torch_sees(text: str) -> None:
    assert [gpu.id for gpu in visible_devices(GPUS, text)] == by_torch(text)


def test_a_shortened_uuid_names_a_device_when_it_is_the_only_one() -> None:
    devices = Devices(GPUS, Device("cpu", "CPU", 1, 1), None)
    assert devices.find("GPU-af7b") == GPUS[3]
    assert devices.find("GPU-bb") is None
    assert devices.find("GPU-bb22-02") == GPUS[1]
    assert devices.find("c") is None
