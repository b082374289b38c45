#!/bin/sh
# The shared library shows exactly the functions that its headers declare. Usage: symbols.sh LIBRARY INCLUDE_DIR
set -eu
library=$1 include=$2/knell
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$scratch/shown"
# A declaration ends with a semicolon, perhaps lines later; comments out first.
cat "$include/types.h" "$include/core.h" "$include/wire.h" "$include/runtime.h" "$include/carrier.h" | sed 's|/\*.*\*/||; /\/\*/,/\*\//d' |
    grep -v -e '^typedef' -e '^ *#' | grep -oE '^[a-z][a-z0-9_ ]*[ *]knell_[a-z0-9_]+\(' | grep -oE 'knell_[a-z0-9_]+\($' |
    tr -d '(' | sort -u >"$scratch/declared"

if ! diff "$scratch/declared" "$scratch/shown" >"$scratch/diff"; then
    echo "declared in the headers (<) and shown by $library (>) differ; the list is cmake/libknell.map:" >&2
    cat "$scratch/diff" >&2
    exit 1
fi
grep -qx knell_runtime_start "$scratch/shown"
echo "$(wc -l <"$scratch/shown") symbols: those of the headers"
