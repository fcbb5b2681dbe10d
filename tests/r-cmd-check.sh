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
export TZ=UTC _R_CHECK_FORCE_SUGGESTS_=false NOT_CRAN=true
R CMD build --no-manual rside
R CMD check --no-manual rside_*.tar.gz
grep -q '^Status: OK' rside.Rcheck/00check.log || { cat rside.Rcheck/00check.log; exit 1; }
