#!/bin/sh
# Deaths at a count of calls that the scenario keeps itself: in a rank's k-th call of one function, in its k-th of two together, and
# by the shipped scenario. Each rank notes its calls in a file of its own, before it makes them. Usage: run_count.sh KNELL MPI APP MODE
# SCENARIOS
. "$(dirname "$0")/run_lib.sh"
scenarios=$5

# run VICTIM option...: this rank of four dies, the other three go on and end well
run() {
    victim=$1
    shift
    rm -f "$scratch"/calls.*
    knell_run -n 4 --mode "$mode" --timeout 50s "$@" -- "$app" count "$scratch/calls"
    ended_with 0
    fine 3
    says '1 of 4 ranks died'
    says "rank $victim (was killed|became a ghost)"
    nothing_left
}

# noted LEAST MOST: the victim's file has so many calls
noted() {
    calls=$(wc -c <"$scratch/calls.$victim")
    [ "$calls" -ge "$1" ] && [ "$calls" -le "$2" ] || wrong "rank $victim died at its call $calls, not at $1 to $2"
}

# The app's calls are, in turns, an allreduce and a barrier.
cat >"$scratch/count.fail" <<'END'
param RANK = 0;
param CALLS = 10;
Daemon ONE {
    int calls = 0;
    onload -> continue, stay;
    before(MPI_Allreduce) && calls + 1 >= CALLS -> halt, stay;
    before(MPI_Allreduce) -> calls = calls + 1, stay;
}
Daemon BOTH {
    int calls = 0;
    onload -> continue, stay;
    before(MPI_Allreduce) && calls + 1 >= CALLS -> halt, stay;
    before(MPI_Allreduce) -> calls = calls + 1, stay;
    before(MPI_Barrier) && calls + 1 >= CALLS -> halt, stay;
    before(MPI_Barrier) -> calls = calls + 1, stay;
}
Daemon NONE { onload -> continue, stay; }
END
slots() {
    cat "$scratch/count.fail"
    for daemon in "$@"; do
        number=$((${number:-0} + 1))
        echo "Computer C$number { program = \"app\" daemon = $daemon; }"
    done
}
slots NONE NONE ONE NONE >"$scratch/one.fail"
run 2 --fail "$scratch/one.fail" -D CALLS=10
noted 19 19
slots BOTH NONE NONE NONE >"$scratch/both.fail"
run 0 --fail "$scratch/both.fail" -D CALLS=10
noted 10 10
run 3 --kill 3@MPI_Barrier#7
noted 14 14

# Of all its calls, three of which come before the first that is noted.
run 1 --fail "$scenarios/ghost-count.fail" -D RANK=1 -D CALLS=30
noted 27 27

# The scenario of the README strikes as it is: after the rank's 100th allreduce.
run 0 --fail "$scenarios/kill-after-allreduce.fail"
noted 199 199
exit $failed
