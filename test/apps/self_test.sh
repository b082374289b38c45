#!/bin/sh
# The files of test/apps without running a program: every one is a script that says what it needs, and the comparison can fail.
# Usage: self_test.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

check() { # WHAT command...
    what=$1
    shift
    if "$@" >"$scratch/said" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$what: failed"
        cat "$scratch/said"
    fi
}

same() { # TOLERANCE FLOOR NATIVE LAYERED
    printf '%b\n' "$3" >"$scratch/a"
    printf '%b\n' "$4" >"$scratch/b"
    awk -v tolerance="$1" -v floor="$2" -f "$here/compare.awk" "$scratch/a" "$scratch/b"
}
differs() { ! same "$@"; }

is_whole() { # NAME: it sets its packages, starts a job, and every MPI it names is one
    sh -n "$here/$1.sh" || return 1
    packages='' on=openmpi out=$scratch
    # shellcheck disable=SC1090
    (. "$here/$1.sh" && [ -n "$packages" ] && command -v job >/dev/null &&
        for mpi in $on; do case $mpi in openmpi | mpich) ;; *) exit 1 ;; esac; done)
}

for file in "$here"/*.sh; do
    name=$(basename "$file" .sh)
    case $name in
    jobs | self_test) check "$name" sh -n "$file" ;;
    *) check "$name" is_whole "$name" ;;
    esac
done
check 'equal lines' same 0 0 'energy 1.5\nok' 'energy 1.5\nok'
check 'within the tolerance' same 1e-3 0 'energy 1.0000' 'energy 1.0001'
check 'without the tolerance' differs 1e-6 0 'energy 1.0000' 'energy 1.0001'
check 'within the floor' same 0 1e-9 'error 1e-12' 'error 3e-11'
check 'an exponent of Fortran' same 1e-3 0 'energy 1.0000D+00' 'energy 1.0001'
check 'a word differs' differs 1 1 'state ok' 'state bad'
check 'a line more' differs 1 1 'a 1' 'a 1\nb 1'
check 'a line less' differs 1 1 'a 1\nb 1' 'a 1'
check 'not a number' differs 1 1 'energy 1.0' 'energy nan'
check 'help' "$here/run" --help
check 'wrong option' sh -c "! '$here/run' --wrong && ! '$here/run' --only nothing && ! '$here/run' --mpi lam"
check 'a list' sh -c "'$here/run' --list | grep hpcc"
mkdir "$scratch/out"
printf 'app,case,mpi,ranks,verdict,text\nx,y,openmpi,4,passed,3 lines are the same; native 1 s\n' >"$scratch/out/result.csv"
check 'the table' sh -c "'$here/table' '$scratch/out' | grep -q '^| x | y | openmpi | 3 lines are the same |'"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
