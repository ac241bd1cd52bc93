"""The closed form of BERT and RoBERTa with their heads against the models of transformers, whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch

from optmem_gui.core.estimate import compute
from optmem_gui.core.scenario import Lora
from tests.core.network_oracle import SCALARS, TYPES, Case, estimated, measured, saved_bytes

BATCH, TOKENS = 2, 32
SMALL: dict[str, Any] = {
    "vocab_size": 128,
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "intermediate_size": 160,
    "num_attention_heads": 4,
    "max_position_embeddings": 48,
    "num_labels": 3,
    "pad_token_id": 1,
}


def text(kind: str, head: str, **fields: Any) -> Case:
    """A small model of this class."""
    family = {"Bert": "bert", "Roberta": "roberta"}[kind]
    config = {"model_type": family, "architectures": [f"{kind}{head}"], **SMALL, **fields}
    ids = torch.randint(2, 128, (BATCH, TOKENS))
    labels = {
        "ForMaskedLM": ids.clone(),
        "ForSequenceClassification": torch.randint(3, (BATCH,)),
        "ForTokenClassification": torch.randint(3, (BATCH, TOKENS)),
    }
    return Case(config, {"input_ids": ids, "labels": labels[head]}, TOKENS)


HEADS = ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification")
PLAIN: dict[str, Any] = {
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "hidden_act": "gelu_new",
    "tie_word_embeddings": False,
}
CASES: dict[str, Case] = {
    **{f"{kind}{head}": text(kind, head) for kind, head in product(("Bert", "Roberta"), HEADS)},
    "untied, no dropout": text("Bert", "ForMaskedLM", **PLAIN),
    "seven layers": text("Bert", "ForMaskedLM", num_hidden_layers=7),
    "relu": text("Bert", "ForSequenceClassification", hidden_act="relu", classifier_dropout=0.0),
}


@pytest.mark.parametrize("precision", list(TYPES))
@pytest.mark.parametrize("attention", ["auto", "eager"])
@pytest.mark.parametrize("name", list(CASES))
def test_what_is_saved_is_what_autograd_saves(name: str, attention: str, precision: str) -> None:
    scenario = CASES[name].scenario(precision=precision, attention=attention)
    found = estimated(scenario)
    assert found.saved_bytes + found.autocast_bytes == saved_bytes(CASES[name], scenario)
    assert sum(item.bytes for item in found.items) == found.saved_bytes + found.autocast_bytes


ROWS = [
    *product(("BertForMaskedLM",), ("fp32", "bf16", "amp-bf16"), ("auto", "eager"), ("none", "full")),
    *product(
        ("RobertaForSequenceClassification", "BertForTokenClassification"), ("fp32",), ("auto",), ("none",)
    ),
    ("BertForSequenceClassification", "amp-bf16", "eager", "full"),
    ("untied, no dropout", "fp32", "auto", "full"),
    *product(("seven layers",), ("amp-bf16",), ("auto",), ("none", "full")),
]


@pytest.mark.parametrize(("name", "precision", "attention", "checkpointing"), ROWS)
def test_course_is_that_of_the_allocator(
    name: str, precision: str, attention: str, checkpointing: str
) -> None:
    scenario = CASES[name].scenario(precision=precision, attention=attention, checkpointing=checkpointing)
    found, real = estimated(scenario), measured(CASES[name], scenario)
    assert abs(found.saved_bytes + found.autocast_bytes - real.saved) <= SCALARS
    assert abs(found.peak("forward").total_bytes - real.forward) <= SCALARS
    assert abs(found.peak("backward").total_bytes - real.backward) <= SCALARS


def test_frozen_encoder_keeps_nothing_of_its_layers() -> None:
    """Only the classifier is trained.

    Kept are 2 x 64 numbers that it multiplies, 2 x 3 log-probabilities, two numbers of the loss, 2 labels and
    2 x 32 tokens.
    """
    scenario = CASES["BertForSequenceClassification"].scenario(precision="fp32")
    groups = tuple(replace(group, trainable=group.leaf == "classifier") for group in scenario.model.groups)
    found = estimated(replace(scenario, model=replace(scenario.model, groups=groups)))
    assert found.saved_bytes == 4 * (2 * 64 + 2 * 3 + 2) + 8 * (2 + 2 * 32)


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"sequence": 49}, "network.too_long"),
        ({"checkpointing": "every-2"}, "network.whole_blocks"),
        ({"lora": Lora(rank=4, targets=("query",))}, "network.no_adapters"),
    ],
)
def test_what_has_no_rule_is_not_counted(fields: dict[str, Any], key: str) -> None:
    scenario = replace(CASES["BertForMaskedLM"].scenario(precision="fp32"), **fields)
    found = compute(scenario)
    assert key in [reason.key for reason in found.assumptions]
    row = next(row for row in found.components if row.id == "activations")
    assert (row.counted, row.why.key) == (False, key)


def test_layers_that_are_trained_in_part_are_not_counted() -> None:
    scenario = CASES["BertForMaskedLM"].scenario(precision="fp32")
    groups = []
    for group in scenario.model.groups:
        half = replace(group, trainable=False, count=group.count // 2)
        groups += [half, replace(group, count=group.count - half.count)] if group.leaf == "query" else [group]
    found = compute(replace(scenario, model=replace(scenario.model, groups=tuple(groups))))
    assert "network.unlike_parts" in [reason.key for reason in found.assumptions]


@pytest.mark.parametrize("architecture", ["BertModel", "BertForQuestionAnswering"])
def test_a_class_without_a_rule_has_no_dimensions(architecture: str) -> None:
    config = {**CASES["BertForMaskedLM"].config, "architectures": [architecture]}
    assert not Case(config, {}, TOKENS).model.is_known
