"""Which words the command line takes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import get_args

from optmem_gui.cli import COMMANDS
from optmem_gui.cli.answering import Parser
from optmem_gui.core.errors import UserError
from optmem_gui.core.parallel import SHARD_IDS, Offload
from optmem_gui.core.precision import SCHEMES
from optmem_gui.core.recipes import RECIPES
from optmem_gui.core.run_defaults import DEFAULT_SAMPLE_HZ, DEFAULT_STEPS
from optmem_gui.core.scenario import Attention, BaseDType, Loss, Target

LARGEST = 10**9
"""Largest batch, sequence, accumulation or rank accepted."""

_PYTHON = "Python that simulates and measures, and builds a config of a family not known here; it has torch"


class _Whole(argparse.Action):
    """A whole number of one or more, with thousands separators if they are wanted."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[str] | None,
        option_string: str | None = None,
    ) -> None:
        text = str(values).strip()
        digits = text.replace(",", "").replace("_", "")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and 1 <= int(digits) <= LARGEST):
            raise UserError("cli.out_of_range", option=str(option_string), given=text, low=1, high=LARGEST)
        setattr(namespace, self.dest, int(digits))


def build_parser() -> Parser:
    """The parser of every subcommand."""
    parser = Parser(prog="optmem", description="How much GPU memory training takes.", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="|".join(COMMANDS))
    estimate = commands.add_parser("estimate", help=COMMANDS["estimate"], allow_abbrev=False)
    _add_model(estimate)
    _add_training(estimate)
    _add_verdict(estimate)
    estimate.add_argument(
        "--solve", choices=("batch", "seq"), help="largest batch, or longest sequence, that fits on the GPU"
    )
    estimate.add_argument("--ways", action="store_true", help="single changes that lower the peak")
    estimate.add_argument(
        "--export", metavar="FILE", action="append", help="save it too: .csv, .json, .md, .tex or .html"
    )
    estimate.add_argument("--overwrite", action="store_true", help="replace a FILE that is there")
    traced = commands.add_parser("simulate", help=COMMANDS["simulate"], allow_abbrev=False)
    _add_model(traced)
    _add_training(traced)
    _add_verdict(traced)
    _add_simulation(traced)
    measure = commands.add_parser("measure", help=COMMANDS["measure"], allow_abbrev=False)
    _add_model(measure)
    _add_training(measure)
    _add_device(measure)
    inspect = commands.add_parser("inspect", help=COMMANDS["inspect"], allow_abbrev=False)
    inspect.add_argument("path", metavar="PATH", help="checkpoint, folder or config.json")
    inspect.add_argument("--python", metavar="FILE", help=_PYTHON)
    listing = commands.add_parser("optimizers", help=COMMANDS["optimizers"], allow_abbrev=False)
    listing.add_argument("--library", metavar="NAME", help="only this library, such as torch")
    listing.add_argument("--family", metavar="NAME", help="only this family, such as adam")
    known = commands.add_parser("presets", help=COMMANDS["presets"], allow_abbrev=False)
    known.add_argument("words", metavar="WORD", nargs="*", help="only those with these words, such as qwen3")
    planned = commands.add_parser("plan", help=COMMANDS["plan"], allow_abbrev=False)
    _add_model(planned)
    _add_training(planned)
    planned.add_argument("--gpu", metavar="ID", help="every rank's GPU, such as h100-80gb")
    planned.add_argument("--gpus-max", metavar="N", action=_Whole, help="where to give up, 16384 at most")
    planned.add_argument("--target", choices=get_args(Target), help="device whose rules apply")
    probe = commands.add_parser("probe", help=COMMANDS["probe"], allow_abbrev=False)
    _add_probe(probe)
    recorded = commands.add_parser("replay", help=COMMANDS["replay"], allow_abbrev=False)
    _add_replay(recorded)
    kept = commands.add_parser("results", help=COMMANDS["results"], allow_abbrev=False)
    _add_results(kept)
    checked = commands.add_parser("selfcheck", help=COMMANDS["selfcheck"], allow_abbrev=False)
    _add_selfcheck(checked)
    for command in (
        estimate,
        traced,
        measure,
        inspect,
        listing,
        known,
        planned,
        probe,
        recorded,
        kept,
        checked,
    ):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="?", choices=("show", "compare", "forget"), help="one of them, two, or a calibration"
    )
    parser.add_argument(
        "which",
        metavar="ID",
        nargs="*",
        help="an id or its beginning, an exported file; of forget a GPU's UUID",
    )


def _add_selfcheck(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", metavar="cpu|cuda:N|auto", default="auto", help="where the steps run")
    parser.add_argument("--quick", action="store_true", help="a few runs instead of all")


def _add_probe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="CLASS", help="package.module:Class; it is run in a child process")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", help="option of its constructor")
    parser.add_argument("--folder", metavar="DIR", default=".", help="where its module is looked for first")
    parser.add_argument("--python", metavar="FILE", help="Python that has it and torch")
    parser.add_argument("--yes", action="store_true", help="run it without asking")


def _add_model(parser: argparse.ArgumentParser) -> None:
    model = parser.add_argument_group("model (one of them)")
    model.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="checkpoint, folder, config.json or .optmem file; two .optmem files are compared",
    )
    model.add_argument("--params", metavar="COUNT", help="number of parameters: 7B, 125M, 6.74e9")
    model.add_argument("--preset", metavar="ID", help="a published model; see `optmem presets`")
    model.add_argument("--python", metavar="FILE", help=_PYTHON)
    model.add_argument("--trainable", metavar="all|REGEX", help="parameters to train, by name")
    lora = parser.add_argument_group("low-rank adapters")
    lora.add_argument("--lora-rank", metavar="R", action=_Whole, help="train adapters of this rank instead")
    lora.add_argument("--lora-targets", metavar="LIST", help="module names with commas, or all-linear")
    lora.add_argument("--base-dtype", choices=get_args(BaseDType), help="how the frozen base is held")


def _add_training(parser: argparse.ArgumentParser) -> None:
    training = parser.add_argument_group("training")
    training.add_argument(
        "--recipe", metavar="ID", help=f"start from a library's defaults: {', '.join(RECIPES)}"
    )
    training.add_argument("--optimizer", metavar="ID", help="such as torch.AdamW; see `optmem optimizers`")
    training.add_argument("--option", metavar="NAME=VALUE", action="append", help="option of the optimizer")
    training.add_argument("--precision", choices=tuple(SCHEMES), metavar="ID", help=", ".join(SCHEMES))
    training.add_argument("--batch", metavar="N", action=_Whole, help="sequences a micro-batch")
    training.add_argument("--seq", metavar="N", action=_Whole, dest="sequence", help="tokens a sequence")
    training.add_argument("--checkpointing", metavar="none|attention|every-K|full", help="activations")
    training.add_argument("--attention", choices=get_args(Attention), help="attention kernel")
    training.add_argument("--loss", choices=get_args(Loss), help="how cross-entropy is computed")
    training.add_argument("--accumulate", metavar="N", action=_Whole, help="micro-batches before a step")
    training.add_argument(
        "--clip", action="store_const", const=True, help="clip_grad_norm_ runs before the step"
    )
    training.add_argument(
        "--keep-logits", action="store_const", const=True, help="the loop holds on to the logits"
    )
    training.add_argument(
        "--resident",
        metavar="NAME:COUNT:DTYPE|NAME:SIZE",
        action="append",
        help="what else is on each GPU",
    )
    _add_parallel(parser)


def _add_parallel(parser: argparse.ArgumentParser) -> None:
    several = parser.add_argument_group("several GPUs")
    several.add_argument("--gpus", metavar="N", action=_Whole, help="ranks in all, one a GPU")
    several.add_argument("--shard", metavar="ID", help=", ".join(SHARD_IDS))
    for option, what in (
        ("--tp", "tensor-parallel ranks"),
        ("--pp", "pipeline stages"),
        ("--ep", "expert-parallel ranks"),
        ("--cp", "context-parallel ranks"),
        ("--replicas", "groups of ranks with all shards each (hsdp)"),
        ("--interleave", "chunks of layers a pipeline rank"),
    ):
        several.add_argument(option, metavar="N", action=_Whole, help=what)
    several.add_argument("--stages", metavar="LIST", help="layers of each pipeline stage, such as 10,11,11")
    several.add_argument("--offload", choices=get_args(Offload), help="what lives in host memory")
    several.add_argument("--host-memory", metavar="SIZE", help="host memory a GPU, such as 128GiB")
    for option, what in (
        ("--sequence-parallel", "norms and dropout work on a part of the sequence"),
        ("--bucket-view", "DDP's gradient_as_bucket_view"),
    ):
        several.add_argument(option, action="store_const", const=True, help=what)


def _add_verdict(parser: argparse.ArgumentParser) -> None:
    verdict = parser.add_argument_group("verdict")
    verdict.add_argument("--gpu", metavar="ID|all", help="GPU to fit in, such as h100-80gb")
    verdict.add_argument("--target", choices=get_args(Target), help="device whose rules apply")
    verdict.add_argument("--check", action="store_true", help="exit 1 if it does not fit, 3 if it is tight")


def _add_simulation(parser: argparse.ArgumentParser) -> None:
    _add_function(parser)
    traced = parser.add_argument_group("simulation")
    traced.add_argument("--torch", metavar="VERSION", help="torch that will train, such as 2.13")
    traced.add_argument("--allocator", metavar="CONF", help="value of PYTORCH_CUDA_ALLOC_CONF")
    traced.add_argument(
        "--every-block", action="store_true", help="trace every block instead of replaying one"
    )


def _add_function(parser: argparse.ArgumentParser) -> None:
    own = parser.add_argument_group("a step of your own")
    own.add_argument(
        "--function", metavar="FILE.py:NAME", help="your function; it returns model, batch and loss"
    )
    own.add_argument("--yes", action="store_true", help="run the function without asking")


def _add_device(parser: argparse.ArgumentParser) -> None:
    _add_function(parser)
    device = parser.add_argument_group("measurement")
    device.add_argument("--device", metavar="cpu|cuda:N|auto", default="auto", help="where the steps run")
    device.add_argument("--steps", metavar="N", action=_Whole, default=DEFAULT_STEPS, help="optimizer steps")
    device.add_argument(
        "--sample-hz",
        metavar="N",
        action=_Whole,
        default=DEFAULT_SAMPLE_HZ,
        help="samples of the driver a second",
    )
    device.add_argument("--compile", action="store_true", help="torch.compile compiles the model")
    device.add_argument(
        "--own-weights", action="store_true", help="load the values of the checkpoint, not random ones"
    )
    device.add_argument(
        "--history", metavar="FILE", help="write the history of the caching allocator, a .pickle (GPU)"
    )
    device.add_argument("--simulate", action="store_true", help="trace the step too, for the same device")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="SNAPSHOT", help="pickle of _dump_snapshot, or a .json.gz trace")
    parser.add_argument("--device", metavar="N", type=int, help="which device; the one with most events")
    parser.add_argument(
        "--what-if", metavar="SETTINGS", help="as in PYTORCH_CUDA_ALLOC_CONF: expandable_segments:True"
    )
