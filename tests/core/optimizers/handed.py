"""Parameters as the constructors of split and projected optimizers take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from optmem_gui.core.dtypes import DTYPES
from optmem_gui.core.layout import Layout, place
from optmem_gui.core.model import ModelSpec, ParameterTensor, Source, group_model
from optmem_gui.core.optimizers.declare import Implementation, Subject
from optmem_gui.core.optimizers.rules_split import chosen
from optmem_gui.core.scenario import Options, Scenario

Tensors = Sequence[ParameterTensor]


def layout_of_tensors(tensors: Tensors, precision: str) -> Layout:
    """The placed groups of named tensors."""
    model = group_model(ModelSpec("tensors", Source.FILE, tuple(tensors)))
    return place(Scenario(model, precision=precision))


def _subject(tensor: ParameterTensor, implementation: Implementation, options: Options) -> Subject:
    leaf, _, field = tensor.name.rpartition(".")
    settings = implementation.settings(options, "cpu")
    return Subject(tensor.shape, DTYPES["fp32"], tensor.role, leaf.rpartition(".")[2], settings, field)


def handed(
    implementation: Implementation,
    options: Options,
    tensors: Tensors,
    parameters: Sequence[torch.nn.Parameter],
) -> Any:
    """What the constructor gets: pairs with names, or groups as its handing asks for."""
    if implementation.handing == "named":
        return [(tensor.name, parameter) for tensor, parameter in zip(tensors, parameters, strict=True)]
    picks = [chosen(_subject(tensor, implementation, options)) for tensor in tensors]
    first, second = (
        [parameter for parameter, pick in zip(parameters, picks, strict=True) if pick is wanted]
        for wanted in (True, False)
    )
    values = implementation.settings(options, "cpu").values
    if implementation.handing == "muon":
        halves = ({"params": first, "use_muon": True}, {"params": second, "use_muon": False})
        return [half for half in halves if half["params"]]
    projected: dict[str, Any] = {"params": first, "rank": values["rank"]}
    projected |= {"update_proj_gap": 200, "scale": 0.25, "alpha": 1.0, "scale_type": "channel"}
    projected |= {"proj": values.get("proj"), "proj_type": values.get("proj_type", "std")}
    return [projected, {"params": second}]
