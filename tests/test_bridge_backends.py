"""R in this process and R in its own: equal answers, typed errors, and no way to crash either."""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import signal
import stat
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cases import GOOD, PREDICTIONS

from pyside.bridge import RSide, RWarning
from pyside.bridge.backend import opened
from pyside.bridge.subprocess import SubprocessBackend
from pyside.errors import (
    BridgeError,
    ConversionError,
    PredictionTableError,
    PysideError,
    RConditionError,
    RPackageError,
)
from pyside.opinions import Opinion
from pyside.predictions import Predictions, read_predictions

EMBEDDED = "embedded"
SUBPROCESS = "subprocess"


@pytest.fixture(scope="module")
def embedded() -> RSide:
    return RSide(EMBEDDED)


@pytest.fixture(scope="module")
def subprocess_() -> RSide:
    return RSide(SUBPROCESS)


def comparable(opinions: list[Opinion]) -> list[tuple[Any, ...]]:
    """Opinions such that NaN equals NaN."""
    return [
        tuple("NA" if isinstance(v, float) and math.isnan(v) else v for v in vars(o).values())
        for o in opinions
    ]


@pytest.mark.parametrize("case", GOOD)
def test_both_backends_give_equal_answers(
    case: dict[str, Any], embedded: RSide, subprocess_: RSide
) -> None:
    predictions = read_predictions(PREDICTIONS / case["file"])
    one, other = embedded.validate(predictions), subprocess_.validate(predictions)
    assert comparable(one.metrics) == comparable(other.metrics)
    pd.testing.assert_frame_equal(one.confusion, other.confusion, check_exact=True)
    assert one.notes == other.notes
    assert one.versions == other.versions
    assert (one.roc is None) == (other.roc is None)
    if one.roc is not None and other.roc is not None:
        pd.testing.assert_frame_equal(one.roc.curve, other.roc.curve, check_exact=True)


@pytest.mark.parametrize("backend", [EMBEDDED, SUBPROCESS])
def test_every_function_gives_typed_results(backend: Any) -> None:
    rside = RSide(backend)
    binary = read_predictions(PREDICTIONS / "ok_binary.csv")
    # By hand from the 8 rows of the fixture: 16 pairs, 12 won, 1 tied.
    assert rside.auc_ci(binary).estimate == 12.5 / 16
    assert rside.auc_ci(binary).method == "DeLong"
    assert rside.roc_curve(binary).positive == "dog"
    confusion = rside.confusion(binary)
    cells = confusion.table.set_index(["predicted", "truth"])["n"]
    assert cells["dog", "dog"] == 3
    assert cells["dog", "cat"] == 1
    assert confusion.positive == "dog"
    multiclass = read_predictions(PREDICTIONS / "ok_multiclass.csv")
    estimators = [opinion.estimator for opinion in rside.multiclass_auc(multiclass).values]
    assert estimators[:4] == ["hand_till", "macro", "macro_weighted", "micro"]
    assert len(rside.confusion(multiclass).by_class) == 3 * 5
    assert rside.confusion(multiclass).overall[0].method == "Clopper-Pearson"


@pytest.mark.parametrize("backend", [EMBEDDED, SUBPROCESS])
def test_weighted_results_keep_their_types(backend: Any) -> None:
    rside = RSide(backend)
    plain = read_predictions(PREDICTIONS / "ok_binary.csv")
    assert rside.confusion(plain).table["n"].dtype.kind == "i"
    weights = [1.0, 2.5, 0.0, 1.0, 1.0, 1.0, 1.0, 0.5]
    weighted = replace(plain, table=plain.table.assign(weight=weights))
    result = rside.validate(weighted)
    assert result.n == 7
    assert result.confusion["n"].dtype.kind == "f"
    assert result.confusion["n"].sum() == 8.0
    area = rside.auc_ci(weighted)
    assert math.isnan(area.auto)
    assert area.std_error > 0
    assert result.roc is not None
    assert (result.roc.auc, result.roc.std_error) == (area.estimate, area.std_error)
    assert result.roc.method == area.method == "DeLong"


@pytest.mark.parametrize("backend", [EMBEDDED, SUBPROCESS])
def test_r_error_is_typed_and_plain(backend: Any) -> None:
    multiclass = read_predictions(PREDICTIONS / "ok_multiclass.csv")
    with pytest.raises(RConditionError) as caught:
        RSide(backend).roc_curve(multiclass)
    assert "multiclass_auc()" in str(caught.value)
    assert "rside_error" in caught.value.condition
    assert any("roc_curve" in line for line in caught.value.traceback)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("backend", [EMBEDDED, SUBPROCESS])
def test_r_checks_the_table_by_itself(backend: Any) -> None:
    """A table that got past Python's gate is stopped at R's."""
    good = read_predictions(PREDICTIONS / "ok_binary.csv")
    broken = good.table.assign(pred_prob_dog=2.0)
    with pytest.raises(PredictionTableError) as caught:
        RSide(backend).validate(replace(good, table=broken))
    assert caught.value.check == "out_of_range"
    assert "pred_prob_dog" in str(caught.value)


@pytest.mark.parametrize("backend", [EMBEDDED, SUBPROCESS])
def test_class_names_that_look_like_code_are_text(backend: Any) -> None:
    names = ("{stop('x')}", "`quit()`; %s \\ <b>")
    predictions = Predictions.build(
        [names[0], names[1], names[0]], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], names
    )
    result = RSide(backend).validate(predictions)
    assert result.metrics[0].estimate == 1.0
    assert set(result.confusion["truth"]) == set(names)


def test_answers_are_the_same_from_any_thread(embedded: RSide, binary_csv: Path) -> None:
    predictions = read_predictions(binary_csv)
    expected = comparable(embedded.validate(predictions).metrics)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: embedded.validate(predictions), range(24)))
    assert all(comparable(answer.metrics) == expected for answer in answers)


def test_r_may_be_started_in_a_thread(tmp_path: Path, binary_csv: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert pool.apply(_validate_in_a_thread, (binary_csv,)) == 12.5 / 16


def _validate_in_a_thread(path: Path) -> float:
    found: list[float] = []
    thread = threading.Thread(
        target=lambda: found.append(RSide(EMBEDDED).auc_ci(read_predictions(path)).estimate)
    )
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_r_is_refused_in_a_forked_process(embedded: RSide, binary_csv: Path) -> None:
    predictions = read_predictions(binary_csv)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            embedded.validate(predictions)
            os.write(writer, b"answered")
        except BridgeError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    said = os.read(reader, 1000).decode()
    assert "fork" in said
    assert 'backend="subprocess"' in said


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_auto_in_a_forked_process_is_a_process_of_its_own(
    embedded: RSide, binary_csv: Path
) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                rside = RSide()
            estimate = rside.auc_ci(read_predictions(binary_csv)).estimate
            os.write(writer, f"{rside.backend} {estimate} {said[0].message}".encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    said_there = os.read(reader, 1000).decode()
    assert said_there.startswith("subprocess 0.78125")
    assert "forked" in said_there


def with_rscript(backend: SubprocessBackend, folder: Path, content: str) -> SubprocessBackend:
    """The backend with another Rscript, a real program that fails in a real way."""
    home = folder / "R"
    (home / "bin").mkdir(parents=True)
    rscript = home / "bin" / "Rscript"
    rscript.write_text(f"#!/bin/sh\n{content}\n")
    rscript.chmod(rscript.stat().st_mode | stat.S_IXUSR)
    backend.r = replace(backend.r, home=home)
    return backend


def test_killed_r_is_an_error_that_says_so(tmp_path: Path, binary_csv: Path) -> None:
    backend = with_rscript(SubprocessBackend(), tmp_path, "echo half done >&2; kill -9 $$")
    with pytest.raises(BridgeError, match="half done"):
        RSide(backend).validate(read_predictions(binary_csv))


def children() -> set[int]:
    """The processes that the main thread started."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return {int(process) for process in listed.split()}


def test_r_that_is_killed_in_the_midst_is_named() -> None:
    before = children()

    def kill() -> None:
        while not (started := children() - before):
            time.sleep(0.05)
        time.sleep(1)
        for process in started:
            os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(BridgeError, match="ended by SIGKILL"):
        long_work(RSide(SUBPROCESS))
    killer.join()


def test_slow_r_is_stopped_in_time(tmp_path: Path, binary_csv: Path) -> None:
    backend = with_rscript(SubprocessBackend(timeout=0.3), tmp_path, "exec sleep 60")
    with pytest.raises(BridgeError, match=r"within 0\.3 s"):
        RSide(backend).validate(read_predictions(binary_csv))


def test_unknown_backend_is_refused() -> None:
    wrong: Any = "telepathy"
    with pytest.raises(PysideError, match="telepathy"):
        RSide(wrong)


def test_warnings_messages_and_missing_packages_arrive_as_what_they_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    envelope: dict[str, Any] = {"ok": [True], "value": 7, "warnings": ["w"], "messages": ["m"]}
    with caplog.at_level(logging.INFO, "pyside.bridge"), pytest.warns(RWarning, match="w"):
        assert opened(envelope) == 7
    assert "m" in caplog.text
    failure: dict[str, Any] = {
        "ok": [False],
        "class": ["packageNotFoundError", "error"],
        "message": ["there is no package called 'caret'"],
        "package": ["caret"],
        "traceback": [],
    }
    with pytest.raises(RPackageError, match="r-cran-caret"):
        opened(failure)


def long_work(rside: RSide) -> object:
    """A bootstrap that takes R far longer than any test waits."""
    table = read_predictions(PREDICTIONS / "ok_ties_200.csv")
    return rside.roc_band(table, replicates=50_000_000)


def ctrl_c_after(seconds: float) -> None:
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize(("backend", "start"), [(EMBEDDED, 1.0), (SUBPROCESS, 4.0)])
def test_ctrl_c_stops_a_call_within_a_second(backend: Any, start: float) -> None:
    rside = RSide(backend)
    handler = signal.getsignal(signal.SIGINT)
    ctrl_c_after(start)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        long_work(rside)
    assert time.monotonic() - started < start + 5  # the machine may be busy
    assert signal.getsignal(signal.SIGINT) is handler
    assert rside.auc_ci(read_predictions(PREDICTIONS / "ok_binary.csv")).estimate == 12.5 / 16


@pytest.mark.parametrize("backend", [EMBEDDED, SUBPROCESS])
@pytest.mark.parametrize("in_thread", [False, True])
def test_timeout_holds(backend: Any, in_thread: bool) -> None:
    rside = RSide(backend, timeout=1.0)
    started = time.monotonic()
    with ThreadPoolExecutor(1) as pool, pytest.raises(BridgeError, match=r"within 1 s"):
        pool.submit(long_work, rside).result() if in_thread else long_work(rside)
    assert time.monotonic() - started < 10  # the machine may be busy
    # The next call is not told to stop.
    answer = RSide(EMBEDDED).auc_ci(read_predictions(PREDICTIONS / "ok_binary.csv"))
    assert answer.estimate == 12.5 / 16


def test_work_that_r_may_not_stop_in_time_runs_in_a_process_of_its_own() -> None:
    n = 200_000
    truth = ["cat", "dog"] * (n // 2)
    scores = [[0.4, 0.6], [0.6, 0.4]] * (n // 2)
    table = Predictions.build(truth, scores, ("cat", "dog"))
    with pytest.raises(BridgeError, match=r"within 0\.05 s"):
        RSide(EMBEDDED, timeout=0.05).validate(table)
    assert RSide(EMBEDDED, timeout=100).auc_ci(table).estimate == 0


@pytest.mark.parametrize("timeout", [0, -1, math.inf, math.nan, True, "5", 1e12])
def test_timeout_must_be_a_number_of_seconds(timeout: Any) -> None:
    with pytest.raises(PysideError, match="above 0"):
        RSide(timeout=timeout)


def test_timeout_counts_the_wait_for_other_threads() -> None:
    def work() -> None:
        with suppress(BridgeError):
            long_work(RSide(timeout=4))

    busy = threading.Thread(target=work)
    busy.start()
    time.sleep(1)
    with pytest.raises(BridgeError, match=r"within 0\.5 s"):
        RSide(EMBEDDED, timeout=0.5).auc_ci(read_predictions(PREDICTIONS / "ok_binary.csv"))
    busy.join()


@pytest.mark.parametrize("in_thread", [False, True])
def test_recursion_without_end_is_an_error_in_any_thread(in_thread: bool) -> None:
    from pyside.bridge.embedded import session

    def recurse() -> str:
        import rpy2.rinterface as ri

        code = "{f <- function(n) f(n + 1); tryCatch(f(1), error = conditionMessage)}"
        with session().gate():
            return str(ri.baseenv["eval"](ri.parse(code)[0])[0])

    if in_thread:
        with ThreadPoolExecutor(1) as pool:
            said = pool.submit(recurse).result()
    else:
        said = recurse()
    # Whichever of R's two limits comes first.
    assert "too close to the limit" in said or "nested too deeply" in said


@pytest.mark.parametrize("backend", [EMBEDDED, SUBPROCESS])
def test_arguments_of_a_wrong_kind_are_refused_by_name(backend: Any) -> None:
    wrong: Any = b"dog"
    with pytest.raises(ConversionError, match="'positive'"):
        RSide(backend).auc_ci(read_predictions(PREDICTIONS / "ok_binary.csv"), positive=wrong)


def test_nothing_is_printed_unasked(embedded: RSide, capfd: pytest.CaptureFixture[str]) -> None:
    embedded.roc_band(read_predictions(PREDICTIONS / "ok_ties_200.csv"), replicates=3000)
    with pytest.raises(RConditionError):
        embedded.roc_curve(read_predictions(PREDICTIONS / "ok_multiclass.csv"))
    assert capfd.readouterr() == ("", "")
