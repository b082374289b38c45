/* fortran.c: the ULFM calls for Fortran, as `call MPIX_Comm_revoke(comm, ierror)` reaches them with the names that gfortran,
 * flang and ifort give; without the X too. Behind `use mpi_f08` and `use mpi` there are the modules of include/mpi-ext in front of them. Everything else of
 * Fortran goes through the MPI's own wrappers, which end in the calls the layer stands before. */
#include "mpi/base/layer.h"
#include "mpi/carried/carried.h"
#include "mpi/native/native.h"

#include <knell/faults.h>
#include <knell/mpix.h>

#define PUBLIC __attribute__((visibility("default")))
#define IN(comm) MPI_Comm_f2c(*(comm))

/* Under all names: MPIX_, PMPIX_, MPI_ and PMPI_. */
#define FORTRAN(name, ...)                                                       \
    PUBLIC void mpix_##name(__VA_ARGS__);                                        \
    PUBLIC void pmpix_##name(__VA_ARGS__) __attribute__((alias("mpix_" #name))); \
    PUBLIC void mpi_##name(__VA_ARGS__) __attribute__((alias("mpix_" #name)));   \
    PUBLIC void pmpi_##name(__VA_ARGS__) __attribute__((alias("mpix_" #name)))

FORTRAN(comm_revoke_, const MPI_Fint *comm, MPI_Fint *ierror);
FORTRAN(comm_is_revoked_, const MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *ierror);
FORTRAN(comm_shrink_, const MPI_Fint *comm, MPI_Fint *newcomm, MPI_Fint *ierror);
FORTRAN(comm_ishrink_, const MPI_Fint *comm, MPI_Fint *newcomm, MPI_Fint *request, MPI_Fint *ierror);
FORTRAN(comm_iagree_, const MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *request, MPI_Fint *ierror);
FORTRAN(comm_agree_, const MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *ierror);
FORTRAN(comm_get_failed_, const MPI_Fint *comm, MPI_Fint *failed, MPI_Fint *ierror);
FORTRAN(comm_ack_failed_, const MPI_Fint *comm, const MPI_Fint *count, MPI_Fint *acked, MPI_Fint *ierror);
FORTRAN(comm_failure_ack_, const MPI_Fint *comm, MPI_Fint *ierror);
FORTRAN(comm_failure_get_acked_, const MPI_Fint *comm, MPI_Fint *failed, MPI_Fint *ierror);
FORTRAN(file_revoke_, const MPI_Fint *file, MPI_Fint *ierror);
FORTRAN(win_revoke_, const MPI_Fint *win, MPI_Fint *ierror);
FORTRAN(win_is_revoked_, const MPI_Fint *win, MPI_Fint *flag, MPI_Fint *ierror);
FORTRAN(win_get_failed_, const MPI_Fint *win, MPI_Fint *failed, MPI_Fint *ierror);
PUBLIC void knell_kill_me_(void);
PUBLIC void knell_faults_pause_(void);
PUBLIC void knell_faults_resume_(void);
PUBLIC void knell_progress_(const int64_t *done);

void mpix_comm_revoke_(const MPI_Fint *comm, MPI_Fint *ierror)
{
    *ierror = MPIX_Comm_revoke(IN(comm));
}

/* A LOGICAL: all compilers take 0 and 1. */
void mpix_comm_is_revoked_(const MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *ierror)
{
    int revoked = 0;
    *ierror = MPIX_Comm_is_revoked(IN(comm), &revoked);
    *flag = revoked;
}

void mpix_comm_shrink_(const MPI_Fint *comm, MPI_Fint *newcomm, MPI_Fint *ierror)
{
    MPI_Comm made = MPI_COMM_NULL;
    *ierror = MPIX_Comm_shrink(IN(comm), &made);
    *newcomm = MPI_Comm_c2f(made);
}

void mpix_comm_agree_(const MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *ierror)
{
    int value = *flag;
    *ierror = MPIX_Comm_agree(IN(comm), &value);
    *flag = value;
}

void mpix_comm_ishrink_(const MPI_Fint *comm, MPI_Fint *newcomm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request under_way = MPI_REQUEST_NULL;
    *ierror = MPIX_Comm_ishrink(IN(comm), &made, &under_way);
    *newcomm = MPI_Comm_c2f(made);
    *request = MPI_Request_c2f(under_way);
}

/* The flag is the program's own: it is written when the request is done. */
/* NOLINTNEXTLINE(misc-redundant-expression): with other MPIs they differ */
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "an INTEGER is no int here");
void mpix_comm_iagree_(const MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request under_way = MPI_REQUEST_NULL;
    *ierror = MPIX_Comm_iagree(IN(comm), flag, &under_way);
    *request = MPI_Request_c2f(under_way);
}

void mpix_comm_get_failed_(const MPI_Fint *comm, MPI_Fint *failed, MPI_Fint *ierror)
{
    MPI_Group group = MPI_GROUP_NULL;
    *ierror = MPIX_Comm_get_failed(IN(comm), &group);
    *failed = MPI_Group_c2f(group);
}

void mpix_comm_ack_failed_(const MPI_Fint *comm, const MPI_Fint *count, MPI_Fint *acked, MPI_Fint *ierror)
{
    int number = 0;
    *ierror = MPIX_Comm_ack_failed(IN(comm), *count, &number);
    *acked = number;
}

void mpix_comm_failure_ack_(const MPI_Fint *comm, MPI_Fint *ierror)
{
    *ierror = MPIX_Comm_failure_ack(IN(comm));
}

void mpix_comm_failure_get_acked_(const MPI_Fint *comm, MPI_Fint *failed, MPI_Fint *ierror)
{
    MPI_Group group = MPI_GROUP_NULL;
    *ierror = MPIX_Comm_failure_get_acked(IN(comm), &group);
    *failed = MPI_Group_c2f(group);
}

void mpix_file_revoke_(const MPI_Fint *file, MPI_Fint *ierror)
{
    *ierror = MPIX_File_revoke(MPI_File_f2c(*file));
}

void mpix_win_revoke_(const MPI_Fint *win, MPI_Fint *ierror)
{
    *ierror = MPIX_Win_revoke(MPI_Win_f2c(*win));
}

void mpix_win_is_revoked_(const MPI_Fint *win, MPI_Fint *flag, MPI_Fint *ierror)
{
    int revoked = 0;
    *ierror = MPIX_Win_is_revoked(MPI_Win_f2c(*win), &revoked);
    *flag = revoked;
}

void mpix_win_get_failed_(const MPI_Fint *win, MPI_Fint *failed, MPI_Fint *ierror)
{
    MPI_Group group = MPI_GROUP_NULL;
    *ierror = MPIX_Win_get_failed(MPI_Win_f2c(*win), &group);
    *failed = MPI_Group_c2f(group);
}

void knell_kill_me_(void)
{
    knell_kill_me();
}

void knell_faults_pause_(void)
{
    knell_faults_pause();
}

void knell_faults_resume_(void)
{
    knell_faults_resume();
}

/* An INTEGER(8), whatever a default INTEGER is. */
void knell_progress_(const int64_t *done)
{
    knell_progress(*done);
}

/* ---- messages of the carrier ---------------------------------------------------------------------------------------------------- */

#ifdef OPEN_MPI
/* Open MPI would look into what a handle points to, and these point to nothing of its own. */
enum { CARRIED_MESSAGES = 1 << 30 };

PUBLIC MPI_Fint MPI_Message_c2f(MPI_Message message);
PUBLIC MPI_Message MPI_Message_f2c(MPI_Fint message);
PUBLIC MPI_Fint PMPI_Message_c2f(MPI_Message message) __attribute__((alias("MPI_Message_c2f")));
PUBLIC MPI_Message PMPI_Message_f2c(MPI_Fint message) __attribute__((alias("MPI_Message_f2c")));

MPI_Fint MPI_Message_c2f(MPI_Message message)
{
    int number = carried_message_number(message);
    MPI_Fint (*natively)(MPI_Message) = (MPI_Fint(*)(MPI_Message))layer_symbol("PMPI_Message_c2f");
    return number >= 0 ? CARRIED_MESSAGES + number : natively(message);
}

MPI_Message MPI_Message_f2c(MPI_Fint message)
{
    MPI_Message (*natively)(MPI_Fint) = (MPI_Message(*)(MPI_Fint))layer_symbol("PMPI_Message_f2c");
    return message >= CARRIED_MESSAGES ? carried_message_numbered(message - CARRIED_MESSAGES) : natively(message);
}
#endif
