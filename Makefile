# The verbs of this project. Each sets up what it needs, once; `make help` lists them.
BIN := .venv/bin
DEMO := runs/demo
export TZ ?= UTC

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow pytest testthat check coverage bench simulate lint format
.PHONY: docs clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing to train and validate
	@sh setup.sh run

demo: setup ## train on scikit-learn's digits, validate in both languages, write a report
	$(BIN)/pyside train --data digits --out $(DEMO) --overwrite
	$(BIN)/pyside validate $(DEMO)/preds.csv --report $(DEMO)/report.html

test: setup-dev lint pytest check ## run every test of both languages, and the linters

.PHONY: setup-dev
setup-dev:
	@sh setup.sh dev

pytest: setup-dev ## run the Python tests, the bridge and the three doors
	$(BIN)/python -m pytest

test-slow: setup-dev ## run the long tests that `make test` has a short form of (ten minutes)
	$(BIN)/python -m pytest -m slow

testthat: setup-dev ## run the R tests alone
	NOT_CRAN=true Rscript -e 'testthat::test_local(stop_on_failure = TRUE)'

check: setup-dev ## R CMD check of the R package, from an export of the commit
	sh tests/r-cmd-check.sh

coverage: setup-dev ## how much of the R code its tests run; fails under 95 %
	NOT_CRAN=true Rscript -e 'found <- covr::package_coverage(type = "tests"); print(found); stopifnot(covr::percent_coverage(found) >= 95)'

bench: setup ## what the bridge costs beside what others cost (ten minutes), by benchmarks/bridge.py
	$(BIN)/python benchmarks/bridge.py

simulate: setup-dev ## how often the intervals contain the truth (an hour), by benchmarks/coverage.R
	mkdir -p .setup/library && R CMD INSTALL --no-docs --library=.setup/library .
	R_LIBS=.setup/library Rscript benchmarks/coverage.R

lint: setup-dev ## ruff, mypy, basedpyright and lintr
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	Rscript -e 'found <- lintr::lint_package(); print(found); quit(status = length(found) > 0)'

format: setup-dev ## format the Python code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup-dev ## write NAMESPACE and man/ from the R sources
	Rscript -e 'roxygen2::roxygenise()'

clean: ## remove what setup and the runs made
	rm -rf .venv .setup runs dist
