! consumer_mpif: the ULFM calls of old: include 'mpif.h', fixed form.
      program consumer
      include 'mpif.h'
      include 'mpif-ext.h'
      integer rank, code, made, flag, left
      call MPI_Init(code)
      call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN,
     &                             code)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
      call MPI_Barrier(MPI_COMM_WORLD, code)
      if (rank .eq. 2) call knell_kill_me
 10   call MPI_Barrier(MPI_COMM_WORLD, code)
      if (code .eq. MPI_SUCCESS) goto 10
      if (code .ne. MPIX_ERR_PROC_FAILED .and.
     &    code .ne. MPIX_ERR_REVOKED) stop 3
      call MPIX_Comm_revoke(MPI_COMM_WORLD, code)
      call MPIX_Comm_shrink(MPI_COMM_WORLD, made, code)
      if (code .ne. MPI_SUCCESS) stop 4
      flag = 3
      call MPIX_Comm_agree(made, flag, code)
      call PMPIX_Comm_agree(made, flag, code)
      call PMPIX_Comm_failure_ack(MPI_COMM_WORLD, code)
      if (code .ne. MPI_SUCCESS) stop 5
      call MPI_Comm_size(made, left, code)
      if (rank .eq. 0 .and. left .eq. 3 .and. flag .eq. 3)
     &  print *, 'mpif.h: right'
      call MPI_Finalize(code)
      end
