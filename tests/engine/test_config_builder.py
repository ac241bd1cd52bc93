"""A model built by its own library in a real child, and every way that can go wrong."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.engine.child import Launch
from optmem_gui.engine.config_builder import ConfigBuilder
from optmem_gui.engine.worker_process import child_environment

ROOT = Path(__file__).resolve().parents[2]


def _script(text: str) -> Launch:
    """A worker that only does this."""
    return Launch((sys.executable, "-c", text), child_environment(os.environ), str(ROOT))


def test_a_family_that_is_not_known_here_is_built_by_transformers() -> None:
    config = {
        "model_type": "distilbert",
        "architectures": ["DistilBertForMaskedLM"],
        "torch_dtype": "bfloat16",
        "dim": 32,
        "hidden_dim": 48,
        "n_layers": 1,
        "n_heads": 2,
        "vocab_size": 100,
    }
    report = ConfigBuilder().build(json.dumps(config))
    assert report is not None
    assert report.library.startswith("transformers ")
    assert report.name == "DistilBertForMaskedLM"
    # embedding 100 x 32, positions 512 x 32, norm; four squares and two MLP matrices with biases, two norms;
    # the word predictor: a square and a norm with biases, a bias for each word, its matrix tied
    block = 4 * (32 * 32 + 32) + (32 * 48 + 48) + (48 * 32 + 32) + 2 * 64
    expected = 100 * 32 + 512 * 32 + 64 + block + (32 * 32 + 32) + 64 + 100
    assert sum(_numel(one.shape) for one in report.parameters) == expected
    assert {one.dtype for one in report.parameters} == {"bf16"}
    assert report.tied == (("vocab_projector.weight", "distilbert.embeddings.word_embeddings.weight"),)


def _numel(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def test_a_refusal_of_the_worker_is_the_error() -> None:
    config = {"model_type": "never-heard-of", "auto_map": {"AutoModel": "modeling_mine.Mine"}}
    with pytest.raises(UserError, match=r"never-heard-of brings code of its own \(modeling_mine\.Mine\)"):
        ConfigBuilder().build(json.dumps(config))


def test_a_process_that_dies_tells_its_last_words() -> None:
    worker = _script("import sys; sys.stderr.write('first\\nit hurts\\n'); sys.exit(7)")
    with pytest.raises(UserError, match="it hurts") as caught:
        ConfigBuilder(worker=worker).build("{}")
    assert caught.value.code == "source.no_answer"


def test_a_process_that_dies_in_silence_tells_its_status() -> None:
    with pytest.raises(UserError, match="status 7"):
        ConfigBuilder(worker=_script("import sys; sys.exit(7)")).build("{}")


def test_words_of_a_library_are_no_answer() -> None:
    answer = '{"v":1,"kind":"described","library":"l 1","name":"M","parameters":[]}'
    worker = _script(f"print('loading...'); print('{{not json'); print('{answer}')")
    report = ConfigBuilder(worker=worker).build("{}")
    assert report is not None
    assert (report.library, report.name, report.parameters) == ("l 1", "M", ())


def test_another_programs_version_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        ConfigBuilder(worker=_script('print(\'{"v":99,"kind":"described"}\')')).build("{}")
    assert caught.value.code == "measure.wrong_version"


def test_a_python_that_is_not_there() -> None:
    with pytest.raises(UserError) as caught:
        ConfigBuilder("/no/such/python").build("{}")
    assert caught.value.code == "measure.no_python"


def test_a_child_that_says_nothing_is_stopped() -> None:
    with pytest.raises(UserError) as caught:
        ConfigBuilder(worker=_script("import time; time.sleep(3600)"), longest_s=0.3).build("{}")
    assert caught.value.code == "source.silent"


def test_a_wish_to_stop_ends_the_child() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    builder = ConfigBuilder(worker=_script("import time; time.sleep(3600)"))
    assert builder.build("{}", stop.is_set) is None
