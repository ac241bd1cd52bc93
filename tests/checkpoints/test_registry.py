"""Readers are imported when they are asked; what is declared of them is what their modules say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from optmem_gui.checkpoints.registry import FOLDER_READERS, READERS
from tests.checkpoints.builders import write_safetensors


def test_every_reader_that_is_imported_late_exists() -> None:
    """Each is asked once, with a file and a folder that are nothing."""
    for reader in READERS:
        assert callable(reader.read)
        assert reader.sniff(b"", Path("nothing.xyz")) is False
    for whole in FOLDER_READERS:
        assert whole.sniff((), ()) is False


@pytest.mark.parametrize("reader", [r for r in READERS if r.suffixes], ids=lambda reader: reader.id)
def test_a_reader_takes_the_names_it_is_listed_with(reader: object) -> None:
    listed = getattr(reader, "suffixes")  # noqa: B009  # a plain object for the parametrisation
    by_content = ("torch-zip", "torch-legacy")
    for suffix in listed if getattr(reader, "id") not in by_content else ():  # noqa: B009  # the same
        assert reader.sniff(bytes(64), Path(f"model{suffix}"))  # type: ignore[attr-defined]  # values of a table of cases


@pytest.mark.parametrize("kind", ["torch", "safetensors"])
def test_what_is_opened_most_imports_no_reader_of_another_program(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "model"
    if kind == "torch":
        torch.save({"w": torch.zeros(3)}, path)
    else:
        path = write_safetensors(tmp_path / "x.safetensors", {"w": ("F32", [3])})
    others = (
        "keras_files flax_files tensorflow numpy_files onnx gguf orbax deepspeed megatron optimizer_match"
    )
    script = (
        "import sys; from pathlib import Path; from optmem_gui.checkpoints.opening import open_checkpoint;"
        f"open_checkpoint(Path({str(path)!r}));"
        f"print([n for n in {others!r}.split() if 'optmem_gui.checkpoints.' + n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
