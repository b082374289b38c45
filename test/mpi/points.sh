#!/bin/sh
# Deaths at every point of points.c below its MPI calls, one job each; the survivors recover and check every result. Deaths at its
# calls: explore.cmake.
# Usage: points.sh MPI LAYER FATE PROGRAM WHAT [STRIDE [RANKS]]; KNELL_MODE says how they die. WHAT:
#   post      each rank at each of its native sends and receives, before and after (fate.c)
#   datagram  each rank at each datagram of its detector
#   pair      two at once, at their native sends and receives
#   last      all but one, one after the other
# STRIDE: only every so-manieth point.
set -u
mpi=$1 layer=$2 fate=$3 program=$4 what=$5 stride=${6:-1} ranks=${7:-4}
here=$(dirname "$0")
mode=${KNELL_MODE:-real}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
jobs=0 dead=0 failed=0

failure() {
    cat "$scratch/said" >&2
    echo "again: $1" >&2
    failed=$((failed + 1))
    [ "$failed" -lt 5 ] || finish
}

say() {
    echo "$mpi, $mode, $what: $jobs jobs of $planned, $dead deaths, $failed failed"
}

finish() {
    say
    [ "$failed" -eq 0 ] && [ "$dead" -gt $((jobs / 2)) ] # a plan that kills nobody tests nothing
    exit
}

# die FATE: a job with these deaths
die() {
    rm -f "$scratch/deaths"
    jobs=$((jobs + 1))
    [ $((jobs % 100)) -ne 0 ] || say
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

count
plan >"$scratch/plan"
planned=$(wc -l <"$scratch/plan")
while read -r line <&3; do
    die "$line"
done 3<"$scratch/plan"
finish
