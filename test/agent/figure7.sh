#!/bin/bash
# KNELL TARGET DISPATCHER SCENARIO MS X...: figure 7(a) of the paper on real processes, with a period of 400 ms instead of 50 s: 49 processes
# on 53 slots, of which X die in every period; all of them acknowledged, and seen by who launched them. Runs for MS each.
set -u
. "$(dirname "$0")/common.sh"
dispatcher=$3 scenario=$4 ms=$5
shift 5
sed 's/time_g timer = 50;/time timer = 400;/' "$scenario" >"$scratch/figure.fail"
grep -q 'timer = 400' "$scratch/figure.fail" || wrong "the scenario has another period"
ln -s "$target" "$scratch/app"
for x; do
    "$knell" agent --fail "$scratch/figure.fail" -D "X=$x" --log "$scratch/log" "$dispatcher" "$ms" 49 "$scratch/app" sleep 60000 \
        >"$scratch/out" 2>"$scratch/error" || wrong "X=$x: status $?: $(cat "$scratch/error")"
    # Acknowledgements from one expiry of the timer to the next; the last period may have been cut off.
    grep ' P1 ' "$scratch/log" | awk -v x="$x" '
        / timer -> / { if (periods++ && acks != x) { print "a period with " acks " faults"; bad = 1 } acks = 0 }
        /\?ok from .* -> / { acks++ }
        END { if (periods < 3) { print periods " periods"; bad = 1 }; print periods " periods"; exit bad }' >"$scratch/periods" ||
        wrong "X=$x: $(cat "$scratch/periods")"
    halts=$(grep -c ' halt, goto 1$' "$scratch/log")
    has "^deaths $halts$" out
    echo "X=$x: $(tail -1 "$scratch/periods"), $halts faults"
done
[ $bad = 0 ]
