"""A Hugging Face ``config.json`` as dimensions and tensors.

A family is one entry of :data:`optmem_gui.architectures.families.FAMILIES`. What a config says is read
with the defaults that transformers 5.24 gives the same class; a number that is missing or no number is
refused by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from optmem_gui.architectures.families import FAMILIES
from optmem_gui.architectures.fields import Fields
from optmem_gui.core.dtypes import BF16, F16, F32, DType
from optmem_gui.core.model import ModelSpec, ParameterTensor, Source
from optmem_gui.core.reasons import Reason
from optmem_gui.core.transformer import TransformerShape

_DTYPES: dict[str, DType] = {"float32": F32, "bfloat16": BF16, "float16": F16}
_TIED_BY_DEFAULT = frozenset(("gpt2", "opt", "bloom", "gemma", "gemma2", "gemma3", "gemma3_text", "falcon"))
"""Families whose config leaves ``tie_word_embeddings`` out when it is true (transformers 4 and 5)."""

_ROUTED = {
    "mixtral": ("num_local_experts", 2),
    "qwen3_moe": ("num_experts", 8),
    "gpt_oss": ("num_local_experts", 4),
    "deepseek_v3": ("n_routed_experts", 8),
}
"""Field that counts the experts, and how many a token visits where the config leaves it out."""

_PARTIAL = ("config.text_part_only", "config.next_token_module")


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a config tells about a model.

    Attributes:
        family: The ``model_type``, of the text part where there are several parts.
        shape: Dimensions that activations follow from; None where the program has no rule for them.
        tensors: Builds every parameter in a given type; None for a family that is not known.
        dtype: Type the weights are saved in.
        tied_head: The class ties the head to the token embedding.
        warnings: What is not counted.
        routing: Experts a token visits and experts there are, in models that have some.
    """

    family: str
    shape: TransformerShape | None
    tensors: Callable[[DType], tuple[ParameterTensor, ...]] | None
    dtype: DType
    tied_head: bool = False
    warnings: tuple[Reason, ...] = ()
    routing: tuple[int, int] | None = None

    @property
    def partial(self) -> bool:
        """Whether the checkpoint holds parts that are not described here."""
        return any(reason.key in _PARTIAL for reason in self.warnings)

    def model(self, title: str, path: str | None = None) -> ModelSpec | None:
        """The model the config describes; None for a family that is not known."""
        if self.tensors is None:
            return None
        tensors = self.tensors(self.dtype)
        idle = _idle_count(tensors, self.routing)
        return ModelSpec(title, Source.CONFIG, tensors, architecture=self.shape, path=path, idle_count=idle)


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
    build = FAMILIES.get(family)
    if build is None:
        reason = Reason("config.unknown_family", {"family": family})
        return Architecture(family, None, None, dtype, tied_head, (*warnings, reason))
    shape, tensors = build(Fields(values, file))
    if isinstance(values.get("num_nextn_predict_layers"), int) and values["num_nextn_predict_layers"]:
        warnings = (*warnings, Reason("config.next_token_module", {"family": family}))
    if shape is None:
        warnings = (*warnings, Reason("config.no_activations", {"family": family}))
    routing = _routing(family, Fields(values, file))
    return Architecture(family, shape, tensors, dtype, tied_head, warnings, routing)


def _routing(family: str, fields: Fields) -> tuple[int, int] | None:
    """How many of how many experts a token visits."""
    known = _ROUTED.get(family)
    if known is None:
        return None
    experts, used = fields.count(known[0]), fields.count("num_experts_per_tok", known[1])
    return min(used, experts), experts


def _idle_count(tensors: Iterable[ParameterTensor], routing: tuple[int, int] | None) -> int:
    """Elements of routed experts that one token does not visit; shared experts are visited by all."""
    if routing is None:
        return 0
    used, experts = routing
    routed = sum(tensor.numel for tensor in tensors if ".experts." in tensor.name)
    return routed - routed * used // experts


def _text_part(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[Reason, ...]]:
    """The language model inside a multimodal config, which nests it in ``text_config``."""
    inner = config.get("text_config")
    if not isinstance(inner, dict) or "hidden_size" in config or "n_embd" in config:
        return config, ()
    outer = {"tie_word_embeddings": config["tie_word_embeddings"]} if "tie_word_embeddings" in config else {}
    reason = Reason("config.text_part_only", {"family": _name(config)})
    return {**outer, **inner}, (reason,)


def _name(config: Mapping[str, Any]) -> str:
    """The ``model_type``, fit for one line of a message."""
    text = str(config.get("model_type", "?"))[:60]
    return "".join(char if char.isprintable() else "?" for char in text)


def _dtype(*configs: Mapping[str, Any]) -> DType:
    for config in configs:
        for key in ("dtype", "torch_dtype"):
            name = config.get(key)
            if isinstance(name, str) and name.removeprefix("torch.") in _DTYPES:
                return _DTYPES[name.removeprefix("torch.")]
    return F32
