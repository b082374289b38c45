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

# soon END SECONDS: so the job ended, and so long after the death, beside other load: the bar without it is two seconds
soon() {
    python3 - "$scratch/out" "$1" "$2" <<'END' || wrong "it ended in another way, or took long"
import json, sys
j = json.load(open(sys.argv[1]))
took = j["wall_s"] - j["deaths"][0]["at_s"]
assert j["end"] == sys.argv[2] and took < float(sys.argv[3]), (j["end"], took)
END
}

run 1 -- "$app" ring
one_line 'all have waited for [1-5][0-9.]* s \(rank 0: inside MPI_Recv from rank 2 of MPI_COMM_WORLD; rank 1: (dead|ghost); .*\)'
run 1 -- "$app" fail
one_line '[0-9]+ collectives of rank [023] have failed within 1[0-9.]* s'
for how in 'ring threads' fail; do
    # shellcheck disable=SC2086 # two words
    run 1 --json -- "$app" $how
    soon ignored 8
done

# Nobody is waited for who lives on after an MPI_Abort: two seconds would be over.
run 3 --log "$scratch/events" -- "$app" abort
python3 - "$scratch/events" <<'END' || wrong "the others lived on after MPI_Abort"
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
times = lambda name: [e["time_s"] for e in events if e["event"] == name]
assert max(times("ended")) - min(times("aborted")) < 1.9, (times("aborted"), times("ended"))
END
says '^knell run: rank 0 called MPI_Abort with 3; the job was ended \(rank 1 had died\)'

# They end by themselves. Where that has a status, a line says who died.
run 7 -- "$app" leave
fine 3
says '^knell run: rank 1 died, and the job ended with status 7: rank 0 exited with status 7$'
[ "$(grep -c . "$scratch/err")" -eq 1 ] || wrong "more than one line"
run 0 -- "$app" few
fine 3
for threads in '' threads; do
    # shellcheck disable=SC2086 # none, or one
    run 0 -- "$app" work $threads
    fine 3
done

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
