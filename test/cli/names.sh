#!/bin/sh
# names.sh NM ARCHIVE: the names of src/cli are internal to a program that nobody links: none has the prefix of the libraries.
set -eu
nm=$1 archive=$2
symbols=$("$nm" --defined-only --extern-only "$archive" | awk 'NF == 3 { print $3 }')
[ "$symbols" ] || { echo "$archive: nm finds no symbols" >&2; exit 1; }
if wrong=$(echo "$symbols" | grep '^knell_'); then
    echo "$archive defines names with the prefix knell_, which is for libraries that users link:" >&2
    echo "$wrong" >&2
    exit 1
fi
again=$(echo "$symbols" | sort | uniq -d | grep -v '^__\(odr\|asan\)' || true)
if [ "$again" ]; then
    echo "$archive defines more than once: $again" >&2
    exit 1
fi
