#!/bin/sh
# `knell run` from outside: statuses, deaths of both kinds, time limit, ctrl-C, timeline; and that nothing is left.
# Usage: run_cli.sh KNELL MPI APP MODE
. "$(dirname "$0")/run_lib.sh"

# run STATUS words...: `knell run` with these words ends with this status and leaves nothing
run() {
    wanted=$1
    shift
    knell_run --mode "$mode" "$@"
    ended_with "$wanted"
    nothing_left
}

# ---- statuses
run 0 -n 4 -- "$app"
fine 4
[ ! -s "$scratch/err" ] || wrong "words on standard error about a job without deaths"
run 7 -n 2 -- "$app" 0 7
run 3 -n 2 --mpi "$mpi" -- sh -c "exit 3 # $app"
run 7 -n 2 --mpi "$mpi" -- bash -c "$app 0 7; exit \$?" # bash keeps its environment to itself
run 2 -n 2 -- "$scratch/not-there"
says 'no such program'
run 1 -n 2 --mpi "$mpi" -- sh -c 'case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 1) exit 1;; esac; exec "$0"' "$app"
says 'before MPI_Init was through'
search=/nowhere
run 1 -n 2 --mpi "$mpi" -- "$app"
says 'not found on the PATH; it comes with the Debian package'
unset search
case $mpi in openmpi) other=mpich ;; *) other=openmpi ;; esac
run 2 -n 2 --mpi $other -- "$app"
says "is linked with $mpi"
other_app=${3%"$mpi"}$other
if [ -x "$other_app" ]; then
    run 1 -n 2 --mpi "$mpi" -- sh -c "exec $other_app"
    says 'the program is of one MPI, the layer loaded before it of another: give knell run the --mpi'
fi
run 9 -n 3 -- "$app" abort
says 'rank 1 called MPI_Abort with 9'
run 139 -n 2 -- "$app" crash-all
says 'rank 1 died by signal 11'
run 137 -n 2 --kill 0@MPI_Allreduce#3 --kill 1@MPI_Allreduce#3 -- "$app" 2

# ---- deaths
run 0 -n 2 --kill 1@MPI_Finalize#2 -- "$app"
says '^knell run: --kill 1@MPI_Finalize#2: no fault was injected: rank 1 called MPI_Finalize only once; the job ended .* after MPI_Init$'
run 0 -n 1 --kill 0@1h -- "$app"
says '^knell run: --kill 0@1h: no fault was injected: the job ended .* after MPI_Init'
[ "$(wc -l <"$scratch/err")" -eq 1 ] || wrong "more than one line about a kill that did not happen"
run 5 -n 4 --kill 2@300ms -- "$app" 1 5
fine 3
says '^  rank 2 .*✗ *$'
sed -E '/^  (rank|─) / d; /^ +0 .*s$/ d; /^$/ d
    s/[0-9]+\.[0-9]+/T/g; s/rank [0-9]+/rank R/g; s/\((kernel|trigger|timeout|told)\)/(WHY)/; s/^ +//
    s/(was killed|became a ghost)/DIED/; s/missed deadlines: [0-9]+/missed deadlines: N/' "$scratch/err" >"$scratch/masked"
diff "$(dirname "$0")/run_timeline.txt" "$scratch/masked" >&2 || wrong "the timeline differs"
run 0 -n 4 --kill 1@MPI_Allreduce#7 --kill 3@MPIX_Comm_shrink -- "$app" 2
fine 2
run 0 -n 4 --kill 1@MPI_Allreduce#7 --kill 3@MPI_Comm_shrink -- "$app" 2 # the same call
fine 2
for spread in '--overlay hba' --latest-only '--overlay hba --latest-only'; do
    # shellcheck disable=SC2086
    run 0 -n 5 $spread --kill 1@MPI_Allreduce#7 --kill 3@MPIX_Comm_shrink -- "$app" 2
    fine 3
done
# As when each host of a job has an environment of its own: nobody starts, and the setting is named.
for setting in overlay=KNELL_OVERLAY=hba latest_only=KNELL_LATEST_ONLY=1 on_split=KNELL_ON_SPLIT=go-on; do
    knell_run -n 3 --mode "$mode" --mpi "$mpi" -- \
        sh -c 'case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 2) export "$1";; esac; exec "$0"' "$app" "${setting#*=}"
    [ $status -ne 0 ] && [ $status -ne 124 ] || wrong "ranks of different settings: status $status" # who is ended by whose abort differs
    says "rank 2 and rank 0 are configured differently: ${setting%%=*}"
    nothing_left
done
run 0 -n 4 --kill 0@MPI_Finalize -- "$app"
fine 3
run 6 -n 4 -- "$app" 1 6 2 exit
fine 3
says 'rank 2 ended with status 3 without MPI_Finalize'
run 0 -n 4 -- "$app" 1 0 0 crash
fine 3
says 'rank 0 died by signal 11'
run 139 -n 4 --status all -- "$app" 1 0 0 crash
fine 3
run 0 -n 4 --status all --kill 1@MPI_Allreduce#3 -- "$app" 1
if [ "$mode" = real ]; then # a ghost's silence is not ended
    run 0 -n 3 --eta 40ms --delta 200ms -- "$app" 1 0 2 stop
    says 'rank 2 was ended by Knell after 200 ms of silence$'
    says 'a larger --delta waits longer'
fi
# An error handler ends the job: one message, and the status of the one that died unasked.
run 137 -n 3 -- "$app" fatal
says '^knell run: rank [02]: MPIX_ERR_PROC_FAILED: .* \(rank 1 died\); the error handler is MPI_ERRORS_ARE_FATAL: the job ends'
[ "$mode" = ghost ] || says 'rank 1 died by signal 9' # though the job ended before it was all gone
run 139 -n 4 --quiet -- "$app" fatal crash
[ "$(wc -l <"$scratch/err")" -eq 1 ] || wrong "more than one message"
knell_run -n 3 --mode "$mode" --quiet --kill 1@MPI_Barrier -- "$app" barriers
[ $status -ne 0 ] && [ $status -lt 124 ] || wrong "a fatal error after a death that was wanted gave status $status"
says 'rank 1 died'
knell_run -n 3 --mode "$mode" -- "$app" wrong
[ $status -ne 0 ] && [ $status -lt 124 ] || wrong "a fatal error that the MPI found gave status $status"
says '^knell run: rank 1: .* the error handler is MPI_ERRORS_ARE_FATAL: the job ends'
nothing_left
run 0 -n 4 -- "$app" 1 0 2
fine 3
[ "$mode" = real ] || says 'rank 2 became a ghost'

# ---- the end from outside
for limit in 5 15 45; do # on a busy machine MPI_Init alone may take seconds
    run 124 -n 4 --timeout ${limit}s -- "$app" hang
    grep -q 'inside MPI_Init' "$scratch/err" || break
done
says "ended by --timeout after $limit s"
says 'rank 0: inside no MPI call'
says 'ranks 1 to 2: inside MPI_Barrier'
says 'rank 3: inside MPIX_Comm_agree' # by whichever of its names

# in_background: a job that works until it is ended, from the moment all are through MPI_Init; its process is $job
in_background() {
    rm -f "$scratch/log"
    ran="knell run in the background"
    "$knell" run -n 4 --mode "$mode" --log "$scratch/log" -- "$app" 4 >"$scratch/out" 2>"$scratch/err" &
    job=$!
    for _ in $(seq 300); do
        [ "$(grep -c '"event": "ready"' "$scratch/log" 2>/dev/null)" = 4 ] && break
        sleep 0.1
    done
}

in_background
pkill -KILL -P $job mpi
wait $job
status=$?
ran="knell run whose launcher is killed"
[ $status -ne 0 ] || wrong "status 0"
[ $status -ne 137 ] || says 'was ended by signal 9 \(Killed\) while ranks were running: the job is lost' # or a rank was quicker to abort
nothing_left

in_background
kill -INT $job
wait $job
status=$?
ran="knell run after ctrl-C"
ended_with 130
nothing_left

# Killed, it cannot clear up. Its processes end all the same, and the next one removes its files, once they are a while old.
in_background
kill -KILL $job
wait $job 2>/dev/null
for _ in $(seq 100); do
    pgrep -f "$app" >/dev/null || break
    sleep 0.1
done
touch -d '10 seconds ago' /dev/shm/knell-run-??????
run 0 -n 2 -- "$app"

# ---- without running anything: the command is one that works
run 0 -n 4 --dry-run -- "$app" 0 0 "a word; with 'all' kinds \$of letters"
grep -q "KNELL_PRELOAD.*libknell-mpi-$mpi.so.*-n 4 .*/exec $app" "$scratch/out" || wrong "--dry-run prints another command"
mv "$scratch/out" "$scratch/command"
ran="what --dry-run prints"
timeout -k 5 60 sh "$scratch/command" >"$scratch/out" 2>"$scratch/err" </dev/null || wrong "status $?"
fine 4
nothing_left
run 0 -n 4 --dry-run --kill 1@1s -- "$app"
says 'kills nobody'
run 0 -n 4 --dry-run --eta 1s -- "$app"
grep -qE 'KNELL_DELTA_NS[= ]5000000000 ' "$scratch/out" || wrong "delta is not 5 eta when only --eta is given"

grep -qE 'KNELL_OVERLAY[= ]circulant ' "$scratch/out" || wrong "the overlay is not circulant when none is given"
! grep -q KNELL_LATEST_ONLY "$scratch/out" || wrong "latest only though not asked for"
run 0 -n 4 --dry-run --overlay hba --latest-only -- "$app"
grep -qE 'KNELL_OVERLAY[= ]hba ' "$scratch/out" || wrong "--overlay hba is not handed on"
grep -qE 'KNELL_LATEST_ONLY[= ]1 ' "$scratch/out" || wrong "--latest-only is not handed on"

# ---- scenarios
cat >"$scratch/small.fail" <<'END'
Daemon D { onload -> continue; }
Group G { program = "app" size = 2; daemon = D; }
END
run 2 -n 4 --fail "$scratch/small.fail" -- "$app"
says '2 processes, the job has 4 ranks'
echo 'Daemon D { onload -> continue, stay; before(MPI_Alreduce) -> halt; } Computer C { program = "app" daemon = D; }' >"$scratch/typo.fail"
run 2 -n 1 --fail "$scratch/typo.fail" -- "$app"
says 'did you mean MPI_Allreduce'
run 2 -n 1 --kill 0@MPI_Comm_agre -- "$app"
says 'did you mean MPI_Comm_agree'
run 2 -n 2 --log /nowhere/log -- "$app"
says '/nowhere/log'
exit $failed
