#!/bin/bash
# KNELL TARGET: no hit is lost: with four threads, under a storm of signals, with steps; and a replay is the same.
set -u
. "$(dirname "$0")/common.sh"
cat >"$scratch/count.fail" <<'END'
Daemon D {
    int steps = 0;
    int odds = 0;
    int draws = 0;
node 1:
    onload -> continue, goto 2;
node 2:
    before(step) && FAIL_CHANCE(1, 10) == 1 -> steps = steps + 1, draws = draws + 1, stay;
    before(step) -> steps = steps + 1, stay;
    before(odd) -> odds = odds + 1, stay;
    onexit -> goto 1;
    onerror -> log("died"), goto 1;
}
Computer C { program = "test-agent-target" daemon = D; }
END
# WHAT COUNT ARGUMENT...: so many hits of this kind.
count() {
    what=$1 expected=$2
    shift 2
    "$knell" agent --fail "$scratch/count.fail" --log "$scratch/log" "$target" "$@" >"$scratch/out" || wrong "$*: status $?"
    found=$(grep -c "before($what#" "$scratch/log")
    [ "$found" = "$expected" ] || wrong "$*: $found hits of $expected"
}
count step 4000 threads 4 1000 print
has "steps 4000" out
grep 'draws' "$scratch/log" | sed 's/.*before/before/' >"$scratch/draws"
count step 4000 threads 4 1000
grep 'draws' "$scratch/log" | sed 's/.*before/before/' | cmp - "$scratch/draws" || wrong "the same seed drew otherwise"
count odd 500 storm 500
count step 500 storm 500
# A variable that four threads change: every change is seen, by whichever thread.
cat >"$scratch/watch.fail" <<'END'
Daemon D {
    onload -> continue;
    watch($iteration) -> stay;
}
Computer C { program = "test-agent-target" daemon = D; }
END
"$knell" agent --fail "$scratch/watch.fail" --log "$scratch/log" "$target" race 4 200 print >"$scratch/out" || wrong "race: status $?"
has "iteration 800" out
[ "$(grep -c 'watch(.iteration) -> stay' "$scratch/log")" = 800 ] || wrong "$(grep -c 'watch(' "$scratch/log") changes of 800 were seen"
# A program that has made one thread after the other goes on to rest in each period of 20 ms.
printf 'Daemon D { onload -> slow(20), continue; }\nComputer C { program = "test-agent-target" daemon = D; }\n' >"$scratch/slow.fail"
"$knell" agent --quiet --fail "$scratch/slow.fail" "$target" breed 500 print >"$scratch/out" || wrong "breed: status $?"
rests=$(sed 's/^steps \([0-9]*\) .*/\1/' "$scratch/out")
[ "$rests" -ge 10 ] || wrong "slow(20): $rests rests in 500 ms"
[ $bad = 0 ]
