"""Cases from public bug reports that no other test holds, and every file of them on the command line."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.cli.run import main
from tests.checkpoints.builders import codes, refusal, write_raw, write_zip


def test_every_file_on_the_command_line(reference_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Read: exit code 0. Refused: 2 and one line. JSON is JSON either way."""
    seen = {0: 0, 2: 0}
    for path in sorted((reference_data / "cases" / "files").rglob("*")):
        for words in ([], ["--json"]):
            code = main(["inspect", str(path), *words])
            said = capsys.readouterr()
            assert code in seen, path
            assert said.err.count("\n") == (1 if code == 2 else 0), path
            if words:
                assert ("error" in json.loads(said.out)) is (code == 2), path
            seen[code] += 1
    assert min(seen.values()) > 50


def test_a_header_beyond_the_limit_of_the_format_is_refused_unread(tmp_path: Path) -> None:
    """132,095,296 bytes, as a data set of 1.29 million tensors has them."""
    path = tmp_path / "m.safetensors"
    write_raw(path, b'{"a":', 132_095_296, length=132_095_296)
    error = refusal(path)
    assert error.code == "checkpoint.header_too_long"
    assert "100,000,000" in str(error)


def test_an_index_of_half_a_million_tensors_names_what_is_missing(tmp_path: Path) -> None:
    shards = [f"model-{shard:05d}-of-00096.safetensors" for shard in range(1, 97)]
    weight_map = {f"layers.{index}.weight": shards[index % 96] for index in range(500_000)}
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(json.dumps({"metadata": {"total_size": 1000}, "weight_map": weight_map}))
    error = refusal(path)
    assert error.code in ("checkpoint.no_shard_there", "checkpoint.no_shard_promised")
    assert "96" in str(error)


@pytest.mark.parametrize("text", ['{"weight_map":' + "[" * 100_000, '{"weight_map":' + '{"a":' * 100_000])
def test_an_index_nested_without_end_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(text)
    assert refusal(path).code in ("checkpoint.nested_too_deeply", "checkpoint.bad_index")


class _Touch:
    """Would write a file if anything called it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("protocol", range(6))
def test_no_pickle_is_executed(tmp_path: Path, protocol: int) -> None:
    sentinel = tmp_path / "executed"
    pickled = pickle.dumps({"weight": 1, "payload": _Touch(sentinel)}, protocol)
    bare = tmp_path / "bare.pkl"
    bare.write_bytes(pickled)
    refusal(bare)
    assert codes(open_checkpoint(write_zip(tmp_path / "m.pt", pickled)))
    assert not sentinel.exists()
    pickle.loads(pickled)  # noqa: S301  # the other way round: this is what loading would have done
    assert sentinel.exists()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_record_of_any_compression_is_named(tmp_path: Path, method: int) -> None:
    path = tmp_path / "m.pt"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}q\x00." * 50)
    data = bytearray(path.read_bytes())
    for at in range(50, 70):
        data[at] ^= 0xFF
    path.write_bytes(data)
    assert refusal(path).code.startswith(("checkpoint.zip_", "checkpoint.unreadable"))


@pytest.mark.parametrize(
    ("name", "total"),
    [("llama-3.1-70b", 70_553_706_496), ("llama-3.1-8b", 8_030_261_248), ("deepseek-v3", 671_026_419_200)],
)
def test_published_totals_of_configs(reference_data: Path, name: str, total: int) -> None:
    assert open_checkpoint(reference_data / "cases" / "files" / "bigmodels" / name).param_count == total
