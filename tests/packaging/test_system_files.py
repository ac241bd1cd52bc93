"""What desktops are told about the program: entries, file type, icons, version resource, installer."""

from __future__ import annotations

import ast
import configparser
import os
import plistlib
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from optmem_gui import __version__
from optmem_gui.gui.app import APP_ID
from optmem_gui.paths import SCENARIO_SUFFIX
from tools import icons
from tools.bundling import parts

ROOT = Path(__file__).resolve().parent.parent.parent
RESOURCES = ROOT / "resources"
LINUX = RESOURCES / "linux"
MIME = "application/x-optmem-scenario+json"
posix = pytest.mark.skipif(os.name != "posix", reason="a shell script")


def desktop_entry(path: Path = LINUX / f"{APP_ID}.desktop") -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the way configparser documents it
    parser.read(path, encoding="utf-8")
    return parser["Desktop Entry"]


def checked_by(tool: str, *words: str | Path) -> None:
    program = shutil.which(tool)
    if program is None:
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_one_name_everywhere() -> None:
    assert parts.APP_ID == APP_ID
    entry = desktop_entry()
    assert entry["StartupWMClass"] == entry["Icon"] == APP_ID
    assert entry["Exec"] == "optmem %f"
    assert entry["MimeType"] == f"{MIME};"
    assert {"GenericName[zh_CN]", "Comment[zh_CN]"} <= set(entry)
    assert f'AppUserModelID: "{APP_ID}"' in (RESOURCES / "windows" / "optmem.iss").read_text(encoding="utf-8")


def test_the_desktop_entry_is_valid() -> None:
    checked_by("desktop-file-validate", LINUX / f"{APP_ID}.desktop")


def test_the_description_for_software_centres_is_valid(tmp_path: Path) -> None:
    (tmp_path / "usr").mkdir()
    parts.lay_linux_files(ROOT, tmp_path / "usr")
    path = tmp_path / "usr" / "share" / "metainfo" / f"{APP_ID}.metainfo.xml"
    root = ElementTree.parse(path).getroot()  # noqa: S314  # our own file
    assert root.findtext("id") == APP_ID
    assert root.findtext("launchable") == f"{APP_ID}.desktop"
    release = root.find("releases/release")
    assert release is not None
    assert release.get("version") == __version__
    checked_by("appstreamcli", "validate-tree", "--no-net", tmp_path)


def test_the_file_type_is_described() -> None:
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    root = ElementTree.parse(LINUX / f"{APP_ID}.mime.xml").getroot()  # noqa: S314  # our own file
    kind = root.find("m:mime-type", space)
    assert kind is not None
    assert kind.get("type") == MIME
    pattern = kind.find("m:glob", space)
    assert pattern is not None
    assert pattern.get("pattern") == f"*{SCENARIO_SUFFIX}"


@posix
def test_the_script_installs_for_one_user_and_takes_all_of_it_back(tmp_path: Path) -> None:
    folder, home = tmp_path / "Opt Mem $x", tmp_path / "home"
    folder.mkdir()
    program = folder / "optmem"
    program.write_text("#!/bin/sh\necho started\n", encoding="utf-8")
    program.chmod(0o755)
    parts.lay_linux_files(ROOT, folder)
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    script = folder / "install.sh"
    subprocess.run(["/bin/sh", script], env=environment, check=True)
    data = home / ".local" / "share"
    entry = desktop_entry(data / "applications" / f"{APP_ID}.desktop")
    assert entry["Exec"] == f'"{folder}/optmem" %f'.replace("$", "\\$")
    assert (data / "icons" / "hicolor" / "48x48" / "apps" / f"{APP_ID}.png").is_file()
    assert (data / "mime" / "packages" / f"{APP_ID}.xml").is_file()
    started = subprocess.run([home / ".local" / "bin" / "optmem"], capture_output=True, text=True, check=True)
    assert started.stdout == "started\n"
    subprocess.run(["/bin/sh", script, "--remove"], env=environment, check=True)
    left = {path for path in home.rglob("*") if APP_ID in path.name or path.name == "optmem"}
    assert left == set()
    assert program.is_file()


# -- icons


def test_an_ico_holds_every_size() -> None:
    data = (RESOURCES / "windows" / "optmem.ico").read_bytes()
    reserved, kind, count = struct.unpack_from("<HHH", data)
    assert (reserved, kind, count) == (0, 1, len(icons.WINDOWS_SIZES))
    for index, size in enumerate(icons.WINDOWS_SIZES):
        width, height, *_, length, offset = struct.unpack_from("<BBBBHHII", data, 6 + 16 * index)
        assert width == height == size % 256
        assert QImage.fromData(data[offset : offset + length]).width() == size


def test_an_icns_holds_every_size() -> None:
    data = (RESOURCES / "macos" / "optmem.icns").read_bytes()
    assert data[:4] == b"icns"
    assert struct.unpack_from(">I", data, 4)[0] == len(data)
    found, offset = {}, 8
    while offset < len(data):
        kind, length = data[offset : offset + 4].decode(), struct.unpack_from(">I", data, offset + 4)[0]
        found[kind] = QImage.fromData(data[offset + 8 : offset + length]).width()
        offset += length
    assert found == icons.MACOS_KINDS


@pytest.mark.parametrize("size", icons.LINUX_SIZES)
def test_pictures_show_the_drawing(qtbot: QtBot, size: int) -> None:
    committed = QImage(str(LINUX / "icons" / f"{size}.png"))
    drawn = QImage.fromData(icons.png(size))
    assert committed.size() == drawn.size()

    def tones(image: QImage) -> list[int]:
        colours = (QColor(image.pixelColor(x, y)) for x in range(size) for y in range(size))
        return [tone for c in colours for tone in (c.red(), c.green(), c.blue(), c.alpha())]

    pairs = list(zip(tones(committed), tones(drawn), strict=True))
    assert sum(abs(a - b) for a, b in pairs) / len(pairs) < 2  # another Qt may smooth edges differently


# -- Windows and macOS


@pytest.mark.parametrize("program", ["optmem", "optmem-gui", "optmem-worker"])
def test_the_version_resource(tmp_path: Path, program: str) -> None:
    text = parts.version_resource(ROOT, program, tmp_path).read_text(encoding="utf-8")
    assert "@" not in text
    strings: dict[str, str] = {}

    def fixed(**given: Any) -> Any:
        return SimpleNamespace(**given)

    def keep(name: str, value: str) -> None:
        strings[name] = value

    names = {
        "VSVersionInfo": lambda ffi, kids: ffi,
        "FixedFileInfo": fixed,
        "StringFileInfo": list,
        "StringTable": lambda language, kids: kids,
        "StringStruct": keep,
        "VarFileInfo": list,
        "VarStruct": lambda name, values: (name, values),
    }
    ffi = eval(compile(text, "version", "eval"), names)  # noqa: S307  # as PyInstaller reads it
    numbers = tuple(int(part) for part in re.findall(r"\d+", __version__)[:3])
    assert ffi.filevers == ffi.prodvers == (*numbers, 0)
    assert strings["ProductVersion"] == __version__
    assert strings["OriginalFilename"] == f"{program}.exe"


def test_the_keys_for_macos() -> None:
    keys = parts.info_plist(ROOT)
    assert keys["CFBundleShortVersionString"] == keys["CFBundleVersion"] == __version__
    assert keys["CFBundleLocalizations"] == ["en", "zh-Hans"]
    assert keys["LSBackgroundOnly"] is False
    (exported,) = keys["UTExportedTypeDeclarations"]
    tags = exported["UTTypeTagSpecification"]
    assert tags["public.filename-extension"] == [SCENARIO_SUFFIX.removeprefix(".")]
    assert tags["public.mime-type"] == [MIME]
    ours, others = keys["CFBundleDocumentTypes"]
    assert ours["LSItemContentTypes"] == [exported["UTTypeIdentifier"]]
    assert others["LSHandlerRank"] == "Alternate"  # checkpoints keep their program
    with (RESOURCES / "macos" / "entitlements.plist").open("rb") as file:
        assert all(plistlib.load(file).values())


def test_the_installer_for_windows_names_files_that_exist() -> None:
    text = (RESOURCES / "windows" / "optmem.iss").read_text(encoding="utf-8")
    folder = RESOURCES / "windows"
    for name in re.findall(r"^(?:LicenseFile|SetupIconFile)=(.+)$", text, re.MULTILINE):
        assert (folder / name.replace("\\", "/")).resolve().is_file(), name
    spec = (ROOT / "build.spec").read_text(encoding="utf-8")
    for program in re.findall(r"\{app\}\\([a-z-]+)\.exe", text):
        assert f'"{program}"' in spec
    assert f'Subkey: "Software\\Classes\\{SCENARIO_SUFFIX}"' in text
    assert MIME in text
    assert "PrivilegesRequired=lowest" in text
    assert not re.search(r"Subkey: \"Software\\Classes\\\.(safetensors|gguf)\";", text)


# -- what is built


def test_the_first_thing_a_program_does_is_to_serve_multiprocessing() -> None:
    for name in ("program.py", "worker.py"):
        tree = ast.parse((ROOT / "tools" / "bundling" / name).read_text(encoding="utf-8"))
        *before, guarded = tree.body[1:]
        imported = {alias.name for node in before if isinstance(node, ast.Import) for alias in node.names}
        assert imported <= {"multiprocessing", "runpy", "sys"}  # nothing heavy
        assert isinstance(guarded, ast.If)
        assert ast.unparse(guarded.body[0]) == "multiprocessing.freeze_support()"


def test_qt_is_pruned_by_name_on_every_system() -> None:
    def kept(*names: str) -> list[str]:
        return [name for name in names if parts._is_needed(name)]

    assert kept(
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqeglfs.so",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
        "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
        "PySide6/Qt/translations/qtbase_zh_CN.qm",
        "PySide6/translations/qtbase_de.qm",
        "PySide6/Qt/lib/libQt6Quick.so.6",
        "PySide6/Qt6Pdf.dll",
        "PySide6/Qt/lib/libQt6Gui.so.6",
    ) == [
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
        "PySide6/Qt/translations/qtbase_zh_CN.qm",
        "PySide6/Qt/lib/libQt6Gui.so.6",
    ]


def test_a_bundled_torch_gets_every_module_of_the_worker() -> None:
    names = parts.worker_modules(ROOT)
    assert {"optmem_gui.worker", "optmem_gui.worker.__main__", "optmem_gui.worker.measure"} <= set(names)
    assert len(names) == len(list((ROOT / "optmem_gui" / "worker").rglob("*.py")))


def test_the_library_path_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.bundling.start import give_back_library_paths

    monkeypatch.setattr(sys, "_MEIPASS", "/bundle", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/bundle{os.pathsep}/opt/mine")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/opt/mine")
    give_back_library_paths()
    assert os.environ["LD_LIBRARY_PATH"] == "/opt/mine"
    assert "LD_LIBRARY_PATH_ORIG" not in os.environ
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle")
    give_back_library_paths()
    assert "LD_LIBRARY_PATH" not in os.environ
