"""From arguments to the layout of a run over several GPUs."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace

from optmem_gui.core.errors import UserError
from optmem_gui.core.parallel import Parallel, read_stages

_FIELDS = (
    "gpus",
    "shard",
    "tp",
    "pp",
    "ep",
    "cp",
    "replicas",
    "interleave",
    "offload",
    "sequence_parallel",
    "bucket_view",
)
_SIZE = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*(GiB|GB|TiB|TB|MiB|MB)", re.IGNORECASE)
_UNITS = {"mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "mb": 10**6, "gb": 10**9, "tb": 10**12}


def parallel_from(arguments: argparse.Namespace, base: Parallel) -> Parallel:
    """The layout that the arguments describe; what is left out keeps the file's value.

    Raises:
        UserError: The host memory is no size, the stages are no list of layers.
    """
    given = {name: getattr(arguments, name, None) for name in _FIELDS}
    chosen = {name: value for name, value in given.items() if value is not None}
    host = getattr(arguments, "host_memory", None)
    if host is not None:
        chosen["host_bytes"] = _size(host)
    stages = getattr(arguments, "stages", None)
    if stages is not None:
        chosen["stages"] = read_stages(stages)
        chosen.setdefault("pp", max(1, len(chosen["stages"])))
    elif "pp" in chosen and chosen["pp"] != base.pp:
        chosen["stages"] = ()  # those of the file belong to its own pipeline
    return replace(base, **chosen)


def _size(text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UserError("cli.size", option="--host-memory", given=text)
    return int(float(match[1]) * _UNITS[match[2].lower()])
