#!/bin/sh
# `knell mpirun` with the words of mpirun and mpiexec. Usage: run_mpirun.sh KNELL MPI APP
. "$(dirname "$0")/run_lib.sh"

# mpirun argument...: as knell_run
mpirun() {
    ran="knell mpirun $*"
    timeout -k 5 60 env PATH="${search-$PATH}" "$knell" mpirun "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
}

# well COUNT WORDS: so many ranks said these words
well() {
    ended_with 0
    fine "$1"
    [ "$(grep -cE -e "$2" "$scratch/out")" -eq "$1" ] || wrong "not $1 ranks said: $2"
}

# bad WORDS argument...: one line, nothing started
bad() {
    words=$1
    shift
    mpirun "$@"
    ended_with 2
    says "^knell (mpirun|run): .*$words"
    [ "$(wc -l <"$scratch/err")" -eq 1 ] && [ ! -s "$scratch/out" ] || wrong "not one line"
}

mpirun -np 2 "$app" --kill none
well 2 'of 2, X=none.* 2 arguments: none$'
mpirun --with-ft ulfm --oversubscribe --allow-run-as-root -n 3 -x X=1,2=3 --mca btl tcp,self --host localhost:3 "$app"
well 3 'of 3, X=1,2=3, btl=tcp,self,'
X=before mpirun --n=2 -x X --with-ft=mpi -v --bind-to none -- "$app" -n 7
well 2 'X=before.* 2 arguments: 7$'
mkdir "$scratch/there"
mpirun -c 1 -wdir "$scratch/there" -genv X 'a b' -ppn 1 "$app"
well 1 "X=a b, .*in $scratch/there,"
mpirun "$app"
well "$(getconf _NPROCESSORS_ONLN)" fine
mpirun -np 2 --tag-output "$app"
[ "$mpi" = mpich ] || grep -q '^\[1,1\]<stdout>:fine' "$scratch/out" || wrong "no tags"
ended_with 0
mpirun -n 2 --kill 1@MPI_Allreduce "$app"
fine 1
says 'rank 1 was killed'
mpirun -n 2 --timeout 1 "$app" --hang
ended_with 124
mpirun -n 2 --dry-run "$app"
ended_with 0
grep -q 'libknell-mpi' "$scratch/out" || wrong "prints no command"
mpirun --help
ended_with 0
grep -q '^Usage: knell mpirun' "$scratch/out" || wrong "no help"
# the MPI's own answer, also where a script named mpirun calls knell
mpirun --mpi "$mpi" --version
ended_with 0
grep -qE 'Open|HYDRA' "$scratch/out" || wrong "no version of the MPI"
printf '#!/bin/sh\nexec "%s" mpirun "$@"\n' "$knell" >"$scratch/mpirun"
chmod +x "$scratch/mpirun"
search=$scratch:$PATH
mpirun -V
unset search
ended_with 0
grep -qE 'Open|HYDRA' "$scratch/out" || wrong "no version of the MPI"
nothing_left

bad 'the program is missing'
bad 'the program is missing' -np 4
bad '-np: its value is missing' -np
bad '-np: the number of ranks is given twice' -n 2 -np 2 "$app"
bad '--made-up: not an option .*leave it away' -n 2 --made-up "$app"
bad '--mca: its value is missing' -n 2 --mca btl
bad 'the host far is not known here' -n 2 --host far,away "$app"
bad 'hostfile no-such-file: No such file' -n 2 --hostfile no-such-file "$app"
bad 'hostfile no-such-file: No such file' -n 2 -f no-such-file "$app"
bad '-n N is needed' --host far "$app"
bad "':' after .*: one program a job" -n 1 "$app" : -n 1 "$app"
bad '--with-ft no: must be ulfm or mpi' --with-ft no -n 2 "$app"
bad '--wdir .*/nowhere: No such' -n 2 -wdir "$scratch/nowhere" "$app"
bad '--output-filename: .*--record' -n 2 --output-filename x "$app"
bad '-x =3: the name of the variable is missing' -n 2 -x =3 "$app"
bad '-x =: the name of the variable is missing' -n 2 -x = "$app"
mpirun -n two "$app"
ended_with 2
says 'must be a whole number from 1 to 1024'
mpirun -n 2 ./nothing
ended_with 2
says 'no such program'
exit $failed
