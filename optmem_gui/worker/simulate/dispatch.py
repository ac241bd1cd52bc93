"""The layer of torch's dispatcher at which every operator on the way to a kernel is seen.

A dispatch mode would see the same operators, but it also tells autograd that tensors are not plain ones.
A fallback on a functionality key between autograd and the backends does not: gradients that
exist are added to in place, and Python runs for operators that may allocate only; views and operators that
write into what exists fall through in C++. The key is ``Fake``, which torch reserves for fake tensors made in
C++ and does not use. The rules that replace whole functions (attention, dropout) stand at autograd's key of
the meta device.

Registering is for the life of the process; the keys do something only while a tracer is active.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch._decomp
from torch.library import Library, fallthrough_kernel

SEEN: Any = torch._C._parse_dispatch_key("Fake")  # noqa: SLF001  # torch has no public name for a key
CAST: Any = torch._C._parse_dispatch_key("AutocastPrivateUse1")  # noqa: SLF001  # no public way leads there
"""Autocast's key of a device that does not exist here; CUDA's own kernels cast tensors on CUDA only."""

META = torch.device("meta")
Args = tuple[Any, ...]
Kwargs = dict[str, Any]
Handler = Callable[..., Any]

_COMPOSITE: Any = torch._C.DispatchKey.CompositeImplicitAutograd  # noqa: SLF001  # no public way leads there
_WITHOUT_SEEN = torch._C.DispatchKeySet(SEEN)  # noqa: SLF001  # no public way leads there
_WITHOUT_CAST: Any = torch._C.DispatchKeySet(CAST)  # noqa: SLF001  # no public way leads there
_Guard = torch._C._ExcludeDispatchKeyGuard  # noqa: SLF001  # no public way leads there
_exclude = torch._C._dispatch_tls_set_dispatch_key_excluded  # noqa: SLF001  # no public way leads there
_include = torch._C._dispatch_tls_set_dispatch_key_included  # noqa: SLF001  # no public way leads there

_libraries: list[Library] = []
"""Keeping them keeps what they registered."""

_handler: list[Handler] = []


def unseen() -> Any:
    """Operators inside are not seen."""
    return _Guard(_WITHOUT_SEEN)


def uncast() -> Any:
    """Autocast does nothing inside."""
    return _Guard(_WITHOUT_CAST)


def casting(active: bool) -> None:
    """Let the rules of autocast see operators, or not; torch excludes every such key at first."""
    _include(CAST, active)
    _exclude(CAST, not active)


@contextmanager
def seeing(handler: Handler) -> Iterator[None]:
    """Give every operator that may allocate to ``handler(op, *args, **kwargs)``."""
    _handler.append(handler)
    _include(SEEN, True)
    try:
        yield
    finally:
        _include(SEEN, len(_handler) > 1)
        casting(False)
        _handler.pop()


def composite(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Run a function as torch's C++ composes it of operators; some have another form in Python."""
    return op._op_dk(_COMPOSITE, *args, **kwargs)  # noqa: SLF001  # no public way leads there


def is_composite(op: Any) -> bool:
    """Whether torch's C++ composes a function of operators where a device has no kernel of its own for it.

    ``silu_backward`` and ``mish_backward`` are composed elsewhere and one kernel on a CPU and on CUDA
    (aten/src/ATen/native/native_functions.yaml).
    """
    has: Any = torch._C._dispatch_has_kernel_for_dispatch_key  # noqa: SLF001  # no public way leads there
    return has(op.name(), "CompositeImplicitAutograd") and not has(op.name(), "CPU")


def is_active() -> bool:
    """Whether a tracer sees operators now."""
    return bool(_handler)


def _fallback(op: Any, *args: Any, **kwargs: Any) -> Any:
    return _handler[-1](op, *args, **kwargs)


def install(
    kept: frozenset[str], on_meta: dict[str, Handler], on_host: dict[str, Handler], casts: dict[str, Handler]
) -> None:
    """Register everything, once a process.

    Args:
        kept: Operators that are seen although they allocate no output.
        on_meta: What runs in place of a whole function on meta tensors, by operator name.
        on_host: The same on tensors of the host.
        casts: What runs where autocast is on, by operator name.
    """
    if _libraries:
        return
    everywhere: Any = Library("_", "IMPL")  # type: ignore[no-untyped-call]  # the library leaves it untyped
    aten: Any = Library("aten", "IMPL")  # type: ignore[no-untyped-call]  # the library leaves it untyped
    _libraries.extend((everywhere, aten))
    everywhere.fallback(_fallback, "Fake")
    everywhere.fallback(fallthrough_kernel, "AutocastPrivateUse1")
    for name in _without_output():
        if name not in kept:
            aten.m.impl(name, "Fake", fallthrough_kernel, False)
    for key, functions in (("AutogradMeta", on_meta), ("AutogradCPU", on_host)):
        for name, function in functions.items():
            aten.impl(name, function, key)
    for name, function in casts.items():
        aten.impl(name, function, "AutocastPrivateUse1")


def _without_output() -> Iterator[str]:
    """Operators all of whose results are views or what was written into.

    Not those in place whose meta kernel is written in Python: what it is made of would be seen, such as the
    product inside ``addcmul_``.
    """
    tables = torch._decomp.global_decomposition_table.values()  # noqa: SLF001  # no public way leads there
    in_python = {str(op) for table in tables for op in table}
    for full in torch._C._dispatch_get_all_op_names():  # noqa: SLF001  # no public way leads there
        if not full.startswith("aten::"):
            continue
        name, _, overload = full[6:].partition(".")
        try:
            returns = torch._C._get_schema(f"aten::{name}", overload).returns  # noqa: SLF001  # no public way leads there
        except RuntimeError:  # registered without a schema
            continue
        if not returns or any(each.alias_info is None for each in returns):
            continue
        if not (name.endswith("_") and f"aten.{name}.{overload or 'default'}" in in_python):
            yield full[6:]
