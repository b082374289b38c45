#!/bin/sh
# Runs an example as run.sh does and looks for words in what it prints.
# Usage: example.sh WORDS (arguments of run.sh)
set -u
words=$1
shift
said=$("$(dirname "$0")/run.sh" "$@" 2>&1)
status=$?
echo "$said"
echo "$said" | grep -q "$words" || {
    echo "example.sh: \"$words\" is missing (status $status)" >&2
    exit 1
}
exit "$status"
