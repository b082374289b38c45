/* knell/mpix.h: user-level failure mitigation on the MPI you have.
 *
 * The calls of the ULFM chapter with the names of Open MPI 5, and with those that the chapter itself has, without the X. Programs written
 * for it compile unchanged with `#include <mpi-ext.h>` (ours includes the MPI's own first, then this). Run them with the layer preloaded:
 * `knell run -n 8 -- ./program`, or see docs/use/mpi.md.
 *
 * Returned codes equal the classes: `if (rc == MPIX_ERR_PROC_FAILED)` and `case MPIX_ERR_REVOKED:` are right. */
#ifndef KNELL_MPIX_H
#define KNELL_MPIX_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- error classes ----------------------------------------------------------------------------------------------------- */

#if defined(MPICH_ERR_FIRST_MPIX)
/* MPICH has numbers for them; made safe inside expressions here. */
#undef MPIX_ERR_PROC_FAILED
#undef MPIX_ERR_PROC_FAILED_PENDING
#undef MPIX_ERR_REVOKED
#define MPIX_ERR_PROC_FAILED 101
#define MPIX_ERR_PROC_FAILED_PENDING 102
#define MPIX_ERR_REVOKED 103
#elif defined(OPEN_MPI) && !defined(MPIX_ERR_PROC_FAILED)
/* The first that Open MPI 4 gives to whom adds classes: the layer is the first. */
#define MPIX_ERR_PROC_FAILED (MPI_ERR_LASTCODE + 1)
#define MPIX_ERR_PROC_FAILED_PENDING (MPI_ERR_LASTCODE + 2)
#define MPIX_ERR_REVOKED (MPI_ERR_LASTCODE + 3)
#endif

#ifndef MPI_ERR_PROC_FAILED
#define MPI_ERR_PROC_FAILED MPIX_ERR_PROC_FAILED
#define MPI_ERR_PROC_FAILED_PENDING MPIX_ERR_PROC_FAILED_PENDING
#define MPI_ERR_REVOKED MPIX_ERR_REVOKED
#endif

/* ---- the calls --------------------------------------------------------------------------------------------------------- */

/* The communicator is of no use any more, to anybody: every pending and later operation on it raises MPIX_ERR_REVOKED, but
 * shrink, agree and free. Not collective: one member's word suffices. */
int MPIX_Comm_revoke(MPI_Comm comm);
int MPIX_Comm_is_revoked(MPI_Comm comm, int *flag);

/* A new communicator of the survivors, in the same order. Never fails because somebody died. */
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);

/* *flag becomes the bitwise AND over the living. All get the same flag and the same code: MPIX_ERR_PROC_FAILED unless every
 * participant had acknowledged the dead. Works on a revoked communicator. */
int MPIX_Comm_agree(MPI_Comm comm, int *flag);
int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);

/* The members known dead, in the order they became known here: an earlier result is a prefix of a later one. */
int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failed);

/* Acknowledges the first `count` of them: receives from any source go on without them. */
int MPIX_Comm_ack_failed(MPI_Comm comm, int count, int *acked);

/* The older pair: acknowledge all; which are acknowledged. */
int MPIX_Comm_failure_ack(MPI_Comm comm);
int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failed);

/* A file is of no use any more to anybody who opened it: every later access raises MPIX_ERR_REVOKED, but for MPI_File_close. */
int MPIX_File_revoke(MPI_File fh);

/* The same for a window: every later call on it raises MPIX_ERR_REVOKED, but MPI_Win_free and local ones; who waits in one is released.
 * The members of its group that are known dead. */
int MPIX_Win_revoke(MPI_Win win);
int MPIX_Win_is_revoked(MPI_Win win, int *flag);
int MPIX_Win_get_failed(MPI_Win win, MPI_Group *failed);

int PMPIX_Win_revoke(MPI_Win win);
int PMPIX_Win_is_revoked(MPI_Win win, int *flag);
int PMPIX_Win_get_failed(MPI_Win win, MPI_Group *failed);
int PMPIX_Comm_revoke(MPI_Comm comm);
int PMPIX_Comm_is_revoked(MPI_Comm comm, int *flag);
int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int PMPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
int PMPIX_Comm_agree(MPI_Comm comm, int *flag);
int PMPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
int PMPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failed);
int PMPIX_Comm_ack_failed(MPI_Comm comm, int count, int *acked);
int PMPIX_Comm_failure_ack(MPI_Comm comm);
int PMPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failed);
int PMPIX_File_revoke(MPI_File fh);

/* The same calls. An MPI that has them itself declares them alike. */
int MPI_Win_revoke(MPI_Win win);
int MPI_Win_is_revoked(MPI_Win win, int *flag);
int MPI_Win_get_failed(MPI_Win win, MPI_Group *failed);
int PMPI_Win_revoke(MPI_Win win);
int PMPI_Win_is_revoked(MPI_Win win, int *flag);
int PMPI_Win_get_failed(MPI_Win win, MPI_Group *failed);
int MPI_Comm_revoke(MPI_Comm comm);
int MPI_Comm_is_revoked(MPI_Comm comm, int *flag);
int MPI_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
int MPI_Comm_agree(MPI_Comm comm, int *flag);
int MPI_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
int MPI_Comm_get_failed(MPI_Comm comm, MPI_Group *failed);
int MPI_Comm_ack_failed(MPI_Comm comm, int count, int *acked);
int MPI_Comm_failure_ack(MPI_Comm comm);
int MPI_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failed);
int MPI_File_revoke(MPI_File fh);
int PMPI_Comm_revoke(MPI_Comm comm);
int PMPI_Comm_is_revoked(MPI_Comm comm, int *flag);
int PMPI_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int PMPI_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
int PMPI_Comm_agree(MPI_Comm comm, int *flag);
int PMPI_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request);
int PMPI_Comm_get_failed(MPI_Comm comm, MPI_Group *failed);
int PMPI_Comm_ack_failed(MPI_Comm comm, int count, int *acked);
int PMPI_Comm_failure_ack(MPI_Comm comm);
int PMPI_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failed);
int PMPI_File_revoke(MPI_File fh);

#define OMPI_HAVE_MPIX_COMM_REVOKE 1
#define OMPI_HAVE_MPIX_COMM_IS_REVOKED 1
#define OMPI_HAVE_MPIX_COMM_SHRINK 1
#define OMPI_HAVE_MPIX_COMM_ISHRINK 1
#define OMPI_HAVE_MPIX_COMM_AGREE 1
#define OMPI_HAVE_MPIX_COMM_IAGREE 1
#define OMPI_HAVE_MPIX_COMM_GET_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ACK_FAILED 1
#define OMPI_HAVE_MPIX_COMM_FAILURE_ACK 1
#define OMPI_HAVE_MPIX_COMM_FAILURE_GET_ACKED 1
#define OMPI_HAVE_MPIX_FILE_REVOKE 1
#define OMPI_HAVE_MPI_EXT_FTMPI 1

/* An attribute of MPI_COMM_WORLD: *value is 1, failures are survived. A number no keyval of either MPI has. */
#define MPIX_FT 0x4b6e464
#define MPI_FT MPIX_FT

/* ---- Knell's own --------------------------------------------------------------------------------------------------------- */

/* This process dies, here, as if it had been killed: a ghost in ghost mode, by SIGKILL otherwise. */
void knell_kill_me(void)
#if defined(__GNUC__)
    __attribute__((noreturn))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
