#!/bin/sh
# The fault-tolerant combination technique (examples/combi) under `knell run`: errors, every fault case of the thesis's figures 6.1 and
# 6.2 and more, silent faults. The program itself fails if its error is larger than it said.
# Usage: combi.sh KNELL COMBI TREE WHAT [SEEDS]      WHAT: a function below
# KNELL_MODE says how ranks die.
set -u
knell=$1 combi=$2 tree=$3 what=$4 seeds=${5:-5}
mode=${KNELL_MODE:-real}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
recover=''

wrong() {
    echo "combi.sh $what: $*" >&2
    cat "$scratch/out" "$scratch/err" >&2
    failed=1
}

# run RANKS KILLS option-of-combi...: KILLS are words, or options of knell run that begin with --
run() {
    n=$1 kills=''
    for kill in $2; do
        case $kill in
        [0-9]*@*) kills="$kills --kill $kill" ;;
        *) kills="$kills $kill" ;;
        esac
    done
    shift 2
    last="knell run -n $n --mode $mode$kills combi $*"
    # shellcheck disable=SC2086 # words
    timeout -k 5 100 "$knell" run -n "$n" --mode "$mode" --timeout 90s --quiet $kills -- "$combi" "$@" >"$scratch/out" 2>"$scratch/err" \
        </dev/null
    status=$?
}

# right DEAD: it ended with an answer, without so many ranks
right() {
    [ "$status" -eq 0 ] || wrong "status $status: $last"
    grep -q "^answer: .* right$" "$scratch/out" || wrong "no right answer: $last"
    grep -q "^$((n - $1)) of $n ranks" "$scratch/out" || wrong "not $1 deaths: $last"
}

has() {
    grep -q -e "$1" "$scratch/out" || wrong "\"$1\" is missing: $last"
}

has_not() {
    ! grep -q -e "$1" "$scratch/out" || wrong "\"$1\" should not be there: $last"
}

# true_error TITLE: of the line that begins so
true_error() {
    sed -n "s/^$1.*true error \([0-9.e+-]*\).*/\1/p" "$scratch/out"
}

# Without faults the error falls by 4 for each level, but for the logarithm: by 3 to 5 here.
slope() {
    for dims in "2 3,3 5,5 6,6 7,7 8,8" "3 2,2,2 3,3,3 4,4,4 5,5,5 6,6,6"; do
        # shellcheck disable=SC2086 # words
        set -- $dims
        dim=$1 min=$2
        shift 2
        for max; do
            run 5 '' --dim "$dim" --min "$min" --max "$max" --groups 2
            right 0
            true_error answer
        done >"$scratch/errors"
        cat "$scratch/errors"
        awk 'NR > 1 && (before / $1 < 3 || before / $1 > 5) { bad = 1 } { before = $1 } END { exit bad || NR != 4 }' "$scratch/errors" ||
            wrong "the error does not fall as it should: dimension $dim"
    done
}

# Groups: ranks 1-2, 3-4, 5-6, 7-8; the first of each is its master. A rank's first MPI_Bcast is at the start, each further one a task.
# Whoever is quicker tells of a death: the manager's own receive, or the group.
figures() {
    run 9 3@MPI_Bcast#3 # figure 6.1
    right 1
    has 'group 1 is removed'
    run 9 3@MPI_Bcast#3 --hurt shrink
    right 1
    has 'rank 4 reports a death in group 1'
    has_not 'is removed'
    run 9 4@MPI_Bcast#3 # figure 6.2, the manager looks out itself
    right 1
    has 'group 1 is removed'
    run 9 4@MPI_Sendrecv#3 --notice report # figure 6.2, the master reports
    right 1
    has 'rank 3 reports a death in group 1'
    has 'group 1 is removed: one of it reported a death'
    run 9 4@MPI_Gatherv#2 --hurt shrink
    right 1
    has_not 'is removed'
    run 9 4@MPI_Bcast#3 --recover weights
    right 1
    has 'solved again: 0$'
    run 9 3@MPI_Bcast#3 --recover recompute
    right 1
    has 'left out: 0,'
    has 'solved again: [1-9]'
    run 9 3@MPI_Send#2 # the master of a group, when it says that it has solved a grid, or gives it
    right 1
    run 9 3@MPI_Send#4.1
    right 1
}

# The manager dies: at the start, while it hands out grids, while it collects them, while it hands back what it combined, at the end.
manager() {
    for place in MPIX_Comm_shrink#1 MPI_Irecv#1 MPI_Wait#9 MPI_Send#12 MPI_Send#33 MPI_Send#34 MPIX_Comm_revoke#1 MPIX_Comm_shrink#2; do
        for hurt in remove shrink; do
            run 9 "0@$place" --hurt $hurt
            right 1
            has 'the manager died; rank 1 takes its place'
        done
    done
    run 7 "0@MPI_Wait#9 1@MPI_Wait#5" --groups 3 # and so does the next; rank 2 is the master in place of rank 1
    right 2
    has 'rank 2 takes its place'
}

# Two groups at once, a group as a whole, a manager and a master, and what is too much.
pairs() {
    run 9 "4@MPI_Bcast#3 6@MPI_Bcast#3"
    right 2
    run 9 "3@MPI_Bcast#3 5@MPI_Bcast#3" --hurt shrink
    right 2
    run 9 "3@MPI_Bcast#3 4@MPI_Bcast#3" --hurt shrink
    right 2
    run 9 "0@MPI_Wait#9 3@MPI_Bcast#3"
    right 2
    run 5 "1@MPI_Bcast#3 3@MPI_Bcast#3" --groups 2 # no group is left: those who are left are one
    right 2
    run 3 "1@MPI_Bcast#3 2@MPI_Bcast#3" --groups 2
    [ "$status" -ne 0 ] || wrong "status 0 without an answer: $last"
    has '^no combination is left'
    has_not '^answer'
}

# One of four groups is lost: the error is at most twice that without faults, in the median over seeds. With weights alone: the same.
weights() {
    recover='--recover weights'
    median
}

median() {
    for seed in $(seq "$seeds"); do
        # shellcheck disable=SC2086 # words
        run 9 "$((1 + seed * 5 % 8))@MPI_Bcast#$((2 + seed % 4))" $recover --compare
        right 1
        awk -v with="$(true_error answer)" -v without="$(true_error without)" 'BEGIN { print with / without }'
    done | sort -n >"$scratch/ratios"
    echo "errors relative to those without faults: $(tr '\n' ' ' <"$scratch/ratios")"
    awk '{ r[NR] = $1 } END { exit !(r[int((NR + 1) / 2)] <= 2) }' "$scratch/ratios" || wrong "the median is above 2"
}

# Deaths by the model of section 5.5.2: groups are lost as a whole, by chance.
model() {
    for seed in $(seq "$seeds"); do
        run 9 "--fail $tree/examples/fail/group-loss.fail -D K=2 -D P=300000000 -D SPAN=100 -D RANGE=20 -D KEEP=3 --seed $seed" \
            --rounds 8
        [ "$status" -eq 0 ] || wrong "status $status: $last"
        has '^answer: .* right$'
        grep ' of 9 ranks' "$scratch/out"
    done
}

# Wrong bits in what is combined: grids are left out. Wrong bits anywhere, also in words: an answer, and no hang.
silent() {
    outliers=0
    for seed in $(seq "$seeds"); do
        run 9 "--fail $tree/test/combi/flip.fail --seed $seed" --compare
        right 0
        outliers=$((outliers + $(grep -c 'is an outlier' "$scratch/out")))
        awk -v with="$(true_error answer)" -v without="$(true_error without)" 'BEGIN { exit !(with < 5 * without) }' ||
            wrong "wrong bits are in the answer: $last"
        run 5 "--fail $tree/examples/fail/bit-flips.fail -D ONE_IN=60 --seed $seed" --groups 2 --max 6,6
        [ "$status" -eq 0 ] || wrong "status $status: $last"
        # words and grids, too large to be buffered: nobody may wait for what was not understood
        run 5 "--fail $tree/test/combi/flip.fail -D FROM=1 --seed $seed" --groups 2 --dim 3 --min 4,4,4 --max 6,6,6
        [ "$status" -eq 0 ] || wrong "status $status: $last"
    done
    echo "$outliers outliers"
    [ "$outliers" -gt 0 ] || wrong "no wrong bit was found"
}

# One line about wrong input, from one rank.
bad() {
    for words in '--dim 4' '--min 3' '--min 3,4' '--max 2,2' '--groups 0' '--groups 5' '--recover luck' '--rounds 0' '--min 1,1 --groups 1' \
        '--min 1,1 --max 16,16,16' '--nothing' 'word' '--dim 3 --min 1,1,1 --max 16,16,16'; do
        # shellcheck disable=SC2086 # words
        run 5 '' $words
        [ "$status" -eq 2 ] || wrong "status $status: $last"
        [ "$(grep -c '^combi: ' "$scratch/err")" -eq 1 ] || wrong "not one message: $last"
    done
}

$what
exit $failed
