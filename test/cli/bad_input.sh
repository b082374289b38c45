#!/bin/sh
# Every bad command line gets exit status 2, nothing on standard output, one line on standard error that names the culprit, and
# leaves no file behind. The commands run in a folder with copies of lists/*.
# Usage: bad_input.sh KNELL TABLE.  A line of the table is `words that must be named | command line`; # starts a comment.
set -u
knell=$1 table=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0 lines=0
mkdir "$scratch/cwd"
cp "$(dirname "$table")"/lists/* "$scratch/cwd" || exit 1
files=$(ls "$scratch/cwd")

complain() {
    echo "knell $command: $1" >&2
    sed 's/^/    stderr: /' "$scratch/err" >&2
    failed=$((failed + 1))
}

check() {
    # shellcheck disable=SC2086 # the command line is split on purpose
    (cd "$scratch/cwd" && "$knell" $command >../out 2>../err </dev/null)
    status=$?
    [ $status -eq 2 ] || complain "exit status $status, expected 2"
    [ ! -s "$scratch/out" ] || complain "wrote to standard output"
    [ "$(wc -l <"$scratch/err")" -eq 1 ] || complain "expected one line on standard error"
    [ "$(ls "$scratch/cwd")" = "$files" ] || complain "left a file behind"
    grep -qF -e "$named" "$scratch/err" || complain "does not name '$named'"
}

set -f # no file names out of * in a command line
while IFS='|' read -r named command; do
    case $named in '#'* | '') continue ;; esac
    named=$(echo "$named" | sed 's/ *$//')
    command=${command# }
    lines=$((lines + 1))
    check
done <"$table"

echo "$lines command lines, $failed wrong"
[ $failed -eq 0 ] && [ $lines -gt 0 ]
