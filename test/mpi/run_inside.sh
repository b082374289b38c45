#!/bin/sh
# Deaths inside a call, before one of the operations that it posts on the MPI below: --kill R@F#K.J and inside() in a scenario; and what is
# said of a call that has not so many. Usage: run_inside.sh KNELL MPI APP MODE
. "$(dirname "$0")/run_lib.sh"

run() {
    knell_run -n 4 --mode "$mode" --timeout 50s --log "$scratch/log" "$@"
    ended_with 0
    nothing_left
}

# logged COUNT WORDS: the log has so many lines with these words
logged() {
    got=$(grep -cF -e "$2" "$scratch/log")
    [ "$got" -eq "$1" ] || wrong "the log has $got times, not $1: $2"
}

# ---- between any two messages of a collective: four ranks post four operations each
for operation in 1 2 3 4; do
    run --kill 2@MPI_Allreduce#7.$operation -- "$app" 1
    fine 3
    says 'rank 2 (was killed|became a ghost)'
    logged 1 "inside(MPI_Allreduce#7, $operation) -> halt"
done
# In the middle of the recovery from another death: before its proposal to the others, and after it.
for operation in 1 2; do
    run --kill 1@MPI_Allreduce#7.3 --kill 3@MPIX_Comm_shrink#1.$operation -- "$app" 2
    fine 2
    says '2 of 4 ranks died'
    logged 1 "inside(MPIX_Comm_shrink#1, $operation) -> halt"
done

# ---- a call that does not come so far
run --kill 2@MPI_Allreduce#7.5 --kill 3@MPI_Allreduce#12 -- "$app" 1
fine 3
says '^knell run: --kill 2@MPI_Allreduce#7.5: no fault was injected: the 7th MPI_Allreduce of rank 2 posted only 4 operations; the job ended'
run --kill '2@MPI_*#1.1' --kill 3@MPI_Allreduce#12 -- "$app" 1
says 'no fault was injected: the 1st MPI_\* of rank 2, MPI_Comm_[a-z_]*, posted no operation; the job ended'
run --kill 2@MPI_Allreduce#700.1 --kill 3@MPI_Allreduce#12 -- "$app" 1
says 'no fault was injected: rank 2 called MPI_Allreduce only [0-9]* times; the job ended'
run --kill 2@MPI_Finalize#1.99 -- "$app"
says 'no fault was injected: rank 2 never came to the 99th operation of its 1st MPI_Finalize; the job ended'

# ---- in a scenario: several stops in one call, in their order; stopped for a while within it; other calls pass
cat >"$scratch/inside.fail" <<'END'
param J = 4;
Daemon VICTIM {
node 1:
    onload -> continue, goto 2;
node 2:
    inside(MPI_Allreduce#5, 3) -> log("third"), stay;
    inside(MPI_Allreduce#5, 1) -> log("first"), stay;
    inside(MPI_Allreduce#6, 2) -> stop, goto 3;
node 3:
    time rest = 200;
    rest -> continue, goto 4;
node 4:
    inside(MPI_Allreduce, J) -> halt, goto 5;
node 5:
}
Daemon OTHER { onload -> continue; }
Computer A { program = "app" daemon = VICTIM; }
Group B { program = "app" size = 3; daemon = OTHER; }
END
run --eta 2s --fail "$scratch/inside.fail" -- "$app" 1
fine 3
logged 1 'inside(MPI_Allreduce#5, 1) -> log(\"first\")'
logged 1 'inside(MPI_Allreduce#5, 3) -> log(\"third\")'
logged 1 'inside(MPI_Allreduce#6, 2) -> stop'
logged 1 'inside(MPI_Allreduce#6, 4) -> halt' # waited for while it is stopped within that call
# One that nothing comes of says why; another rank dies by itself.
sed 's/^    inside(MPI_Allreduce#.*/    inside(MPI_Allreduce#2, 5) -> halt;/' "$scratch/inside.fail" >"$scratch/short.fail"
run --fail "$scratch/short.fail" -- "$app" 1 0 3
fine 3
says 'no fault was injected: .*it waited for MPI_Allreduce .*; the 2nd MPI_Allreduce of rank 0 posted only 4 operations$'
exit $failed
