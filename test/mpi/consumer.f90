! consumer: the ULFM calls of `use mpi_f08`, the nonblocking ones and the names with a P, too. Rank 1 kills itself; the others shrink.
program consumer
  use mpi_f08
  use mpi_f08_ext
  implicit none
  interface
    subroutine knell_kill_me() bind(C)
    end subroutine
  end interface
  type(MPI_Comm) :: work, made, copy, grid
  type(MPI_Request) :: request
  type(MPI_Group) :: failed
  integer :: rank, left, code, dead, acked, revoked_number
  integer, asynchronous :: flag
  integer :: place, dims(1), coords(1), gave(2), got(2)
  logical :: revoked, periods(1), wraps(1)

  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_idup(MPI_COMM_WORLD, work, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Barrier(work)
  if (rank == 1) call knell_kill_me()
  do
    call MPI_Barrier(work, code)
    if (code /= MPI_SUCCESS) exit
  end do
  if (code /= MPIX_ERR_PROC_FAILED .and. code /= MPI_ERR_REVOKED) call wrong('the code of the barrier')
  call MPIX_Comm_revoke(work)
  call MPIX_Comm_is_revoked(work, revoked)
  call MPIX_Comm_is_revoked(work, revoked_number)
  if (.not. revoked .or. revoked_number == 0) call wrong('is_revoked')
  call MPIX_Comm_ishrink(work, made, request, code)
  call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  if (code /= MPI_SUCCESS) call wrong('ishrink')
  flag = 12 + rank
  call MPIX_Comm_iagree(made, flag, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  if (code /= MPI_SUCCESS .or. flag /= iand(iand(12, 14), 15)) call wrong('iagree')
  call MPIX_Comm_get_failed(work, failed)
  call MPI_Group_size(failed, dead)
  call MPIX_Comm_ack_failed(work, dead, acked)
  if (dead /= 1 .or. acked /= 1) call wrong('get_failed, ack_failed')
  call PMPIX_Comm_failure_ack(work)
  call PMPIX_Comm_failure_get_acked(work, failed)
  call MPI_Group_size(failed, dead)
  if (dead /= 1) call wrong('the older pair of calls')
  call PMPIX_Comm_is_revoked(made, revoked)
  flag = 5
  call PMPIX_Comm_agree(made, flag)
  if (revoked .or. flag /= 5) call wrong('PMPIX_Comm_agree')
  call MPI_Comm_idup(made, copy, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Barrier(copy, code)
  if (code /= MPI_SUCCESS) call wrong('a barrier of the survivors')
  call MPI_Comm_size(copy, left)
  call MPI_Comm_rank(copy, place)
  dims = left
  periods = .true.
  call MPI_Cart_create(copy, 1, dims, periods, .true., grid, code)
  if (code /= MPI_SUCCESS) call wrong('a grid of the survivors')
  call MPI_Cart_get(grid, 1, dims, wraps, coords)
  if (dims(1) /= left .or. .not. wraps(1) .or. coords(1) /= place) call wrong('what the grid says')
  gave = [10 * place, 10 * place + 1]
  call MPI_Neighbor_alltoall(gave, 1, MPI_INTEGER, got, 1, MPI_INTEGER, grid)
  if (got(1) /= 10 * modulo(place - 1, left) + 1 .or. got(2) /= 10 * modulo(place + 1, left)) call wrong('the neighbours')
  if (rank == 0) print '(a, i0, a, i0, a)', 'rank ', rank, ' of ', left, ': right'
  call MPI_Finalize()

contains
  subroutine wrong(what)
    character(*), intent(in) :: what
    print '(a, i0, 2a)', 'rank ', rank, ': wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
