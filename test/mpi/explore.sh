#!/bin/sh
# Explores a program: in each run of it one rank, or two, die at another place, and the survivors must end well.
# Usage: explore.sh KNELL [option of knell explore...] -- PROGRAM [argument...]
#        explore.sh plan KNELL [option...] -- PROGRAM...     the plan depends on the seed and on nothing else
# KNELL_MODE says how ranks die. A budget that is used up is no failure, if some deaths have struck until then.
set -u
what=explore
[ "$1" != plan ] || { what=plan && shift; }
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

# plan_of SEED option...: the places, without the time that they may take
plan_of() {
    seed=$1
    shift
    "$knell" explore --mode "$mode" --out "$scratch/plan" --dry-run --seed "$seed" "$@" >"$scratch/said" 2>&1 || {
        cat "$scratch/said" >&2
        fail "no plan: $knell explore --dry-run --seed $seed $*"
    }
    rm -rf "$scratch/plan"
    grep -v '^about ' "$scratch/said"
}

plans() {
    plan_of 7 "$@" >"$scratch/first"
    plan_of 7 "$@" >"$scratch/second"
    plan_of 8 "$@" >"$scratch/other"
    diff "$scratch/first" "$scratch/second" || fail "the same seed gives another plan"
    ! cmp -s "$scratch/first" "$scratch/other" || fail "another seed gives the same plan"
    head -n 2 "$scratch/first"
}

case $what in
plan) plans "$@" ;;
explore) explored "$@" ;;
esac
