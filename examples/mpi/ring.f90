! ring: a token goes round the ring of the living, in Fortran. Whoever meets a death revokes; all shrink and go on from the
! round they have in common.
!
! Usage: ring [RANK@ROUND]...     these ranks kill themselves there
program ring
  use mpi_f08
  use mpi_f08_ext
  use iso_fortran_env, only: output_unit
  implicit none
  integer, parameter :: rounds = 200
  type(MPI_Comm) :: comm, next
  integer :: world_rank, rank, size, round, code, fine, token

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPIX_Comm_shrink(MPI_COMM_WORLD, comm, code) ! a duplicate that no death can prevent
  round = 1
  do
    code = MPI_SUCCESS
    do while (round <= rounds .and. code == MPI_SUCCESS)
      call die_as_told()
      call go_round(code)
      if (code == MPI_SUCCESS) round = round + 1
    end do
    fine = merge(1, 0, code == MPI_SUCCESS)
    if (fine == 0) call MPIX_Comm_revoke(comm, code)
    call MPIX_Comm_agree(comm, fine, code)
    if (fine == 1 .and. code == MPI_SUCCESS) exit ! nobody has died, all have all rounds
    call recover()
  end do
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, size)
  if (rank == 0) print '(i0, a, i0, a)', size, ' ranks left after ', rounds, ' rounds: right'
  flush (output_unit) ! whoever dies in MPI_Finalize has said it
  call MPI_Finalize()

contains

  ! The token starts with the round at rank 0 and comes back one larger for every rank.
  subroutine go_round(code)
    integer, intent(out) :: code
    integer :: from, to
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, size)
    from = modulo(rank - 1, size)
    to = modulo(rank + 1, size)
    token = round
    if (rank == 0) then
      call MPI_Sendrecv_replace(token, 1, MPI_INTEGER, to, 1, from, 1, comm, MPI_STATUS_IGNORE, code)
      if (code == MPI_SUCCESS .and. token /= round + size - 1) then
        print '(a)', 'WRONG'
        call MPI_Abort(MPI_COMM_WORLD, 1)
      end if
    else
      call MPI_Recv(token, 1, MPI_INTEGER, from, 1, comm, MPI_STATUS_IGNORE, code)
      token = token + 1
      if (code == MPI_SUCCESS) call MPI_Send(token, 1, MPI_INTEGER, to, 1, comm, code)
    end if
  end subroutine

  ! Again if somebody dies meanwhile. The round to go on from is the lowest of anybody.
  subroutine recover()
    integer :: lowest
    do
      call MPIX_Comm_shrink(comm, next, code)
      call MPI_Comm_free(comm)
      comm = next
      call MPI_Allreduce(round, lowest, 1, MPI_INTEGER, MPI_MIN, comm, code)
      fine = merge(1, 0, code == MPI_SUCCESS)
      call MPIX_Comm_agree(comm, fine, code)
      if (fine == 1 .and. code == MPI_SUCCESS) exit
    end do
    round = lowest
  end subroutine

  subroutine die_as_told()
    integer :: i, at, status
    character(32) :: argument
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      at = index(argument, '@')
      if (at == 0) cycle
      if (number(argument(:at - 1)) == world_rank .and. number(argument(at + 1:)) == round) status = kill_self(9)
    end do
  end subroutine

  integer function number(text)
    character(*), intent(in) :: text
    read (text, *) number
  end function

  ! raise(3) of the C library.
  integer function kill_self(signal)
    use iso_c_binding, only: c_int
    integer, intent(in) :: signal
    interface
      integer(c_int) function c_raise(signal) bind(C, name="raise")
        import c_int
        integer(c_int), value :: signal
      end function
    end interface
    kill_self = c_raise(int(signal, c_int))
  end function

end program ring
