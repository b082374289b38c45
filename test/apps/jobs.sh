# shellcheck shell=sh
# jobs.sh: part of test/apps/run: starts the jobs of one case and judges them. It uses app, case, mpi, out, build and what NAME.sh sets.
# Every job runs in a folder of its own, $out/$app/$case-$mpi/HOW: output, errors, status, seconds, events, and what the program writes.
knell=$build/src/cli/knell
layer=$build/src/mpi/libknell-mpi
# Launchers look this host up by its name; without an answer that is 5 s for each process.
export RES_OPTIONS="${RES_OPTIONS-attempts:0}" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
unset LD_PRELOAD
limit_s=${KNELL_APPS_LIMIT_S:-600}
rounds=${KNELL_APPS_ROUNDS:-5} bar=1.05 ends_s=2
least_s=10.2 most_s=12.5 wanted_s=10.9 # of a run that is timed

# ---- one job -------------------------------------------------------------------------------------------------------------------

now() { date +%s.%N; }
calc() { awk "BEGIN { printf \"%.3f\\n\", $1 }"; }
holds() { awk "BEGIN { exit !($1) }"; }

# The transports are those that `knell run` selects (docs/use/mpi.md).
native() {
    case $mpi in
    openmpi)
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 "$limit_s" mpirun.openmpi --oversubscribe \
            --mca pml ob1 --mca btl tcp,self -n "$n" "$@"
        ;;
    mpich)
        UCX_TLS=tcp,cma,self UCX_RNDV_SCHEME=put_zcopy UCX_MAX_RNDV_RAILS=1 timeout -k 5 "$limit_s" mpiexec.mpich -n "$n" "$@"
        ;;
    esac
}

layered() {
    timeout -k 5 "$limit_s" "$knell" run -n "$n" --mpi "$mpi" --quiet --log events --timeout "$((limit_s - 10))s" \
        ${kill:+--kill "$kill"} -- "$@"
}

# What NAME.sh calls to start its program.
start() { "$starter" "$@"; }

# For NAME.sh: a number to which the length of a run is proportional, made so that it takes as long as is wanted; and one whose cube that is.
scale=1000
scaled() { awk "BEGIN { n = int($1 * $scale / 1000 + 0.5); print n < 1 ? 1 : n }"; }
scaled_cube() { awk "BEGIN { print int($1 * ($scale / 1000) ^ (1 / 3) + 0.5) }"; }

# once HOW STARTER SIZE RANKS: the whole case in a new folder; status and seconds are set, and kept there. SIZE: small or long
once() {
    starter=$2 size=$3 n=$4
    place=$out/$app/$case-$mpi/$1
    rm -rf "$place"
    mkdir -p "$place" && cd "$place" || exit 1
    prepare >prepared 2>&1 </dev/null || {
        status=preparing seconds=0
        return 1
    }
    began=$(now)
    job >output 2>errors </dev/null
    status=$?
    seconds=$(calc "$(now) - $began")
    echo "$status" >status
    echo "$seconds" >seconds
    [ "$status" -eq 0 ]
}

# right HOW STARTER SIZE RANKS: once, and its result is read; says why not
right() {
    if ! once "$@"; then
        why="$1: status $status: $(cat errors prepared 2>/dev/null | grep -v '^$' | head -n 1 | cut -c 1-160)"
        return 1
    fi
    result >result 2>>errors
    [ -s result ] || {
        why="$1: no result in its output"
        return 1
    }
}

# row FILE COLUMNS VALUES: replaces the row of this case, or appends one
row() {
    [ -e "$out/$1" ] || echo "$2" >"$out/$1"
    awk -F, -v app="$app" -v case="$case" -v mpi="$mpi" '!($1 == app && $2 == case && $3 == mpi)' "$out/$1" >"$out/rows"
    echo "$app,$case,$mpi,$3" >>"$out/rows"
    mv "$out/rows" "$out/$1"
}

# ---- the same result -----------------------------------------------------------------------------------------------------------

part_result() {
    kill='' why='' verdict=failed
    if right native native small "$ranks" && native_s=$seconds && right layer layered small "$ranks"; then
        said=$(awk -v tolerance="$tolerance" -v floor="$floor" -f "$here/compare.awk" ../native/result result) && verdict=passed
        why="$said; native $native_s s, layered $seconds s"
    fi
    note $verdict result "$why"
    row result.csv app,case,mpi,ranks,verdict,text "$ranks,$verdict,$(echo "$why" | tr ',' ';')"
}

# ---- a death in the middle -----------------------------------------------------------------------------------------------------

# The middle of what the layered run took after MPI_Init, in milliseconds.
middle() {
    events=$out/$app/$case-$mpi/layer/events
    [ -s "$events" ] || { kill='' && right layer layered small "$ranks"; } || return 1
    sed -n 's/.*"time_s": \([0-9.e-]*\), "event": "\([a-z]*\)".*/\1 \2/p' "$events" |
        awk '$2 == "ready" { ready = $1 } $2 == "finalized" { end = $1 } END { if (!end) exit 1; printf "%d\n", (end - ready) * 500 }'
}

# When the others knew, in seconds since the start of the job; empty: nobody died.
died_s() {
    sed -n 's/.*"time_s": \([0-9.e-]*\), "event": "learned".*/\1/p' events | head -n 1
}

# Processes of this job that are still there: all have inherited the word.
left() {
    grep -a -l -z -x "KNELL_APPS_JOB=$1" /proc/[0-9]*/environ 2>/dev/null | wc -l
}

# one_kill NAME RANK@WHEN: sets why; its status says whether the job ended as it should
one_kill() {
    kill=$2 mark=$$-$app-$case-$mpi-$1
    export KNELL_APPS_JOB="$mark"
    once "kill-$1" layered small "$ranks"
    unset KNELL_APPS_JOB
    at=$(died_s)
    why="$2: no rank died, status $status"
    [ -n "$at" ] || return 1
    after=$(calc "$seconds - $at")
    grep . errors | grep -vxFf "$out/$app/$case-$mpi/layer/errors" >words # less what the program says without a death
    said=$(wc -l <words)
    why="$2: ended after $after s, status $status"
    holds "$after <= $ends_s" || return 1
    [ "$status" != 0 ] && [ "$status" != 124 ] && [ "$status" != preparing ] || return 1
    [ -z "$own_words" ] || said=$(grep -c '^knell' words) # it reports errors itself, and ends by MPI_Abort
    if [ "$said" -ne 1 ] || ! grep -q "^knell run: .*rank ${2%%@*} " words; then
        why="$why, $said lines of words: $(grep -v '^knell run: ' words | head -n 1 | cut -c 1-120)"
        return 1
    fi
    still=$(left "$mark")
    why="$why, $still processes left"
    [ "$still" -eq 0 ]
}

# A run beside other load took longer than this one: the middle came too late.
again() { # NAME
    [ "$1" = time ] && [ -z "$at" ] && one_kill time "1@$((half / 3))ms"
}

# Rank 1 in the middle of the run; and where NAME.sh says.
part_kill() {
    text='' worst=0 verdict=passed
    [ -z "$spared" ] || {
        note skipped kill "$spared"
        return
    }
    half=$(middle) || {
        note failed kill "the run without a death did not end"
        return
    }
    for plan in "time 1@${half}ms" ${kill_at:+"call $kill_at"}; do
        # shellcheck disable=SC2086 # two words
        one_kill $plan || again $plan || verdict=failed
        text="$text${text:+; }$why"
        worst=$(awk -v a="$worst" -v b="${after:-0}" 'BEGIN { print (a > b ? a : b) }')
    done
    note $verdict kill "$text"
    row kill.csv app,case,mpi,ranks,verdict,worst_s,text "$ranks,$verdict,$worst,$(echo "$text" | tr ',' ';')"
}

# ---- time ----------------------------------------------------------------------------------------------------------------------

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# The scale with which a native run takes 10 s and not much more; it is kept for the next time. Sets seconds.
settle() {
    kept=$out/$app/scale-$case-$mpi
    scale=$(cat "$kept" 2>/dev/null || echo 1000)
    for _ in 1 2 3 4 5; do
        right time-native native long "$time_ranks" || return 1
        holds "$seconds >= $least_s && $seconds <= $most_s" && break
        scale=$(awk "BEGIN { printf \"%d\", $scale * $wanted_s / $seconds + 1 }")
    done
    echo "$scale" >"$kept"
}

# one_round 'NAME STARTER'...: each once
one_round() {
    for turn in "$@"; do
        right "time-${turn% *}" "${turn#* }" "$length" "$time_ranks" || return 1
        echo "${turn% *} $seconds" >>"$timings"
    done
}

# The run that settled the scale is the first one.
all_rounds() {
    if [ -z "$quick" ]; then
        settle && echo "native $seconds" >>"$timings" && one_round 'control native' 'layer layered' || return 1
        turns=$((turns - 1))
    fi
    for _ in $(seq "$turns"); do
        one_round 'native native' 'control native' 'layer layered' || return 1
    done
}

part_time() {
    kill='' length=long turns=$rounds verdict=passed why=''
    case " ${time_cases-$cases} " in *" $case "*) ;; *) [ -n "$every" ] || return 0 ;; esac
    [ -z "$quick" ] || length=small turns=1
    timings=$out/$app/times-$case-$mpi
    mkdir -p "$out/$app" && : >"$timings"
    all_rounds || {
        note failed time "$why"
        return
    }
    base=$(sed -n 's/^native //p' "$timings" | median)
    ratio=$(calc "$(sed -n 's/^layer //p' "$timings" | median) / $base")
    control=$(calc "$(sed -n 's/^control //p' "$timings" | median) / $base")
    why="ratio $ratio, native against itself $control, native $base s"
    if [ -z "$quick" ]; then
        holds "$ratio <= $bar" || verdict=failed
        holds "$base >= 10" || why="$why: shorter than 10 s"
    fi
    note $verdict time "$why"
    row time.csv app,case,mpi,ranks,rounds,native_s,ratio,control "$time_ranks,$rounds,$base,$ratio,$control"
}
