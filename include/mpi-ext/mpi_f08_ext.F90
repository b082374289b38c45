! mpi_f08_ext: the ULFM calls for `use mpi_f08`, with the module name of Open MPI 5. Each has four names: MPIX_, MPI_ as in the
! chapter of the standard, and both with a P. Module files belong to one compiler and one MPI: compile this file with your program.
! MPICH declares five of the calls in mpi_f08 itself: compile with -DMPICH there.
module mpi_f08_ext
  use iso_c_binding, only: c_int
  use mpi_f08
  implicit none
  private
  ! MPICH has numbers for them; on Open MPI 4 they are the first above its own (see knell/mpix.h).
  integer, parameter :: base = merge(100, MPI_ERR_LASTCODE, MPI_ERR_LASTCODE > 100000)
  integer, parameter, public :: MPIX_ERR_PROC_FAILED = base + 1
  integer, parameter, public :: MPIX_ERR_PROC_FAILED_PENDING = base + 2
  integer, parameter, public :: MPIX_ERR_REVOKED = base + 3
  integer, parameter, public :: MPI_ERR_PROC_FAILED = MPIX_ERR_PROC_FAILED
  integer, parameter, public :: MPI_ERR_PROC_FAILED_PENDING = MPIX_ERR_PROC_FAILED_PENDING
  integer, parameter, public :: MPI_ERR_REVOKED = MPIX_ERR_REVOKED
  public :: MPI_Comm_revoke, MPI_Comm_is_revoked, MPI_Comm_shrink, MPI_Comm_ishrink, MPI_Comm_agree, MPI_Comm_iagree
  public :: MPI_Comm_get_failed, MPI_Comm_ack_failed, MPI_Comm_failure_ack, MPI_Comm_failure_get_acked
  public :: PMPI_Comm_revoke, PMPI_Comm_is_revoked, PMPI_Comm_shrink, PMPI_Comm_ishrink, PMPI_Comm_agree
  public :: PMPI_Comm_iagree, PMPI_Comm_get_failed, PMPI_Comm_ack_failed, PMPI_Comm_failure_ack
  public :: PMPI_Comm_failure_get_acked
  public :: MPI_File_revoke, PMPI_File_revoke, MPIX_File_revoke, PMPIX_File_revoke
  public :: MPI_Win_revoke, PMPI_Win_revoke, MPIX_Win_revoke, PMPIX_Win_revoke
  public :: MPI_Win_is_revoked, PMPI_Win_is_revoked, MPIX_Win_is_revoked, PMPIX_Win_is_revoked
  public :: MPI_Win_get_failed, PMPI_Win_get_failed, MPIX_Win_get_failed, PMPIX_Win_get_failed
  public :: MPIX_Comm_is_revoked, MPIX_Comm_ishrink, MPIX_Comm_agree, MPIX_Comm_iagree, MPIX_Comm_get_failed
  public :: MPIX_Comm_ack_failed
  public :: PMPIX_Comm_is_revoked, PMPIX_Comm_ishrink, PMPIX_Comm_agree, PMPIX_Comm_iagree, PMPIX_Comm_get_failed
  public :: PMPIX_Comm_ack_failed
#ifndef MPICH
  public :: MPIX_Comm_revoke, MPIX_Comm_shrink, MPIX_Comm_failure_ack, MPIX_Comm_failure_get_acked
  public :: PMPIX_Comm_revoke, PMPIX_Comm_shrink, PMPIX_Comm_failure_ack, PMPIX_Comm_failure_get_acked
#endif

  ! The flag of MPIX_Comm_is_revoked is an INTEGER in Open MPI 5.0, a LOGICAL in 5.1; that of MPIX_Comm_agree a LOGICAL in MPICH.
  interface MPI_Comm_revoke; module procedure revoke; end interface
  interface PMPI_Comm_revoke; module procedure revoke; end interface
#ifndef MPICH
  interface MPIX_Comm_revoke; module procedure revoke; end interface
  interface PMPIX_Comm_revoke; module procedure revoke; end interface
#endif
  interface MPI_Comm_is_revoked; module procedure is_revoked_logical, is_revoked_integer; end interface
  interface PMPI_Comm_is_revoked; module procedure is_revoked_logical, is_revoked_integer; end interface
  interface MPIX_Comm_is_revoked; module procedure is_revoked_logical, is_revoked_integer; end interface
  interface PMPIX_Comm_is_revoked; module procedure is_revoked_logical, is_revoked_integer; end interface
  interface MPI_Comm_shrink; module procedure shrink; end interface
  interface PMPI_Comm_shrink; module procedure shrink; end interface
#ifndef MPICH
  interface MPIX_Comm_shrink; module procedure shrink; end interface
  interface PMPIX_Comm_shrink; module procedure shrink; end interface
#endif
  interface MPI_Comm_ishrink; module procedure ishrink; end interface
  interface PMPI_Comm_ishrink; module procedure ishrink; end interface
  interface MPIX_Comm_ishrink; module procedure ishrink; end interface
  interface PMPIX_Comm_ishrink; module procedure ishrink; end interface
  interface MPI_Comm_agree; module procedure agree; end interface
  interface PMPI_Comm_agree; module procedure agree; end interface
  interface MPIX_Comm_agree; module procedure agree; end interface
  interface PMPIX_Comm_agree; module procedure agree; end interface
  interface MPI_Comm_iagree; module procedure iagree; end interface
  interface PMPI_Comm_iagree; module procedure iagree; end interface
  interface MPIX_Comm_iagree; module procedure iagree; end interface
  interface PMPIX_Comm_iagree; module procedure iagree; end interface
  interface MPI_Comm_get_failed; module procedure get_failed; end interface
  interface PMPI_Comm_get_failed; module procedure get_failed; end interface
  interface MPIX_Comm_get_failed; module procedure get_failed; end interface
  interface PMPIX_Comm_get_failed; module procedure get_failed; end interface
  interface MPI_Comm_ack_failed; module procedure ack_failed; end interface
  interface PMPI_Comm_ack_failed; module procedure ack_failed; end interface
  interface MPIX_Comm_ack_failed; module procedure ack_failed; end interface
  interface PMPIX_Comm_ack_failed; module procedure ack_failed; end interface
  interface MPI_Comm_failure_ack; module procedure failure_ack; end interface
  interface PMPI_Comm_failure_ack; module procedure failure_ack; end interface
#ifndef MPICH
  interface MPIX_Comm_failure_ack; module procedure failure_ack; end interface
  interface PMPIX_Comm_failure_ack; module procedure failure_ack; end interface
#endif
  interface MPI_Comm_failure_get_acked; module procedure failure_get_acked; end interface
  interface PMPI_Comm_failure_get_acked; module procedure failure_get_acked; end interface
#ifndef MPICH
  interface MPIX_Comm_failure_get_acked; module procedure failure_get_acked; end interface
  interface PMPIX_Comm_failure_get_acked; module procedure failure_get_acked; end interface
#endif
  interface MPI_File_revoke; module procedure file_revoke; end interface
  interface PMPI_File_revoke; module procedure file_revoke; end interface
  interface MPIX_File_revoke; module procedure file_revoke; end interface
  interface PMPIX_File_revoke; module procedure file_revoke; end interface
  interface MPI_Win_revoke; module procedure win_revoke; end interface
  interface PMPI_Win_revoke; module procedure win_revoke; end interface
  interface MPIX_Win_revoke; module procedure win_revoke; end interface
  interface PMPIX_Win_revoke; module procedure win_revoke; end interface
  interface MPI_Win_is_revoked; module procedure win_is_revoked_logical, win_is_revoked_integer; end interface
  interface PMPI_Win_is_revoked; module procedure win_is_revoked_logical, win_is_revoked_integer; end interface
  interface MPIX_Win_is_revoked; module procedure win_is_revoked_logical, win_is_revoked_integer; end interface
  interface PMPIX_Win_is_revoked; module procedure win_is_revoked_logical, win_is_revoked_integer; end interface
  interface MPI_Win_get_failed; module procedure win_get_failed; end interface
  interface PMPI_Win_get_failed; module procedure win_get_failed; end interface
  interface MPIX_Win_get_failed; module procedure win_get_failed; end interface
  interface PMPIX_Win_get_failed; module procedure win_get_failed; end interface

  interface
    subroutine c_revoke(comm, code) bind(C, name="mpix_comm_revoke_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: code
    end subroutine
    subroutine c_is_revoked(comm, flag, code) bind(C, name="mpix_comm_is_revoked_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: flag, code
    end subroutine
    subroutine c_shrink(comm, newcomm, code) bind(C, name="mpix_comm_shrink_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: newcomm, code
    end subroutine
    subroutine c_ishrink(comm, newcomm, request, code) bind(C, name="mpix_comm_ishrink_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: newcomm, request, code
    end subroutine
    subroutine c_iagree(comm, flag, request, code) bind(C, name="mpix_comm_iagree_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(inout), asynchronous :: flag
      integer(c_int), intent(out) :: request, code
    end subroutine
    subroutine c_agree(comm, flag, code) bind(C, name="mpix_comm_agree_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(inout) :: flag
      integer(c_int), intent(out) :: code
    end subroutine
    subroutine c_get_failed(comm, failed, code) bind(C, name="mpix_comm_get_failed_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: failed, code
    end subroutine
    subroutine c_ack_failed(comm, count, acked, code) bind(C, name="mpix_comm_ack_failed_")
      import c_int
      integer(c_int), intent(in) :: comm, count
      integer(c_int), intent(out) :: acked, code
    end subroutine
    subroutine c_failure_ack(comm, code) bind(C, name="mpix_comm_failure_ack_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: code
    end subroutine
    subroutine c_failure_get_acked(comm, failed, code) bind(C, name="mpix_comm_failure_get_acked_")
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: failed, code
    end subroutine
    subroutine c_file_revoke(file, code) bind(C, name="mpix_file_revoke_")
      import c_int
      integer(c_int), intent(in) :: file
      integer(c_int), intent(out) :: code
    end subroutine
    subroutine c_win_revoke(win, code) bind(C, name="mpix_win_revoke_")
      import c_int
      integer(c_int), intent(in) :: win
      integer(c_int), intent(out) :: code
    end subroutine
    subroutine c_win_is_revoked(win, flag, code) bind(C, name="mpix_win_is_revoked_")
      import c_int
      integer(c_int), intent(in) :: win
      integer(c_int), intent(out) :: flag, code
    end subroutine
    subroutine c_win_get_failed(win, failed, code) bind(C, name="mpix_win_get_failed_")
      import c_int
      integer(c_int), intent(in) :: win
      integer(c_int), intent(out) :: failed, code
    end subroutine
  end interface

contains

  subroutine revoke(comm, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_revoke(comm%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine is_revoked_integer(comm, flag, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_is_revoked(comm%MPI_VAL, flag, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine is_revoked_logical(comm, flag, ierror)
    type(MPI_Comm), intent(in) :: comm
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer :: revoked, code
    call c_is_revoked(comm%MPI_VAL, revoked, code)
    flag = revoked /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine shrink(comm, newcomm, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Comm), intent(out) :: newcomm
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_shrink(comm%MPI_VAL, newcomm%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine ishrink(comm, newcomm, request, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Comm), intent(out) :: newcomm
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_ishrink(comm%MPI_VAL, newcomm%MPI_VAL, request%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine iagree(comm, flag, request, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(inout), asynchronous :: flag
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_iagree(comm%MPI_VAL, flag, request%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine agree(comm, flag, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(inout) :: flag
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_agree(comm%MPI_VAL, flag, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine get_failed(comm, failedgrp, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Group), intent(out) :: failedgrp
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_get_failed(comm%MPI_VAL, failedgrp%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine ack_failed(comm, num_to_ack, num_acked, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: num_to_ack
    integer, intent(out) :: num_acked
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_ack_failed(comm%MPI_VAL, num_to_ack, num_acked, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine failure_ack(comm, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_failure_ack(comm%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine failure_get_acked(comm, failedgrp, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Group), intent(out) :: failedgrp
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_failure_get_acked(comm%MPI_VAL, failedgrp%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine file_revoke(fh, ierror)
    type(MPI_File), intent(in) :: fh
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_file_revoke(fh%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine win_revoke(win, ierror)
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_win_revoke(win%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine win_is_revoked_integer(win, flag, ierror)
    type(MPI_Win), intent(in) :: win
    integer, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_win_is_revoked(win%MPI_VAL, flag, code)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine win_is_revoked_logical(win, flag, ierror)
    type(MPI_Win), intent(in) :: win
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer :: revoked, code
    call c_win_is_revoked(win%MPI_VAL, revoked, code)
    flag = revoked /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine win_get_failed(win, failedgrp, ierror)
    type(MPI_Win), intent(in) :: win
    type(MPI_Group), intent(out) :: failedgrp
    integer, optional, intent(out) :: ierror
    integer :: code
    call c_win_get_failed(win%MPI_VAL, failedgrp%MPI_VAL, code)
    if (present(ierror)) ierror = code
  end subroutine

end module mpi_f08_ext
