#!/bin/sh
# Every example of docs/use/scenarios.md is taken out and checked: a block of ```fail gives no diagnostic at all; one of
# ```fail-error is refused. Usage: docs.sh KNELL FILE
set -eu
knell=$1
file=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk -v dir="$dir" '
    /^```fail(-error)?$/ { kind = substr($0, 4); n++; name = sprintf("%s/%03d-line%d.%s", dir, n, NR, kind); inside = 1; printf "" >name; next }
    /^```$/ && inside { inside = 0; close(name); next }
    inside { print >name }
' "$file"
failed=0
count=0
for f in "$dir"/*.fail "$dir"/*.fail-error; do
    [ -e "$f" ] || continue
    count=$((count + 1))
    case $f in
    *.fail-error)
        if "$knell" fail check "$f" 2>/dev/null; then
            echo "${f##*/}: should be refused"
            failed=1
        fi ;;
    *)
        said=$("$knell" fail check "$f" 2>&1) || failed=1
        if [ -n "$said" ]; then
            echo "$said"
            failed=1
        fi ;;
    esac
done
echo "$count examples"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
