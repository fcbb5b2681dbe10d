"""Both languages accept and refuse the same files: hundreds of damaged ones, read by both."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path

from cases import CASES, PREDICTIONS

from pyside.bridge import find_r
from pyside.bridge.library import environment, library_for
from pyside.errors import PredictionTableError
from pyside.predictions import read_predictions

FILES = 400
SOURCES = [case["file"] for case in CASES if case["check"] != "file_missing"]

# What people's files hold by accident. Not among them: a lone carriage return and a last line of
# blanks, which fread takes for the end of a line and of the file, and pyarrow for a field.
FRAGMENTS = (
    *(b",", b"\n", b'"', b"", b"NA", b"nan", b"inf", b"-1", b"0.5", b"1e-3", b"+0.25", b".5"),
    *(b"5.", b"0x1p-1", b"1_0", b"TRUE", b"2020-01-01", b"\t0", b";", "é".encode(), b"\xff", b"\0"),
    *(b"'", b"cat", b"dog", b"pred_prob_", b"true_label", b"weight", b"id", b"1e999", b"00.5"),
    *(b"1,5", b"#", "\u200b".encode(), "\u00a0".encode()),
)

READ_IN_R = """
library(rside)
for (path in readLines(commandArgs(trailingOnly = TRUE)[[1]])) {
  answer <- tryCatch(
    {
      table <- read_predictions(path)
      paste(c("accepted", as.integer(table$true_label) - 1), collapse = " ")
    },
    rside_error_contract = function(e) e$check
  )
  cat(answer, "\\n", sep = "")
}
"""


def damaged(rng: random.Random) -> bytes:
    content = bytearray((PREDICTIONS / rng.choice(SOURCES)).read_bytes())
    for _ in range(rng.randint(1, 3)):
        if not content:
            break
        start = rng.randrange(len(content))
        if rng.random() < 0.15:
            del content[start:]
        elif rng.random() < 0.3:
            lines = bytes(content).split(b"\n")
            row = rng.randrange(len(lines))
            fields = lines[row].split(b",")
            fields[rng.randrange(len(fields))] = rng.choice(FRAGMENTS)
            lines[row] = b",".join(fields)
            content = bytearray(b"\n".join(lines))
        else:
            content[start : start + rng.choice((0, 1, 1, 2, 5))] = rng.choice(FRAGMENTS)
    return bytes(content)


def by_python(path: Path) -> str:
    try:
        return " ".join(["accepted", *map(str, read_predictions(path).truth)])
    except PredictionTableError as error:
        return error.check


def test_damaged_files_meet_the_same_fate_in_both_languages(tmp_path: Path) -> None:
    rng = random.Random(20261130)
    paths = []
    for number in range(FILES):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(damaged(rng))
        paths.append(path)
    (tmp_path / "paths.txt").write_text("\n".join(map(str, paths)))
    (tmp_path / "read.R").write_text(READ_IN_R)
    r = find_r()
    answer = subprocess.run(
        [str(r.rscript), str(tmp_path / "read.R"), str(tmp_path / "paths.txt")],
        capture_output=True,
        text=True,
        check=True,
        env=environment(library_for(r)),
    )
    python, in_r = [by_python(path) for path in paths], answer.stdout.splitlines()
    assert len(in_r) == FILES
    differing = [
        (path.read_bytes()[:300], one, other)
        for path, one, other in zip(paths, python, in_r, strict=True)
        # A quote in the wrong place makes the two parsers see other fields; both refuse the file.
        if one != other and (one.startswith("accepted") or other.startswith("accepted"))
    ]
    assert differing == []
    same = sum(one == other for one, other in zip(python, in_r, strict=True))
    assert same >= 0.97 * FILES
    # The damage is of many kinds, and does not stop every file.
    assert len(Counter(python)) >= 12
    assert sum(one.startswith("accepted") for one in python) >= 5
