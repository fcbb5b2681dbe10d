"""`RSide` and the R package have the same functions, arguments, defaults, choices and results."""

from __future__ import annotations

import inspect
import json
import subprocess
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from pyside.bridge import RSide, find_r
from pyside.bridge.library import environment, library_for
from pyside.bridge.request import RFunction
from pyside.bridge.results import RResult

# What R exports and RSide does not have, and why.
ELSEWHERE = {
    "as_predictions": "Predictions.from_frame checks a frame",
    "read_predictions": "pyside.read_predictions reads a file",
    "write_predictions": "pyside.write_predictions writes one",
    "autoplot": "ggplot2's pictures stay in R",
    "plot_scores": "ggplot2's pictures stay in R",
    "tidy": "broom's verb for R's objects; a result's tables are in its fields",
    "glance": "broom's verb for R's objects; a result's tables are in its fields",
}
METHODS = [
    "auc_ci",
    "calibration",
    "compare_models",
    "confusion",
    "methods_text",
    "metrics",
    "multiclass_auc",
    "operating_points",
    "partial_auc",
    "pr_curve",
    "roc_band",
    "roc_curve",
    "slices",
    "validate",
]
# Fields that only one side has, and why.
R_ONLY: dict[str, set[str]] = {}
PYTHON_ONLY = {"methods_text": {"bibtex"}}  # toBibtex() in R

# Of every export its arguments with their defaults, and what its result holds.
ASK_R = """
library(rside)
path <- system.file("extdata", "preds.csv", package = "rside")
table <- transform(as.data.frame(read_predictions(path)), site = rep(c("a", "b"), 100))
defaults <- function(f) {
  formals <- formals(f)
  formals <- formals[names(formals) != "..."]
  lapply(formals, function(value) {
    if (identical(value, quote(expr = ))) return(list(required = TRUE))
    value <- eval(value, asNamespace("rside"))
    if (is.double(value)) value <- lapply(sprintf("%.17g", value), structure, class = "json")
    list(required = FALSE, value = if (!is.null(value)) I(value))
  })
}
result <- function(name) {
  f <- get(name)
  arguments <- list(table)
  if (name == "compare_models") arguments <- list(table, table, positive = "dog")
  if (name == "methods_text") arguments <- list(auc_ci(table))
  if (name == "metrics") arguments <- list()
  if (name == "slices") arguments$by <- "site"
  if ("replicates" %in% names(formals(f))) arguments$replicates <- 20
  # Of an export that has no method yet it is not known what it takes.
  tryCatch(I(names(do.call(f, arguments))), error = function(e) NULL)
}
exports <- sort(getNamespaceExports("rside"))
functions <- setdiff(exports, commandArgs(trailingOnly = TRUE))
cat(jsonlite::toJSON(list(
  exports = exports,
  bridge = names(rside:::bridge_functions),
  defaults = sapply(functions, function(name) defaults(get(name)), simplify = FALSE),
  results = sapply(functions, result, simplify = FALSE)
), auto_unbox = TRUE, null = "null", json_verbatim = TRUE))
"""


@pytest.fixture(scope="module")
def in_r() -> dict[str, Any]:
    r = find_r()
    answer = subprocess.run(
        [str(r.rscript), "-e", ASK_R, *ELSEWHERE],
        capture_output=True,
        text=True,
        check=True,
        env=environment(library_for(r)),
    )
    asked: dict[str, Any] = json.loads(answer.stdout)
    return asked


def test_every_export_has_a_method_or_a_reason(in_r: dict[str, Any]) -> None:
    methods = {
        name
        for name, member in inspect.getmembers(RSide, inspect.isfunction)
        if not name.startswith("_")
    }
    assert methods == set(METHODS)
    assert methods | set(ELSEWHERE) == set(in_r["exports"])
    assert not methods & set(ELSEWHERE)


def test_the_bridge_calls_what_r_answers(in_r: dict[str, Any]) -> None:
    assert list(get_args(RFunction)) == in_r["bridge"]
    assert {*get_args(RFunction), "methods_text"} == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_arguments_and_defaults_are_those_of_r(name: str, in_r: dict[str, Any]) -> None:
    expected = in_r["defaults"][name]
    method = getattr(RSide, name)
    parameters = dict(inspect.signature(method).parameters)
    del parameters["self"]
    assert list(parameters) == list(expected)
    types = get_type_hints(method)
    for argument, parameter in parameters.items():
        in_python = stated(parameter.default, types[argument])
        assert in_python == expected[argument], argument


def stated(default: Any, kind: Any) -> dict[str, Any]:
    """A default as R states it: every vector as a list, and of choices all, the default first."""
    if default is inspect.Parameter.empty:
        return {"required": True}
    if get_origin(kind) is Literal:
        assert default == get_args(kind)[0]
        return {"required": False, "value": list(get_args(kind))}
    if default is None:
        return {"required": False, "value": None}
    return {"required": False, "value": list(default) if isinstance(default, tuple) else [default]}


def test_the_rules_are_those_of_r(in_r: dict[str, Any]) -> None:
    several = get_args(get_type_hints(RSide.operating_points)["rules"])[0]
    rules = get_args(get_args(several)[0])
    assert list(rules) == in_r["defaults"]["operating_points"]["rules"]["value"]


@pytest.mark.parametrize("name", [name for name in METHODS if name != "metrics"])
def test_results_hold_what_r_gives(name: str, in_r: dict[str, Any]) -> None:
    result = get_type_hints(getattr(RSide, name))["return"]
    ours = {field.name for field in fields(result)} - {field.name for field in fields(RResult)}
    assert R_ONLY.get(name, set()) <= set(in_r["results"][name])
    assert ours - PYTHON_ONLY.get(name, set()) == set(in_r["results"][name]) - R_ONLY.get(
        name, set()
    )
    assert {field.name for field in fields(result)} <= documented(result)


def documented(result: type) -> set[str]:
    """The attributes that a class, or the one above it, describes."""
    texts = [inspect.getdoc(kind) or "" for kind in result.__mro__ if kind is not object]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return {line.partition(":")[0] for line in lines if ":" in line}
