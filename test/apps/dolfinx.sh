# dolfinx: Poisson's equation by finite elements on a square, solved by PETSc. Its result are norms of the solution and of its error.
# shellcheck shell=sh disable=SC2034
packages='python3-dolfinx-real python3-dolfinx python3-petsc4py-real'
tolerance=1e-7 floor=1e-9
kill_at=0@MPI_Allreduce#30
own_words=1
PETSC_DIR=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real
export PETSC_DIR PYTHONPATH="$PETSC_DIR/lib/python3/dist-packages" XDG_CACHE_HOME="$out/dolfinx/cache"

prepare() { case $size in small) edge=32 times=2 ;; *) edge=160 times=$(scaled 8) ;; esac; }
job() { start /usr/bin/python3 "$here/dolfinx_poisson.py" "$edge" "$times"; }
result() { grep -E '^(mesh|norm|error) ' output; }
