#!/bin/bash
# KNELL FIRST: functions do the same with a breakpoint at their first instruction, twice.
set -u
. "$(dirname "$0")/common.sh"
cat >"$scratch/first.fail" <<'END'
Daemon D {
    onload -> continue;
    before(first_*) -> stay;
    after(first_*) -> stay;
}
Computer C { program = "test-agent-first" daemon = D; }
END
"$target" | sed '/^system /d' >"$scratch/alone" || wrong "it fails by itself"
"$knell" agent --fail "$scratch/first.fail" --log "$scratch/log" "$target" | sed '/^system /d' >"$scratch/traced"
diff "$scratch/alone" "$scratch/traced" || wrong "it returns something else under breakpoints"
functions=$(wc -l <"$scratch/alone")
hits=$(grep -c 'before(' "$scratch/log") returns=$(grep -c 'after(' "$scratch/log")
[ "$hits" = $((functions + 1)) ] && [ "$returns" = $((functions + 1)) ] ||
    wrong "$hits hits and $returns returns of $((functions + 1)) functions"
[ $bad = 0 ] && echo "$hits functions"
