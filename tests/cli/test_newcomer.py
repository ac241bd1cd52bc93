"""What somebody types who has not read anything is answered in one line with the word that was meant."""

from __future__ import annotations

import json

import pytest

from optmem_gui.__main__ import main
from optmem_gui.cli import COMMANDS
from optmem_gui.cli.parser import build_parser


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("estimate", "no model: give a PATH, `--params 7B` or `--preset ID`"),
        ("estimate --params 7B --optimzer adamw", "did you mean --optimizer?"),
        ("estimate --params 7B --optimzer=adamw", "--optimzer is no option of `optmem estimate`"),
        ("estimate --params 7B --precision bf17", "--precision: bf17 is not known; did you mean bf16?"),
        ("estimate --params 7B --loss chunk", "did you mean chunked?"),
        ("estimate --params 7B --optimizer adamv", "did you mean torch.Adam"),
        ("estimate --params 7B --gpu h10", "h100-80gb"),
        ("estimate --preset llama-8b", "llama-3-8b"),
        (
            "estimate --params 7B --something",
            "unrecognized arguments: --something; see `optmem estimate --help`",
        ),
        ("estimate --params", "argument --params: expected one argument"),
        ("estimate nothing.safetensors", "nothing.safetensors: there is no such file or folder"),
        (
            "estmate --params 7B",
            "estmate: is neither a file nor a subcommand; did you mean `optmem estimate`?",
        ),
        ("help", "did you mean `optmem --help`?"),
        ("version", "did you mean `optmem --version`?"),
        ("--verison", "--verison is no option of `optmem`; did you mean --version?"),
        ("nothing.optmem", "nothing.optmem: there is no such file or folder"),
        ("selfcheck --quik", "did you mean --quick?"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(
    typed: str, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("optmem: ")
    assert shown.err.count("\n") == 1
    assert answer in shown.err


def test_a_script_gets_the_same_answer_as_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "--optimzer", "adamw", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "cli.unknown_option"
    assert error["message"].endswith("did you mean --optimizer?")


def test_help_names_every_subcommand_and_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    for name, what in COMMANDS.items():
        assert f"  {name} " in shown
        assert what in shown


def test_every_subcommand_that_is_listed_is_one() -> None:
    usage = build_parser().format_help()
    for name, what in COMMANDS.items():
        assert name in usage
        assert what in usage
