#!/bin/sh
# Where the ranks are: at --timeout, after ctrl-C, and once when nothing moves any more, with a scenario armed and without.
# Usage: run_where.sh KNELL MPI APP
. "$(dirname "$0")/run_lib.sh"

places() {
    says '^  rank 0: inside MPI_Recv from rank 2 of "grid"$'
    says '^  rank 1: inside MPI_Wait(all)? for a receive from any source of MPI_COMM_WORLD$'
    says '^  rank 2: inside MPIX_Comm_agree on a communicator of 2 ranks$' # by whichever of its names
}

# in_lines WORDS COUNT: so many lines have them
in_lines() {
    [ "$(grep -c -e "$1" "$scratch/err")" -eq "$2" ] || wrong "not $2 lines with: $1"
}

# timed_out TELLS words...: a job that is ended by --timeout, when it came so far as TELLS says: on a busy machine MPI_Init alone may take seconds
timed_out() {
    tells=$1
    shift
    for limit in 3 15 45; do
        knell_run -n 4 --timeout "${limit}s" "$@"
        ! grep -q -e "$tells" "$scratch/err" || break
    done
    ended_with 124
    nothing_left
    says "^knell run: ended by --timeout after $limit s; where the ranks are:"
}

# All wait: a hint, once; and it is quiet otherwise. The scenario has every call held for a moment.
cat >"$scratch/armed.fail" <<END
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(MPI_Test) -> continue, goto 2;
    before(MPI_Barrier) -> continue, goto 2;
    after(MPI_Irecv) -> continue, goto 2;
    before(MPI_Recv#1000) -> halt, goto 2;
}
Group G { size = 4 program = "app" daemon = D; }
END
timed_out 'nothing has moved' --quiet --stuck 1s --fail "$scratch/armed.fail" -- "$app"
says '^knell run: nothing has moved for [0-9.]+ s; where the ranks are:'
places
says '^  rank 3: inside MPI_Barrier on MPI_COMM_WORLD$'
in_lines 'nothing has moved' 1
in_lines 'rank 0: inside MPI_Recv from rank 2' 2
[ "$(wc -l <"$scratch/err")" -eq 10 ] || wrong "more than the two lists"

# One computes: nobody cries. One that the scenario holds does not answer, and need not.
timed_out 'rank 3: inside no MPI call' --stuck 1s --fail "$scratch/armed.fail" -- "$app" compute
places
says '^  rank 1: inside MPI_Waitall for'
says '^  rank 3: inside no MPI call' # what earlier calls left on the stack may look like one
in_lines 'nothing has moved' 0
says 'armed.fail: no fault was injected: the job was ended by --timeout .* after MPI_Init; it waited for MPI_Test \(of which it heard 0 times\), for MPI_B'
cat >"$scratch/held.fail" <<END
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(MPI_Send) -> stop, goto 3;
node 3:
}
Group G { size = 4 program = "app" daemon = D; }
END
timed_out 'nothing has moved' --stuck 1s --delta 10min --fail "$scratch/held.fail" -- "$app" send
places
says '^  rank 3: held by the scenario before MPI_Send$'
in_lines 'nothing has moved' 1

# ctrl-C, once all are where they stay: the hint says so.
ran="knell run after ctrl-C"
"$knell" run -n 4 --stuck 300ms --kill 2@1h --kill 1@MPI_Recv#2 -- "$app" >"$scratch/out" 2>"$scratch/err" &
job=$!
for _ in $(seq 400); do
    grep -q 'rank 3: inside' "$scratch/err" && break
    sleep 0.1
done
kill -INT $job
wait $job
status=$?
ended_with 130
says '^knell run: ended by ctrl-C after [0-9.]+ .*; where the ranks are:'
places
in_lines 'rank 3: inside MPI_Barrier on MPI_COMM_WORLD' 2
says '^knell run: --kill 2@1h: no fault was injected: the job was ended by ctrl-C [0-9.]+ .*s after MPI_Init$'
says '^knell run: --kill 1@MPI_Recv#2: no fault was injected: rank 1 never called MPI_Recv; the job was ended by ctrl-C'
nothing_left
exit $failed
