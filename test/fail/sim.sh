#!/bin/sh
# knell sim ring --fail as a user sees it: the logs in sim/ to the letter, every shipped scenario that the simulator can do,
# the right word about those it cannot, the same bytes on any number of threads. KNELL_REWRITE=1 writes the logs anew.
# Usage: sim.sh KNELL SOURCE_DIR
set -eu
knell=$1
source=$2
examples=$source/examples/fail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

say() { echo "sim.sh: $*"; exit 1; }
ring() { "$knell" sim ring --preset lowlat "$@"; }

golden() { # golden NAME scenario arguments...
    name=$1
    shift
    (cd "$source/test/fail/sim" && ring --nodes 8 --runs 1 --timeline --fail "$@") |
        sed 's/, [0-9.]* s$//; s/ *$//' >"$dir/out" || say "$name: fails"
    [ -z "${KNELL_REWRITE:-}" ] || cp "$dir/out" "$source/test/fail/sim/$name.txt"
    diff -u "$source/test/fail/sim/$name.txt" "$dir/out" || say "$name: another log"
}
golden kill kill.fail
golden pause-short pause.fail
golden pause-long pause.fail -D PAUSE=1500
golden cut-short cut.fail
golden cut-long cut.fail -D OFF=1500
golden cut-for-good cut.fail -D OFF=100000
golden link link.fail
golden held held.fail
golden group-loss ../../../examples/fail/group-loss.fail -D P=100000000 -D K=2 -D KEEP=3 --until 4s

# Every shipped scenario: refused with a word about the reason, or run without a violation.
refused="bit-flips silent-faults figure-10 ghost-count ghost-growing ghost-probability kill-after-allreduce kill-at-value hold-at-function redis-leader"
for f in "$examples"/*.fail; do
    name=$(basename "$f" .fail)
    status=0
    ring --nodes 49 --fail "$f" --until 3min --runs 3 --json >"$dir/out" 2>"$dir/err" || status=$?
    case " $refused " in
    *" $name "*)
        [ "$status" -eq 1 ] && [ ! -s "$dir/out" ] || say "$name: status $status"
        grep -q 'error: the simulator cannot do this: \(before\|after\|watch\)$' "$dir/err" || say "$name: the message" ;;
    *)
        [ "$status" -eq 0 ] && [ ! -s "$dir/err" ] || { cat "$dir/err"; say "$name: status $status"; }
        grep -q '"violations": 0,' "$dir/out" || say "$name: violations" ;;
    esac
done

# The paper's platform of 53 machines and 49 processes: a machine without a process answers `no', and another one is drawn.
ring --nodes 49 --fail "$examples/figure-7a.fail" -DX=3 --until 160s --runs 1 --log "$dir/log" >"$dir/out"
[ "$(grep -c 'halt, goto 1' "$dir/log")" -eq 9 ] || say "figure 7(a): not 9 faults in 3 periods"
grep -q '^53 slots, 49 nodes' "$dir/out" || say "the slots"
ring --nodes 49 --fail "$examples/figure-8.fail" --runs 1 >"$dir/out"
[ "$(grep -c ' halt' "$dir/out")" -eq 1 ] || say "figure 8: nobody comes back here, so there is one fault"

# Errors: in the scenario status 1 and a caret; in the command line status 2 (see cli/bad_input.txt).
echo 'Daemon D { onload -> contine; }' >"$dir/bad.fail"
status=0
ring --nodes 8 --fail "$dir/bad.fail" --log "$dir/never" >"$dir/out" 2>"$dir/err" || status=$?
[ "$status" -eq 1 ] && [ ! -s "$dir/out" ] && [ ! -e "$dir/never" ] || say "a bad scenario: status $status"
grep -q "bad.fail:1:22: error: 'contine' is no action, did you mean 'continue'?" "$dir/err" || say "the diagnostic"

for format in "" --json; do
    for threads in 1 3 8; do
        ring --nodes 16 --fail "$examples/host-loss.fail" --until 5min --runs 12 --seed 5 --threads $threads $format \
            --log "$dir/log$threads" | sed '/wall_s/d; s/, [0-9.]* s$//' >"$dir/out$threads"
    done
    for threads in 3 8; do
        cmp "$dir/log1" "$dir/log$threads" && cmp "$dir/out1" "$dir/out$threads" || say "$threads threads, another output"
    done
    [ -s "$dir/log1" ] || say "no log"
    ring --nodes 16 --fail "$examples/host-loss.fail" --until 5min --runs 12 --seed 6 --log "$dir/other" $format >"$dir/out"
    cmp -s "$dir/log1" "$dir/other" && say "another seed, the same log"
done
exit 0
