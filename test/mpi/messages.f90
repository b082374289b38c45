! messages: requests and matched messages in Fortran, whose handles the MPI's own wrappers turn into numbers and back: those under way, those
! complete, tested in vain, in arrays, persistent ones, and messages of MPI_Mprobe.
program messages
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer, parameter :: n = 8, large = 50000
  integer :: rank, ranks, i, k, code, next, index, other
  integer, asynchronous :: out(large), in(large, n)
  logical :: flag
#ifdef F08
  type(MPI_Request) :: request(n), one
  type(MPI_Message) :: message
  type(MPI_Status) :: status, statuses(n)
#else
  integer :: request(n), one, message, status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, n)
#endif

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  next = mod(rank + 1, ranks)
  other = mod(rank + ranks - 1, ranks)
  do k = 1, 3
    out = rank + 100 * k
    do i = 1, n
      call MPI_Irecv(in(1, i), large, MPI_INTEGER, other, i, MPI_COMM_WORLD, request(i), code)
    end do
    call MPI_Test(request(1), flag, status, code)
    if (flag .and. k == 1) call wrong('a receive before anything was sent')
    call MPI_Barrier(MPI_COMM_WORLD, code)
    do i = 1, n
      call MPI_Isend(out, size_of(i), MPI_INTEGER, next, i, MPI_COMM_WORLD, one, code)
      call MPI_Wait(one, status, code)
      if (one /= MPI_REQUEST_NULL) call wrong('a request that is complete')
    end do
    if (k == 1) then
      call MPI_Waitall(n, request, statuses, code)
    else
      do i = 1, n
        call MPI_Waitany(n, request, index, status, code)
      end do
    end if
    do i = 1, n
      if (request(i) /= MPI_REQUEST_NULL) call wrong('a request in an array that is complete')
      if (any(in(1:size_of(i), i) /= other + 100 * k)) call wrong('what was received')
    end do
    call MPI_Isend(out, size_of(n), MPI_INTEGER, next, 9, MPI_COMM_WORLD, one, code)
    call MPI_Mprobe(other, 9, MPI_COMM_WORLD, message, status, code)
    call MPI_Get_count(status, MPI_INTEGER, i, code)
    if (i /= size_of(n)) call wrong('the size of a matched message')
    call MPI_Mrecv(in(1, 1), large, MPI_INTEGER, message, status, code)
    if (message /= MPI_MESSAGE_NULL .or. in(size_of(n), 1) /= other + 100 * k) call wrong('a matched message')
    call MPI_Wait(one, status, code)
  end do
  call MPI_Recv_init(in(1, 1), 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, request(1), code)
  call MPI_Send_init(out, 1, MPI_INTEGER, next, 5, MPI_COMM_WORLD, request(2), code)
  do k = 1, 3
    out(1) = rank + k
    call MPI_Startall(2, request, code)
    call MPI_Waitall(2, request, statuses, code)
    if (in(1, 1) /= other + k) call wrong('a persistent request')
  end do
  call MPI_Request_free(request(1), code)
  call MPI_Request_free(request(2), code)
  call MPI_Irecv(in(1, 1), 1, MPI_INTEGER, other, 6, MPI_COMM_WORLD, one, code)
  call MPI_Cancel(one, code)
  call MPI_Wait(one, status, code)
  call MPI_Test_cancelled(status, flag, code)
  if (.not. flag) call wrong('a receive that was cancelled')
  call MPI_Finalize(code)
  print '(a)', 'fine'

contains

  ! Small ones, and one that is read from the sender's memory.
  integer function size_of(number)
    integer, intent(in) :: number
    size_of = merge(large, number, number == n)
  end function

  subroutine wrong(what)
    character(len=*), intent(in) :: what
    print '(a,i0,2a)', 'rank ', rank, ': wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine
end program
