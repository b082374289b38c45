#!/bin/sh
# KNELL TARGET PLUGIN FOLDER: every FOLDER/*.fail is run by `knell agent` on TARGET, with the arguments of its first line, "// ARGUMENTS"
# (PLUGIN stands for the file). What TARGET printed, the exit status and the log, without its times, must be FOLDER/*.txt.
# KNELL_REWRITE=1 writes these anew. With a word as the fifth argument: that case alone.
set -u
knell=$1 target=$2 plugin=$3 folder=$4 only=${5:-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
bad=0 good=0
for file in "$folder"/*.fail; do
    name=$(basename "$file" .fail)
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    arguments=$(sed -n '1s,^// ,,p' "$file" | sed "s|PLUGIN|$plugin|g")
    # shellcheck disable=SC2086 # words
    timeout 60 "$knell" agent --fail "$file" --log "$scratch/log" "$target" $arguments >"$scratch/out" 2>"$scratch/err"
    echo "status $?" >>"$scratch/out"
    cat "$scratch/err" >>"$scratch/out"
    sed 's/^ *\([0-9]*\) *[0-9.]* /\1 /' "$scratch/log" >>"$scratch/out"
    if [ -n "${KNELL_REWRITE:-}" ]; then
        cp "$scratch/out" "$folder/$name.txt"
    elif diff -u "$folder/$name.txt" "$scratch/out"; then
        good=$((good + 1))
    else
        echo "$name: is not as expected"
        bad=$((bad + 1))
    fi
done
echo "$good as expected, $bad not"
[ "$bad" = 0 ]
