"""`%load_ext pyside`: cells that stop on Ctrl-C, plain errors, plots, and `%Rvalidate`."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import PREDICTIONS
from IPython.core.error import UsageError
from IPython.utils.capture import capture_output

import pyside
from pyside.bridge.magics import RCellError
from pyside.errors import ConversionError, PredictionTableError


def cell(shell: Any, code: str) -> Any:
    return shell.run_cell(f"%%R\n{code}").error_in_exec


def ctrl_c_after(seconds: float) -> None:
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("code", ["i <- 0; repeat i <- i + 1", "Sys.sleep(60)"])
def test_ctrl_c_stops_a_cell_within_a_second(code: str, shell: Any) -> None:
    handler = signal.getsignal(signal.SIGINT)
    ctrl_c_after(0.3)
    started = time.monotonic()
    assert isinstance(cell(shell, code), KeyboardInterrupt)
    assert time.monotonic() - started < 5  # the machine may be busy
    assert signal.getsignal(signal.SIGINT) is handler
    # R is as it was, and no interrupt is left for the next cell.
    shell.run_cell("%%R -o n\nn <- 0; for (i in 1:1000000) n <- n + 1L")
    assert shell.user_ns["n"].tolist() == [1_000_000]


def test_r_error_is_shown_as_r_says_it(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    error = cell(shell, "cat('before')\nwarning('careful')\nstop('boom ', 3)")
    assert str(error) == "Error: boom 3"
    shown = capsys.readouterr()
    assert "before" in shown.out
    assert "careful" in shown.out
    assert "expr, envir" not in shown.out
    assert "rmagic" not in shown.out + shown.err
    assert isinstance(cell(shell, "stop('boom ', 3)"), RCellError)


def test_r_error_of_a_function_names_it(shell: Any) -> None:
    assert str(cell(shell, "f <- function() stop('inner')\nf()")) == "Error in f() : inner"


def test_error_of_rside_keeps_its_bullets(shell: Any) -> None:
    error = str(cell(shell, "validate('nowhere.csv')"))
    assert "There is no file 'nowhere.csv'." in error
    assert "Check the path." in error


def test_code_that_does_not_parse_is_an_error_of_r(shell: Any) -> None:
    assert "unexpected end of input" in str(cell(shell, "validate("))


def test_plot_as_the_last_value_is_drawn(shell: Any) -> None:
    shell.user_ns["preds"] = pyside.read_predictions(PREDICTIONS / "ok_ties_200.csv")
    with capture_output() as said:
        shell.run_cell("%%R -i preds\nautoplot(roc_curve(preds))")
    pictures = [output.data["image/png"] for output in said.outputs if "image/png" in output.data]
    assert len(pictures) == 1
    assert pictures[0].startswith("iVBORw0K")  # the signature of a PNG, in base64


def test_rvalidate_gives_the_report(shell: Any, binary_csv: Path) -> None:
    shell.user_ns["preds"] = pyside.read_predictions(binary_csv)
    report = shell.run_line_magic("Rvalidate", "preds --conf-level 0.9")
    assert isinstance(report, pyside.ValidationReport)
    assert report.conf_level == 0.9
    expected = pyside.validate(binary_csv, conf_level=0.9, backend="embedded")
    assert report.to_frame().equals(expected.to_frame())


def test_rvalidate_refuses_what_it_cannot_use(shell: Any, binary_csv: Path) -> None:
    with pytest.raises(pyside.PysideError, match="nothing is called 'nothing'"):
        shell.run_line_magic("Rvalidate", "nothing")
    shell.user_ns["preds"] = pyside.read_predictions(binary_csv).table.assign(pred_prob_dog=2.0)
    with pytest.raises(PredictionTableError):
        shell.run_line_magic("Rvalidate", "preds")
    for wrong in ("", "preds --threshold high", "preds --colour red"):
        with pytest.raises(UsageError, match="Rvalidate"):
            shell.run_line_magic("Rvalidate", wrong)


VALUES: dict[str, tuple[Any, str, str]] = {
    # value, R's class, as R shows it
    "None": (None, "NULL", "NULL"),
    "int of R's NA": (-(2**31), "numeric", "-2147483648"),
    "large int": (2**40, "numeric", "1099511627776"),
    "text": ("日本", "character", '"日本"'),
    "numpy scalar": (np.int64(3), "integer", "3L"),
    "date": (dt.date(2020, 1, 2), "Date", 'structure(18263, class = "Date")'),
    "Categorical": (
        pd.Categorical(["a"]),
        "factor",
        'structure(1L, levels = "a", class = "factor")',
    ),
    "Arrow": (pa.table({"a": [1]}), "data.frame", "list(a = 1L)"),
    "Polars": (pl.Series([1.5]), "numeric", "1.5"),
}


@pytest.mark.parametrize("kind", VALUES)
def test_every_value_goes_into_a_cell_by_our_rules(kind: str, shell: Any) -> None:
    value, r_class, shown = VALUES[kind]
    shell.user_ns["x"] = "what was there before"
    shell.run_cell_magic("R", "-i x", "NULL")
    shell.user_ns["x"] = value
    code = "found <- c(class(x)[1], paste(deparse(if (is.data.frame(x)) as.list(x) else x)))"
    shell.run_cell_magic("R", "-i x -o found", code)
    assert shell.user_ns["found"].tolist() == [r_class, shown]


@pytest.mark.parametrize("value", ["a\0b", 1j, "a\ud800", print])
def test_a_value_without_a_counterpart_is_refused(value: object, shell: Any) -> None:
    shell.user_ns["x"] = value
    with pytest.raises(ConversionError):
        shell.run_cell_magic("R", "-i x", "x")


def test_a_name_that_is_not_there_is_said(shell: Any) -> None:
    with pytest.raises(UsageError, match="nothing is called 'nope'"):
        shell.run_cell_magic("R", "-i nope", "nope")


def test_recursion_without_end_is_an_error_and_not_the_end(shell: Any) -> None:
    said = str(cell(shell, "f <- function(n) f(n + 1)\nf(1)"))
    # Whichever of R's two limits comes first.
    assert "too close to the limit" in said or "nested too deeply" in said


# In a process of its own: zmq leaves sockets to the collector.
INTERRUPT_A_KERNEL = """
import threading, time
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel()
said = []
client.execute_interactive("%load_ext pyside", timeout=120)
threading.Timer(2, manager.interrupt_kernel).start()
started = time.monotonic()
reply = client.execute_interactive("%%R\\nrepeat 1", timeout=60, output_hook=lambda m: None)
print(reply["content"]["ename"], time.monotonic() - started < 20)
client.execute_interactive("%%R\\ncat(6 * 7)", output_hook=lambda m: said.append(m["content"]))
print(any("42" in str(content) for content in said))
client.stop_channels()
manager.shutdown_kernel(now=True)
"""


def test_a_jupyter_kernel_is_interrupted_in_the_midst_of_r(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", INTERRUPT_A_KERNEL],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        timeout=200,
    )
    assert answer.stdout.split() == ["KeyboardInterrupt", "True", "True"]
