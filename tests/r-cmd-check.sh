#!/bin/sh
# R CMD build and R CMD check, from an export: build copies the whole tree, .venv too, before it
# drops what .Rbuildignore names. The files that git knows or would add, as they lie.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/rside"
git ls-files -co --exclude-standard -z | xargs -0 sh -c 'for f; do [ -e "$f" ] && printf "%s\0" "$f"; done' sh |
  tar --null --files-from=- -cf - | tar -xf - -C "$folder/rside"
cd "$folder"
# As CRAN checks, but for what needs a network (its own lists, links, the time) or LaTeX (the manual as
# a PDF).
export TZ=UTC NOT_CRAN=true _R_CHECK_FORCE_SUGGESTS_=false
export _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=0
R CMD build --no-manual rside
R CMD check --as-cran --no-manual rside_*.tar.gz
grep -q '^Status: OK' rside.Rcheck/00check.log || { cat rside.Rcheck/00check.log; exit 1; }
