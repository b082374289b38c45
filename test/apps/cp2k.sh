# cp2k: H2 in a box, density functional theory with Gaussians and plane waves. Its result is the energy of every iteration.
# shellcheck shell=sh disable=SC2034
packages='cp2k cp2k-data'
tolerance=1e-7 floor=1e-7
kill_at=0@MPI_Allreduce#200
own_words=1
export CP2K_DATA_DIR=/usr/share/cp2k

prepare() {
    case $size in small) cutoff=150 cell=5 steps=2 ;; *) cutoff=300 cell=7 steps=$(scaled 8) ;; esac
    cat >h2.inp <<END
&GLOBAL
  PROJECT h2
  RUN_TYPE MD
&END GLOBAL
&MOTION
  &MD
    STEPS $steps
    TIMESTEP 0.5
    TEMPERATURE 10
  &END MD
&END MOTION
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME BASIS_SET
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF $cutoff
    &END MGRID
    &SCF
      EPS_SCF 1e-7
      MAX_SCF 30
      SCF_GUESS ATOMIC
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC $cell $cell $cell
    &END CELL
    &COORD
      H 0.0 0.0 0.0
      H 0.74 0.0 0.0
    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q1
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
END
}

job() { start cp2k.psmp -i h2.inp; }
result() {
    sed -n 's/^ *ENERGY| Total FORCE_EVAL.*: */energy /p' output
    awk '/OT|P_Mix|Diag|DIIS/ && NF >= 7 { print "scf", $1, $(NF - 1) }' output
}
