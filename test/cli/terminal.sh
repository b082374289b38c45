#!/bin/sh
# A progress bar never takes more than one line of its terminal, however narrow that is. Usage: terminal.sh KNELL; status 77: skipped
set -u
knell=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
command -v script >/dev/null || { echo "skipped: no program \`script\`, which makes a terminal"; exit 77; }

failed=0
for columns in 100 40 24; do
    timeout 60 script -qec "stty cols $columns; exec '$knell' sim check --worlds 3000 --exhaustive 0" "$dir/out" >/dev/null </dev/null
    # What is drawn begins at a carriage return and ends with "erase the rest of the line".
    tr '\r' '\n' <"$dir/out" | sed -n "s/$(printf '\033')\\[K\$//p" | grep . >"$dir/bars"
    [ -s "$dir/bars" ] || { echo "terminal: no bar in $columns columns" >&2; failed=1; }
    awk -v most=$((columns - 1)) 'length > most' "$dir/bars" >"$dir/wide"
    [ ! -s "$dir/wide" ] || { echo "terminal: $columns columns, but a bar is: $(head -n 1 "$dir/wide")" >&2; failed=1; }
done
exit $failed
