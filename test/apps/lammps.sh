# lammps: molecular dynamics. melt: a Lennard-Jones crystal; pppm: charges in a box with a long-range solver, which makes transposes
# by point to point. Its result is the thermodynamic output.
# shellcheck shell=sh disable=SC2034
packages=lammps
cases='melt pppm' time_cases=pppm
tolerance=1e-6 floor=1e-9
kill_at=0@MPI_Allreduce#100

melt() {
    case $size in small) cells=8 steps=200 ;; *) cells=20 steps=$(scaled 700) ;; esac
    cat <<END
units lj
atom_style atomic
lattice fcc 0.84
region box block 0 $cells 0 $cells 0 $cells
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 20
run $steps
END
}

# Two kinds of ions on a lattice.
pppm() {
    case $size in small) cells=4 steps=40 ;; *) cells=8 steps=$(scaled 250) ;; esac
    cat <<END
units real
atom_style charge
lattice fcc 5.64
region box block 0 $cells 0 $cells 0 $cells
create_box 2 box
create_atoms 1 box
create_atoms 2 box basis 1 1
lattice custom 5.64 a1 1 0 0 a2 0 1 0 a3 0 0 1 basis 0.5 0 0 basis 0 0.5 0 basis 0 0 0.5 basis 0.5 0.5 0.5
delete_atoms group all
create_atoms 2 box
lattice fcc 5.64
create_atoms 1 box
mass 1 22.99
mass 2 35.45
set type 1 charge 1.0
set type 2 charge -1.0
velocity all create 300 4928 loop geom
pair_style lj/cut/coul/long 8.0
pair_coeff 1 1 0.35 2.16
pair_coeff 2 2 0.01 4.83
pair_coeff 1 2 0.06 3.50
kspace_style pppm 1e-4
neighbor 1.0 bin
fix 1 all nve
timestep 0.5
thermo 5
run $steps
END
}

prepare() { $case >in; }
job() { start lmp -in in -log none; }

# The rows of numbers after "Step Temp ...". The later ones are left out: the motion is chaotic, last digits grow.
result() { awk '/^ *Step /{ on = 1; next } /^Loop time/{ on = 0 } on && $1 <= 100' output; }
