#!/bin/sh
# Runs a program twice, on the MPI left alone and under the layer: what it prints must be the same.
# Usage: oracle.sh MPI LIBRARY N program FIRST COUNT [argument...]
# The program makes COUNT random cases, from the seed FIRST on, and prints one line for each: the seed and a digest of all results.
set -u
mpi=$1 library=$2 n=$3 program=$4 first=$5 count=$6
shift 6
limit=${KNELL_ORACLE_LIMIT:-300}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
preload=${KNELL_TEST_PRELOAD:+$KNELL_TEST_PRELOAD:}$library # a sanitizer wants to be the first

alone() {
    case $mpi in
    openmpi)
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 "$limit" mpirun.openmpi --oversubscribe -n "$n" "$@"
        ;;
    mpich) timeout -k 5 "$limit" mpiexec.mpich -n "$n" "$@" ;;
    esac
}

layered() {
    case $mpi in
    openmpi)
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 "$limit" mpirun.openmpi --oversubscribe \
            --mca pml ob1 --mca btl tcp,self -n "$n" -x LD_PRELOAD="$preload" "$@"
        ;;
    mpich)
        UCX_TLS=tcp,cma,self UCX_RNDV_SCHEME=put_zcopy UCX_MAX_RNDV_RAILS=1 \
            timeout -k 5 "$limit" mpiexec.mpich -n "$n" -genv KNELL_PRELOAD "$preload" \
            "${library%/src/mpi/*}/libexec/knell/exec" "$@"
        ;;
    esac
}

alone "$program" "$first" "$count" "$@" >"$dir/alone" 2>"$dir/alone.err" || {
    echo "$mpi left alone ended with status $?: $program $first $count $*" >&2
    tail -n 20 "$dir/alone.err" >&2
    exit 1
}
layered "$program" "$first" "$count" "$@" >"$dir/layered" 2>"$dir/layered.err" || {
    echo "under the layer the status is $?: $program $first $count $*" >&2
    tail -n 20 "$dir/layered.err" >&2
    exit 1
}
sort "$dir/alone" >"$dir/a" && sort "$dir/layered" >"$dir/b"
[ "$(wc -l <"$dir/a")" -eq "$count" ] || {
    echo "$program printed $(wc -l <"$dir/a") lines for $count seeds" >&2
    exit 1
}
if ! diff "$dir/a" "$dir/b" >"$dir/diff"; then
    echo "$mpi: other results under the layer; one seed alone: $0 $mpi $library $n $program SEED 1 $*" >&2
    head -n 20 "$dir/diff" >&2
    exit 1
fi
echo "$mpi: $count seeds from $first on, the same results"
