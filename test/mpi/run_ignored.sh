#!/bin/sh
# A program that goes on after a death as if there had been none: `knell run` ends it, with one line, unless it may recover, or it ends
# by itself.
# Usage: run_ignored.sh KNELL MPI APP MODE APP_THAT_HAS_A_CALL
. "$(dirname "$0")/run_lib.sh"
cp "$5" "$app-has"

run() { # STATUS argument...
    wanted=$1
    shift
    knell_run -n 4 --mpi "$mpi" --mode "$mode" --quiet --kill 1@MPI_Barrier#1 "$@"
    ended_with "$wanted"
    nothing_left
}

# One line, whatever the launcher writes into the program's output.
one_line() {
    says "^knell run: rank 1 died, and the program goes on as if it had not: $1; the job was ended"
    [ "$(grep -c . "$scratch/err")" -eq 1 ] || wrong "more than one line"
}

# How long after the death the job ended, beside other load: the bar without it is two seconds.
soon() {
    python3 - "$scratch/json" <<'END' || wrong "it took long"
import json, sys
j = json.load(open(sys.argv[1]))
took = j["wall_s"] - j["deaths"][0]["at_s"]
assert j["end"] == "ignored" and took < 8, (j["end"], took)
END
}

run 1 -- "$app" ring
one_line 'all have waited for 1[0-9.]* s \(rank 0: inside MPI_Recv from rank 2 of MPI_COMM_WORLD; rank 1: (dead|ghost); .*\)'
run 1 -- "$app" fail
one_line '[0-9]+ collectives of rank [023] have failed within 1[0-9.]* s'
for how in ring fail; do
    run 1 --json -- "$app" $how
    cp "$scratch/out" "$scratch/json"
    soon
done
run 0 -- "$app" few
fine 3
run 0 -- "$app" work
fine 3

# waits argument...: as long as it may
waits() {
    for limit in 4 15 45; do # beside other load MPI_Init alone may take seconds
        run 124 --timeout ${limit}s "$@"
        ! grep -q 'rank 3: inside MPI_Recv' "$scratch/err" || break
    done
    says 'rank 3: inside MPI_Recv'
}
waits -- "$app" called
waits -- "$app-has" ring
waits --on-ignored go-on -- "$app" ring
exit $failed
