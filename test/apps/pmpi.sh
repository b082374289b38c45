# pmpi: a tool of the profiling interface above the layer, which sees the program's calls, and one below it, which sees the layer's. The
# program is LAMMPS; the result is that of LAMMPS, and what the tool says.
# shellcheck shell=sh disable=SC2034
packages=lammps
cases='above below' time_cases='' # LAMMPS is timed by itself
tolerance=1e-6 floor=1e-9

prepare() {
    case $starter-$case in layered-below) name=PMPI_ ;; *) name=MPI_ ;; esac
    mpicc.openmpi -D_GNU_SOURCE "-DCALL(x)=$name##x" -shared -fPIC -O2 "$here/pmpi.c" -o tool.so -ldl
    cat >in <<END
units lj
lattice fcc 0.84
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 20
run $([ "$size" = small ] && echo 200 || echo 20000)
END
}

# The user's libraries stand before the layer. To have one below it, the program is started with both by `env`.
job() {
    tool=$PWD/tool.so
    case $starter-$case in
    native-*) start env LD_PRELOAD="$tool" lmp -in in -log none ;;
    layered-above) LD_PRELOAD=$tool start lmp -in in -log none ;;
    layered-below) start env LD_PRELOAD="$layer-$mpi.so:$tool" lmp -in in -log none ;;
    esac
}
result() {
    awk '/^ *Step /{ on = 1; next } /^Loop time/{ on = 0 } on && $1 <= 100' output
    grep '^tool: ' errors
}
