"""``torch.compile`` as an option: compiled where a compiler is there, refused in one line where none is."""

from __future__ import annotations

import importlib.util

import torch

from optmem_gui.core.errors import UserError
from optmem_gui.worker.job import Job


def compile_job(job: Job, device: torch.device) -> None:
    """Compile the model in place; it runs compiled from its first call on.

    Raises:
        UserError: There is no model, or nothing that turns its kernels into machine code.
    """
    if job.module is None:
        raise UserError("measure.compile_needs_model")
    if device.type == "cpu":
        _need_cpp_compiler()
    elif importlib.util.find_spec("triton") is None:
        raise UserError("measure.no_triton", torch=torch.__version__)
    import torch._inductor.config as settings  # noqa: PLC0415  # a second, and only where asked for

    settings.compile_threads = 1  # in this process: helpers would outlive it
    # Not ``module.compile()``: of a container of torch's own, such as Sequential, that compiles nothing.
    job.module.forward = torch.compile(job.module.forward)


def _need_cpp_compiler() -> None:
    from torch._inductor.cpp_builder import get_cpp_compiler  # noqa: PLC0415  # as above
    from torch._inductor.exc import InvalidCxxCompiler  # noqa: PLC0415  # as above

    try:
        get_cpp_compiler()
    except InvalidCxxCompiler as error:
        raise UserError("measure.no_compiler") from error


def is_compilers(error: BaseException) -> bool:
    """Whether an error comes from the compiler, not from the step it compiles."""
    return type(error).__module__.startswith(("torch._dynamo", "torch._inductor"))
