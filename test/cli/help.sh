#!/bin/sh
# Every help: status 0, nothing on standard error, no line wider than a terminal of 80 columns, the same by `knell help`;
# a standard output that takes nothing gives status 1 and one line. Usage: help.sh KNELL
set -u
knell=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

wrong() {
    echo "help: $1" >&2
    failed=1
}

# unwritable WORDS...: onto a full disk and onto a closed standard output
unwritable() {
    if [ -c /dev/full ]; then
        "$knell" "$@" >/dev/full 2>"$dir/err"
        [ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] || wrong "knell $* on a full disk: not status 1 and one line"
    fi
    "$knell" "$@" >&- 2>"$dir/err"
    [ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] || wrong "knell $* without standard output: not status 1 and one line"
}

# The commands named by a help.
commands() {
    "$knell" "$@" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}

check() {
    "$knell" "$@" --help >"$dir/out" 2>"$dir/err" || wrong "knell $* --help: status $?"
    [ -s "$dir/out" ] && [ ! -s "$dir/err" ] || wrong "knell $* --help: nothing, or something on standard error"
    awk 'length > 80' "$dir/out" >"$dir/wide"
    [ ! -s "$dir/wide" ] || wrong "knell $* --help: wider than 80 columns: $(cat "$dir/wide")"
    "$knell" help "$@" | cmp -s - "$dir/out" || wrong "knell help $* differs from knell $* --help"
    unwritable "$@" --help
}

check
unwritable --version
"$knell" -V | grep -qxE 'knell [0-9.]+' && [ "$("$knell" -V)" = "$("$knell" --version)" ] || wrong "-V is not --version"
seen=0
for command in $(commands); do
    check "$command"
    subcommands=
    ! "$knell" "$command" --help | grep -q '^Commands:$' || subcommands=$(commands "$command")
    for sub in $subcommands; do
        check "$command" "$sub"
        seen=$((seen + 1))
    done
done
[ $seen -ge 9 ] || wrong "only $seen subcommands found"
exit $failed
