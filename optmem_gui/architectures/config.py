"""A Hugging Face ``config.json`` as dimensions and tensors.

A family is one entry of :data:`optmem_gui.architectures.families.FAMILIES`. What a config says is read
with the defaults that transformers 5.24 gives the same class; a number that is missing or no number is
refused by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from optmem_gui.architectures.families import DECODER_TASKS, DECODERS, FAMILIES
from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import Layout
from optmem_gui.core.dtypes import BF16, F16, F32, DType
from optmem_gui.core.model import ModelSpec, ParameterTensor, Source
from optmem_gui.core.networks import Network
from optmem_gui.core.reasons import Reason
from optmem_gui.core.transformer import TransformerShape

_DTYPES: dict[str, DType] = {"float32": F32, "bfloat16": BF16, "float16": F16}
_TIED_BY_DEFAULT = frozenset(
    (
        *("bart", "bert", "bloom", "cohere", "cohere2", "falcon", "gemma", "gemma2", "gemma3", "gemma3_text"),
        *("gpt2", "gpt_bigcode", "gpt_neo", "mpt", "opt", "roberta", "smollm3", "starcoder2", "t5", "mt5"),
        *("umt5", "whisper", "xlm-roberta"),
    )
)
"""Families whose config leaves ``tie_word_embeddings`` out when it is true (transformers 4 and 5)."""

TEXT_PART_ONLY = "config.text_part_only"
"""Only the language model of a config with several parts is described."""

_PARTIAL = (TEXT_PART_ONLY, "config.next_token_module")


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a config tells about a model.

    Attributes:
        family: The ``model_type``, of the text part where there are several parts that are not known.
        layout: Its parameters and buffers; None for a family, or a class of it, that is not known.
        dtype: Type the weights are saved in.
        tied_head: The class ties the head to the token embedding.
        warnings: What is not counted.
    """

    family: str
    layout: Layout | None
    dtype: DType
    tied_head: bool = False
    warnings: tuple[Reason, ...] = ()

    @property
    def shape(self) -> TransformerShape | None:
        """Dimensions that activations follow from; None where the program has no rule for them."""
        return None if self.layout is None else self.layout.shape

    @property
    def network(self) -> Network | None:
        """The same of what is no decoder."""
        return None if self.layout is None else self.layout.network

    @property
    def partial(self) -> bool:
        """Whether the checkpoint holds parts that are not described here."""
        return any(reason.key in _PARTIAL for reason in self.warnings)

    def model(self, title: str, path: str | None = None) -> ModelSpec | None:
        """The model the config describes; None for a family that is not known."""
        if self.layout is None:
            return None
        return ModelSpec(
            title,
            Source.CONFIG,
            tuple(
                ParameterTensor(r.name, r.shape, self.dtype, r.role, r.trainable) for r in self.layout.rows
            ),
            buffers=self.layout.buffers,
            tied=self.layout.tied,
            architecture=self.layout.shape,
            path=path,
            idle_count=_idle_count(self.layout),
            network=self.layout.network,
        )


def describes_model(config: Mapping[str, Any]) -> bool:
    """Whether a JSON object says which class it is the config of."""
    return "model_type" in config or "_class_name" in config


def read_config(config: Mapping[str, Any], file: str) -> Architecture:
    """Understand a config.

    Args:
        config: The parsed file.
        file: What to call it in an error.

    Raises:
        UserError: A known family whose numbers are missing or impossible.
    """
    values, warnings = _text_part(config)
    family = _name(values)
    dtype = _dtype(values, config)
    tied_head = values.get("tie_word_embeddings", family in _TIED_BY_DEFAULT) is True
    layout = _layout(family, Fields(values, file))
    if layout is None:
        reason = Reason("config.unknown_family", {"family": family})
        return Architecture(family, None, dtype, tied_head, (*warnings, reason))
    if layout.apart_count:
        said = Reason("config.next_token_module", {"family": family, "count": layout.apart_count})
        warnings = (*warnings, said)
    if layout.shape is None and layout.network is None:
        warnings = (*warnings, Reason("config.no_activations", {"family": family}))
    elif layout.text_only:
        warnings = (*warnings, Reason("config.text_activations_only", {"family": family}))
    return Architecture(family, layout, dtype, tied_head, warnings)


def _layout(family: str, fields: Fields) -> Layout | None:
    build = FAMILIES.get(family)
    if build is None or (family in DECODERS and fields.task() not in DECODER_TASKS):
        return None
    return build(fields)


def _idle_count(layout: Layout) -> int:
    """Elements of routed experts that one token does not visit; shared experts are visited by all."""
    if layout.routing is None:
        return 0
    used, experts = layout.routing
    routed = sum(prod(row.shape) for row in layout.rows if ".experts." in row.name)
    return routed - routed * used // experts


def _text_part(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[Reason, ...]]:
    """The language model inside a multimodal config that is not known as a whole, from ``text_config``."""
    inner = config.get("text_config")
    if _name(config) in FAMILIES or not isinstance(inner, dict):
        return config, ()
    if "hidden_size" in config or "n_embd" in config:
        return config, ()
    outer = {"tie_word_embeddings": config["tie_word_embeddings"]} if "tie_word_embeddings" in config else {}
    reason = Reason(TEXT_PART_ONLY, {"family": _name(config)})
    return {**outer, **inner}, (reason,)


def _name(config: Mapping[str, Any]) -> str:
    """The ``model_type``, or the class that diffusers names, fit for one line of a message."""
    text = str(config.get("model_type", config.get("_class_name", "?")))[:60]
    return "".join(char if char.isprintable() else "?" for char in text)


def _dtype(*configs: Mapping[str, Any]) -> DType:
    for config in configs:
        for key in ("dtype", "torch_dtype"):
            name = config.get(key)
            if isinstance(name, str) and name.removeprefix("torch.") in _DTYPES:
                return _DTYPES[name.removeprefix("torch.")]
    return F32
