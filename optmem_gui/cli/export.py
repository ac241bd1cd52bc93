"""``--export FILE``: an estimate saved beside what is printed, in the format that the file's ending names."""

from __future__ import annotations

import argparse
from pathlib import Path

from optmem_gui.cli.refusal import complain
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.report.estimate_report import Exported
from optmem_gui.report.exporters import export, exporter_for


def check_exports(arguments: argparse.Namespace, *, several: bool) -> None:
    """Refuse before anything is computed what could not be saved afterwards.

    Args:
        arguments: As parsed.
        several: Two scenarios are compared.

    Raises:
        UserError: An ending without a format, a file that is there, or an answer that is not one estimate.
    """
    if not arguments.export:
        return
    others = (
        ("the second .optmem file", several),
        ("--solve", arguments.solve is not None),
        ("--gpu all", arguments.gpu == "all"),
    )
    for option, given in others:
        if given:
            raise UserError("export.one_estimate", option=option)
    for name in arguments.export:
        path = Path(name)
        exporter_for(path)
        if not arguments.overwrite and (path.exists() or path.is_symlink()):
            raise UserError("export.exists", path=name)


def save_exports(arguments: argparse.Namespace, exported: Exported) -> None:
    """Save every file that was asked for, and say so on stderr.

    Raises:
        UserError: One of them cannot be written; those before it are there.
    """
    for name in arguments.export or ():
        path = Path(name)
        export(exporter_for(path).id, path, exported)
        complain(str(Reason("export.saved", {"path": name})))
