#!/bin/sh
# `knell check`: what a program itself calls, what its libraries may call, nothing of what the MPI's own libraries and bindings bring.
# Usage: check.sh KNELL MPI
set -u
knell=$1 mpi=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

wrong() {
    echo "$mpi: knell check $ran: $1" >&2
    sed 's/^/    /' out err >&2
    failed=1
}

# check STATUS argument...
check() {
    wanted=$1
    shift
    ran="$*"
    timeout 20 "$knell" check "$@" >out 2>err
    status=$?
    [ $status -eq "$wanted" ] || wrong "status $status, expected $wanted"
    [ $wanted -eq 2 ] || [ ! -s err ] || wrong "words on standard error"
    [ $wanted -ne 2 ] || [ "$(wc -l <err)" -eq 1 ] && { [ $wanted -ne 2 ] || [ ! -s out ]; } || wrong "not one line on standard error alone"
}

says() {
    grep -qE -e "$1" out err || wrong "does not say: $1"
}

compile() {
    "$@" || { echo "cannot compile: $*" >&2; exit 1; }
}

cat >plain.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
cat >spawn.h <<'END'
#include <mpi.h>
#ifdef __cplusplus
extern "C"
#endif
void spawn(void);
#define SPAWN                                                                                                  \
    MPI_Comm all;                                                                                              \
    MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &all, MPI_ERRCODES_IGNORE)
END
echo '#include "spawn.h"
void spawn(void) { SPAWN; }' >library.c
echo '#include "spawn.h"
int main(void) { SPAWN; return 0; }' >calls.c
echo '#include "spawn.h"
int main(void) { spawn(); MPI_Comm all; return PMPI_Comm_join(0, &all); }' >uses.c

compile mpicc."$mpi" plain.c -o plain
check 0 ./plain
says "^\./plain \($mpi\): Knell carries every MPI call"
check 0 --json ./plain
python3 -c "import json; r = json.load(open('out')); assert r['carried'] and r['mpi'] == '$mpi' and not r['calls'], r" || wrong "its JSON"
strip plain
check 0 ./plain and its arguments --json

compile mpicc."$mpi" calls.c -o calls
check 1 ./calls
says '^  calls     MPI_Comm_spawn$'

compile mpicc."$mpi" -shared -fPIC library.c -o libspawn.so
compile mpicc."$mpi" uses.c -L. -lspawn -Wl,-rpath,"$dir" -o uses
check 1 ./uses
says '^  may call  MPI_Comm_spawn +libspawn.so$'
says '^  calls     MPI_Comm_join$'
check 1 --json ./uses
python3 -c "import json; r = json.load(open('out')); assert r['may_call'] == ['MPI_Comm_spawn'] and r['calls'] == ['MPI_Comm_join'] and not r['carried'], r" ||
    wrong "its JSON"
chmod -x libspawn.so
check 1 ./libspawn.so
says '^  calls     MPI_Comm_spawn$'
mv libspawn.so away.so
check 1 ./uses
says 'not looked at: libspawn.so, not found'

# The C++ bindings of Open MPI are in every program of mpicxx and import many names.
if command -v mpicxx."$mpi" >/dev/null; then
    compile mpicxx."$mpi" -x c++ plain.c -o plain++
    check 0 ./plain++
    compile mpicxx."$mpi" -O2 -x c++ calls.c -o calls++
    strip calls++
    check 1 ./calls++
    says '^  calls     MPI_Comm_spawn$'
    [ "$(grep -c '^  calls' out)" -eq 1 ] || wrong "it calls only MPI_Comm_spawn"
fi
if command -v mpif90."$mpi" >/dev/null; then
    for how in 'use mpi' 'use mpi_f08'; do
        printf 'program p\n%s\ninteger :: e\ncall MPI_Init(e)\ncall MPI_Finalize(e)\nend program\n' "$how" >f.f90
        compile mpif90."$mpi" f.f90 -o f
        check 0 ./f
        handle=integer
        [ "$how" = 'use mpi' ] || handle='type(MPI_Comm)'
        printf 'program p\n%s\ninteger :: e\n%s :: all\ncall MPI_Comm_join(0, all, e)\nend program\n' "$how" "$handle" >f.f90
        compile mpif90."$mpi" f.f90 -o f
        check 1 ./f
        says '^  calls     MPI_Comm_join$'
    done
fi

check 2 ./nothing
says 'no such program'
check 2
says 'the program is missing'
check 2 .
check 2 true
says 'is linked with no MPI .* cannot be seen'
printf '#!/bin/sh\nexec ./calls\n' >script
chmod +x script
check 2 ./script
says 'cannot be seen'
: >empty
check 2 ./empty
head -c 3000 plain >cut
check 2 ./cut
for seed in 1 2 3 4 5 6 7 8; do # whatever is in the file, it ends by itself
    python3 -c "import random; random.seed($seed); b = bytearray(open('calls', 'rb').read())
for i in range(200): b[random.randrange(64, len(b))] = random.randrange(256)
open('broken', 'wb').write(b)"
    chmod +x broken
    timeout 20 "$knell" check ./broken >out 2>err
    status=$?
    [ $status -le 2 ] || wrong "a broken file with seed $seed: status $status"
done
exit $failed
