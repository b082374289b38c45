/* leaks.c: see leaks.h. */
#include "mpi/record/leaks.h"
#include "mpi/comm/comm.h"
#include "mpi/record/groups.h"
#include "mpi/report/tell.h"
#include "mpi/request/request.h"

static void tell(enum job_leak kind, int count)
{
    if (count > 0)
        tell_report((struct job_report){.word = JOB_WORD_LEAKED, .value = kind, .code = count});
}

void leaks_tell(void)
{
    tell(JOB_LEAK_REQUEST, request_count());
    tell(JOB_LEAK_COMM, comm_count());
    tell(JOB_LEAK_GROUP, groups_alive());
}
