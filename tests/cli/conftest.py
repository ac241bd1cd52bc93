"""Run the command line in this process and look at everything it said."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from optmem_gui.cli.run import main


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output read as JSON."""
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one line of a refusal."""
        assert self.code == 2, self
        assert self.err.count("\n") == 1, self.err
        assert self.err.startswith("optmem: ")
        return self.err


Optmem = Callable[..., Answer]


@pytest.fixture
def optmem(capsys: pytest.CaptureFixture[str]) -> Optmem:
    """Call it as ``optmem("estimate", "--params", "7B")``."""

    def run(*words: object) -> Answer:
        capsys.readouterr()
        code = main([str(word) for word in words])
        said = capsys.readouterr()
        return Answer(code, said.out, said.err)

    return run


@pytest.fixture
def llama_config(tmp_path: Path) -> Path:
    """A ``config.json``: two layers of width 64, a vocabulary of 96, no tied weights."""
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "vocab_size": 96,
    }
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    return file


def words_as_id(value: object) -> str | None:
    """Names a case by its words; what is expected of it stays out of the name."""
    return " ".join(value) or "nothing" if isinstance(value, tuple) else ""
