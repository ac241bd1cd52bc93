"""Optimizers whose step ends in an error on sharded tensors, as FSDP2 makes them: what their libraries do.

Source: one step of every optimizer that is installed for the tests, on two processes under
``fully_shard`` with torch 2.13, bitsandbytes 0.50, pytorch_optimizer 4.1, torch-optimizer 0.3 and the
versions in their ``proven``. Of those that are not named here, each that ran kept what is counted, 0 bytes
apart.
"""

from __future__ import annotations

MIXED = (
    "apollo_torch.APOLLOAdamW",
    "SM3.SM3",
    "came_pytorch.CAME",
    "galore_torch.GaLoreAdafactor",
    "prodigyplus.ProdigyPlusScheduleFree",
    "pytorch_optimizer.A2Grad",
    "pytorch_optimizer.AdaNorm",
    "pytorch_optimizer.Alice",
    "pytorch_optimizer.Kron",
    "pytorch_optimizer.RACS",
    "pytorch_optimizer.SM3",
    "pytorch_optimizer.SOAP",
    "pytorch_optimizer.SPAM",
    "pytorch_optimizer.SPlus",
    "pytorch_optimizer.Shampoo",
    "torch_optimizer.Adafactor",
    "transformers.Adafactor",
)
"""Their state begins as a plain tensor, which no operator takes beside a sharded one."""


PLACEMENT = (
    "pytorch_optimizer.SpectralSphere",
    "madgrad.MirrorMADGRAD",
    "pytorch_optimizer.AdaFactor",
    "pytorch_optimizer.AdaGC",
    "pytorch_optimizer.AdamP",
    "pytorch_optimizer.Aida",
    "pytorch_optimizer.ApolloDQN",
    "pytorch_optimizer.CAME",
    "pytorch_optimizer.DAdaptSGD",
    "pytorch_optimizer.EmoFact",
    "pytorch_optimizer.FAdam",
    "pytorch_optimizer.Lamb",
    "pytorch_optimizer.ROSE",
    "pytorch_optimizer.Ranger21",
    "pytorch_optimizer.SGDP",
    "pytorch_optimizer.StableAdamW",
    "torch.Adafactor",
    "torch.Rprop",
    "torch_optimizer.AdamP",
    "torch_optimizer.SGDP",
)
"""An in-place operation, such as a mean or a norm of all elements, would change how a tensor is cut."""


OPERATOR = (
    "adam_mini.Adam_mini",
    "pytorch_optimizer.ASGD",
    "pytorch_optimizer.DAdaptAdaGrad",
    "pytorch_optimizer.DAdaptAdam",
    "pytorch_optimizer.DAdaptAdan",
    "pytorch_optimizer.DAdaptLion",
    "pytorch_optimizer.Prodigy",
    "pytorch_optimizer.SWATS",
    "pytorch_optimizer.StableSPAM",
    "torch_optimizer.A2GradExp",
    "torch_optimizer.A2GradInc",
    "torch_optimizer.A2GradUni",
    "torch_optimizer.NovoGrad",
    "torch_optimizer.SWATS",
    "torch_optimizer.Shampoo",
)
"""An operator of theirs has no rule how to run on sharded tensors, or cuts them by itself."""


FOREACH_ONLY = (
    "pytorch_optimizer.AdaSmooth",
    "pytorch_optimizer.Adan",
    "pytorch_optimizer.DiffGrad",
    "pytorch_optimizer.FTRL",
    "pytorch_optimizer.LARS",
    "pytorch_optimizer.MADGRAD",
    "pytorch_optimizer.MARS",
    "pytorch_optimizer.NovoGrad",
    "pytorch_optimizer.SRMM",
)
"""Their ``foreach`` form uses such operators; parameter by parameter they run, 0 bytes apart."""


WHOLE_PROJECTORS = (
    "fira.FiraAdamW",
    "galore_torch.GaLoreAdamW",
    "pytorch_optimizer.Conda",
)
"""They run, with the projector of the whole matrix on every rank.

The rule: :mod:`optmem_gui.core.optimizers.rules_lowrank`. Under tensor parallelism a projector is that
of the matrix before it was split, which a rank's layout no longer knows.
"""

QUANTIZED = (
    "torchao.Adam4bit",
    "torchao.Adam8bit",
    "torchao.AdamFp8",
    "torchao.AdamW4bit",
    "torchao.AdamW8bit",
    "torchao.AdamWFp8",
)
"""Beside fp32 parameters they run; beside 16-bit ones the tracing of their step stops.

torchao 0.18, ``subclass_*.py``: ``aten.view``, which makes a sharded tensor of the state, drops its type.
"""

LIBRARIES = ("bitsandbytes",)
"""All of their steps are operators of their own, for which torch has no rule."""

EXCEPT = ("bitsandbytes.PytorchLARS",)
"""Of those libraries, what is written with torch's own operators."""

NEVER = frozenset((*MIXED, *PLACEMENT, *OPERATOR))
"""Cannot run on sharded tensors whatever their options are."""
