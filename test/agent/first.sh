#!/bin/bash
# KNELL FIRST: functions do the same with a breakpoint at their first instruction, twice.
set -u
. "$(dirname "$0")/common.sh"
cat >"$scratch/first.fail" <<'END'
Daemon D {
    onload -> continue;
    before(first_*) -> stay;
    before(faulty) -> stay;
    after(first_*) -> stay;
}
Computer C { program = "test-agent-first" daemon = D; }
END
"$target" | sed '/^system /d' >"$scratch/alone" || wrong "it fails by itself"
"$knell" agent --fail "$scratch/first.fail" --log "$scratch/log" "$target" | sed '/^system /d' >"$scratch/traced"
diff "$scratch/alone" "$scratch/traced" || wrong "it returns something else under breakpoints"
[ "$(grep -c 'fault at 0' "$scratch/alone")" = 2 ] || wrong "there were to be two faults"
functions=$(grep -vc fault "$scratch/alone")
hits=$(grep -c 'before(first_' "$scratch/log") returns=$(grep -c 'after(' "$scratch/log")
[ "$hits" = $((3 * functions + 3)) ] && [ "$returns" = $((3 * functions + 3)) ] ||
    wrong "$hits hits and $returns returns of $((functions + 1)) functions, called three times"
[ $bad = 0 ] && echo "$hits hits"
