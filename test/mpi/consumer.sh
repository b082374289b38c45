#!/bin/sh
# Installs a build into a temporary prefix, moves it, and compiles programs against it as strangers would, in C, C++ and Fortran: with
# the MPI's own compilers and pkg-config, and with CMake; then runs them with the installed `knell run`.
# Usage: consumer.sh BUILD MPI
set -eu
build=$1 mpi=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/prefix" # nothing in it may remember the first place
prefix=$scratch/prefix
package=knell-mpi-$mpi
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name "$package.pc")")
export PKG_CONFIG_PATH

# runs WORDS program [option...]: under the installed layer the program ends well and says so
runs() {
    words=$1 program=$2
    shift 2
    timeout -k 5 160 "$prefix/bin/knell" run -n 4 "$@" --timeout 150s -- "$program" >"$scratch/out" 2>"$scratch/err" || {
        echo "$program ended with status $?" >&2
        cat "$scratch/out" "$scratch/err" >&2
        exit 1
    }
    grep -q "$words" "$scratch/out" || {
        echo "$program did not say '$words': $(cat "$scratch/out")" >&2
        exit 1
    }
}

# spelt NAMES file: the program with its calls named MPI_Comm_agree, or PMPI_Comm_agree, and so on, instead of MPIX_Comm_agree; its path
spelt() {
    sed "s/MPIX_Comm_/$1Comm_/g" "$here/$2" >"$scratch/$1$2"
    echo "$scratch/$1$2"
}

for names in MPIX_ MPI_ PMPI_; do
    # shellcheck disable=SC2046 # flags are words
    "mpicc.$mpi" -Wall -Wextra -Werror "$(spelt $names consumer.c)" -o "$scratch/consumer" $(pkg-config --cflags --libs "$package")
    runs '3 of 4 ranks left, sum 406: right' "$scratch/consumer"
done

# stands_alone program: it finds the layer without LD_LIBRARY_PATH and without LD_PRELOAD, under the MPI's own launcher
stands_alone() {
    env -u LD_LIBRARY_PATH ldd "$1" | grep -q "$prefix/.*/libknell-mpi-$mpi.so" || {
        echo "$1 does not find the layer by itself: $(ldd "$1")" >&2
        exit 1
    }
    case $mpi in
    openmpi) set -- mpirun.openmpi --allow-run-as-root --oversubscribe --mca pml ob1 --mca btl tcp,self -n 2 "$1" ;;
    mpich) set -- env UCX_TLS=tcp,cma,self mpiexec.mpich -n 2 "$1" ;;
    esac
    env -u LD_LIBRARY_PATH timeout -k 5 60 "$@" >"$scratch/out" 2>"$scratch/err" || true
    grep -q 'agreed on 6, not revoked: right' "$scratch/out" || {
        echo "it does not run by itself: $*" >&2
        cat "$scratch/out" "$scratch/err" >&2
        exit 1
    }
}

# A program that includes nothing but mpi.h. It runs by itself, under knell run, and moved with what is installed it would too.
# shellcheck disable=SC2046
"mpicc.$mpi" -Wall -Wextra -Werror "$here/consumer_plain.c" -o "$scratch/plain" $(pkg-config --variable=only_mpi_h "$package") \
    $(pkg-config --cflags --libs "$package")
stands_alone "$scratch/plain"
runs 'agreed on 6, not revoked: right' "$scratch/plain"
# shellcheck disable=SC2046
"mpicc.$mpi" -x c++ -Wall -Werror -fsyntax-only $(pkg-config --cflags "$package") "$here/consumer.c" # the headers in C++
# shellcheck disable=SC2046
"mpicxx.$mpi" -Wall -Wextra "$here/consumer.cc" -o "$scratch/c++" $(pkg-config --cflags --libs "$package")
runs 'C++: 3 of 4 ranks left' "$scratch/c++"
# shellcheck disable=SC2046
"mpicc.$mpi" "$prefix/share/doc/knell/examples/mpi/jacobi.c" -o "$scratch/jacobi" $(pkg-config --cflags --libs "$package") -lm
runs '3 of 4 ranks, .*: right' "$scratch/jacobi" --kill 2@MPI_Allreduce#20

if command -v "mpif90.$mpi" >/dev/null 2>&1 && command -v gfortran >/dev/null 2>&1; then
    cd "$scratch" # module files
    for names in MPIX_ MPI_; do
        # shellcheck disable=SC2046
        "mpif90.$mpi" $(pkg-config --variable=fortran "$package") "$(spelt $names consumer.f90)" -o "$scratch/fortran" \
            $(pkg-config --libs "$package")
        runs 'rank 0 of 3: right' "$scratch/fortran"
        # shellcheck disable=SC2046
        "mpif90.$mpi" $(pkg-config --variable=fortran "$package") "$(spelt $names consumer_mpif.f)" -o "$scratch/mpif" \
            $(pkg-config --libs "$package")
        runs 'mpif.h: right' "$scratch/mpif"
    done
else
    echo "Fortran: skipped, no mpif90.$mpi (tools/setup test installs it)"
fi

mkdir "$scratch/project"
cp "$here/consumer/CMakeLists.txt" "$here/consumer.c" "$here/consumer_plain.c" "$here/consumer.f90" "$scratch/project"
cmake -S "$scratch/project" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DLAYER="$mpi" -DMPI_C_COMPILER="mpicc.$mpi" \
    -DMPI_Fortran_COMPILER="mpif90.$mpi" >"$scratch/cmake.log" 2>&1 && cmake --build "$scratch/cmake" >>"$scratch/cmake.log" 2>&1 || {
    echo "find_package(knell) gives no program:" >&2
    cat "$scratch/cmake.log" >&2
    exit 1
}
runs '3 of 4 ranks left, sum 406: right' "$scratch/cmake/by-cmake"
stands_alone "$scratch/cmake/by-cmake-plain"
[ ! -x "$scratch/fortran" ] || runs 'rank 0 of 3: right' "$scratch/cmake/by-cmake-fortran"
echo "$package: ok"
