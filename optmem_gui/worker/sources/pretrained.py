"""Models of the ``transformers`` library from the text of a ``config.json``: no weights, no code of others.

The config class of the library reads the text, and the class that its ``architectures`` names is built from
it. A config that brings code of its own (``auto_map``) runs only where the library knows the architecture
itself, as its own loaders do without ``trust_remote_code``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import torch
from torch import nn

from optmem_gui.core.errors import UserError
from optmem_gui.core.scenario import Attention
from optmem_gui.worker.job import default_dtype

_TASKS = (
    "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES",
    "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES",
    "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES",
    "MODEL_FOR_CTC_MAPPING_NAMES",
)
"""Tasks to train a bare model for, the first that knows it; an encoder-decoder is tried from the third on."""

_FIRST_OF_ENCODER_DECODER = 2
_MOST_CHARACTERS = 200


def load_library() -> ModuleType:
    """The transformers library of this Python.

    Raises:
        UserError: It is not installed, or does not load.
    """
    try:
        import transformers  # noqa: PLC0415  # half a second, and not everyone has it
    except ImportError as error:
        raise UserError("source.no_transformers", cause=_short(error)) from error
    transformers.utils.logging.set_verbosity_error()
    return transformers  # type: ignore[no-any-return]  # the library has no types for its lazy module


def read_config(text: str) -> Any:  # noqa: ANN401  # a PretrainedConfig of a library that may be missing
    """The library's config object of a ``config.json``.

    Args:
        text: The file's content.

    Raises:
        UserError: The library is missing, does not know the architecture, or refuses a value.
    """
    library = load_library()
    data = json.loads(text)
    if not isinstance(data, dict):
        raise UserError("source.no_config")
    family = str(data.get("model_type", ""))[:60]
    if family not in library.CONFIG_MAPPING:
        code = _own_code(data)
        if code:
            raise UserError("source.own_code", family=family or "?", code=code)
        raise UserError("source.unknown_family", family=family or "?", version=library.__version__)
    wanted = {name: value for name, value in data.items() if name not in ("auto_map", "quantization_config")}
    try:
        return library.CONFIG_MAPPING[family].from_dict(wanted)
    except Exception as error:
        raise UserError("source.config_refused", family=family, cause=_short(error)) from error


def _own_code(data: Mapping[str, Any]) -> str:
    found = data.get("auto_map")
    return ", ".join(sorted(map(str, found.values())))[:_MOST_CHARACTERS] if isinstance(found, dict) else ""


def model_class(config: Any) -> Any:  # noqa: ANN401  # a PretrainedConfig gives a subclass of PreTrainedModel
    """The class that the config names; for a bare model the one that trains it.

    Raises:
        UserError: The library has no such class, or none that computes a loss for it.
    """
    library = load_library()
    named = (getattr(config, "architectures", None) or [""])[0]
    found = getattr(library, named, None) if named.isidentifier() else None
    if named and not _is_model(found, library):
        raise UserError("source.unknown_family", family=named[:60], version=library.__version__)
    if named and not named.endswith(("Model", "Encoder")):
        return found
    auto = library.models.auto.modeling_auto
    start = _FIRST_OF_ENCODER_DECODER if getattr(config, "is_encoder_decoder", False) else 0
    tasks = [task for task in _TASKS[start:] if config.model_type in getattr(auto, task, {})]
    if len(tasks) > 1 and getattr(config, "is_decoder", False):
        tasks = [task for task in tasks if "CAUSAL" in task]
    if not tasks:
        raise UserError("source.no_task", family=named or config.model_type)
    name = getattr(auto, tasks[0])[config.model_type]
    return getattr(library, name if isinstance(name, str) else name[0])


def _is_model(found: object, library: ModuleType) -> bool:
    return isinstance(found, type) and issubclass(found, library.PreTrainedModel)


def make_model(
    config: Any,  # noqa: ANN401  # a PretrainedConfig
    dtype: torch.dtype,
    device: torch.device,
    attention: Attention = "auto",
    checkpointing: str = "none",
) -> nn.Module:
    """Build the model with fresh weights, ready to train.

    Args:
        config: From :func:`read_config`; changed: no key-value cache while training.
        dtype: Type of its weights.
        device: Where they are.
        attention: ``eager``, or a kernel of scaled dot product attention.
        checkpointing: ``none`` or ``full``; the library recomputes whole blocks.

    Raises:
        UserError: The library cannot build it so.
    """
    chosen = model_class(config)
    wanted: dict[str, Any] = {"dtype": dtype}
    if attention != "auto":
        wanted["attn_implementation"] = "eager" if attention == "eager" else "sdpa"
    config.use_cache = False
    if (
        getattr(config, "is_encoder_decoder", False)
        and getattr(config, "decoder_start_token_id", None) is None
    ):
        config.decoder_start_token_id = getattr(config, "pad_token_id", None) or 0
    try:
        config.get_text_config().use_cache = False
        with default_dtype(dtype), torch.device(device):
            model: nn.Module = chosen._from_config(config, **wanted)  # noqa: SLF001  # the library's entry
    except (ValueError, TypeError, KeyError, AttributeError, ImportError, RuntimeError) as error:
        raise UserError("source.config_refused", family=chosen.__name__, cause=_short(error)) from error
    _recompute(model, checkpointing)
    return model.train()


def _recompute(model: nn.Module, checkpointing: str) -> None:
    """Recompute every block in backward, with the settings of torch's own recommendation."""
    if checkpointing == "none":
        return
    if checkpointing not in ("full", "every-1"):
        raise UserError("source.whole_blocks_only", checkpointing=checkpointing)
    enable: Any = getattr(model, "activation_checkpointing_enable", None)
    enable = enable or getattr(model, "gradient_checkpointing_enable")  # noqa: B009  # its name before 5.24
    try:
        enable({"use_reentrant": False})
    except (ValueError, NotImplementedError) as error:
        raise UserError("source.config_refused", family=type(model).__name__, cause=_short(error)) from error


def use_kernel(attention: Attention) -> None:
    """Let scaled dot product attention use this kernel alone, or any with ``auto`` and ``eager``.

    The choice is process-wide and not a context, because checkpointing calls attention again in backward.
    """
    cuda = torch.backends.cuda
    for name, enable in (
        ("flash", cuda.enable_flash_sdp),
        ("efficient", cuda.enable_mem_efficient_sdp),
        ("cudnn", cuda.enable_cudnn_sdp),
        ("math", cuda.enable_math_sdp),
    ):
        enable(attention in ("auto", "eager", name))


def _short(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2])[:_MOST_CHARACTERS] or type(error).__name__
