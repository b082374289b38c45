#!/bin/sh
# Deaths at every point of points.c, one job each; the survivors recover and check every result.
# Usage: points.sh MPI LAYER FATE KNELL PROGRAM WHAT [STRIDE [RANKS]]; KNELL_MODE says how they die. WHAT:
#   post      each rank at each of its native sends and receives, before and after (fate.c)
#   datagram  each rank at each datagram of its detector
#   pair      two at once, at their native sends and receives
#   last      all but one, one after the other
#   call      each rank before and after each of its MPI calls, by scenarios of `knell run`
# STRIDE: only every so-manieth point.
set -u
mpi=$1 layer=$2 fate=$3 knell=$4 program=$5 what=$6 stride=${7:-1} ranks=${8:-4}
here=$(dirname "$0")
mode=${KNELL_MODE:-real}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
jobs=0 dead=0 failed=0 planned=''

failure() {
    cat "$scratch/said" >&2
    echo "again: $1" >&2
    failed=$((failed + 1))
    [ "$failed" -lt 5 ] || finish
}

say() {
    echo "$mpi, $mode, $what: $jobs jobs${planned:+ of $planned}, $dead deaths, $failed failed"
}

# another: one job more
another() {
    jobs=$((jobs + 1))
    [ $((jobs % 100)) -ne 0 ] || say
}

finish() {
    say
    [ "$failed" -eq 0 ] && [ "$dead" -gt $((jobs / 2)) ] # a plan that kills nobody tests nothing
    exit
}

# ---- deaths below the layer ----

# die FATE: a job with these deaths
die() {
    rm -f "$scratch/deaths"
    another
    KNELL_FATE=$1 KNELL_FATE_LOG=$scratch/deaths "$here/run.sh" "$mpi" "$layer:$fate" "$ranks" "@$scratch/deaths" "$program" \
        >"$scratch/said" 2>&1
    status=$?
    dead=$((dead + $(cat "$scratch/deaths" 2>/dev/null | wc -l)))
    [ "$status" -eq 0 ] ||
        failure "KNELL_MODE=$mode KNELL_FATE='$1' KNELL_FATE_LOG=/tmp/deaths $here/run.sh $mpi $layer:$fate $ranks @/tmp/deaths $program"
}

# Lines "R post P datagram D" of a job without deaths.
count() {
    rm -f "$scratch/counts"
    KNELL_FATE_LOG=$scratch/counts "$here/run.sh" "$mpi" "$layer:$fate" "$ranks" 0 "$program" >"$scratch/said" 2>&1 &&
        [ "$(wc -l <"$scratch/counts")" -eq "$ranks" ] && return
    cat "$scratch/said" >&2
    echo "points.sh: a job without deaths fails" >&2
    exit 1
}

# plan: one line a job, from the counts; a rank's first point differs, so that with a stride the ranks visit different ones.
plan() {
    sort -n "$scratch/counts" | awk -v what="$what" -v stride="$stride" -v ranks="$ranks" '
    { points[$1] = what == "datagram" ? $5 : $3 }
    function victim(r, k) { return r % ranks ":" (what == "datagram" ? what : "post") ":" k }
    END {
        for (r = 0; r < ranks; r++)
            for (k = 1 + int(r * stride / ranks); k <= points[r]; k += stride) {
                if (what == "last") {
                    line = ""
                    for (v = 0; v < ranks - 1; v++)
                        line = line " " victim(r + v, k + v * 29)
                    print line
                } else
                    print victim(r, k) (what == "pair" ? " " victim(r + 1, k) : "")
            }
    }'
}

# ---- deaths at calls ----

# scenario RANK WHEN CALL K: that rank dies there
scenario() {
    echo 'Daemon OTHER { onload -> continue; }'
    echo "Daemon VICTIM { node 1: onload -> continue, goto 2; node 2: $2($3#$4) -> halt, goto 3;"
    echo '    onexit -> goto 3; onerror -> goto 3; node 3: }'
    for r in $(seq 0 $((ranks - 1))); do
        [ "$r" -eq "$1" ] && daemon=VICTIM || daemon=OTHER
        echo "Computer R$r { program = \"app\" daemon = $daemon; }"
    done
}

# die_at RANK WHEN CALL K: false when there is no such call any more
die_at() {
    scenario "$@" >"$scratch/scenario.fail"
    another
    timeout -k 5 60 "$knell" run -n "$ranks" --mpi "$mpi" --mode "$mode" --timeout 40s --log "$scratch/log" \
        --fail "$scratch/scenario.fail" -- "$program" >"$scratch/said" 2>&1
    status=$?
    fine=$(grep -o fine "$scratch/said" | wc -l) deaths=$(grep -cE 'was killed|became a ghost' "$scratch/said")
    if [ "$status" -ne 0 ] || [ "$fine" -ne $((ranks - deaths)) ] || grep -q 'hangs at' "$scratch/said"; then
        cat "$scratch/scenario.fail" >>"$scratch/said"
        failure "knell run -n $ranks --mode $mode --fail (the scenario above) -- $program   # status $status, $fine fine"
    fi
    dead=$((dead + deaths))
    [ "$deaths" -gt 0 ]
}

# The calls of the layer that the program makes.
calls() {
    sed -n 's/^[a-z@4]* *\(MPIX*_[A-Za-z_]*\)(.*/\1/p' "$here/../../src/mpi/table.txt" | while read -r call; do
        grep -qw "$call" "$here/points.c" "$here/points_coll.h" && echo "$call"
    done
    echo MPI_Finalize
}

# Everything; or with a stride one death for every so-manieth call, before and after in turns.
die_at_calls() {
    number=0
    for call in $(calls); do
        number=$((number + 1))
        if [ "$stride" -eq 1 ]; then
            die_at_all "$call"
        elif [ $((number % (2 * stride))) -eq 0 ]; then
            die_at $((number % ranks)) after "$call" 1
        elif [ $((number % stride)) -eq 0 ]; then
            die_at $((number % ranks)) before "$call" 1
        fi
    done
}

die_at_all() {
    for r in $(seq 0 $((ranks - 1))); do
        k=1
        while die_at "$r" before "$1" "$k" && die_at "$r" after "$1" "$k"; do
            k=$((k + 1))
        done
    done
}

if [ "$what" = call ]; then
    die_at_calls
else
    count
    plan >"$scratch/plan"
    planned=$(wc -l <"$scratch/plan")
    while read -r line <&3; do
        die "$line"
    done 3<"$scratch/plan"
fi
finish
