"""Frames to R and back, in this process: pyside, pandas2ri, rpy2's vectors, a copy of the bytes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import rpy2.rinterface as ri
import rpy2.robjects as ro
from results import Row, faster, within
from rpy2.robjects import pandas2ri
from tables import TEXT, Labels, table
from timing import Rival, medians, seconds_of

from pyside.bridge.convert import data_frame, from_r
from pyside.bridge.embedded import session
from pyside.predictions import Predictions

_QUICK = 3  # repeats in a round, of what takes milliseconds
_CONVERTER = ro.default_converter + pandas2ri.converter
# Row names aside: pandas2ri numbers the rows as text.
_EQUAL = """function(x, y) {
  plain <- function(column) if (is.factor(column)) as.character(column) else column
  identical(names(x), names(y)) &&
    all(mapply(function(a, b) identical(plain(a), plain(b)), x, y))
}"""


def ours(frame: pd.DataFrame) -> Any:
    """A frame to R, by pyside."""
    with session().gate():
        return data_frame(frame)


def ours_back(value: Any) -> pd.DataFrame:
    """A data.frame from R, by pyside."""
    with session().gate():
        frame: pd.DataFrame = from_r(value)
        return frame


def by_pandas2ri(frame: pd.DataFrame) -> Any:
    """A frame to R, by rpy2's own conversion."""
    with _CONVERTER.context():
        return _CONVERTER.py2rpy(frame)


def by_pandas2ri_back(value: Any) -> pd.DataFrame:
    """A data.frame from R, by rpy2's own conversion."""
    with _CONVERTER.context():
        frame: pd.DataFrame = _CONVERTER.rpy2py(value)
        return frame


def by_hand(frame: pd.DataFrame) -> Any:
    """A frame to R, as one writes it with rpy2's vectors."""
    return ro.DataFrame({name: _vector(frame[name]) for name in frame.columns})


def _vector(series: pd.Series[Any]) -> Any:
    if isinstance(series.dtype, pd.CategoricalDtype):
        return ro.FactorVector(ro.StrVector(series))
    if series.dtype == np.float64:
        return ro.FloatVector(series.to_numpy())
    return ro.StrVector(series.tolist())


def _copier(frame: pd.DataFrame) -> Callable[[], object]:
    """Copies what must be copied at least: the doubles, and the labels as 32-bit codes."""
    codes = frame["true_label"].astype("category").cat.codes.to_numpy(dtype=np.int32)
    columns = [frame[name].to_numpy() for name in frame.columns if name != "true_label"]
    return lambda: [values.copy() for values in (codes, *columns)]


def to_r_rows(rows: int, rounds: int, note: Callable[[str], None]) -> Iterator[Row]:
    """Every comparison of pandas to R."""
    for labels in TEXT:
        work = f"{rows:,} rows, 2 classes, text labels ({labels}), to R"
        yield from _to_r(work, table(rows, 2, labels), rounds, note, (300, 40, 12))
    work = f"{rows:,} rows, 2 classes, Categorical labels, to R"
    yield from _to_r(work, table(rows, 2, "category"), rounds, note, (1500, None, 2))
    for labels in TEXT:
        work = f"{rows:,} rows, 10 classes, text labels ({labels}), to R"
        yield from _to_r(work, table(rows, 10, labels), rounds, note, (600, None, None))
    yield _checked_table(table(rows, 2, "str"), rounds, note)


def _to_r(
    work: str,
    frame: pd.DataFrame,
    rounds: int,
    note: Callable[[str], None],
    goals: tuple[float | None, float | None, float | None],
) -> Iterator[Row]:
    """Ours against pandas2ri, rpy2's vectors by hand, and the copy; a goal for each, or None."""
    _require_equal_in_r(work, frame, note)
    seconds = medians(
        {
            "pandas2ri": Rival(lambda: by_pandas2ri(frame)),
            "ours": Rival(lambda: ours(frame), _QUICK),
            "hand": Rival(lambda: by_hand(frame)),
            "copy": Rival(_copier(frame), _QUICK),
        },
        rounds=rounds,
        between=_collect,
    )
    yield faster(work, seconds["ours"], "pandas2ri", seconds["pandas2ri"], goals[0])
    yield faster(work, seconds["ours"], "rpy2 vectors by hand", seconds["hand"], goals[1])
    yield within(work, seconds["ours"], "copy of the bytes", seconds["copy"], goals[2])


def _require_equal_in_r(work: str, frame: pd.DataFrame, note: Callable[[str], None]) -> None:
    made = {
        "pyside": ours(frame),
        "pandas2ri": by_pandas2ri(frame),
        "vectors by hand": by_hand(frame),
    }
    equal, class_of = ro.r(_EQUAL), ro.r("function(x) class(x$true_label)")
    arrived = ", ".join(f"{class_of(value)[0]} ({name})" for name, value in made.items())
    note(f"{work}: the labels arrive as {arrived}.")
    for name, value in made.items():
        if not equal(made["pyside"], value)[0]:
            raise AssertionError(f"{name} gives another data.frame than pyside")


def _checked_table(frame: pd.DataFrame, rounds: int, note: Callable[[str], None]) -> Row:
    """What validate() sends: its table holds labels as categories, whatever they came as."""
    checking = seconds_of(lambda: Predictions.from_frame(frame))
    checked = Predictions.from_frame(frame).table
    seconds = medians(
        {
            "ours": Rival(lambda: ours(checked), _QUICK),
            "copy": Rival(_copier(checked), _QUICK),
        },
        rounds=rounds,
        between=_collect,
    )
    note(
        f"validate() checks a table first ({checking * 1000:,.0f} ms at {len(frame):,} rows, 2 "
        "classes, str labels), and sends the checked one, whose labels are categories and arrive "
        f"as {ro.r('function(x) class(x$true_label)')(ours(checked))[0]}."
    )
    work = f"{len(frame):,} rows, 2 classes, the checked table that validate() sends"
    return within(work, seconds["ours"], "copy of the bytes", seconds["copy"])


def from_r_rows(rows: int, rounds: int, note: Callable[[str], None]) -> Iterator[Row]:
    """Every comparison of R to pandas."""
    kinds: dict[str, Labels] = {"character": "str", "factor": "category"}
    for kind, labels in kinds.items():
        work = f"{rows:,} rows, 2 classes, {kind} labels, back to pandas"
        yield _from_r(work, ro.DataFrame(ours(table(rows, 2, labels))), rounds, note)


def _from_r(work: str, value: Any, rounds: int, note: Callable[[str], None]) -> Row:
    _require_equal_in_python(work, value, note)
    seconds = medians(
        {
            "pandas2ri": Rival(lambda: by_pandas2ri_back(value)),
            "ours": Rival(lambda: ours_back(value), _QUICK),
        },
        rounds=rounds,
        between=_collect,
    )
    return faster(work, seconds["ours"], "pandas2ri", seconds["pandas2ri"], 250)


def _require_equal_in_python(work: str, value: Any, note: Callable[[str], None]) -> None:
    mine, theirs = ours_back(value), by_pandas2ri_back(value)
    dtypes = [f"{frame['true_label'].dtype}" for frame in (mine, theirs)]
    note(f"{work}: the labels arrive as {dtypes[0]} (pyside), {dtypes[1]} (pandas2ri).")
    equal = list(mine.columns) == list(theirs.columns) and all(
        np.array_equal(mine[name].to_numpy(dtype=object), theirs[name].to_numpy(dtype=object))
        for name in mine.columns
    )
    if not equal:
        raise AssertionError("pandas2ri gives another frame than pyside")


def _collect() -> None:
    """Both collectors, so that no rival pays for what another left."""
    gc.collect()
    with session().gate():
        ri.baseenv["gc"]()
