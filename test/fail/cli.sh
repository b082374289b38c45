#!/bin/sh
# The commands as a user sees them: statuses, where the output goes, the same log twice. Usage: cli.sh KNELL SOURCE_DIR
set -eu
knell=$1
examples=$2/examples/fail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

say() { echo "cli.sh: $*"; exit 1; }
status() { # status EXPECTED command...
    expected=$1
    shift
    got=0
    "$@" >"$dir/out" 2>"$dir/err" </dev/null || got=$?
    [ "$got" -eq "$expected" ] || { cat "$dir/err"; say "status $got instead of $expected: $*"; }
}

for f in "$examples"/*.fail; do
    status 0 "$knell" fail check "$f"
    [ ! -s "$dir/err" ] && [ ! -s "$dir/out" ] || { cat "$dir/err"; say "$f gives a diagnostic"; }
    head -c 3 "$f" | grep -q '^// ' || say "$f does not open with a line of prose"
    status 0 "$knell" fail graph "$f"
    grep -q '</svg>' "$dir/out" || say "$f: no picture"
done

echo 'Daemon D { onload -> contine; }' >"$dir/bad.fail"
status 1 "$knell" fail check "$dir/bad.fail"
grep -q "bad.fail:1:22: error: 'contine' is no action, did you mean 'continue'?" "$dir/err" || say "the message"
status 1 "$knell" fail graph "$dir/bad.fail"
status 1 "$knell" fail run "$dir/bad.fail"
status 1 "$knell" fail check "$examples/figure-7a.fail" -D Y=1
status 0 "$knell" fail check "$examples/figure-7a.fail" -D X=5
status 0 "$knell" fail check -DX=5 "$examples/figure-7a.fail"
status 1 "$knell" fail check --for simulator "$examples/figure-10.fail"
status 0 "$knell" fail check --for agent "$examples/figure-10.fail"
status 2 "$knell" fail check
status 2 "$knell" fail check "$dir/absent.fail"
status 2 "$knell" fail check "$examples/null.fail" -D X=five
status 2 "$knell" fail check "$examples/null.fail" --for nobody
status 2 "$knell" fail run "$examples/null.fail" --platform processes=17
status 2 "$knell" fail run "$examples/null.fail" --platform relaunch=5
status 2 "$knell" fail run "$examples/null.fail" --platform colour=red
status 1 "$knell" fail run "$examples/host-loss.fail" --platform processes=4
status 0 "$knell" fail graph "$examples/figure-8.fail" -o "$dir/picture.svg"
[ -s "$dir/picture.svg" ] && [ ! -s "$dir/out" ] || say "graph -o"

printf 'load G1[3]\nat 51s\n' >"$dir/script"
status 0 "$knell" fail run "$examples/figure-4-5a.fail" --script "$dir/script"
grep -q 'timer -> !crash' "$dir/out" || say "the script"
printf 'lod G1[3]\n' >"$dir/script"
status 2 "$knell" fail run "$examples/figure-4-5a.fail" --script "$dir/script"
grep -q "script:1: 'lod' is not one of" "$dir/err" || say "the script's message"

# With --json every line is an object, of show and of what is not armed too.
printf 'show G1[3]\nbefore G1[3] localMPI_setCommand\nload G1[3]\n' >"$dir/script"
status 0 "$knell" fail run "$examples/figure-10.fail" --script "$dir/script" --json
! grep -v '^{"[a-z_]*":.*}$' "$dir/out" || say "--json: a line that is no object"
grep -q '"daemon":"G1\[3\]","node":"1","process":"none","variables":{"wave":1},"armed":\[\],"waiting":0}$' "$dir/out" ||
    say "--json: show"
grep -q '"outcome":"not armed"}$' "$dir/out" || say "--json: not armed"
status 1 "$knell" fail check "$examples/figure-7a.fail" -D Q=1
grep -q -- '-D Q: no param is called so; the params are X$' "$dir/err" || say "-D: the params"

# A full disk.
if [ -c /dev/full ]; then
    for command in "graph" "run --platform processes=3" "run --platform processes=3 --summary"; do
        got=0
        # shellcheck disable=SC2086 # split on purpose
        "$knell" fail ${command%% *} "$examples/figure-7a.fail" ${command#"${command%% *}"} >/dev/full 2>"$dir/err" || got=$?
        [ "$got" -eq 1 ] && grep -q 'cannot write .*: No space left' "$dir/err" || say "$command: a full disk is not named"
    done
fi

# Scenarios on the platform: what they are for is what they do.
summary() { # summary EXPECTED arguments...
    expected=$1
    shift
    "$knell" fail run "$@" --summary >"$dir/out"
    grep -q "^$expected" "$dir/out" || { cat "$dir/out"; say "not '$expected': $*"; }
}
summary 'faults 0, launches 1, exits 16, alive 0, held 0,' "$examples/null.fail" --platform length=60s
summary 'faults 1, launches 1, exits 0, alive 17, held 0,' "$examples/kill-manager.fail" --platform processes=16
summary 'faults 1, launches 1, exits 0, alive 16, held 0,' "$examples/kill-manager.fail" --platform policy=nothing
summary 'faults 4, launches 2, exits 0, alive 64, held 0,' "$examples/cascade.fail" --platform detect=1s
summary 'faults 4, launches 5, exits 0, alive 53, held 0,' "$examples/kill-during-recovery.fail" --platform processes=53
summary 'faults 1, launches 2, exits 0, alive 16, held 0,' "$examples/kill-after-allreduce.fail" --platform \
    call=MPI_Allreduce@10ms/10ms
summary 'faults 0, launches 1, exits 0, alive 16, held 0,' "$examples/pause-resume.fail" --platform processes=16
summary 'faults 30, launches 31, exits 0, alive 16, held 0,' "$examples/rolling-kills.fail" --platform relaunch=2s \
    --until 605s
printf 'Daemon D { time_g t = 5; onload -> continue, stay; onerror -> stay; t -> signal(18), signal(15), stay; }\n' \
    >"$dir/signal.fail"
printf 'Group G { program = "p" size = 3; daemon = D; }\n' >>"$dir/signal.fail"
summary 'faults 3, launches 2, exits 0, alive 3, held 0,' "$dir/signal.fail" --platform launch=0s

for format in "" --json; do
    "$knell" fail run "$examples/figure-7a.fail" -D X=3 --platform processes=49 --seed 7 $format >"$dir/a"
    "$knell" fail run "$examples/figure-7a.fail" -D X=3 --platform processes=49 --seed 7 $format >"$dir/b"
    "$knell" fail run "$examples/figure-7a.fail" -D X=3 --platform processes=49 --seed 8 $format >"$dir/c"
    cmp -s "$dir/a" "$dir/b" || say "the same seed, another log"
    cmp -s "$dir/a" "$dir/c" && say "another seed, the same log"
done
# The combined chance of a death, p_p, at its corners and between them (in parts of 10^9): bad memory alone gives 1 - (1 - f)^3.
printf 'load G1[0]\nshow G1[0]\n' >"$dir/script"
chance() { # chance PC PF p_p
    status 0 "$knell" fail run "$examples/silent-faults.fail" -D PC="$1" -D PF="$2" --script "$dir/script" --json
    grep -q "\"dies\":$3[,}]" "$dir/out" || { cat "$dir/out"; say "p_p of $1 and $2 is not $3"; }
}
chance 0 0 0
chance 250000000 0 250000000
chance 0 100000000 271000000
chance 0 1000000000 1000000000
chance 250000000 1000000000 1000000000
chance 1000000000 0 1000000000
chance 1000000000 300000000 1000000000
chance 500000000 500000000 953125000
k() { # k K p_p: what bad memory alone does to a program of this size
    status 0 "$knell" fail run "$examples/silent-faults.fail" -D PF=100000000 -D K="$1" --script "$dir/script" --json
    grep -q "\"dies\":$2[,}]" "$dir/out" || { cat "$dir/out"; say "p_p of k = $1 is not $2"; }
}
k 1 100000000
k 2 190000000
k 4 343900000
k 7 521703100
k 1023 1000000000

# The thesis's example of correlated deaths: p = 0.001 a day, groups of 16. After 2 hours 0.0013, after 3 days 0.047.
printf 'load M\nshow M\n' >"$dir/script"
group() { # group P HOURS K DIES: DIES is of a thousand million, by bc, to 50 of them
    status 0 "$knell" fail run "$examples/group-loss.fail" -D P="$1" -D SPAN=86400000 -D RANGE=$(($2 * 3600000)) -D K="$3" \
        --script "$dir/script" --json
    sed -n 's/.*"dies":\([0-9]*\)[,}].*/\1/p' "$dir/out" | awk -v right="$4" '{ exit !($1 > right - 50 && $1 < right + 50) }' ||
        { cat "$dir/out"; say "the chance that a group of $3 is lost within $2 hours"; }
}
group 1000000 2 16 1333111
group 1000000 72 16 46889103
group 1000000 24 16 15880558
group 1000000 1 1 41687
group 500000000 7 1 183042273
group 50000000 23 1000 1000000000
group 0 24 16 0

# Who can do what: one table. What an effector cannot do, and ignored before, is an error.
status 0 "$knell" fail check --list
awk '{ print $NF }' "$dir/out" | head -1 | grep -q agent || say "--list"
for effector in simulator platform live ghost run; do
    for attribute in 'hosts = "a"' 'match = "host"'; do
        printf 'Daemon D { onload -> continue; }\nGroup G { program = "p" size = 2; daemon = D; %s; }\n' "$attribute" >"$dir/place.fail"
        status 1 "$knell" fail check --for $effector "$dir/place.fail"
        grep -q "cannot do this: ${attribute%% *}" "$dir/err" || say "$effector: $attribute: the message"
    done
    printf 'Daemon D { onload -> continue; }\nGroup G { program = "p" size = 2; daemon = D; match = "rank"; }\n' >"$dir/place.fail"
    status 0 "$knell" fail check --for $effector "$dir/place.fail"
done
status 1 "$knell" fail check --for live "$examples/figure-10.fail"
status 0 "$knell" fail check --for live "$examples/cascade.fail"
for effector in run ghost; do
    status 0 "$knell" fail check --for $effector "$examples/kill-at-value.fail" "$examples/pause-resume.fail"
    status 1 "$knell" fail check --for $effector "$examples/figure-10.fail"
    grep -q 'sees only functions whose names begin with MPI' "$dir/err" || say "$effector: the functions"
done
exit 0
