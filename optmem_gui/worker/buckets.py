"""What a rank holds because there are other ranks, which no tensor of the model or the optimizer leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.nn.parallel import DistributedDataParallel
from torch.utils._python_dispatch import TorchDispatchMode

from optmem_gui.worker.job import Held


class _Strided(TorchDispatchMode):
    """Remembers, without keeping them, the storages that a strided view was taken of.

    DDP's reducer keeps its buckets in C++, and Python is shown them only by a communication hook, which takes
    the place of the reduction itself. But the reducer takes a strided view of a bucket for every gradient
    (torch/csrc/distributed/c10d/reducer.cpp, ``initialize_bucket_views``), and views allocate nothing.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        self._storages: dict[int, tuple[StorageWeakRef, int, int]] = {}

    def __torch_dispatch__(
        self,
        func: Callable[..., object],
        types: Sequence[type],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Run an operator as it is."""
        answer = func(*args, **(kwargs or {}))
        if func is torch.ops.aten.as_strided.default and isinstance(answer, Tensor):
            storage = answer.untyped_storage()
            reference = StorageWeakRef(storage)  # type: ignore[no-untyped-call]  # as above
            self._storages[reference.cdata] = (reference, storage.data_ptr(), storage.nbytes())
        return answer

    def alive(self) -> dict[int, int]:
        """Bytes of those that are still there, by address."""
        found = self._storages.values()
        return {address: size for reference, address, size in found if not reference.expired()}  # type: ignore[no-untyped-call]  # as above


class Buckets:
    """A model in ``DistributedDataParallel``, and the buckets of its reducer.

    The buckets are made with the wrapper, and once more, in the order in which gradients came, as the
    second forward begins (``Reducer::rebuild_buckets``).

    Attributes:
        together: The model as ranks train it.

    Args:
        module: The model.
        bucket_view: ``gradient_as_bucket_view``: gradients live in the buckets.
    """

    def __init__(self, module: nn.Module, *, bucket_view: bool) -> None:
        self._component = "gradients" if bucket_view else "communication"
        self._seen = _Strided()
        with self._seen:
            self.together = DistributedDataParallel(module, gradient_as_bucket_view=bucket_view)

    def loss(self, batch: tuple[Tensor, ...]) -> Tensor:
        """The forward pass over a micro-batch."""
        seen = _Strided()
        with seen:
            rebuilt = self.together.reducer._rebuild_buckets()  # noqa: SLF001  # what DDP's forward begins with
        if rebuilt:  # the former ones go; gloo's thread may let go of them later
            self._seen = seen
        loss: Tensor = self.together(*batch)
        return loss

    def held(self) -> Mapping[int, Held]:
        """The buckets, by address."""
        return {address: Held(self._component, size) for address, size in self._seen.alive().items()}


def gathered(module: nn.Module, parameters: Sequence[nn.Parameter]) -> Mapping[int, Held]:
    """Whole parameters of an FSDP2 model that wait for backward, by address.

    What lies outside the layers is not sharded again after forward (``reshard_after_forward`` of the root
    module), and meanwhile the module's parameters are whole ones in storages of their own.

    Args:
        module: The model.
        parameters: Its sharded parameters.
    """
    own = {id(parameter) for parameter in parameters}
    whole = (each for each in module.parameters() if id(each) not in own)
    storages = [each.untyped_storage() for each in whole]
    return {storage.data_ptr(): Held("communication", storage.nbytes()) for storage in storages}
