/* bad_memory: no memory is MPI_ERR_NO_MEM, raised by the communicator of the call, and all is well after. The first allocation of a call
 * fails: malloc and calloc are this program's. */
#include "check.h"

#include <stdbool.h>

#ifndef __SANITIZE_ADDRESS__       /* has its own */
static _Thread_local bool failing; /* not the detector's */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

static bool fails_now(void)
{
    bool now = failing;
    failing = false;
    return now;
}

void *malloc(size_t size)
{
    return fails_now() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __libc_calloc(count, size);
}
#endif

static int raised;
static MPI_Comm raised_by;

static void handler(MPI_Comm *comm, int *code, ...)
{
    raised = *code;
    raised_by = *comm;
}

#define WITHOUT_MEMORY(call, comm)                                                         \
    do {                                                                                   \
        raised = MPI_SUCCESS;                                                              \
        failing = true;                                                                    \
        int code_ = CODE(call);                                                            \
        bool tried_ = !failing;                                                            \
        failing = false;                                                                   \
        CHECK(tried_ &&code_ == MPI_ERR_NO_MEM && raised == code_ && raised_by == (comm)); \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Comm copy;
    MPI_Errhandler mine;
    int flag = 1, acked;
    begin(&argc, &argv, 20);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Comm_create_errhandler(handler, &mine));
    OK(MPI_Comm_set_errhandler(copy, mine));
#ifndef __SANITIZE_ADDRESS__
    MPI_Request request;
    MPI_Group group;
    WITHOUT_MEMORY(MPIX_Comm_iagree(copy, &flag, &request), copy);
    WITHOUT_MEMORY(MPIX_Comm_get_failed(copy, &group), copy);
    WITHOUT_MEMORY(MPIX_Comm_ack_failed(copy, 0, &acked), copy);
    WITHOUT_MEMORY(MPI_Ibarrier(copy, &request), copy);
#endif
    OK(MPIX_Comm_agree(copy, &flag));
    OK(MPIX_Comm_ack_failed(copy, 0, &acked));
    OK(MPI_Barrier(copy));
    CHECK(flag == 1 && acked == 0);
    OK(MPI_Errhandler_free(&mine));
    OK(MPI_Comm_free(&copy));
    return end();
}
