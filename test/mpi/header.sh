#!/bin/sh
# Every function that the MPI's headers declare is in table.txt, or in untouched.txt with the reason why it goes to the MPI untouched.
# Usage: header.sh COMPILER SOURCE_DIR
set -eu
compiler=$1
mpi=$2/src/mpi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

printf '#include <mpi.h>\n#ifdef OPEN_MPI\n#include <mpi-ext.h>\n#endif\n' >"$dir/headers.c"
"$compiler" -E -P "$dir/headers.c" | tr '\n' ' ' | grep -oE '\bP?(MPI|MPIX|MPIO)_[A-Za-z_0-9]+\(' | sed 's/^P//; s/($//' | sort -u >"$dir/declared"
awk '!/^#/ && NF { name = $2; sub(/\(.*/, "", name); print name; if ($1 == "ulfm") { sub(/^MPIX/, "MPI", name); print name } }' "$mpi/table.txt" |
    sort -u >"$dir/table"
grep -v -e '^#' -e '^ *$' "$mpi/untouched.txt" | sed 's/ |.*//; s/\*/[A-Za-z_0-9]*/g; s/^/^/; s/$/$/' >"$dir/untouched"

declared=$(wc -l <"$dir/declared")
[ "$declared" -ge 400 ] || { echo "$compiler: found only $declared functions in its headers" >&2; exit 1; }
if comm -23 "$dir/declared" "$dir/table" | grep -v -f "$dir/untouched" >"$dir/missing"; then
    echo "$compiler declares these functions, but neither table.txt nor untouched.txt has them:" >&2
    cat "$dir/missing" >&2
    exit 1
fi
echo "all $declared functions of $compiler are listed: fine"
