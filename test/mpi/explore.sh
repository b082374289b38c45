#!/bin/sh
# Explores a program: in each run of it one rank, or two, die at another place, and the survivors must end well.
# Usage: explore.sh KNELL [option of knell explore...] -- PROGRAM [argument...]
#        explore.sh plan KNELL [option...] -- PROGRAM...     the plan depends on the seed and on nothing else
#        explore.sh cost KNELL [option...] -- PROGRAM...     it takes at most 1.5 times as long as that many runs without faults
# KNELL_MODE says how ranks die. A budget that is used up is no failure, if some deaths have struck until then.
set -u
what=explored
case $1 in
plan | cost)
    what=$1
    shift
    ;;
esac
knell=$1
shift
mode=${KNELL_MODE:-real}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "explore.sh: $*" >&2
    exit 1
}

explored() {
    "$knell" explore --mode "$mode" --out "$scratch/out" "$@"
    status=$?
    [ "$status" -eq 0 ] || fail "status $status: KNELL_MODE=$mode $knell explore $*"
}

# dry_run SEED option...: into $scratch/said
dry_run() {
    seed=$1
    shift
    "$knell" explore --mode "$mode" --out "$scratch/plan" --dry-run --seed "$seed" "$@" >"$scratch/said" 2>&1 || {
        cat "$scratch/said" >&2
        fail "no plan: $knell explore --dry-run --seed $seed $*"
    }
    rm -rf "$scratch/plan"
}

# plan_of SEED option...: the places, without the time that they may take
plan_of() {
    dry_run "$@"
    grep -v '^about ' "$scratch/said"
}

plan() {
    plan_of 7 "$@" >"$scratch/first"
    plan_of 7 "$@" >"$scratch/second"
    plan_of 8 "$@" >"$scratch/other"
    diff "$scratch/first" "$scratch/second" || fail "the same seed gives another plan"
    ! cmp -s "$scratch/first" "$scratch/other" || fail "another seed gives the same plan"
    head -n 2 "$scratch/first"
}

# The time of so many runs without faults is measured before and after.
cost() {
    dry_run 1 "$@"
    expected=$(sed -n 's/^about \([^ ]*\) s .*/\1/p' "$scratch/said")
    from=$(date +%s.%N)
    explored "$@"
    until=$(date +%s.%N)
    dry_run 1 "$@"
    sed -n 's/^about \([^ ]*\) s .*/\1/p' "$scratch/said" | awk -v first="$expected" -v from="$from" -v until="$until" '{
        took = until - from
        ratio = took / ((first + $1) / 2)
        printf "%.1f s; that many runs without faults: %.1f s before, %.1f s after: %.2f times\n", took, first, $1, ratio
        exit ratio > 1.5
    }' || fail "it takes more than 1.5 times as long"
}

$what "$@"
