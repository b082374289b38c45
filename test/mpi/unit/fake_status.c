/* fake_status.c: statuses of the fake MPI. What is behind the public fields is each MPI's own. See fake.h. */
#include "fake.h"

static void set_size(MPI_Status *status, int size)
{
#ifdef OPEN_MPI
    status->_ucount = (size_t)size;
#else
    status->count_lo = size;
    status->count_hi_and_cancelled &= 1;
#endif
}

static int get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    (void)type;
#ifdef OPEN_MPI
    *count = (MPI_Count)status->_ucount;
#else
    *count = status->count_lo;
#endif
    return MPI_SUCCESS;
}

static int status_set_elements(MPI_Status *status, MPI_Datatype type, int count)
{
    (void)type;
    set_size(status, count);
    return MPI_SUCCESS;
}

static int status_set_cancelled(MPI_Status *status, int flag)
{
#ifdef OPEN_MPI
    status->_cancelled = flag;
#else
    status->count_hi_and_cancelled = (status->count_hi_and_cancelled & ~1) | (flag ? 1 : 0);
#endif
    return MPI_SUCCESS;
}

static int test_cancelled(const MPI_Status *status, int *flag)
{
#ifdef OPEN_MPI
    *flag = status->_cancelled;
#else
    *flag = status->count_hi_and_cancelled & 1;
#endif
    return MPI_SUCCESS;
}

/* But for the error field. */
void fake_status(MPI_Status *status, int source, int tag, int size, bool cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status_set_cancelled(status, cancelled);
    set_size(status, size);
}

void fake_fill_statuses(void)
{
    native.get_elements_x = get_elements_x;
    native.status_set_elements = status_set_elements;
    native.status_set_cancelled = status_set_cancelled;
    native.test_cancelled = test_cancelled;
}
