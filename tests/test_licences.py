"""Every part that is shipped is named with its licence, and the text of that licence is at hand."""

from __future__ import annotations

import re
import sys
from importlib.metadata import distribution

import pytest

from optmem_gui import licences
from optmem_gui.licences import OWN_NAME, SHIPPED, licence_text, parts

_TEXT_BEGINS = {
    "OptMem": "Apache License",
    "Python": "HISTORY OF THE SOFTWARE",
    "PySide6-Essentials": "GNU LESSER GENERAL PUBLIC LICENSE",
    "shiboken6": "GNU LESSER GENERAL PUBLIC LICENSE",
    "nvidia-ml-py": "NVIDIA Corporation",
    "numpy": "NumPy Developers",
}


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _required(name: str, seen: set[str]) -> set[str]:
    """Names of everything a package needs, itself included, markers of extras left out."""
    if _key(name) not in seen:
        seen.add(_key(name))
        for line in distribution(name).requires or []:
            needed = re.match(r"[\w.-]+", line)
            assert needed is not None
            # torch is no part of a bundle and brings its own company
            if "extra ==" not in line and needed.group() != "torch":
                _required(needed.group(), seen)
    return seen


def test_the_table_holds_what_the_package_requires() -> None:
    assert {_key(name) for name in SHIPPED} == _required(OWN_NAME, set()) - {OWN_NAME}


@pytest.mark.parametrize("name", ["OptMem", "Python", *SHIPPED])
def test_every_part_has_a_licence_and_its_text(name: str) -> None:
    part = next(part for part in parts() if _key(part.name) == _key(name))
    assert part.version
    assert part.licence
    text = licence_text(name)
    assert len(text) > 500
    assert _TEXT_BEGINS.get(name, "") in text[:1000]


def test_the_licence_of_qt_comes_with_the_one_it_builds_on() -> None:
    """The LGPL 3 is a set of additions to the GPL 3, and asks for both to be given."""
    text = licence_text("PySide6-Essentials")
    assert "This version of the GNU Lesser General Public License incorporates" in text
    assert "GNU GENERAL PUBLIC LICENSE" in text


def test_a_bundle_names_what_lies_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    inside = [distribution(name) for name in ("psutil", "numpy", OWN_NAME)]
    monkeypatch.setattr(licences, "distributions", lambda: inside)
    assert [part.name for part in parts()] == ["OptMem", "Python", "numpy", "psutil"]


def test_what_is_not_installed_says_so_by_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "_ENGINE", "a-library-that-nobody-has")
    assert parts()[-1] == licences.Part("a-library-that-nobody-has", "", "")
    assert licence_text("a-library-that-nobody-has") == ""
