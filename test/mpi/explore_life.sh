#!/bin/sh
# An exploration is ended at random instants: by SIGKILL, by ctrl-C, by a full disk. Nothing is left, no line is torn, and --resume
# comes to the same summary as an exploration that nobody disturbs.
# Usage: explore_life.sh KNELL ENDS RANKS PROGRAM [argument...]; ENDS: how many of them. KNELL_SEED: of the instants.
set -u
knell=$1 ends=$2 ranks=$3
shift 3
scratch=$(mktemp -d) || exit 1
seed=${KNELL_SEED:-$(date +%s)}
state=$seed
filled=''

clean() {
    [ -z "$filled" ] || umount "$scratch/disk"
    rm -rf "$scratch"
}
trap clean EXIT

fail() {
    echo "explore_life.sh: $1 (KNELL_SEED=$seed)" >&2
    exit 1
}

# random N: a number below N, into $drawn; not printed, since the state would stay behind in a subshell
random() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$((state / 65536 % $1))
}

# Processes of the job have the mark in their environment; they are gone soon after.
KNELL_TEST_MARK=explore-$$
export KNELL_TEST_MARK
left() {
    for p in /proc/[0-9]*; do
        [ "$p" = "/proc/$$" ] || ! grep -qsz "^KNELL_TEST_MARK=$KNELL_TEST_MARK\$" "$p/environ" || case $(cat "$p/comm" 2>/dev/null) in
        sh | grep | sleep | cat | explore_life.sh | ctest | timeout | '') ;;
        *) echo "$p $(cat "$p/comm" 2>/dev/null)" ;;
        esac
    done
}
nothing_left() {
    tries=0
    while [ -n "$(left)" ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || fail "processes are left 10 s after $1: $(left)"
        sleep 0.1 # processes of others: there is no event to wait for
    done
}

# torn FILE: every line is an object
torn() {
    python3 -c 'import json,sys
text = open(sys.argv[1]).read()
assert text == "" or text.endswith("\n"), "the last line is torn"
for line in text.splitlines(): json.loads(line)' "$1" || fail "$1 has a torn line after $2"
}

if mkdir "$scratch/disk" && mount -t tmpfs -o size=64m tmpfs "$scratch/disk" 2>/dev/null; then
    filled=yes
fi
out=$scratch/disk/explored

"$knell" explore -n "$ranks" --out "$scratch/quiet" --json "$@" >"$scratch/quiet.json" 2>"$scratch/said"
status=$?
[ "$status" -le 1 ] || { cat "$scratch/said" >&2; fail "an exploration that nobody disturbs ends with $status"; }

# one_end KIND: starts it, or goes on, and ends it; false: it came to its end
one_end() {
    if [ -e "$out/plan.json" ]; then
        set -- "$1" --resume "$out" --
        first=''
    else
        rm -rf "$out"
        first=yes
    fi
    kind=$1
    random $span
    delay=$drawn
    if [ -n "$first" ]; then
        eval "\"\$knell\" explore -n $ranks --out \"\$out\" --json $program" >"$scratch/json" 2>"$scratch/said" &
    else
        "$knell" explore --resume "$out" --json >"$scratch/json" 2>"$scratch/said" &
    fi
    pid=$!
    timeout "$((delay / 1000)).$(printf %03d $((delay % 1000)))" tail --pid=$pid -f /dev/null
    case $kind in
    kill) kill -KILL $pid 2>/dev/null ;;
    int) kill -INT $pid 2>/dev/null ;;
    disk) head -c 70000000 /dev/zero >"$scratch/disk/filler" 2>/dev/null ;;
    esac
    wait $pid
    status=$?
    rm -f "$scratch/disk/filler"
    nothing_left "$kind"
    [ ! -e "$out/results.jsonl" ] || torn "$out/results.jsonl" "$kind"
    case $kind-$status in
    kill-137 | int-130 | disk-3 | disk-2) return 0 ;;
    *-0 | *-1) return 1 ;;
    *) cat "$scratch/said" >&2; fail "status $status after $kind" ;;
    esac
}

program=''
for word in "$@"; do
    program="$program '$word'"
done
# Where the runs without faults take longer than SPAN ms, no end would come after them, and the rest would be one undisturbed
# exploration. So an end before the first result makes the next ones later, and there is at least one after it.
done=0 amid=0 span=2500 compared='' kinds=''
while [ "$done" -lt "$ends" ] || [ "$amid" -eq 0 ]; do
    random 3
    case $drawn-$filled in
    0-*) kind=kill ;;
    2-yes) kind=disk ;;
    *) kind=int ;;
    esac
    kinds="$kinds$kind
"
    if ! one_end "$kind"; then
        # It came to its end: the next one begins anew.
        python3 "$(dirname "$0")/explore_same.py" "$scratch/quiet.json" "$scratch/json" || fail "another summary after interruptions"
        compared=yes
        rm -rf "$out"
    elif [ -s "$out/results.jsonl" ]; then
        amid=$((amid + 1))
    elif [ "$span" -lt 20000 ]; then
        span=$((span * 3 / 2))
    fi
    done=$((done + 1))
done
if [ -e "$out/plan.json" ]; then
    "$knell" explore --resume "$out" --json >"$scratch/json" 2>"$scratch/said"
    python3 "$(dirname "$0")/explore_same.py" "$scratch/quiet.json" "$scratch/json" || fail "another summary after interruptions"
    compared=yes
fi
nothing_left "the end"
[ -n "$compared" ] || fail "no summary was compared"
echo "$done ends, $amid of them amid the results ($(printf %s "$kinds" | sort | uniq -c | tr -s ' \n' ' ')), nothing left, the same summary, KNELL_SEED=$seed"
