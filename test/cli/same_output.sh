#!/bin/sh
# Same seed, same output byte for byte whatever the number of threads, but for wall_s. Usage: same_output.sh KNELL ARGUMENT...
set -u
knell=$1
shift
one=$("$knell" "$@" --json --threads 1 | grep -v '"wall_s"') || exit 1
for threads in 2 3 8; do
    many=$("$knell" "$@" --json --threads $threads | grep -v '"wall_s"') || exit 1
    if [ "$one" != "$many" ]; then
        printf 'knell %s: differs between 1 and %s threads:\n%s\n%s\n' "$*" "$threads" "$one" "$many" >&2
        exit 1
    fi
done
