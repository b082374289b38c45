#!/bin/sh
# The tutorial docs/use/explore.md is true: `knell explore` finds each of the three mistakes of first.c, soon, and none in repaired.c.
# Usage: explore_tutorial.sh KNELL MODE FIRST REPAIRED WHAT; WHAT: single, pairs, repaired or all
set -u
knell=$1 mode=$2 first=$3 repaired=$4 what=$5
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
bound=60 # runs in which a mistake has to be found

fail() {
    echo "explore_tutorial.sh: $1" >&2
    cat "$scratch/out" "$scratch/err" >&2
    exit 1
}

# explore STATUS PROGRAM option...: the exploration in $scratch/e ends so
explore() {
    wanted=$1 program=$2
    shift 2
    rm -rf "$scratch/e"
    "$knell" explore -n 4 --mode "$mode" --jobs 2 --out "$scratch/e" "$@" -- "$program" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ "$status" -eq "$wanted" ] || fail "$program $*: status $status, expected $wanted"
    grep -E '^ +finished|places' "$scratch/out"
}

# tells REGEX: a line of the summary
tells() {
    grep -q -e "$1" "$scratch/out" || fail "it does not tell: $1"
}

# soon CLASS: a run of this class is among the first
soon() {
    head -n "$bound" "$scratch/e/results.jsonl" | grep -q "\"class\": *\"$1\"" || fail "no $1 in the first $bound runs"
}

# The wrong answer and the leak; the leak by `knell run`, too.
single() {
    explore 1 "$first" --check 'grep -q right'
    tells '^  x wrong result  rank 3 '
    tells '^  x leak  .* 1 communicator at a survivor$'
    soon wrong_result
    "$knell" run -n 4 --mode "$mode" --expect right --kill 0@MPIX_Comm_agree#1 "$first" >"$scratch/out" 2>"$scratch/err"
    grep -q '^knell run: not freed at MPI_Finalize: 3 communicators in all ranks$' "$scratch/err" ||
        fail "knell run does not tell the leak"
    explore 0 "$repaired" --check 'grep -q right'
    tells '^This input, 4 ranks, .*: each of .* places was struck once, all right\.$'
}

# The hang. Without the check it is the only failure.
pairs() {
    explore 1 "$first" --deaths 2 --during recovery --max-failures 1
    tells '^  x frozen  rank .*, then rank . before MPI_Send#1 .*waits in MPIX_Comm_agree (.*waits in MPI_Recv ('
    soon frozen
}

case $what in
single) single ;;
pairs) pairs ;;
repaired) explore 0 "$repaired" --check 'grep -q right' --deaths 2 --during recovery ;;
all) explore 0 "$repaired" --check 'grep -q right' --all --inside ;;
esac
