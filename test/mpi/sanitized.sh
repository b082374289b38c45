#!/bin/sh
# Runs a test under the sanitizers and fails too if they found something: a rank may be one that dies anyway, or have said its last
# word before. Usage: sanitized.sh command [argument...]
set -u
found=$(mktemp -d) || exit 1
trap 'rm -rf "$found"' EXIT
# The status of a process is its own, whatever the MPI below has leaked.
export ASAN_OPTIONS="$ASAN_OPTIONS:exitcode=0:log_path=$found/process" UBSAN_OPTIONS="$UBSAN_OPTIONS:log_path=$found/process"
"$@"
status=$?
# Leaks of libraries that are gone by then have no name to suppress them by: only those of the layer count.
if cat "$found"/process.* 2>/dev/null >"$found/all" && grep -qE 'ERROR: AddressSanitizer|runtime error|knell_' "$found/all"; then
    cat "$found/all" >&2
    echo "the sanitizers found the above in: $*" >&2
    exit 1
fi
exit $status
