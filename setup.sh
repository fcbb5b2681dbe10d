#!/bin/sh
# Set up what a bare machine lacks, and nothing twice: R and its packages, a virtual environment,
# torch, the rpy2 that fits R, and this package.
#   sh setup.sh run     what `make demo` needs
#   sh setup.sh dev     what `make test` needs besides
set -eu
cd "$(dirname "$0")"

goal=${1:-run}
venv=.venv
marks=.setup

run_packages="r-base-core r-base-dev r-cran-data.table r-cran-caret r-cran-proc r-cran-cli
  r-cran-generics r-cran-ggplot2 r-cran-jsonlite r-cran-knitr r-cran-rmarkdown pandoc"
dev_packages="r-cran-testthat r-cran-roxygen2 r-cran-lintr r-cran-covr r-cran-bit64 qpdf tidy"

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$@"; exit 2; }

# Names the packages that are not installed.
missing() {
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      printf '%s ' "$package"
  done
}

install_system_packages() {
  if ! command -v apt-get >/dev/null; then
    command -v R >/dev/null || die "no apt-get here: install R 4.2 or later, pandoc, and the R" \
      "packages that DESCRIPTION names, then run this again"
    return
  fi
  # shellcheck disable=SC2046,SC2086
  need=$(missing $run_packages $([ "$goal" = dev ] && echo $dev_packages))
  [ -z "$need" ] && return
  if [ "$(id -u)" = 0 ]; then root=""; elif command -v sudo >/dev/null; then root=sudo; else
    die "needs root or sudo to install: apt-get install $need"
  fi
  say "installing $need"
  $root apt-get update -qq
  # shellcheck disable=SC2086
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends $need \
    >"$marks/apt.log" 2>&1 || { tail -5 "$marks/apt.log" >&2; die "apt-get failed: $marks/apt.log"; }
}

python_for_venv() {
  for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null &&
      "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
        2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  die "no Python 3.11 or later with venv: install python3 and python3-venv, or name one in PYTHON"
}

# Whether what a mark stands for is done: the mark holds the digest of the files it depends on.
digest() { cat "$@" | sha256sum | cut -d' ' -f1; }
done_with() { [ "$(cat "$marks/$1" 2>/dev/null)" = "$2" ]; }

install_python_packages() {
  [ -x "$venv/bin/python" ] || "$(python_for_venv)" -m venv "$venv"
  pip="$venv/bin/python -m pip --disable-pip-version-check -q"
  state=$(digest pyproject.toml constraints.txt)
  extras=train,notebook
  [ "$goal" = dev ] && extras=$extras,dev
  if ! done_with "python-$goal" "$state"; then
    say "installing Python packages ($extras); torch is large, this takes minutes"
    $pip install -c constraints.txt -e ".[$extras]"
    echo "$state" >"$marks/python-$goal"
  fi
  pin=$("$venv/bin/pyside" rpy2-pin)
  if ! done_with rpy2 "$pin"; then
    say "installing $pin, which fits this R"
    # shellcheck disable=SC2086
    $pip install $pin
    echo "$pin" >"$marks/rpy2"
  fi
}

install_rside() {
  # Fast where it is there already.
  "$venv/bin/python" -c 'from pyside.bridge import find_r
from pyside.bridge.library import library_for
library_for(find_r())'
}

mkdir -p "$marks"
install_system_packages
install_python_packages
install_rside
