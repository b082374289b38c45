#!/bin/bash
# KNELL APP MPI: an MPI job under the agent keeps status and standard streams; `knell run` gives the agent what the layer cannot see.
set -u
. "$(dirname "$0")/common.sh"
app=$2 mpi=$3
unset KNELL_AGENT
name=$(basename "$app")
case $mpi in
openmpi) launcher="mpirun.openmpi --oversubscribe" && [ "$(id -u)" != 0 ] || launcher="$launcher --allow-run-as-root" ;;
*) launcher=mpiexec.mpich ;;
esac
cat >"$scratch/watch.fail" <<END
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(solver_step#5) -> log("fifth"), goto 3;
    onerror -> goto 1;
node 3:
    onexit -> goto 1;
    onerror -> goto 1;
}
Group G { program = "$name" size = 4; daemon = D; }
END
# shellcheck disable=SC2086 # words
echo "good day" | timeout 60 "$knell" agent --fail "$scratch/watch.fail" --log "$scratch/log" $launcher -n 3 "$app" 7 >"$scratch/out" 2>"$scratch/error"
[ $? = 7 ] || wrong "the launcher's status is lost: $(cat "$scratch/error")"
has "heard good day" out
[ "$(grep -c done "$scratch/out")" = 3 ] || wrong "three ranks were to be done"
for rank in 0 1 2; do
    grep -q "G\[$rank\] .*fifth" "$scratch/log" || wrong "rank $rank did not come to slot $rank"
done

# With a door, supervisors tell the agent of ranks that it has followed from the launcher.
# shellcheck disable=SC2086 # words
KNELL_AGENT=@${scratch##*/} timeout 60 "$knell" agent --listen --fail "$scratch/watch.fail" --log "$scratch/log" $launcher -n 2 "$knell" exec "$app" 0 \
    >"$scratch/out" 2>"$scratch/error" </dev/null || wrong "knell exec: status $?: $(cat "$scratch/error")"
[ "$(grep -c done "$scratch/out")" = 2 ] || wrong "two ranks were to be done"
[ "$(grep -c fifth "$scratch/log")" = 2 ] || wrong "two ranks were to come to their slots"

# Signals that the launcher passes on.
# shellcheck disable=SC2086 # words
timeout 60 "$knell" agent --quiet --fail "$scratch/watch.fail" $launcher -n 2 "$app" usr1 >"$scratch/out" 2>"$scratch/error" </dev/null &
agent=$!
both_wait() { [ "$(grep -c waits "$scratch/out")" = 2 ]; }
until_true both_wait || wrong "the ranks do not wait: $(cat "$scratch/error")"
kill -USR1 "$(pgrep -P "$(pgrep -P $agent)")" # of timeout, of the agent
wait $agent || wrong "status $? after a signal: $(cat "$scratch/error")"
agent=
[ "$(grep -c 'heard it' "$scratch/out")" = 2 ] || wrong "the signal did not come through: $(cat "$scratch/out")"

# One rank dies at a function of the program; the others go on.
cat >"$scratch/kill.fail" <<END
Daemon D {
    onload -> continue;
}
Daemon VICTIM {
node 1:
    onload -> continue, goto 2;
node 2:
    before(solver_step#9) -> halt, goto 1;
}
Group G { program = "$name" size = 2; daemon = D; }
Computer V { program = "$name" daemon = VICTIM; }
END
timeout 60 "$knell" run -n 3 --timeout 50s --fail "$scratch/kill.fail" --json "$app" >"$scratch/run" 2>"$scratch/error" </dev/null || wrong "knell run: status $?: $(cat "$scratch/error")"
grep -q '"injected": true' "$scratch/run" || wrong "the death is not known as injected"
[ "$(grep -c 'rank .* done' "$scratch/error")" = 2 ] || wrong "two ranks were to be done: $(cat "$scratch/error")"
sed 's/solver_step/solver_stepp/' "$scratch/kill.fail" >"$scratch/wrong.fail"
"$knell" run -n 3 --fail "$scratch/wrong.fail" "$app" 2>"$scratch/error" && wrong "a function that is not there"
has "did you mean 'solver_step'" error
"$knell" run -n 4 --fail "$scratch/kill.fail" "$app" 2>"$scratch/error" && wrong "more ranks than slots"
has "make .size. of its group larger" error
[ $bad = 0 ]
