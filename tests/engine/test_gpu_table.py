"""The table of GPUs against the readings it was made from, and how one is found in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.units import GIB, MIB
from optmem_gui.engine.gpu_table import find_gpu, load_gpus, match_gpu


def test_totals_are_the_ones_that_were_read(reference_data: Path) -> None:
    readings = json.loads((reference_data / "facts" / "gpus.json").read_text(encoding="utf-8"))["gpus"]
    read = {(row["nvml_name"], row["total_mib"]) for row in readings if row["total_mib"] is not None}
    assert {(gpu.nvml_name, gpu.total_mib) for gpu in load_gpus().values()} == read


def test_a_reserve_lies_within_its_readings(reference_data: Path) -> None:
    readings = json.loads((reference_data / "facts" / "gpus.json").read_text(encoding="utf-8"))["gpus"]
    by_key = {(row["nvml_name"], row["total_mib"]): row for row in readings}
    for gpu in load_gpus().values():
        reserved = [round(r["mib"]) for r in by_key[gpu.nvml_name, gpu.total_mib]["reserved_readings"]]
        if reserved:
            assert gpu.reserve_mib == max(reserved), gpu.id


def test_h100_matches_its_published_total() -> None:
    # NVML total of an H100 80GB HBM3: 85,520,809,984 bytes, printed as 81559 MiB (79.65 GiB).
    gpu = find_gpu("h100-80gb")
    assert gpu.total_mib == 85_520_809_984 // MIB == 81_559
    assert gpu.reserve_read
    assert f"{gpu.usable_bytes / GIB:.1f}" == "79.1"


def test_ids_and_keys_are_unique() -> None:
    gpus = load_gpus().values()
    assert len({(gpu.nvml_name, gpu.total_mib) for gpu in gpus}) == len({gpu.id for gpu in gpus}) == len(gpus)
    assert all(0 <= gpu.reserve_mib < gpu.total_mib / 20 for gpu in gpus)


@pytest.mark.parametrize(
    "given", ["rtx-4090", "RTX 4090", "GeForce RTX 4090", "NVIDIA GeForce RTX 4090", " rtx  4090 "]
)
def test_one_gpu_goes_by_several_names(given: str) -> None:
    assert find_gpu(given).id == "rtx-4090"


def test_a_name_that_stands_for_two_sizes_is_refused_with_both() -> None:
    with pytest.raises(UserError, match="rtx-3080-10gb, rtx-3080-12gb"):
        find_gpu("NVIDIA GeForce RTX 3080")


@pytest.mark.parametrize("given", ["h100", "rtx4090", "", "a toaster"])
def test_an_unknown_gpu_is_one_line_with_near_ids(given: str) -> None:
    with pytest.raises(UserError) as refused:
        find_gpu(given)
    assert refused.value.code == "gpu.unknown"
    known = str(refused.value.reason.values["known"]).split(", ")
    assert set(known) <= set(load_gpus())
    assert "\n" not in str(refused.value)


def test_a_present_device_is_matched_by_name_and_total() -> None:
    twelve = match_gpu("NVIDIA GeForce RTX 3080", 12_288)
    assert twelve is not None
    assert twelve.id == "rtx-3080-12gb"
    assert match_gpu("NVIDIA GeForce RTX 3080", 20_480) is None
    assert match_gpu("Tesla V100-PCIE-32GB", 32_768) == find_gpu("v100-32gb")


def test_cudas_smaller_total_still_names_the_gpu() -> None:
    # torch on Linux prints 79.22 GiB = 81121 MiB for an H100 80GB HBM3 of 81559 MiB.
    assert match_gpu("NVIDIA H100 80GB HBM3", 81_121) == find_gpu("h100-80gb")


CORES_PER_SM = {
    "sm_37": 192,
    "sm_60": 64,
    "sm_61": 128,
    "sm_70": 64,
    "sm_75": 64,
    "sm_80": 64,
    "sm_86": 128,
    "sm_89": 128,
    "sm_90": 128,
    "sm_120": 128,
}


def test_multiprocessors_have_a_source_and_follow_from_the_cores_it_names() -> None:
    for gpu in load_gpus().values():
        assert (gpu.sm_count is None) == (gpu.sm_source == ""), gpu.id
        cores, named, _ = gpu.sm_source.partition(" CUDA cores")
        if named:
            assert gpu.sm_count is not None
            assert gpu.sm_count * CORES_PER_SM[gpu.architecture] == int(cores.replace(",", "")), gpu.id
        if gpu.sm_count is not None:
            assert gpu.threads_per_sm is not None, gpu.id


@pytest.mark.parametrize(
    ("gpu_id", "count", "threads"),
    [
        ("a100-80gb", 108, 2048),
        ("h100-80gb", 132, 2048),
        ("rtx-4090", 128, 1536),
        ("t4", 40, 1024),
        ("quadro-rtx-6000", 72, 1024),
        ("b200", 148, 2048),
        ("b300", None, 2048),
    ],
)
def test_multiprocessors_of_well_known_gpus(gpu_id: str, count: int | None, threads: int) -> None:
    gpu = find_gpu(gpu_id)
    assert (gpu.sm_count, gpu.threads_per_sm) == (count, threads)
