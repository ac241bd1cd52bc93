"""Megatron-LM's own recorded peaks, as scenarios of this program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from optmem_gui.core.estimate import compute
from optmem_gui.core.model import Source
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import transformer_ref
from optmem_gui.core.transformer import TransformerShape

_FILE = Path(__file__).parent / "data" / "megatron_golden.json"


@dataclass(frozen=True, slots=True)
class Golden:
    """One recorded run.

    Attributes:
        source: Recipe and record.
        recorded_bytes: ``mem-max-allocated-bytes`` of the last rank, the one that logs.
        said_bytes: What the program says for that rank.
    """

    source: str
    recorded_bytes: int
    said_bytes: int

    @property
    def error(self) -> float:
        """(said - recorded) / recorded."""
        return (self.said_bytes - self.recorded_bytes) / self.recorded_bytes


@lru_cache
def read() -> dict[str, Any]:
    """The file of records."""
    found: dict[str, Any] = json.loads(_FILE.read_text())
    return found


def rows() -> Iterator[Golden]:
    """Every record whose recipe gives all inputs."""
    for row in read()["rows"]:
        last = compute(scenario_of(row)).ranks[-1]
        yield Golden(row["source"], row["peak_bytes"], last.peak_bytes)


def scenario_of(row: dict[str, Any]) -> Scenario:
    """A recipe; what it leaves out has Megatron-LM's default (dropout 0.1, learned positions, tied head)."""
    hidden, heads, layers = row["hidden_size"], row["num_attention_heads"], row["num_layers"]
    tp, pp = row["tensor_model_parallel_size"], row.get("pipeline_model_parallel_size", 1)
    cp, gpus = row.get("context_parallel_size", 1), row["gpus"]
    shape = TransformerShape(
        vocab=read()["vocabulary"],
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=heads,
        head_dim=hidden // heads,
        ffn=4 * hidden,
        gated=bool(row.get("swiglu")),
        norm="layer",
        biases=not row.get("disable_bias_linear"),
        tied_head=not row.get("untie_embeddings_and_output_weights"),
        positions=0 if row.get("position_embedding_type") == "rope" else row["seq_length"],
        dropout=float(row.get("hidden_dropout", 0.1)),
    )
    chunk = row.get("num_layers_per_virtual_pipeline_stage", layers // pp)
    plain = row.get("attention_backend") == "unfused" or row.get("transformer_impl") == "local"
    batch = row["micro_batch_size"]
    return Scenario(
        transformer_ref("GPT", Source.CONFIG, shape),
        precision="megatron-bf16",
        batch=batch,
        sequence=row["seq_length"],
        checkpointing="full" if row.get("recompute_granularity") == "full" else "none",
        attention="eager" if plain else "auto",
        accumulate=row["global_batch_size"] * tp * pp * cp // (batch * gpus),
        parallel=Parallel(
            gpus=gpus,
            shard="megatron" if row.get("use_distributed_optimizer") else "ddp",
            tp=tp,
            pp=pp,
            cp=cp,
            interleave=row.get("num_virtual_stages_per_pipeline_rank", layers // pp // chunk),
            stages=_stages(row, layers, pp),
            sequence_parallel=bool(row.get("sequence_parallel")) and tp > 1,
        ),
    )


def _stages(row: dict[str, Any], layers: int, pp: int) -> tuple[int, ...]:
    """Layers of every stage where the recipe splits them unevenly.

    Source: ``megatron/core/transformer/transformer_block.py`` ``get_num_layers_to_build``: the first and the
    last stage as given and the rest evenly; or embedding and loss counted as a layer each.
    """
    first: int | None = row.get("decoder_first_pipeline_num_layers")
    last: int | None = row.get("decoder_last_pipeline_num_layers")
    if first is not None and last is not None:
        return (first, *((layers - first - last) // (pp - 2),) * (pp - 2), last)
    embedding = int(row.get("account_for_embedding_in_pipeline_split", False))
    loss = int(row.get("account_for_loss_in_pipeline_split", False))
    if not embedding + loss:
        return ()
    each = (layers + embedding + loss) // pp
    return (each - embedding, *(each,) * (pp - 2), each - loss)
