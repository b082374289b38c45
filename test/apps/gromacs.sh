# gromacs: water (SPC, 216 molecules a box of Debian's), PME, on Open MPI. Its result are the energies of the first steps.
# shellcheck shell=sh disable=SC2034
packages='gromacs gromacs-data'
tolerance=1e-4 floor=1
kill_at=0@MPI_Sendrecv#200

prepare() {
    case $size in small) times=1 steps=300 ;; *) times=2 steps=$(scaled 1500) ;; esac
    cat >run.mdp <<END
integrator = md
dt = 0.002
nsteps = $steps
nstenergy = 10
nstlog = 0
nstxout-compressed = 0
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
constraints = h-bonds
END
    cat >topol.top <<END
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
SOL $((216 * times * times * times))
END
    gmx genconf -f /usr/share/gromacs/top/spc216.gro -nbox $times $times $times -o conf.gro &&
        gmx grompp -f run.mdp -c conf.gro -p topol.top -o run.tpr -maxwarn 2
}

job() { start gmx_mpi -quiet mdrun -s run.tpr -ntomp 1 -reprod -notunepme; }

# Energies of steps 0 to 50: later the motion is chaotic.
result() {
    echo 'Potential Kinetic-En. Total-Energy' | tr ' ' '\n' | gmx energy -f ener.edr -o energy.xvg -e 0.1 >energy.log 2>&1
    grep -v '^[@#]' energy.xvg
}
