! mpi_ext: the ULFM calls for `use mpi`, with the module name of Open MPI 5. Compile this file with your program, for the reason
! given in mpi_f08_ext.F90.
module mpi_ext
  use mpi, only: MPI_ERR_LASTCODE
  implicit none
  private :: MPI_ERR_LASTCODE
  include 'mpif-ext.h'
end module mpi_ext
