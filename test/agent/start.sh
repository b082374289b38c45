#!/bin/bash
# KNELL TARGET: the agent starts the programs of the scenario itself; how it ends; stops of job control.
set -u
. "$(dirname "$0")/common.sh"
PATH=$(dirname "$target"):$PATH

# ARGUMENTS OF THE TARGET: three slots; number 1 is halted at its first step by the order of a fourth daemon.
three() {
    cat >"$scratch/three.fail" <<END
Daemon CONTROL {
node 1:
    ?ready -> !die(FAIL_SENDER), goto 2;
node 2:
}
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(step) && \$arg1 == 5 -> !ready(P), stop, goto 3;
    onexit -> goto 1;
    onerror -> goto 1;
node 3:
    ?die -> halt, goto 1;
}
Computer P { daemon = CONTROL; }
Group G { program = "test-agent-target $1" size = 3; daemon = D; }
END
}
three 'call $((KNELL_SLOT == 1 ? 6 : 2)) print'
"$knell" agent --fail "$scratch/three.fail" --log "$scratch/log" --timeout 60s >"$scratch/out" || wrong "status $?, though only one was halted"
[ "$(grep -c 'steps 2' "$scratch/out")" = 2 ] || wrong "slots 0 and 2 were to go on: $(cat "$scratch/out")"
has 'G\[1\] .*halt' log
[ "$(grep -c ' onexit -> ' "$scratch/log")" = 2 ] || wrong "two were to exit"
three 'status $((KNELL_SLOT == 2 ? 4 : 0))'
"$knell" agent --quiet --fail "$scratch/three.fail"
[ $? = 4 ] || wrong "the status is not that of slot 2"
"$knell" agent --fail "$scratch/three.fail" --log "$scratch/log" --json || true
python3 -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' "$scratch/log" || wrong "the log is no JSON"

# Limits: nothing is left.
mark=$scratch/never # in the arguments
three "wait $mark"
"$knell" agent --quiet --fail "$scratch/three.fail" --timeout 300ms
[ $? = 124 ] || wrong "the status after --timeout is not 124"
# Threads that always come to a breakpoint do not keep the agent from anything else.
printf 'Daemon D { onload -> continue; before(step) && $iteration == 7 -> halt; }\nComputer C { program = "%s"; daemon = D; }\n' \
    "$target threads 32 100000000 $mark" >"$scratch/busy.fail"
timeout -s KILL 20 "$knell" agent --quiet --fail "$scratch/busy.fail" --timeout 1s
[ $? = 124 ] || wrong "busy threads keep the agent from its time limit"
rm "$scratch/log"
"$knell" agent --fail "$scratch/three.fail" --log "$scratch/log" &
agent=$!
three_loaded() { [ "$(grep -c onload "$scratch/log" 2>/dev/null)" = 3 ]; }
until_true three_loaded || wrong "three were to be loaded"

# SIGSTOP is the user's: it stays stopped until SIGCONT, though the agent traces it.
pid=$(pgrep -f -n "$mark" -P "$agent")
kill -STOP "$pid"
until_true is_state "$pid" "t $agent " || until_true is_state "$pid" "T $agent " || wrong "it does not stop: $(state "$pid")"
kill -CONT "$pid"
until_true is_state "$pid" "S $agent " || wrong "it does not go on: $(state "$pid")"
kill -TERM "$agent"
wait "$agent"
[ $? = 143 ] || wrong "the status after SIGTERM is not 143"
agent=
pgrep -f "$mark" >/dev/null && wrong "processes are left"
[ $bad = 0 ]
