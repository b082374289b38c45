#!/bin/sh
# The generated files are what the table says.
set -eu
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$1/src/mpi/generate" "$fresh"
cd "$fresh"
find . -type f | while read -r file; do
    diff "$file" "$1/$file" || { echo "run src/mpi/generate and commit $file" >&2; exit 1; }
done
