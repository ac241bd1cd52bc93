"""Collect the texts to translate, and compile the translations.

``python tools/translations.py update`` reads every ``tr`` and ``translate`` of the window, and every
template of ``optmem_gui/core/texts``, into ``resources/i18n/optmem_zh_CN.ts``; what is translated there
stays. ``python tools/translations.py compile`` writes the ``.qm`` file beside it that the program loads.
``python tools/translations.py check`` lists what is missing or does not fit its source.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from optmem_gui.core.texts import TEMPLATES

ROOT = Path(__file__).resolve().parent.parent
TS_FILE = ROOT / "resources" / "i18n" / "optmem_zh_CN.ts"
REASONS = "Reasons"
"""Context of the templates; their English text is the source text."""

_PLACEHOLDER = re.compile(r"{[^{}]*}")

Texts = dict[tuple[str, str], str]
"""Translation by context and source text; empty where there is none."""


def collect() -> list[tuple[str, str]]:
    """Every text that wants a translation, as (context, source), in a stable order."""
    sources = sorted(str(path) for path in (ROOT / "optmem_gui" / "gui").rglob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.ts"
        _run("lupdate", "-locations", "none", *sources, "-ts", str(raw))
        found = set(read(raw))
    found |= {(REASONS, template) for template in TEMPLATES.values()}
    return sorted(found)


def read(path: Path) -> Texts:
    """The translations of a ``.ts`` file."""
    if not path.is_file():
        return {}
    texts: Texts = {}
    for context in ElementTree.parse(path).getroot().iter("context"):  # noqa: S314  # a file of our own
        name = context.findtext("name") or ""
        for message in context.iter("message"):
            translation = message.find("translation")
            done = translation is not None and translation.get("type") is None
            text = translation.text or "" if translation is not None and done else ""
            texts[name, message.findtext("source") or ""] = text
    return texts


def write(path: Path, texts: Texts) -> None:
    """Write a ``.ts`` file: sorted, without line numbers, so that a difference is a change of text."""
    root = ElementTree.Element("TS", version="2.1", language="zh_CN", sourcelanguage="en")
    contexts: dict[str, ElementTree.Element] = {}
    for (name, source), text in sorted(texts.items()):
        if name not in contexts:
            contexts[name] = ElementTree.SubElement(root, "context")
            ElementTree.SubElement(contexts[name], "name").text = name
        message = ElementTree.SubElement(contexts[name], "message")
        ElementTree.SubElement(message, "source").text = source
        translation = ElementTree.SubElement(message, "translation")
        if text:
            translation.text = text
        else:
            translation.set("type", "unfinished")
    ElementTree.indent(root, space=" ")
    body = ElementTree.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8")


def update(path: Path = TS_FILE) -> Texts:
    """Bring a ``.ts`` file up to date; translations of texts that are gone are dropped."""
    known = read(path)
    texts = {key: known.get(key, "") for key in collect()}
    write(path, texts)
    return texts


def compile_translations(path: Path = TS_FILE) -> Path:
    """Write the ``.qm`` file of a ``.ts`` file."""
    target = path.with_suffix(".qm")
    # In one step: a program that runs has the file mapped, and would read half of a file written in place.
    fresh = path.with_suffix(".qm.new")
    _run("lrelease", str(path), "-qm", str(fresh))
    fresh.replace(target)
    return target


def problems(texts: Texts) -> Iterable[str]:
    """What is wrong with translations: missing ones, and placeholders that differ."""
    for (context, source), text in texts.items():
        if not text:
            yield f"{context}: not translated: {source}"
        elif sorted(_PLACEHOLDER.findall(source)) != sorted(_PLACEHOLDER.findall(text)):
            yield f"{context}: other placeholders: {source} -> {text}"
        elif source.count("&") != text.count("&") and context != REASONS:
            yield f"{context}: mnemonic lost: {source} -> {text}"


def _run(tool: str, *arguments: str) -> None:
    command = [str(Path(sys.executable).parent / f"pyside6-{tool}"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # tools of Qt
    if done.returncode:
        sys.exit(f"{tool}: {done.stdout}{done.stderr}")


def main() -> int:
    """Run one of the subcommands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=("update", "compile", "check"))
    command = parser.parse_args().command
    if command == "compile":
        compile_translations()
        return 0
    texts = update() if command == "update" else read(TS_FILE)
    wrong = list(problems(texts))
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.stdout.write(f"{len(texts)} texts, {len(wrong)} problems\n")
    return 1 if command == "check" and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
