/* all.c: MPI_Waitall and MPI_Testall.
 *
 * When one cannot complete, the call ends in MPI_ERR_IN_STATUS though others are under way: those stay (MPI_ERR_PENDING). First
 * all that failures concern are taken back from the MPI below. One of them may turn out to have completed; if that holds for all, the
 * call goes on as if nothing had been, and MPI_Testall may return without having told of it. So what is known of them waits behind
 * their handles. */
#include "mpi/base/gen/own.h"
#include "mpi/complete/many.h"

#include <stdlib.h>

/* True: one cannot complete. A receive from any source stays, and is told of: also if its message comes this very moment, since the
 * call ends for it. */
static bool settle_failed(struct many *many)
{
    struct request known;
    bool failed = false;
    for (int i = many->done; i < many->count; i++) {
        int trouble = many_trouble(many, i, &known);
        if (trouble == MPIX_ERR_PROC_FAILED_PENDING)
            many->stays = i;
        else if (trouble != MPI_SUCCESS)
            failed |= many_settle(many, i, trouble, &known) != MPI_SUCCESS;
    }
    return failed || many->stays >= 0;
}

/* One of several that are told of for themselves. */
static int complete_one(struct many *many, int i, MPI_Status *status)
{
    struct request known;
    int trouble = many_trouble(many, i, &known), complete = 0;
    int code = i == many->stays ? MPI_SUCCESS : native.test(&many->request[i], &complete, status);
    if (complete || code != MPI_SUCCESS)
        return many_complete(many, i, status, code);
    if (trouble != MPIX_ERR_PROC_FAILED_PENDING && i != many->stays)
        return MPI_ERR_PENDING;
    many_blame(many, known.comm, MPIX_ERR_PROC_FAILED_PENDING);
    return MPIX_ERR_PROC_FAILED_PENDING;
}

static void complete_each(struct many *many, MPI_Status *statuses, int *code)
{
    for (int i = many->done; i < many->count; i++) {
        MPI_Status *status = status_at(statuses, i);
        *code = status_note(status, complete_one(many, i, status), *code);
    }
}

/* ---- MPI_Waitall ---------------------------------------------------------------------------------------------------------- */

/* The first that is not complete keeps the rest waiting, which costs nothing. False: there is one. */
static bool complete_in_order(struct many *many, MPI_Status *statuses, int *code)
{
    for (; many->done < many->count; many->done++) {
        int complete = 0, i = many->done;
        MPI_Status *status = status_at(statuses, i);
        int one = native.test(&many->request[i], &complete, status);
        if (!complete && one == MPI_SUCCESS)
            return false;
        *code = status_note(status, many_complete(many, i, status, one), *code);
    }
    return true;
}

int mpi_waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    if (RARELY(count < 0)) /* the MPI below says what is wrong with it */
        return error_raise_on(NULL, native.waitall(count, requests, statuses));
    struct many many;
    int code = MPI_SUCCESS;
    many_begin(&many, count, requests);
    for (unsigned turns = 0; !complete_in_order(&many, statuses, &code); many_idle(&turns, &many))
        if (RARELY(many_look(&many)) && settle_failed(&many)) {
            complete_each(&many, statuses, &code);
            break;
        }
    return many_leave(&many, code);
}

/* ---- MPI_Testall ---------------------------------------------------------------------------------------------------------- */

/* The MPI below is through: codes and statuses as the program knows them. On an error it may leave some as they are. */
static int all_complete(struct many *many, int native_code, MPI_Status *statuses)
{
    int code = native_code;
    bool each = native_code == MPI_ERR_IN_STATUS;
    for (int i = 0; i < many->count; i++) {
        if (many->before[i] == MPI_REQUEST_NULL || many->request[i] != MPI_REQUEST_NULL)
            continue;
        int one = many_complete(many, i, &statuses[i], each ? statuses[i].MPI_ERROR : MPI_SUCCESS);
        code = status_note(&statuses[i], one, code);
    }
    return code;
}

static int test_all(struct many *many, int *flag, MPI_Status *statuses)
{
    int code = native.testall(many->count, many->request, flag, statuses);
    if (*flag || code != MPI_SUCCESS)
        return all_complete(many, code, statuses);
    if (LIKELY(!many_look(many)) || !settle_failed(many))
        return MPI_SUCCESS;
    *flag = 1;
    complete_each(many, statuses, &code);
    return code;
}

/* Which one failed is only in the statuses: the layer has some of its own when the program wants none. */
int mpi_testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct many many;
    MPI_Status few[MANY_FEW], *own = statuses;
    many_begin(&many, count, requests);
    if (statuses == MPI_STATUSES_IGNORE)
        own = many_statuses(count, few);
    int code = test_all(&many, flag, own);
    if (own != statuses && own != few)
        free(own);
    return many_leave(&many, code);
}
