#!/bin/sh
# knell live when the machine refuses: status 1, one line that says what, and no process left. Usage: bad_live.sh KNELL
set -u
knell=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

wrong() {
    echo "bad_live: $*: $(cat "$dir/err")" >&2
    failed=1
}

# refused DESCRIPTORS WORDS: with so few descriptors it says WORDS
refused() {
    (ulimit -n "$1" && exec timeout 60 "$knell" live -n 16 --for 300ms) >"$dir/out" 2>"$dir/err"
    status=$?
    [ $status -eq 1 ] || wrong "$1 descriptors: status $status"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || wrong "$1 descriptors: not one line"
    grep -q "$2" "$dir/err" || wrong "$1 descriptors: does not say '$2'"
    left=$(grep -l -z -x -F "KNELL_BAD_LIVE=$$" /proc/[0-9]*/environ 2>/dev/null | grep -v "^/proc/\($$\|self\)/")
    for process in $left; do
        case $(cat "${process%environ}comm" 2>/dev/null) in knell) wrong "$1 descriptors: ${process%/environ} is left" ;; esac
    done
}

export KNELL_BAD_LIVE=$$
refused 5 'Too many open files'
refused 7 'Too many open files'
refused 20 'raise its limit (ulimit -n)'

# advised ADVICE options...: what is allowed but unwise is said in one line
advised() {
    advice=$1
    shift
    timeout 60 "$knell" live -n 2 --for 300ms "$@" >"$dir/out" 2>"$dir/err" || wrong "$*: status $?"
    [ "$(grep -c "survives 1 lost heartbeat in a row" "$dir/err")" -eq "$advice" ] || wrong "$*: expected $advice lines of advice"
}

advised 1 --eta 200ms --delta 500ms --no-shortcuts
advised 1 --eta 200ms --delta 500ms --hosts 2
advised 0 --eta 200ms --delta 601ms --no-shortcuts
advised 0 --eta 200ms --delta 500ms
exit $failed
