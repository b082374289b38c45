#!/bin/sh
# Kills in MPI_Finalize, one a job, with seeds one after the other. Usage: finalize.sh MPI LIBRARY program JOBS MICROSECONDS
set -u
mpi=$1 library=$2 program=$3 jobs=$4 span=$5
here=$(dirname "$0")
for seed in $(seq "$jobs"); do
    "$here/run.sh" "$mpi" "$library" 4 1 "$program" "$seed" "$span" || {
        echo "again: $here/run.sh $mpi $library 4 1 $program $seed $span" >&2
        exit 1
    }
done
echo "$mpi: $jobs kills in MPI_Finalize"
