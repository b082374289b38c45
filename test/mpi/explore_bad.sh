#!/bin/sh
# What `knell explore` says to wrong input: one line, status 2 or 3, before any fault, and nothing is left.
# Usage: explore_bad.sh KNELL PROGRAM WAITS FAILS; WAITS wait: never ends. FAILS: a program that fails without faults.
set -u
knell=$1 program=$2 waits=$3 fails=$4
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
wrong=0

complain() {
    echo "explore_bad.sh: $1" >&2
    cat "$scratch/said" "$scratch/err" >&2
    wrong=1
}

# says STATUS WORDS option... : that status, one line with these words, no folder
says() {
    status=$1 words=$2
    shift 2
    "$knell" explore -n 3 "$@" >"$scratch/said" 2>"$scratch/err"
    real=$?
    [ "$real" -eq "$status" ] || complain "status $real instead of $status: $*"
    [ "$(wc -l <"$scratch/err")" -eq 1 ] && [ ! -s "$scratch/said" ] || complain "not one line: $*"
    grep -q -e "$words" "$scratch/err" || complain "the line does not say '$words': $*"
    [ ! -e "$scratch/out" ] || complain "the folder is left: $*"
}

says 2 'no such program' --out "$scratch/out" "$scratch/nothing"
says 2 'linked with no MPI' --out "$scratch/out" /bin/true
says 3 'check failed with status 1' --out "$scratch/out" --check false "$program"
says 3 'no line' --out "$scratch/out" --expect 'never printed' "$program"
says 3 'still running\|frozen\|nothing has moved' --out "$scratch/out" --timeout 3s "$waits" wait
says 3 'without any fault' --out "$scratch/out" "$fails"
says 2 '--mode nobody' --out "$scratch/out" --mode nobody "$program"
says 2 'No such file' --out "$scratch/no/such/folder" "$program"
says 2 '--out /proc' --out /proc/knell "$program"
"$knell" explore --resume "$scratch" >"$scratch/said" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q 'no exploration is there' "$scratch/err" || complain '--resume of a folder without an exploration'
says 2 'the program is missing' --out "$scratch/out"
says 2 '--no-prune everything' --no-prune everything "$program"
"$knell" explore -n 2 --deaths 2 "$program" >"$scratch/said" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q "leave a survivor" "$scratch/err" || complain "two deaths of two ranks"

mkdir "$scratch/full" && touch "$scratch/full/file"
says 2 'not empty' --out "$scratch/full" "$program"
[ -e "$scratch/full/file" ] || complain 'a folder that was there before is gone'
says 2 'a folder is expected' --out "$scratch/full/file" "$program"
[ -e "$scratch/full/file" ] || complain 'a file that was there before is gone'
(cd "$scratch/full" && "$knell" explore -n 2 --out . "$program") >"$scratch/said" 2>"$scratch/err"
[ -e "$scratch/full/file" ] || complain 'the working directory is emptied'

# A program that has changed is not mixed in.
cp "$program" "$scratch/app"
"$knell" explore -n 2 --out "$scratch/changed" --budget 1ms "$scratch/app" >/dev/null 2>&1
"$knell" explore --resume "$scratch/changed" --check false >"$scratch/said" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q 'cannot be changed' "$scratch/err" || complain '--resume takes another --check'
echo >>"$scratch/app"
"$knell" explore --resume "$scratch/changed" >"$scratch/said" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q 'has changed' "$scratch/err" || complain 'a program that has changed is explored further'
exit $wrong
