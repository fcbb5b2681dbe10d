"""The command `pyside`.

Each verb is a function that adds its parser and names its handler. Handlers import what they
need when they run, so that `pyside --help` is instant.
"""

from __future__ import annotations

import argparse
import logging
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeAlias

from pyside.errors import InterruptedWorkError, PysideError
from pyside.files import require_folder
from pyside.runs import Run
from pyside.training.config import AUGMENTATIONS, DEVICES, ON_DIVERGENCE, TrainConfig

if TYPE_CHECKING:
    from pyside.report import ValidationReport

Handler = Callable[[argparse.Namespace], int]
Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

DISAGREEMENT = 1
BAD_INPUT = 2
INTERNAL_ERROR = 3
OUT_OF_TIME = 4
INTERRUPTED = 130
# As shells tell of these signals.
STOPPED = {"Ctrl-C": INTERRUPTED, "SIGTERM": 143}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments; those of the process if none.

    Returns:
        The exit code: 0 if all is well, 1 on a disagreement, 2 on bad input, 3 on an error in
        pyside itself, 4 if its time was over and it can go on, 130 or 143 when interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a class named outside the terminal's encoding
            stream.reconfigure(errors="backslashreplace")
    arguments = _parser().parse_args(argv)
    handler: Handler = arguments.handler
    try:
        with _log_on_stderr(quiet=arguments.quiet):
            return handler(arguments)
    except InterruptedWorkError as error:
        print(f"pyside: {error}", file=sys.stderr)
        return STOPPED.get(error.reason, OUT_OF_TIME)
    except PysideError as error:
        print(f"pyside: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:  # a full disk, no permission: outside what pyside can check first
        print(f"pyside: {error}", file=sys.stderr)
        return BAD_INPUT
    except Exception:
        traceback.print_exc()
        print("pyside: this is an error in pyside itself; please report it", file=sys.stderr)
        return INTERNAL_ERROR
    except KeyboardInterrupt:
        print("pyside: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pyside", description="Train an image classifier, and let R check its predictions."
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="warnings and errors only")
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")
    for add in (_add_train, _add_predict, _add_validate, _add_runs, _add_rpy2_pin):
        add(verbs)
    return parser


def _add_verb(verbs: Verbs, name: str, help_: str, handler: Handler) -> argparse.ArgumentParser:
    # an option that is not given stays out of the namespace: defaults live in one place
    parser = verbs.add_parser(
        name, help=help_, description=help_, argument_default=argparse.SUPPRESS
    )
    parser.set_defaults(handler=handler)
    return parser


def _add_train(verbs: Verbs) -> None:
    parser = _add_verb(verbs, "train", "Train ResNet-18 on images and export predictions.", _train)
    default = {field.name: field.default for field in fields(TrainConfig)}
    option = parser.add_argument
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--resume", metavar="RUN", help="go on with a run that was interrupted")
    what.add_argument(
        "--data",
        metavar="PATH",
        help="a folder with train/<class>/* and test/<class>/*, or <class>/*; a zip of one; "
        "digits; cifar10:DIR; fake",
    )
    option("--out", metavar="RUN", help="the run folder (runs/<time>-<data>)")
    option("--overwrite", action="store_true", help="replace the run that is there")
    option("--epochs", type=int, metavar="N", help=f"({default['epochs']})")
    option("--batch-size", type=int, metavar="N", help=f"images per step ({default['batch_size']})")
    option("--lr", type=float, metavar="X", help=f"peak learning rate ({default['lr']})")
    option("--weight-decay", type=float, metavar="X", help=f"({default['weight_decay']})")
    option("--image-size", type=int, metavar="N", help="pixels (from the images, 32 to 224)")
    option("--augment", choices=AUGMENTATIONS, help="(auto: flip-shift for photographs)")
    option("--weights", metavar="FILE", help="a ResNet-18 state dict to start from")
    option("--device", choices=DEVICES, help="(auto: cuda where there is one)")
    option("--seed", type=int, metavar="N", help=f"({default['seed']})")
    option(
        "--test-fraction",
        type=float,
        metavar="F",
        help=f"of each class, where there is no test folder ({default['test_fraction']})",
    )
    option(
        "--val-fraction",
        type=float,
        metavar="F",
        help=f"of the training images, to choose the best epoch ({default['val_fraction']})",
    )
    option("--workers", type=int, metavar="N", help="decoding processes, if memory is too small")
    option(
        "--cache-mb",
        type=int,
        metavar="N",
        help=f"memory for decoded images, in MiB ({default['cache_mb']})",
    )
    option("--classes", type=_names, metavar="A,B", help="the class order (sorted names)")
    option("--positive", metavar="CLASS", help="the positive class of the predictions")
    option(
        "--limit-corrupt",
        type=int,
        metavar="N",
        help=f"unreadable images to skip before it is an error ({default['limit_corrupt']})",
    )
    option(
        "--save-minutes",
        type=float,
        metavar="N",
        help=f"save this often within an epoch ({default['save_minutes']:g})",
    )
    option("--max-time", metavar="11h30m", help="stop before, saved, and say how to go on")
    option(
        "--on-divergence",
        choices=ON_DIVERGENCE,
        help="stop, or go back to the last good state with half the learning rate (stop)",
    )


def _train(arguments: argparse.Namespace) -> int:
    from pyside.training import resume, train

    known = {field.name for field in fields(TrainConfig)}
    given = {name: value for name, value in vars(arguments).items() if name in known}
    run = (
        resume(arguments.resume, **given) if "resume" in arguments else train(TrainConfig(**given))
    )
    summary = run.read_summary()
    print(f"run: {run.folder}")
    print(f"test accuracy: {summary['test_accuracy']:.4f} on {summary['test_images']} images")
    print(f"predictions: {run.predictions_path}")
    return 0


def _add_predict(verbs: Verbs) -> None:
    parser = _add_verb(verbs, "predict", "Predict images with a trained run.", _predict)
    option = parser.add_argument
    option("run", metavar="RUN", help="the run folder")
    option("--data", required=True, metavar="PATH", help="as for train; test images if divided")
    option("--out", required=True, metavar="CSV", type=Path, help="the table to write")
    option("--checkpoint", choices=("best", "last"), help="(best)")
    option("--device", choices=DEVICES, help="(auto)")
    option("--batch-size", type=int, metavar="N", help="(as in training)")
    option("--workers", type=int, metavar="N", help="decoding processes, if memory is too small")
    option("--limit-corrupt", type=int, metavar="N", help="unreadable images to skip (0)")


def _predict(arguments: argparse.Namespace) -> int:
    from pyside.predictions import write_predictions
    from pyside.training import predict

    if arguments.out.suffix != ".csv" or not arguments.out.parent.is_dir():
        raise PysideError(  # now, not after minutes of work
            "--out must be a file '*.csv' in a folder that exists",
            found=f"'{arguments.out}'",
            fix="create the folder, or end the name in .csv",
        )
    names = ("checkpoint", "device", "batch_size", "workers", "limit_corrupt")
    options = {name: value for name, value in vars(arguments).items() if name in names}
    predictions = predict(arguments.run, arguments.data, **options)
    write_predictions(predictions, arguments.out)
    print(f"predictions: {arguments.out} ({len(predictions.probabilities)} images)")
    return 0


def _add_validate(verbs: Verbs) -> None:
    parser = _add_verb(
        verbs, "validate", "Compare scikit-learn's numbers with R's, metric by metric.", _validate
    )
    option = parser.add_argument
    option("predictions", metavar="CSV", help="a prediction table, its sidecar beside it")
    option("--classes", type=_names, metavar="A,B", help="the class order (the sidecar's)")
    option("--positive", metavar="CLASS", help="the positive class (the sidecar's, or the last)")
    option("--threshold", type=float, metavar="P", help="predict it from here on (0.5)")
    option("--na", choices=("refuse", "drop"), help="rows with missing values (refuse)")
    option("--sum-tolerance", type=float, metavar="X", help="of a row's probabilities (1e-6)")
    option("--conf-level", type=float, metavar="P", help="of the intervals (0.95)")
    option("--backend", choices=("auto", "embedded", "subprocess"), help="how R is run (auto)")
    option("--report", metavar="HTML", default=None, help="write R's report, with plots")
    option("--html", metavar="HTML", default=None, help="write the comparison as a page")
    option("--json", metavar="JSON", default=None, help="write the comparison as JSON")


def _validate(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from pyside.validation import render_report, validate

    own = ("handler", "quiet", "predictions", "report", "html", "json")
    _check_outputs(arguments.predictions, [arguments.report, arguments.html, arguments.json])
    options = {name: value for name, value in vars(arguments).items() if name not in own}
    report = validate(arguments.predictions, **options)
    Console().print(report)
    _keep_in_run(report, Path(arguments.predictions))
    if arguments.html:
        report.to_html(arguments.html)
    if arguments.json:
        report.to_json(arguments.json)
    if arguments.report:
        options.pop("backend", None)
        page = render_report(arguments.predictions, arguments.report, report=report, **options)
        print(f"report: {page}")
    return 0 if report.agrees else DISAGREEMENT


def _keep_in_run(report: ValidationReport, table: Path) -> None:
    """What is said of a run's own predictions is kept with the run."""
    run = Run(table.parent)
    if run.config_path.is_file() and table.resolve() == run.predictions_path.resolve():
        report.to_json(run.validation_path)


def _check_outputs(table: str, outputs: Sequence[str | None]) -> None:
    """Before any work: outputs differ from the table, its sidecar and each other, and can be."""
    from pyside.sidecar import sidecar_path

    taken = {Path(table).resolve(), sidecar_path(Path(table)).resolve()}
    for path in (Path(output) for output in outputs if output):
        if path.resolve() in taken:
            raise PysideError(
                "An output must be a file of its own: not the table, its sidecar or another.",
                found=f"'{path}'",
                fix="name another file",
            )
        taken.add(path.resolve())
        require_folder(path)


def _add_runs(verbs: Verbs) -> None:
    from pyside.cli_runs import add_actions

    add_actions(_add_verb(verbs, "runs", "List, compare, prune and move runs.", _runs))


def _runs(arguments: argparse.Namespace) -> int:
    arguments.action(arguments)
    return 0


def _add_rpy2_pin(verbs: Verbs) -> None:
    _add_verb(verbs, "rpy2-pin", "Print which rpy2 fits the R that is there.", _rpy2_pin)


def _rpy2_pin(_: argparse.Namespace) -> int:
    from pyside.bridge.rpy2_pins import pin_for
    from pyside.bridge.runtime import find_r

    print(*pin_for(find_r().version).requirements)
    return 0


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"pyside: {message}", file=sys.stderr)


@contextmanager
def _log_on_stderr(*, quiet: bool) -> Iterator[None]:
    """Print the log of pyside, and warnings, to stderr as plain lines."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("pyside")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING if quiet else logging.INFO)
    show = warnings.showwarning
    warnings.showwarning = _show_warning
    try:
        yield
    finally:
        warnings.showwarning = show
        logger.removeHandler(handler)
        logger.setLevel(level)


if __name__ == "__main__":
    sys.exit(main())
