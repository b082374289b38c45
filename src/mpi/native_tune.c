/* native_tune.c: better ones in the place of some native calls.
 *
 * Most small sends are complete when they are posted, and there is nothing to test.
 * MPICH's MPI_Test and MPI_Testall turn its whole progress engine also for what is complete, and that is a system call over some
 * transports: 0.7 us, as much as a small message takes. Asking for the status first does so only for what is not complete. Then
 * MPI_Wait has nothing to wait for, and lets go of the request. */
#include "mpi/native.h"
#include "mpi/request.h"

#ifdef MPICH
static int (*all_natively)(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);

static int test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int code = MPI_SUCCESS;
    *flag = *request == knell__request_complete; /* counted by the MPI: to be waited for all the same */
    if (!*flag)
        code = knell__native.request_get_status(*request, flag, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS && *flag ? knell__native.wait(request, status) : code;
}

/* An error is each request's own matter: the native one knows how to tell. */
static int testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    for (int i = 0; i < count; i++) {
        if (knell__native.request_get_status(requests[i], flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return all_natively(count, requests, flag, statuses);
        if (!*flag)
            return MPI_SUCCESS;
    }
    *flag = 1;
    return knell__native.waitall(count, requests, statuses);
}
#else
static int (*test_natively)(MPI_Request *request, int *flag, MPI_Status *status);

static int test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (*request != knell__request_complete || status != MPI_STATUS_IGNORE)
        return test_natively(request, flag, status);
    *request = MPI_REQUEST_NULL;
    *flag = 1;
    return MPI_SUCCESS;
}
#endif

void knell__native_tune(void)
{
#ifdef MPICH
    all_natively = knell__native.testall;
    knell__native.testall = testall;
#else
    test_natively = knell__native.test;
#endif
    knell__native.test = test;
}
