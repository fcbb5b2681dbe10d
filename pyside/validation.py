"""One call, both opinions, one report."""

from __future__ import annotations

import platform
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version as distribution_version
from pathlib import Path
from typing import Any, TypeAlias

from pyside.agreement import compare
from pyside.bridge import BackendName, RSide
from pyside.checks import NUMBERS, SUM_TOLERANCE
from pyside.errors import PysideError
from pyside.files import atomic_path
from pyside.interchange import Frame
from pyside.opinions import opinions
from pyside.predictions import MissingRows, Predictions, read_predictions, write_predictions
from pyside.report import ValidationReport
from pyside.resources import r_package_source
from pyside.sidecar import sidecar_path

LOWEST_LEVEL, HIGHEST_LEVEL = 0.01, 0.999999

PredictionsLike: TypeAlias = Frame | Predictions | Path | str


def validate(
    predictions: PredictionsLike,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    threshold: float | None = None,
    sum_tolerance: float = SUM_TOLERANCE,
    na: MissingRows = "refuse",
    conf_level: float = 0.95,
    backend: BackendName = "auto",
    timeout: float | None = None,
) -> ValidationReport:
    """Validate a prediction table: scikit-learn's numbers, R's, and whether they agree.

    Args:
        predictions: a frame (pandas, Polars, Arrow) with `true_label` and one `pred_prob_<class>`
            per class, the path of such a CSV, or a checked table; where it has a `weight` column,
            rows count by it.
        classes: the class order; that of the sidecar, or of the columns, unless stated.
        positive: the positive class of two; that of the sidecar, or the last, unless stated.
        threshold: the probability from which on the positive class is predicted; 0.5 unless stated.
        sum_tolerance: how far the sum of a row may lie from 1.
        na: "drop" leaves out rows without a label or a probability and counts them.
        conf_level: the level of the intervals, between 0 and 1.
        backend: "embedded" (R in this process), "subprocess" (Rscript), or "auto".
        timeout: seconds that R may take; None sets no limit.

    Raises:
        PredictionTableError: if the table breaks the contract.
        BridgeError: if R takes longer, or R, rpy2 or an R package is missing, or does not fit.

    Example:
        >>> report = pyside.validate(preds_df)
        >>> print(report)
        >>> report.to_frame()
    """
    if not isinstance(conf_level, NUMBERS) or not LOWEST_LEVEL <= conf_level <= HIGHEST_LEVEL:
        raise PysideError(
            f"The level of the intervals must lie from {LOWEST_LEVEL} to {HIGHEST_LEVEL}.",
            found=repr(conf_level),
            fix="0.95 is usual; beyond the limits rounding decides where an interval ends",
        )
    conf_level = float(conf_level)
    table = checked(
        predictions,
        classes=classes,
        positive=positive,
        threshold=threshold,
        sum_tolerance=sum_tolerance,
        na=na,
    )
    pool = ThreadPoolExecutor(1, "pyside-opinions")
    try:
        # R starts, and computes, outside of Python's lock; in the main thread, Ctrl-C stops it.
        python = pool.submit(opinions, table, conf_level=conf_level)
        rside = RSide(backend, timeout=timeout)
        r = rside.validate(table, conf_level=conf_level)
        rows = tuple(compare(python.result(), r.metrics))
    finally:
        pool.shutdown(wait=False)
    return ValidationReport(
        rows=rows,
        n=r.n,
        classes=table.classes,
        positive=table.positive,
        threshold=table.threshold,
        labelled="pred_label" in table.table,
        dropped=table.dropped,
        conf_level=conf_level,
        counts=r.confusion,
        roc=r.roc,
        notes=tuple(r.notes),
        python_versions=_python_versions(),
        r_versions=r.versions,
        backend=rside.backend,
    )


def checked(
    predictions: PredictionsLike,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    threshold: float | None = None,
    sum_tolerance: float = SUM_TOLERANCE,
    na: MissingRows = "refuse",
) -> Predictions:
    """A checked table from whatever holds one; see `validate` for the arguments.

    Raises:
        PredictionTableError: if it breaks the contract.
    """
    if isinstance(predictions, Predictions):
        if classes is not None and tuple(classes) != predictions.classes:
            raise PysideError(
                "A checked table has its class order already.",
                found=f"classes {list(classes)} for {list(predictions.classes)}",
                fix="leave `classes` out, or pass the frame",
            )
        return predictions.restated(positive=positive, threshold=threshold)
    read = read_predictions if isinstance(predictions, (str, Path)) else Predictions.from_frame
    return read(
        predictions,  # type: ignore[arg-type]  # the line above picks the reader by type
        classes=classes,
        positive=positive,
        threshold=threshold,
        sum_tolerance=sum_tolerance,
        na=na,
    )


def render_report(
    predictions: PredictionsLike,
    output: Path | str,
    *,
    report: ValidationReport | None = None,
    conf_level: float = 0.95,
    **stated: Any,
) -> Path:
    """Render R's report, `vignettes/validate.Rmd`, as one HTML page.

    Args:
        predictions: what was validated; the path of a CSV is read as it lies.
        output: the page to write.
        report: Python's opinion beside R's; the page then begins with their agreement.
        conf_level: the level of the intervals.
        **stated: `classes`, `positive`, `threshold`, `sum_tolerance` and `na`, as for `validate`.

    Returns:
        The path of the page.

    Raises:
        PredictionTableError: if the table breaks the contract.
        BridgeError: if rmarkdown or pandoc is missing, or the page cannot be rendered.
    """
    from pyside.bridge.request import table_arguments
    from pyside.bridge.subprocess import SubprocessBackend

    table = checked(predictions, **stated)
    with atomic_path(Path(output)) as page, tempfile.TemporaryDirectory(prefix="pyside-") as folder:
        if isinstance(predictions, (str, Path)):
            path, arguments = Path(predictions).absolute(), stated
        else:
            path = write_predictions(table, Path(folder) / "predictions.csv")
            # Its arguments say what the sidecar says, and what was assumed besides.
            sidecar_path(path).unlink()
            arguments = table_arguments(table)
        params = {"predictions": str(path), "conf_level": conf_level, **arguments}
        if report is not None:
            params["agreement"] = str(Path(folder) / "agreement.json")
            report.to_json(params["agreement"])
        template = r_package_source() / "vignettes" / "validate.Rmd"
        rendered = SubprocessBackend().render(template, params, Path(folder))
        shutil.copyfile(rendered, page)
    return Path(output)


def _python_versions() -> dict[str, str]:
    names = ("scikit-learn", "scipy", "numpy", "pandas", "pyside-rside")
    return {
        "Python": platform.python_version(),
        **{name: distribution_version(name) for name in names},
    }
