/* trap_tutorial: what programs learn from tutorials on ULFM: an error handler that names the dead by their ranks, a duplicate that
 * all have or none has, and a half of the job that goes on untouched by a death in the other half. */
#include "check.h"

static int heard;      /* calls of the handler */
static int named = -1; /* whom it named last, by the rank in its communicator */

/* Groups of the dead and of the communicator are compared: both must speak of the same processes. */
static void name_the_dead(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int size, dead, length, class, first[] = {0};
    MPI_Group failed, members;
    OK(MPI_Error_class(*code, &class));
    CHECK(class == MPIX_ERR_PROC_FAILED);
    OK(MPI_Error_string(*code, text, &length));
    CHECK(length > 0);
    OK(MPI_Comm_size(*comm, &size));
    OK(MPIX_Comm_failure_ack(*comm));
    OK(MPIX_Comm_failure_get_acked(*comm, &failed));
    OK(MPI_Group_size(failed, &dead));
    CHECK(dead == 1);
    OK(MPI_Comm_group(*comm, &members));
    OK(MPI_Group_translate_ranks(failed, 1, first, members, &named));
    OK(MPI_Group_free(&members));
    OK(MPI_Group_free(&failed));
    heard++;
}

static void a_handler_names_the_dead(MPI_Comm comm, int victim)
{
    MPI_Errhandler handler;
    OK(MPI_Comm_create_errhandler(name_the_dead, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    FAILS(MPI_Recv(NULL, 0, MPI_BYTE, victim, 0, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    CHECK(heard == 1 && named == victim);
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);
}

/* MPI_Comm_dup and an agreement on how it went. */
static int dup_of_all(MPI_Comm comm, MPI_Comm *made)
{
    int code = CODE(MPI_Comm_dup(comm, made)), fine = code == MPI_SUCCESS;
    int agreed = CODE(MPIX_Comm_agree(comm, &fine));
    CHECK(agreed == MPI_SUCCESS || agreed == MPIX_ERR_PROC_FAILED);
    if (fine)
        return MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        OK(MPI_Comm_free(made));
    return MPIX_ERR_PROC_FAILED;
}

static void a_half_goes_on(MPI_Comm half, int is_mine)
{
    for (int i = 0; is_mine && i < 100; i++)
        OK(MPI_Barrier(half));
}

int main(int argc, char **argv)
{
    MPI_Comm half, before, after;
    begin(&argc, &argv, 50);
    int victim = all - 1, upper = me >= all / 2;
    OK(dup_of_all(MPI_COMM_WORLD, &before));
    OK(MPI_Comm_split(MPI_COMM_WORLD, upper, me, &half));
    meet(MPI_COMM_WORLD);
    die_if(me == victim);
    a_half_goes_on(half, !upper);
    a_handler_names_the_dead(MPI_COMM_WORLD, victim);
    FAILS(dup_of_all(MPI_COMM_WORLD, &after), MPIX_ERR_PROC_FAILED);
    MPI_Comm next = shrunk(MPI_COMM_WORLD);
    OK(dup_of_all(next, &after));
    OK(MPI_Barrier(after));
    OK(MPI_Comm_free(&after));
    OK(MPI_Comm_free(&next));
    OK(MPI_Comm_free(&before));
    return end();
}
