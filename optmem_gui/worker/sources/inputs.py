"""What a model of the transformers library is fed: the fields that its kind takes, in the right sizes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from optmem_gui.core.errors import UserError
from optmem_gui.core.requests import MeasureRequest

_DEFAULT_IMAGE = 224
_CHOICES = 4
"""Answers a multiple-choice question has where the config does not say: SWAG's number."""

_MULTIPLE_CHOICE = "ForMultipleChoice"
_PER_SEQUENCE = (
    "ForSequenceClassification",
    "ForImageClassification",
    "ForImageClassificationWithTeacher",
    "ForAudioClassification",
    "ForVideoClassification",
    _MULTIPLE_CHOICE,
)
_PER_TOKEN = ("ForTokenClassification", "ForAudioFrameClassification")
_PER_PIXEL = ("ForSemanticSegmentation",)
_WORDS = (
    "ForCausalLM",
    "ForMaskedLM",
    "LMHeadModel",
    "ForConditionalGeneration",
    "WithLMHead",
    "ForSeq2SeqLM",
    "ForTextToText",
    "MTModel",
    "ForCTC",
)
_PLACES = ("wpe", "position_embeddings", "embed_positions", "position_embedding")
_OTHER_TOWERS = ("vision", "visual", "image", "audio")
"""Parts of a model that tokens do not run through, by their names."""


@dataclass(frozen=True, slots=True)
class Field:
    """One tensor of a batch.

    Attributes:
        name: Keyword of the model's ``forward``.
        shape: Elements, the batch first.
        below: Ids are below this; 0 for floating values, which are in the type of the model.
    """

    name: str
    shape: tuple[int, ...]
    below: int = 0

    def make(self, device: torch.device, dtype: torch.dtype) -> Tensor:
        """A fresh tensor, as a data loader hands it over."""
        if self.below:
            return torch.randint(self.below, self.shape, device=device)
        return torch.randn(self.shape, device=device, dtype=dtype)


def fields_of(model: nn.Module, request: MeasureRequest) -> tuple[Field, ...]:
    """The fields of one micro-batch.

    Raises:
        UserError: It is not known what the class is fed, or the sequence is longer than its positions.
    """
    config: Any = model.config
    name = type(model).__name__
    takes = inspect.signature(model.forward).parameters
    fields = {
        field.name: field for field in (*_inputs(model, takes, request), *_labels(config, name, request))
    }
    if not any(field in takes for field in ("labels", "start_positions")):
        raise UserError("source.no_task", family=name)
    return tuple(field for field in fields.values() if field.name in takes)


def _inputs(
    model: nn.Module, takes: Mapping[str, inspect.Parameter], request: MeasureRequest
) -> tuple[Field, ...]:
    config: Any = model.config
    batch, main = request.batch, str(getattr(model, "main_input_name", "input_ids"))
    if "input_ids" in takes:
        _check_places(model, request.sequence)
        choices: tuple[int, ...] = (_CHOICES,) if type(model).__name__.endswith(_MULTIPLE_CHOICE) else ()
        tokens = Field("input_ids", (batch, *choices, request.sequence), _vocabulary(config))
        needs_image = "pixel_values" in takes and takes["pixel_values"].default is inspect.Parameter.empty
        return (tokens, Field("pixel_values", _pixels(config, batch))) if needs_image else (tokens,)
    if main == "pixel_values":
        return (Field("pixel_values", _pixels(config, batch)),)
    if main == "input_features" and hasattr(config, "num_mel_bins"):
        frames = 2 * getattr(config, "max_source_positions", request.sequence)
        return (Field("input_features", (batch, config.num_mel_bins, frames)),)
    if main == "input_values" and hasattr(config, "max_length") and hasattr(config, "num_mel_bins"):
        return (Field("input_values", (batch, config.max_length, config.num_mel_bins)),)
    if main == "input_values":
        return (Field("input_values", (batch, request.sequence * _samples_a_token(config))),)
    raise UserError("source.no_task", family=type(model).__name__)


def _labels(config: Any, name: str, request: MeasureRequest) -> tuple[Field, ...]:  # noqa: ANN401  # a config
    batch, sequence = request.batch, request.sequence
    classes = max(int(getattr(config, "num_labels", 0) or 0), 2)
    if name.endswith(_PER_SEQUENCE):
        below = _CHOICES if name.endswith(_MULTIPLE_CHOICE) else classes
        return (Field("labels", (batch,), below),)
    if name.endswith(_PER_TOKEN):
        return (Field("labels", (batch, sequence), classes),)
    if name.endswith(_PER_PIXEL):
        return (Field("labels", (batch, *_pixels(config, batch)[-2:]), classes),)
    if name.endswith("ForQuestionAnswering"):
        return (
            Field("start_positions", (batch,), sequence),
            Field("end_positions", (batch,), sequence),
        )
    if name.endswith("ForNextSentencePrediction"):
        return (Field("labels", (batch,), 2),)
    if name.endswith(_WORDS):
        return (Field("labels", (batch, sequence), _vocabulary(config)),)
    raise UserError("source.no_task", family=name)


def _vocabulary(config: Any) -> int:  # noqa: ANN401  # a PretrainedConfig
    text = config.get_text_config()
    return int(getattr(text, "vocab_size", 0) or getattr(config, "vocab_size", 0) or 2)


def _pixels(config: Any, batch: int) -> tuple[int, ...]:  # noqa: ANN401  # a PretrainedConfig
    """[batch, channels, height, width], with a frame axis for video."""
    vision = getattr(config, "vision_config", None) or config
    size = getattr(vision, "image_size", None) or getattr(vision, "input_size", None) or _DEFAULT_IMAGE
    if isinstance(size, Mapping):
        size = (size["height"], size["width"])
    height, width = (size, size) if isinstance(size, int) else (int(size[-2]), int(size[-1]))
    frames = getattr(vision, "num_frames", None)
    channels = int(getattr(vision, "num_channels", 3))
    return (batch, *(() if frames is None else (int(frames),)), channels, height, width)


def _samples_a_token(config: Any) -> int:  # noqa: ANN401  # a PretrainedConfig
    """Audio samples that the convolutions turn into one position."""
    total = 1
    for stride in getattr(config, "conv_stride", ()):
        total *= int(stride)
    return total


def _check_places(model: nn.Module, sequence: int) -> None:
    """A learned position embedding is an end; on a GPU a longer sequence stops in a device-side assert."""
    for name, module in model.named_modules():
        if not isinstance(module, nn.Embedding) or any(tower in name for tower in _OTHER_TOWERS):
            continue
        if name.endswith(_PLACES) and module.num_embeddings < sequence:
            raise UserError("source.too_long", sequence=sequence, positions=module.num_embeddings)


def batch_maker(
    fields: tuple[Field, ...], device: torch.device, dtype: torch.dtype
) -> Callable[[], tuple[Tensor, ...]]:
    """What makes one micro-batch after the other."""
    return lambda: tuple(field.make(device, dtype) for field in fields)
