"""Languages: translators, names of ids, and reasons written out.

Core speaks in keys; the names that belong to them stand in the tables here as literals, so that
``pyside6-lupdate`` finds them. Sentences of :mod:`optmem_gui.core.texts` are translated under the context
``Reasons`` with the English template as their source text.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import Literal

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from optmem_gui import paths
from optmem_gui.core.model import ModelRef, Source
from optmem_gui.core.reasons import Reason, render
from optmem_gui.core.synthetic import synthetic_title
from optmem_gui.core.texts import TEMPLATES
from optmem_gui.core.units import SizeUnit, format_bytes, format_short_count

_log = logging.getLogger(__name__)

Language = Literal["en", "zh_CN"]
LANGUAGES: dict[str, str] = {"en": "English", "zh_CN": "简体中文"}
"""Languages of the program, each under its own name."""


def QT_TRANSLATE_NOOP(context: str, source: str) -> str:  # noqa: N802  # the name lupdate looks for
    """Mark a text for translation without translating it yet: PySide6's own gives an untyped object."""
    return source


COMPONENT_NAMES: dict[str, str] = {
    "weights": QT_TRANSLATE_NOOP("Components", "Weights"),
    "gradients": QT_TRANSLATE_NOOP("Components", "Gradients"),
    "master_weights": QT_TRANSLATE_NOOP("Components", "Master weights"),
    "optimizer_state": QT_TRANSLATE_NOOP("Components", "Optimizer state"),
    "buffers": QT_TRANSLATE_NOOP("Components", "Buffers"),
    "inputs": QT_TRANSLATE_NOOP("Components", "Inputs"),
    "activations": QT_TRANSLATE_NOOP("Components", "Activations"),
    "autocast_copies": QT_TRANSLATE_NOOP("Components", "Autocast copies"),
    "temporaries": QT_TRANSLATE_NOOP("Components", "Temporaries"),
    "communication": QT_TRANSLATE_NOOP("Components", "Communication"),
    "workspace": QT_TRANSLATE_NOOP("Components", "Workspace"),
    "other_models": QT_TRANSLATE_NOOP("Components", "Other models"),
    "rounding": QT_TRANSLATE_NOOP("Components", "Rounding"),
}
"""Components of an estimate, and categories of a simulation."""

PHASE_NAMES: dict[str, str] = {
    "load": QT_TRANSLATE_NOOP("Phases", "load"),
    "forward": QT_TRANSLATE_NOOP("Phases", "forward"),
    "backward": QT_TRANSLATE_NOOP("Phases", "backward"),
    "optimizer_step": QT_TRANSLATE_NOOP("Phases", "optimizer step"),
    "between_steps": QT_TRANSLATE_NOOP("Phases", "between steps"),
}

STAGE_NAMES: dict[str, str] = {
    "start": QT_TRANSLATE_NOOP("Phases", "start-up"),
    "build": QT_TRANSLATE_NOOP("Phases", "building the model"),
    **PHASE_NAMES,
}
"""Where a measurement can be: before its first phase, too."""

PRECISION_NAMES: dict[str, str] = {
    "fp32": QT_TRANSLATE_NOOP("Precision", "fp32"),
    "bf16": QT_TRANSLATE_NOOP("Precision", "bf16, pure"),
    "fp16": QT_TRANSLATE_NOOP("Precision", "fp16, pure"),
    "amp-bf16": QT_TRANSLATE_NOOP("Precision", "AMP bf16 (autocast over fp32 weights)"),
    "amp-fp16": QT_TRANSLATE_NOOP("Precision", "AMP fp16 (autocast over fp32 weights)"),
    "bf16-autocast": QT_TRANSLATE_NOOP("Precision", "bf16 weights under autocast"),
    "bf16-master": QT_TRANSLATE_NOOP("Precision", "bf16 + fp32 master weights"),
    "fp16-master": QT_TRANSLATE_NOOP("Precision", "fp16 + fp32 master weights"),
    "megatron-bf16": QT_TRANSLATE_NOOP("Precision", "Megatron bf16 (fp32 main gradients)"),
    "te-fp8": QT_TRANSLATE_NOOP("Precision", "fp8, TransformerEngine on bf16 weights"),
    "te-fp8-fp32": QT_TRANSLATE_NOOP("Precision", "fp8, TransformerEngine on fp32 weights"),
    "torchao-fp8": QT_TRANSLATE_NOOP("Precision", "fp8, torchao float8"),
    "msamp-o2": QT_TRANSLATE_NOOP("Precision", "fp8, MS-AMP O2"),
}


GPU_GROUPS: tuple[str, ...] = (
    QT_TRANSLATE_NOOP("GpuGroups", "GeForce GTX 10/16 and TITAN"),
    QT_TRANSLATE_NOOP("GpuGroups", "GeForce RTX 20 and TITAN RTX"),
    QT_TRANSLATE_NOOP("GpuGroups", "GeForce RTX 30 desktop"),
    QT_TRANSLATE_NOOP("GpuGroups", "GeForce RTX 30 laptop"),
    QT_TRANSLATE_NOOP("GpuGroups", "GeForce RTX 40 desktop"),
    QT_TRANSLATE_NOOP("GpuGroups", "GeForce RTX 40 laptop"),
    QT_TRANSLATE_NOOP("GpuGroups", "GeForce RTX 50 desktop"),
    QT_TRANSLATE_NOOP("GpuGroups", "GeForce RTX 50 laptop"),
    QT_TRANSLATE_NOOP("GpuGroups", "Quadro and RTX A"),
    QT_TRANSLATE_NOOP("GpuGroups", "RTX Ada workstation"),
    QT_TRANSLATE_NOOP("GpuGroups", "RTX PRO Blackwell"),
    QT_TRANSLATE_NOOP("GpuGroups", "Tesla and data centre"),
)
"""Product lines of the table of GPUs."""


def component_name(component_id: str) -> str:
    """A component as the reader knows it, in the current language."""
    return QCoreApplication.translate("Components", COMPONENT_NAMES[component_id])


def phase_name(phase_id: str) -> str:
    """A phase as the reader knows it, in the current language."""
    return QCoreApplication.translate("Phases", PHASE_NAMES[phase_id])


def stage_name(stage_id: str) -> str:
    """Where a measurement is, in the current language; what has no name shows its id."""
    name = STAGE_NAMES.get(stage_id)
    return QCoreApplication.translate("Phases", name) if name else stage_id


def precision_name(scheme_id: str) -> str:
    """A precision scheme as the reader knows it; a scheme without a name shows its id."""
    name = PRECISION_NAMES.get(scheme_id)
    return QCoreApplication.translate("Precision", name) if name else scheme_id


def model_title(model: ModelRef) -> str:
    """What to call a model: by its size in the current language where it is made from a size alone."""
    return model.title if model.source is not Source.SYNTHETIC else kept_title(model.title, model.param_count)


def kept_title(title: str, param_count: int) -> str:
    """A model's title that was written down: a size alone in the current language, others as they are."""
    if title != synthetic_title(param_count):
        return title
    sized = QCoreApplication.translate("Models", "{count} parameters")
    return sized.format(count=format_short_count(param_count))


def gpu_group_name(group: str) -> str:
    """A product line of GPUs, in the current language."""
    return QCoreApplication.translate("GpuGroups", group)


def text(key: str) -> str:
    """A sentence of :mod:`optmem_gui.core.texts` without placeholders, in the current language."""
    return QCoreApplication.translate("Reasons", TEMPLATES[key])


_PHASES_IN_REASONS = ("phase", "estimated", "simulated")
"""Values of reasons that are ids of phases."""


def render_reason(reason: Reason, unit: SizeUnit = "GiB") -> str:
    """A reason as a sentence in the current language, sizes in the chosen unit."""
    values = dict(reason.values)
    for name, value in values.items():
        if name in _PHASES_IN_REASONS:
            values[name] = stage_name(str(value))
        elif name == "component" and value in COMPONENT_NAMES:
            values[name] = component_name(str(value))
    named = Reason(reason.key, values)
    return render(named, text(reason.key), lambda size_bytes: format_bytes(size_bytes, unit))


def without_mnemonic(text: str) -> str:
    """A label as it is spoken, or shown where there is no mnemonic: ``&File`` and ``文件(&F)``."""
    return re.sub(r"\(&.\)|&(?!&)", "", text)


def listed(parts: Iterable[str]) -> str:
    """Several things in one line, separated as the language does it."""
    return QCoreApplication.translate("Lists", ", ").join(parts)


def clauses(parts: Iterable[str]) -> str:
    """Several statements in one sentence, separated as the language does it."""
    return QCoreApplication.translate("Lists", "; ").join(parts)


def labelled(name: str, text: str) -> str:
    """A thing, and what is said of it."""
    return QCoreApplication.translate("Lists", "{name}: {text}").format(name=name, text=text)


def system_language() -> Language:
    """The first of the user's languages that the program speaks, else English."""
    for name in QLocale.system().uiLanguages():
        if name.lower().startswith("zh"):
            return "zh_CN"
        if name.lower().startswith("en"):
            return "en"
    return "en"


class Translators:
    """The translators of the running program, replaced together when the language changes."""

    def __init__(self, app: QCoreApplication) -> None:
        self._app = app
        self._installed: list[QTranslator] = []
        self.language: Language = "en"

    def set_language(self, language: Language) -> None:
        """Switch the whole program; every widget gets a ``LanguageChange`` event."""
        for translator in self._installed:
            self._app.removeTranslator(translator)
        self._installed.clear()
        self.language = language
        # Sizes and counts are written by the program itself; the locale only reaches Qt's own dialogs.
        QLocale.setDefault(QLocale("zh_CN" if language == "zh_CN" else "en_US"))
        if language == "en":
            return
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        for name, place in (("qtbase", folder), ("optmem", str(paths.translation_dir()))):
            translator = QTranslator(self._app)
            if translator.load(f"{name}_{language}", place):
                self._app.installTranslator(translator)
                self._installed.append(translator)
            else:
                _log.warning("no translation %s_%s in %s", name, language, place)
