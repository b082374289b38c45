! consumer: the ULFM calls of `use mpi_f08`, the nonblocking ones and the names with a P, too. Rank 1 kills itself; the others shrink.
program consumer
  use mpi_f08
  use mpi_f08_ext
  use iso_c_binding, only: c_ptr, c_f_pointer
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
  call look_at_window()
  call look_at_file()
  if (rank == 0) print '(a, i0, a, i0, a)', 'rank ', rank, ' of ', left, ': right'
  call MPI_Finalize()

contains
  ! A window of the survivors, until it is revoked.
  subroutine look_at_window()
    type(MPI_Win) :: window
    type(c_ptr) :: base
    integer, pointer :: cell
    integer :: number, none
    logical :: is
    call MPI_Win_allocate_shared(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, copy, base, window, code)
    if (code /= MPI_SUCCESS) call wrong('a window of the survivors')
    call MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN)
    call c_f_pointer(base, cell)
    cell = 0
    call MPI_Win_fence(0, window)
    call MPI_Accumulate(left, 1, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, window)
    call MPI_Win_fence(0, window)
    if (place == 0 .and. cell /= left * left) call wrong('accumulate')
    call MPIX_Win_is_revoked(window, is)
    call MPIX_Win_get_failed(window, failed)
    call MPI_Group_size(failed, none)
    if (is .or. none /= 0) call wrong('a window that nothing has happened to')
    call MPI_Barrier(copy)
    call MPIX_Win_revoke(window)
    call MPI_Win_is_revoked(window, number)
    call MPI_Win_fence(0, window, code)
    if (number == 0 .or. code /= MPIX_ERR_REVOKED) call wrong('a revoked window')
    call MPI_Win_free(window)
  end subroutine

  ! A file of the survivors, likewise.
  subroutine look_at_file()
    type(MPI_File) :: file
    character(64) :: name
    integer :: number, seen
    integer(MPI_OFFSET_KIND) :: offset
    number = 0
    if (place == 0) call system_clock(number)
    call MPI_Bcast(number, 1, MPI_INTEGER, 0, copy)
    write (name, '(a, i0)') '/tmp/knell-consumer-', number
    call MPI_File_open(copy, name, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, code)
    if (code /= MPI_SUCCESS) call wrong('a file of the survivors')
    call MPI_File_write_ordered(file, place, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_sync(file)
    offset = 4 * modulo(place + 1, left)
    call MPI_File_read_at_all(file, offset, seen, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
    if (seen /= modulo(place + 1, left)) call wrong('what is in the file')
    call MPI_Barrier(copy)
    call MPIX_File_revoke(file)
    call MPI_File_sync(file, code)
    if (code /= MPIX_ERR_REVOKED) call wrong('a revoked file')
    call MPI_File_close(file)
  end subroutine

  subroutine wrong(what)
    character(*), intent(in) :: what
    print '(a, i0, 2a)', 'rank ', rank, ': wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
