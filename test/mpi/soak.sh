#!/bin/sh
# Random kill-and-recover rounds: job after job with seeds one after the other, until so many rounds are done.
# Usage: soak.sh MPI LIBRARY program ROUNDS [first seed]
set -u
mpi=$1 library=$2 program=$3 rounds=$4 seed=${5:-1}
here=$(dirname "$0")
done=0
while [ "$done" -lt "$rounds" ]; do
    if ! said=$("$here/run.sh" "$mpi" "$library" 8 7 "$program" "$seed" 2>&1); then
        echo "$said"
        echo "seed $seed; again: KNELL_MODE=${KNELL_MODE:-real} $here/run.sh $mpi $library 8 7 $program $seed" >&2
        exit 1
    fi
    more=$(echo "$said" | sed -n 's/^rounds \([0-9]*\).*/\1/p' | head -n 1)
    [ -n "$more" ] || {
        echo "seed $seed: nobody told its rounds: $said" >&2
        exit 1
    }
    done=$((done + more)) seed=$((seed + 1))
done
echo "$mpi: $done rounds"
