"""What is measured: a transformer with its loss, or a checkpoint's tensors as bare parameters."""

from __future__ import annotations

from itertools import islice

import torch
from torch import Tensor, nn

from optmem_gui.core.errors import UserError
from optmem_gui.core.precision import PrecisionScheme
from optmem_gui.core.requests import BareTensor, FrozenTensors, MeasureRequest
from optmem_gui.worker.adapters import add_adapters
from optmem_gui.worker.compiling import compile_job
from optmem_gui.worker.job import Batch, Job, default_dtype, torch_dtype
from optmem_gui.worker.transformer import Transformer


def build(request: MeasureRequest, scheme: PrecisionScheme, device: torch.device) -> Job:
    """Make the model on the device, directly in the type the scheme holds weights in.

    Raises:
        UserError: Nothing to train, or a type torch does not hold.
    """
    weights = torch_dtype(scheme.weights.id)
    if request.function:
        from optmem_gui.worker.sources.function import build_function  # noqa: PLC0415  # only where asked for

        job = build_function(request, weights, device)
    elif request.config:
        job = _pretrained(request, weights, device)
    elif request.shape is not None:
        job = _transformer(request, weights, device)
    else:
        job = _bare(request.tensors, weights, device)
    if not job.trainable:
        raise UserError("measure.nothing_to_train")
    if request.own_weights:
        from optmem_gui.worker.sources.own_weights import load_into  # noqa: PLC0415  # only where asked for

        load_into(job, request.own_weights)
    if request.compiled:
        compile_job(job, device)
    return job


def _transformer(request: MeasureRequest, weights: torch.dtype, device: torch.device) -> Job:
    assert request.shape is not None  # noqa: S101  # the caller chose by it
    base = weights if request.lora is None else torch_dtype(_lora_base(request.lora.base_dtype))
    with default_dtype(base), torch.device(device):
        model = Transformer(
            request.shape, request.attention, request.loss, request.checkpointing, request.keep_logits
        )
        if request.lora is not None:
            add_adapters(model, request.lora, torch.float32 if request.lora.adapter_fp32 else weights)
    for frozen in request.frozen:
        _freeze(model, frozen)
    size = (request.batch, request.sequence)
    vocab = request.shape.vocab

    def drop_logits() -> None:
        model.logits = None

    return Job(
        parameters=tuple(model.parameters()),
        buffers=tuple(model.buffers()),
        batch=lambda: tuple(torch.randint(vocab, size, device=device) for _ in ("tokens", "labels")),
        loss=lambda batch: model(*batch),
        drop_logits=drop_logits,
        module=model,
    )


def _pretrained(request: MeasureRequest, weights: torch.dtype, device: torch.device) -> Job:
    """A model of the transformers library with the batch and the loss of its kind."""
    from optmem_gui.worker.sources import inputs, pretrained  # noqa: PLC0415  # only where asked for

    if request.loss != "full":
        raise UserError("source.full_loss_only", loss=request.loss)
    base = weights if request.lora is None else torch_dtype(_lora_base(request.lora.base_dtype))
    pretrained.use_kernel(request.attention)
    config = pretrained.read_config(request.config)
    model = pretrained.make_model(config, base, device, request.attention, request.checkpointing)
    if request.lora is not None:
        with torch.device(device):
            add_adapters(model, request.lora, torch.float32 if request.lora.adapter_fp32 else weights)
    for frozen in request.frozen:
        _freeze(model, frozen)
    fields = inputs.fields_of(model, request)
    kept: list[object] = []

    def loss(batch: Batch) -> Tensor:
        named = {field.name: tensor for field, tensor in zip(fields, batch, strict=True)}
        answer = model(**named)
        if request.keep_logits:
            kept.append(answer.logits)
        return answer.loss  # type: ignore[no-any-return]  # fields of an output class of the library

    return Job(
        parameters=tuple(model.parameters()),
        buffers=tuple(model.buffers()),
        batch=inputs.batch_maker(fields, device, base),
        loss=loss,
        drop_logits=kept.clear,
        module=model,
    )


def _freeze(model: nn.Module, frozen: FrozenTensors) -> None:
    alike = (
        parameter
        for name, parameter in model.named_parameters()
        if f".{name}".endswith(f".{frozen.name}") and tuple(parameter.shape) == frozen.shape
    )
    for parameter in islice(alike, frozen.count):
        parameter.requires_grad_(False)


def _lora_base(base: str) -> str:
    if base in ("nf4", "nf4-dq", "int8"):
        raise UserError("measure.quantized_base", base=base)
    return base


def _bare(rows: tuple[BareTensor, ...], weights: torch.dtype, device: torch.device) -> Job:
    parameters: list[nn.Parameter] = []
    names: list[str] = []
    buffers: list[Tensor] = []
    for row in rows:
        found = torch_dtype(row.dtype)
        dtype = weights if found.is_floating_point else found
        for _ in range(row.count):
            tensor = torch.full(row.shape, 1, dtype=dtype, device=device)
            if row.buffer:
                buffers.append(tensor)
            else:
                trains = row.trainable and (dtype.is_floating_point or dtype.is_complex)
                names.append(f"{len(names)}.{row.name}")
                parameters.append(nn.Parameter(tensor, requires_grad=trains))
    trained = [p for p in parameters if p.requires_grad]
    return Job(
        parameters=tuple(parameters),
        buffers=tuple(buffers),
        batch=tuple,
        loss=lambda batch: _sum_of_all(trained),
        drop_logits=lambda: None,
        names=tuple(names),
    )


def _sum_of_all(parameters: list[nn.Parameter]) -> Tensor:
    """A loss that gives every parameter a gradient and keeps nothing but scalars.

    The gradient of a sum is one expanded scalar, which autograd writes out once as the parameter's own
    gradient: no copy of a parameter or of a gradient exists beside the ones that are measured.
    """
    sums = [(torch.view_as_real(p) if p.is_complex() else p).sum().float() for p in parameters]
    return torch.stack(sums).sum()
