! mpif-ext.h: the constants of the ULFM calls for programs that
! include 'mpif.h', in fixed or free form. The calls are external:
! call MPIX_Comm_shrink(comm, newcomm, ierror), also without the X.
! MPICH has numbers for them; on Open MPI 4 they are the first above
! its own (see knell/mpix.h).
      integer KNELL_ERR_BASE
      integer MPIX_ERR_PROC_FAILED, MPI_ERR_PROC_FAILED
      integer MPIX_ERR_PROC_FAILED_PENDING
      integer MPI_ERR_PROC_FAILED_PENDING
      integer MPIX_ERR_REVOKED, MPI_ERR_REVOKED
      parameter (KNELL_ERR_BASE = merge(100, MPI_ERR_LASTCODE,            &
     &           MPI_ERR_LASTCODE > 100000))
      parameter (MPIX_ERR_PROC_FAILED = KNELL_ERR_BASE + 1)
      parameter (MPIX_ERR_PROC_FAILED_PENDING = KNELL_ERR_BASE + 2)
      parameter (MPIX_ERR_REVOKED = KNELL_ERR_BASE + 3)
      parameter (MPI_ERR_PROC_FAILED = KNELL_ERR_BASE + 1)
      parameter (MPI_ERR_PROC_FAILED_PENDING = KNELL_ERR_BASE + 2)
      parameter (MPI_ERR_REVOKED = KNELL_ERR_BASE + 3)
      external MPIX_Comm_revoke, MPIX_Comm_is_revoked
      external MPIX_Comm_shrink, MPIX_Comm_ishrink
      external MPIX_Comm_agree, MPIX_Comm_iagree
      external MPIX_Comm_get_failed, MPIX_Comm_ack_failed
      external MPIX_Comm_failure_ack, MPIX_Comm_failure_get_acked
      external PMPIX_Comm_revoke, PMPIX_Comm_is_revoked
      external PMPIX_Comm_shrink, PMPIX_Comm_ishrink
      external PMPIX_Comm_agree, PMPIX_Comm_iagree
      external PMPIX_Comm_get_failed, PMPIX_Comm_ack_failed
      external PMPIX_Comm_failure_ack
      external PMPIX_Comm_failure_get_acked
      external MPI_Comm_revoke, MPI_Comm_is_revoked
      external MPI_Comm_shrink, MPI_Comm_ishrink
      external MPI_Comm_agree, MPI_Comm_iagree
      external MPI_Comm_get_failed, MPI_Comm_ack_failed
      external MPI_Comm_failure_ack, MPI_Comm_failure_get_acked
      external PMPI_Comm_revoke, PMPI_Comm_is_revoked
      external PMPI_Comm_shrink, PMPI_Comm_ishrink
      external PMPI_Comm_agree, PMPI_Comm_iagree
      external PMPI_Comm_get_failed, PMPI_Comm_ack_failed
      external PMPI_Comm_failure_ack
      external PMPI_Comm_failure_get_acked
      external MPIX_File_revoke, PMPIX_File_revoke
      external MPI_File_revoke, PMPI_File_revoke
      external MPIX_Win_revoke, PMPIX_Win_revoke
      external MPI_Win_revoke, PMPI_Win_revoke
      external MPIX_Win_is_revoked, PMPIX_Win_is_revoked
      external MPI_Win_is_revoked, PMPI_Win_is_revoked
      external MPIX_Win_get_failed, PMPIX_Win_get_failed
      external MPI_Win_get_failed, PMPI_Win_get_failed
