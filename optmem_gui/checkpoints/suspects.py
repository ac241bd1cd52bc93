"""Names in a pickle that have no business in a checkpoint: they can run code when it is unpickled."""

from __future__ import annotations

from collections.abc import Iterable

_MODULES = frozenset(
    [
        "os",
        "posix",
        "nt",
        "subprocess",
        "sys",
        "socket",
        "shutil",
        "pty",
        "runpy",
        "code",
        "codeop",
        "commands",
        "ctypes",
        "importlib",
        "imp",
        "pkgutil",
        "webbrowser",
        "http",
        "urllib",
        "requests",
        "httplib",
        "ftplib",
        "smtplib",
        "telnetlib",
        "asyncio",
        "multiprocessing",
        "threading",
        "signal",
        "pickle",
        "_pickle",
        "cloudpickle",
        "dill",
        "marshal",
        "shelve",
        "bdb",
        "pdb",
        "trace",
        "timeit",
        "profile",
        "cProfile",
        "pip",
        "tempfile",
        "pathlib",
        "io",
        "zipimport",
        "platform",
        "inspect",
        "types",
        "operator",
        "functools",
        "ssl",
        "_io",
        "site",
        "venv",
    ]
)
_NAME_STARTS = (
    "torch.hub.",
    "torch.load",
    "torch.jit.load",
    "torch.storage._load_from_bytes",  # unpickles what it is given
    "torch._dynamo.",
    "torch.utils._config_module.",
    "numpy.testing.",
)
_BUILTINS = ("builtins.", "__builtin__.", "__builtins__.")
_PLAIN_BUILTINS = frozenset(
    [
        "set",
        "frozenset",
        "dict",
        "list",
        "tuple",
        "int",
        "float",
        "complex",
        "bytes",
        "bytearray",
        "str",
        "bool",
        "object",
        "slice",
        "range",
        "long",
        "unicode",
    ]
)
_HARMLESS = frozenset(
    [
        "functools.partial",
        "pathlib.Path",
        "pathlib.PosixPath",
        "pathlib.WindowsPath",
        "pathlib.PurePosixPath",
        "pathlib._local.Path",
        "pathlib._local.PosixPath",
        "pathlib._local.WindowsPath",
        "types.SimpleNamespace",
    ]
)


def suspicious(named: Iterable[str]) -> list[str]:
    """The names that could run code, sorted.

    Harmless objects of settings (paths, namespaces) live in the same modules and are left out.
    """
    return sorted(name for name in named if _is_suspicious(name))


def is_plain(name: str) -> bool:
    """Whether a name is a container or number of Python itself, which needs no mention."""
    module, _, kind = name.rpartition(".")
    return module == "collections" or (f"{module}." in _BUILTINS and kind in _PLAIN_BUILTINS)


def _is_suspicious(name: str) -> bool:
    if name in _HARMLESS:
        return False
    for prefix in _BUILTINS:
        if name.startswith(prefix):
            return name.removeprefix(prefix) not in _PLAIN_BUILTINS
    return name.partition(".")[0] in _MODULES or name.startswith(_NAME_STARTS)
