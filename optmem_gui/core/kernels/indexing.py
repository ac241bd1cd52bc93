"""Scratch of indexing: gradients of gathered rows are summed after their indices have been sorted.

Sources: ``native/cuda/Indexing.cu`` (``index_put_with_sort_kernel``, ``makeLinearIndex``),
``native/cuda/Embedding.cu`` and ``EmbeddingBackwardKernel.cu``, cub ``DeviceRadixSort`` (one sweep). The
sorting of 8-byte keys and values, and the order of the buffers of ``index_put_``, equal recordings of four
GPUs at 2048, 4096 and 8192 indices; the backward of an embedding has not been compared with one.
"""

from __future__ import annotations

from collections.abc import Sequence

from optmem_gui.core.kernels.steps import NO_BUFFERS, Buffers, Script, ceil_div, round_up

_INDEX_BYTES = 8
_SMALL_EMBEDDING = 3072
_ROWS_PER_THREAD = 10


def sort_pairs_bytes(count: int, key_bytes: int, value_bytes: int, bits: int) -> int:
    """Scratch of cub's radix sort of keys with values.

    Args:
        count: Pairs.
        key_bytes: Bytes of a key.
        value_bytes: Bytes of a value.
        bits: Bits of the largest key; eight are sorted in one pass.
    """
    widest = max(key_bytes, value_bytes)
    if count <= 256 * max(1, 76 // widest):
        return 1  # one thread block sorts it in its own memory
    passes = ceil_div(bits, 8)
    blocks = ceil_div(count, 384 * max(1, 84 // widest))
    pieces = [passes * 256 * 8, blocks * 256 * 4, passes * 4]
    if passes > 1:
        pieces += [count * key_bytes, count * value_bytes]
    return 255 + sum(round_up(piece, 256) for piece in pieces)


def index_put_buffers(
    count: int,
    on_host: Sequence[bool],
    rows: int,
    *,
    values_bytes: int = 0,
) -> Buffers:
    """Buffers of ``index_put_`` with accumulation, the backward of ``x[index]``; they follow its output.

    Args:
        count: Elements of the indices after broadcasting.
        on_host: For every integer index tensor, whether it lies in host memory.
        rows: Rows that the indices can name: the product of the indexed dimensions.
        values_bytes: Bytes of the values where they are not contiguous and so are copied; else 0.
    """
    if not on_host or count == 0:
        return NO_BUFFERS
    script, size = Script(), count * _INDEX_BYTES
    for place, host in enumerate(on_host):
        linear = f"linear index {place}"
        if host:
            script.take(linear, size)  # wrapped on the host, copied once
        else:
            script.take(f"wrapped index {place}", size)
            script.take(linear, size)
            script.free(f"wrapped index {place}")
        if place:
            script.free(linear)
    if values_bytes:
        script.take("values", values_bytes)
    for name in ("sorted indices", "original indices", "range"):
        script.take(name, size)
    script.take("sort", sort_pairs_bytes(count, _INDEX_BYTES, _INDEX_BYTES, max(1, (rows - 1).bit_length())))
    script.free("sort", "range", "original indices", "sorted indices")
    if values_bytes:
        script.free("values")
    script.free("linear index 0")
    return script.done(proven=True)


def host_index_buffers(counts: Sequence[int]) -> Buffers:
    """Copies of the indices of ``x[index]`` that lie in host memory; they precede its output.

    They are freed with the operator and not saved for backward.

    Args:
        counts: Elements of each such index.
    """
    script = Script()
    for place, count in enumerate(counts):
        script.take(f"index {place}", count * _INDEX_BYTES)
    return script.done(proven=True, before_output=True)


def embedding_backward_buffers(count: int, width: int, rows: int, index_bytes: int = 8) -> Buffers:
    """Buffers of ``embedding_dense_backward``; they follow the gradient.

    Args:
        count: Tokens.
        width: Elements of a row.
        rows: Rows of the table.
        index_bytes: Bytes of an index.
    """
    if count <= _SMALL_EMBEDDING:
        return Buffers(proven=False)
    script, size = Script(), count * index_bytes
    for name in ("sorted indices", "original indices", "range"):
        script.take(name, size)
    script.take("sort", sort_pairs_bytes(count, index_bytes, index_bytes, rows.bit_length()))
    script.free("sort", "range")
    segments = min(count, rows)
    parts = count // _ROWS_PER_THREAD + segments
    script.take("segment offsets", size)
    script.take("segments", 8)
    script.take("parts of segments", segments * index_bytes)
    script.take("offsets of parts", segments * index_bytes)
    script.take("parts", 8)
    script.take("part offsets", parts * index_bytes)
    script.take("partial gradients", parts * width * 4)
    script.free("partial gradients", "part offsets", "parts", "offsets of parts", "parts of segments")
    script.free("segments", "segment offsets", "original indices", "sorted indices")
    return script.done(proven=False)
