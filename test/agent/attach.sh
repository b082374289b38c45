#!/bin/bash
# KNELL TARGET: processes that run already, and one that tells the agent itself. They are traced while the agent lives, and go on without it.
set -u
. "$(dirname "$0")/common.sh"
cat >"$scratch/two.fail" <<'END'
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(step#3) -> log("third"), goto 3;
    onexit -> goto 1;
node 3:
    onexit -> goto 1;
}
Group G { program = "test-agent-target" size = 2; daemon = D; }
END
# A shell's child is the shell until it has become the program.
runs() { until_true test "/proc/$1/exe" -ef "$target" || wrong "$1 is not the program"; }

"$knell" attach $$ 2>"$scratch/error" && wrong "an agent that is not there took a process"
has "no agent listens at" error
"$knell" agent --listen --fail "$scratch/two.fail" --log "$scratch/log" --timeout 60s 2>"$scratch/said" &
agent=$!
until_true test -S "$KNELL_AGENT" || wrong "the agent does not listen"

# Threads that run when it comes, and new ones.
"$target" wait "$scratch/go" threads 2 2 print >"$scratch/out" &
first=$!
runs $first
"$knell" attach $first || wrong "a process is refused"
until_true is_state $first "S $agent " || wrong "it is not traced: $(state $first)"
"$knell" attach $first 2>"$scratch/error" && wrong "it was attached to twice"
has "traced already" error
"$knell" attach $$ 2>"$scratch/error" && wrong "a shell is no program of the scenario"
has "no program of the scenario" error
"$knell" attach 4194303 2>"$scratch/error" && wrong "no process was attached to"
has "there is no process" error
touch "$scratch/go"
wait $first || wrong "its status was lost"
has "steps 4" out
has "before(step#3) -> log" log

# It says so itself.
"$target" register call 3 print >"$scratch/out" || wrong "its status was lost"
has "steps 103" out
[ "$(grep -c 'third' "$scratch/log")" = 2 ] || wrong "two processes were to come to the third step: $(cat "$scratch/log")"

# One too many is refused, and nothing ends.
"$target" wait "$scratch/never" & one=$!
"$target" wait "$scratch/never" & two=$!
"$target" wait "$scratch/never" & three=$!
for pid in $one $two $three; do
    runs "$pid"
done
"$knell" attach $one $two || wrong "there is room for two"
"$knell" attach $three 2>"$scratch/error" && wrong "there is room for two only"
has "larger" error
until_true is_state $three "S 0 " || wrong "the third is not left alone: $(state $three)"

# Who says nothing at the door, or is another user, holds nobody up.
"$target" knock 150 print wait "$scratch/never" >"$scratch/silent" &
silent=$!
until_true grep -q 'steps 150' "$scratch/silent" || wrong "not all callers came to the door"
SECONDS=0
"$knell" attach $three 2>"$scratch/error" && wrong "there is room for two only"
has "larger" error
[ $SECONDS -lt 5 ] || wrong "silent callers held up the agent"
kill $silent

# The agent ends: they go on, and who is stopped stays so.
kill -STOP $two
until_true is_state $two "t $agent " || wrong "it does not stop: $(state $two)"
kill -TERM "$agent"
wait "$agent"
agent=
until_true is_state $two "T 0 " || wrong "it does not stay stopped: $(state $two)"
kill -CONT $two
for pid in $one $two; do
    until_true is_state "$pid" "S 0 " || wrong "$pid is not left alone: $(state "$pid")"
done
kill $one $two $three
wait
[ -e "$KNELL_AGENT" ] && wrong "the socket is left"

# It ends while one makes threads and children: all go on.
for _ in 1 2 3 4 5; do
    rm -f "$scratch/enough"
    "$knell" agent --listen --quiet --fail "$scratch/two.fail" --timeout 60s &
    agent=$!
    until_true test -S "$KNELL_AGENT" || wrong "the agent does not listen"
    "$target" litter "$scratch/enough" print >"$scratch/litter" &
    one=$!
    runs $one
    "$knell" attach $one || wrong "it is refused"
    sleep 0.1
    kill -TERM "$agent"
    wait "$agent"
    agent=
    touch "$scratch/enough"
    wait $one || wrong "who makes threads and children ended with $?"
    has "steps 0" litter
done
[ $bad = 0 ]
