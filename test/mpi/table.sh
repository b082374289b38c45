#!/bin/sh
# The generated files are what the table says.
set -eu
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$1/src/mpi/generate" "$fresh"
diff -r "$fresh" "$1/src/mpi/gen" || { echo "run src/mpi/generate and commit src/mpi/gen" >&2; exit 1; }
