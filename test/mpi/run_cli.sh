#!/bin/sh
# `knell run` from outside: statuses, deaths of both kinds, time limit, ctrl-C, timeline; and that nothing is left.
# Usage: run_cli.sh KNELL MPI APP MODE
set -u
knell=$1 mpi=$2 app=$3 mode=$4
# In a mount namespace of its own, where that is allowed, /dev/shm is this test's alone.
if [ -z "${KNELL_TEST_OWN_SHM-}" ] && unshare --mount true 2>/dev/null; then
    export KNELL_TEST_OWN_SHM=1
    exec unshare --mount sh -c 'mount -t tmpfs none /dev/shm && exec "$0" "$@"' "$0" "$@"
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cp "$app" "$scratch/app"
failed=0

wrong() {
    echo "$mpi $mode: $1" >&2
    sed 's/^/    /' "$scratch/out" "$scratch/err" >&2
    failed=1
}

# Every process of the job has this test's own path in its command line.
nothing_left() {
    ! pgrep -f "$scratch/app" >"$scratch/left" || wrong "$1: processes are left: $(tr '\n' ' ' <"$scratch/left")"
    if [ -n "${KNELL_TEST_OWN_SHM-}" ]; then
        [ -z "$(ls -A /dev/shm)" ] || wrong "$1: left in /dev/shm: $(ls -A /dev/shm)"
    fi
}

# run STATUS words...: `knell run` with these words ends with this status and leaves nothing
run() {
    wanted=$1
    shift
    timeout -k 5 60 env PATH="${search-$PATH}" "$knell" run --mode "$mode" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    [ $status -eq "$wanted" ] || wrong "knell run $*: status $status, expected $wanted"
    nothing_left "knell run $*"
}

fine() {
    got=$(grep -o fine "$scratch/out" | wc -l)
    [ "$got" -eq "$1" ] || wrong "$got ranks ended well, expected $1"
}

says() {
    grep -qE -e "$1" "$scratch/err" || wrong "standard error lacks: $1"
}

# ---- statuses
run 0 -n 4 -- "$scratch/app"
fine 4
[ ! -s "$scratch/err" ] || wrong "words on standard error about a job without deaths"
run 7 -n 2 -- "$scratch/app" 0 7
run 3 -n 2 --mpi "$mpi" -- sh -c "exit 3 # $scratch/app"
run 2 -n 2 -- "$scratch/not-there"
says 'no such program'
run 1 -n 2 --mpi "$mpi" -- sh -c 'case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 1) exit 1;; esac; exec "$0"' "$scratch/app"
says 'before MPI_Init was through'
search=/nowhere
run 1 -n 2 --mpi "$mpi" -- "$scratch/app"
says 'not found on the PATH; it comes with the Debian package'
unset search
case $mpi in openmpi) other=mpich ;; *) other=openmpi ;; esac
run 2 -n 2 --mpi $other -- "$scratch/app"
says "is linked with $mpi"
run 9 -n 3 -- "$scratch/app" abort
says 'rank 1 called MPI_Abort with 9'
run 139 -n 2 -- "$scratch/app" crash-all
says 'rank 1 died by signal 11'

# ---- deaths
run 0 -n 1 --kill 0@1h -- "$scratch/app"
says '^knell run: --kill 0@1h: did not come to that'
[ "$(wc -l <"$scratch/err")" -eq 1 ] || wrong "more than one line about a kill that did not happen"
run 5 -n 4 --kill 2@300ms -- "$scratch/app" 1 5
fine 3
says '^  rank 2 .*✗ *$'
sed -E '/^  (rank|─) / d; /^ +0 .*s$/ d; /^$/ d
    s/[0-9]+\.[0-9]+/T/g; s/rank [0-9]+/rank R/g; s/\((kernel|trigger|timeout|told)\)/(WHY)/; s/^ +//
    s/(was killed|became a ghost)/DIED/' "$scratch/err" >"$scratch/masked"
diff "$(dirname "$0")/run_timeline.txt" "$scratch/masked" >&2 || wrong "the timeline differs"
run 0 -n 4 --kill 1@MPI_Allreduce#7 --kill 3@MPIX_Comm_shrink -- "$scratch/app" 2
fine 2
run 0 -n 4 --kill 0@MPI_Finalize -- "$scratch/app"
fine 3
run 6 -n 4 -- "$scratch/app" 1 6 2 exit
fine 3
says 'rank 2 ended with status 3 without MPI_Finalize'
run 0 -n 4 -- "$scratch/app" 1 0 0 crash
fine 3
says 'rank 0 died by signal 11'
timeout -k 5 60 "$knell" run -n 3 --mode "$mode" -- "$scratch/app" fatal >"$scratch/out" 2>"$scratch/err" </dev/null
status=$?
[ $status -ne 0 ] && [ $status -lt 124 ] || wrong "a fatal error of the survivors gave status $status"
says 'MPI_ERRORS_ARE_FATAL'
[ "$mode" = ghost ] || says 'rank 1 died by signal 9' # the cause, though MPI_Abort came before the word of its end
nothing_left "after a fatal error"
run 0 -n 4 -- "$scratch/app" 1 0 2
fine 3
[ "$mode" = real ] || says 'rank 2 became a ghost'

# ---- the end from outside
for limit in 5 15 45; do # on a busy machine MPI_Init alone may take seconds
    run 124 -n 3 --timeout ${limit}s -- "$scratch/app" hang
    grep -q 'inside MPI_Init' "$scratch/err" || break
done
says "ended by --timeout after $limit s"
says 'rank 0: inside no MPI call'
says 'ranks 1 to 2: inside MPI_Barrier'

# in_background: a job that works until it is ended, from the moment all are through MPI_Init; its process is $job
in_background() {
    rm -f "$scratch/log"
    "$knell" run -n 4 --mode "$mode" --log "$scratch/log" -- "$scratch/app" 1 >"$scratch/out" 2>"$scratch/err" &
    job=$!
    for _ in $(seq 300); do
        [ "$(grep -c 'through MPI_Init' "$scratch/log" 2>/dev/null)" = 4 ] && break
        sleep 0.1
    done
}

in_background
kill -INT $job
wait $job
status=$?
[ $status -eq 130 ] || wrong "after ctrl-C: status $status, expected 130"
nothing_left "after ctrl-C"

# Killed, it cannot clear up. Its processes end all the same, and the next one removes its files, once they are a while old.
in_background
kill -KILL $job
wait $job 2>/dev/null
for _ in $(seq 100); do
    pgrep -f "$scratch/app" >/dev/null || break
    sleep 0.1
done
touch -d '2 minutes ago' /dev/shm/knell-run-??????
run 0 -n 2 -- "$scratch/app"
nothing_left "after SIGKILL of knell run"

# ---- without running anything: the command is one that works
run 0 -n 4 --dry-run -- "$scratch/app" 0 0 "a word; with 'all' kinds \$of letters"
grep -q "LD_PRELOAD.*libknell-mpi-$mpi.so.*-n 4 $scratch/app" "$scratch/out" || wrong "--dry-run prints another command"
mv "$scratch/out" "$scratch/command"
timeout -k 5 60 sh "$scratch/command" >"$scratch/out" 2>"$scratch/err" </dev/null || wrong "what --dry-run prints ended with status $?"
fine 4
nothing_left "what --dry-run prints"
run 0 -n 4 --dry-run --kill 1@1s -- "$scratch/app"
says 'kills nobody'
run 0 -n 4 --dry-run --eta 1s -- "$scratch/app"
grep -qE 'KNELL_DELTA_NS[= ]5000000000 ' "$scratch/out" || wrong "delta is not 5 eta when only --eta is given"

# ---- scenarios
cat >"$scratch/small.fail" <<'END'
Daemon D { onload -> continue; }
Group G { program = "app" size = 2; daemon = D; }
END
run 2 -n 4 --fail "$scratch/small.fail" -- "$scratch/app"
says '2 processes, the job has 4 ranks'
echo 'Daemon D { onload -> continue, stay; before(MPI_Alreduce) -> halt; } Computer C { program = "app" daemon = D; }' >"$scratch/typo.fail"
run 2 -n 1 --fail "$scratch/typo.fail" -- "$scratch/app"
says 'did you mean MPI_Allreduce'
run 2 -n 2 --log /nowhere/log -- "$scratch/app"
says '/nowhere/log'
exit $failed
