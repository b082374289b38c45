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
static bool settle_failed(struct knell__many *many)
{
    struct knell__request known;
    bool failed = false;
    for (int i = many->done; i < many->count; i++) {
        int trouble = knell__many_trouble(many, i, &known);
        if (trouble == MPIX_ERR_PROC_FAILED_PENDING)
            many->stays = i;
        else if (trouble != MPI_SUCCESS)
            failed |= knell__many_settle(many, i, trouble, &known) != MPI_SUCCESS;
    }
    return failed || many->stays >= 0;
}

/* One of several that are told of for themselves. */
static int complete_one(struct knell__many *many, int i, MPI_Status *status)
{
    struct knell__request known;
    int trouble = knell__many_trouble(many, i, &known), complete = 0;
    int code = i == many->stays ? MPI_SUCCESS : knell__native.test(&many->request[i], &complete, status);
    if (complete || code != MPI_SUCCESS)
        return knell__many_complete(many, i, status, code);
    if (trouble != MPIX_ERR_PROC_FAILED_PENDING && i != many->stays)
        return MPI_ERR_PENDING;
    knell__many_blame(many, known.comm, MPIX_ERR_PROC_FAILED_PENDING);
    return MPIX_ERR_PROC_FAILED_PENDING;
}

static void complete_each(struct knell__many *many, MPI_Status *statuses, int *code)
{
    for (int i = many->done; i < many->count; i++) {
        MPI_Status *status = knell__status_at(statuses, i);
        *code = knell__status_note(status, complete_one(many, i, status), *code);
    }
}

/* ---- MPI_Waitall ---------------------------------------------------------------------------------------------------------- */

/* The first that is not complete keeps the rest waiting, which costs nothing. False: there is one. */
static bool complete_in_order(struct knell__many *many, MPI_Status *statuses, int *code)
{
    for (; many->done < many->count; many->done++) {
        int complete = 0, i = many->done;
        MPI_Status *status = knell__status_at(statuses, i);
        int one = knell__native.test(&many->request[i], &complete, status);
        if (!complete && one == MPI_SUCCESS)
            return false;
        *code = knell__status_note(status, knell__many_complete(many, i, status, one), *code);
    }
    return true;
}

int knell__mpi_waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    if (KNELL__RARELY(count < 0)) /* the MPI below says what is wrong with it */
        return knell__raise_on(NULL, knell__native.waitall(count, requests, statuses));
    struct knell__many many;
    int code = MPI_SUCCESS;
    knell__many_begin(&many, count, requests);
    for (unsigned turns = 0; !complete_in_order(&many, statuses, &code); knell__many_idle(&turns, &many))
        if (KNELL__RARELY(knell__many_look(&many)) && settle_failed(&many)) {
            complete_each(&many, statuses, &code);
            break;
        }
    return knell__many_leave(&many, code);
}

/* ---- MPI_Testall ---------------------------------------------------------------------------------------------------------- */

/* The MPI below is through: codes and statuses as the program knows them. On an error it may leave some as they are. */
static int all_complete(struct knell__many *many, int native_code, MPI_Status *statuses)
{
    int code = native_code;
    bool each = native_code == MPI_ERR_IN_STATUS;
    for (int i = 0; i < many->count; i++) {
        if (many->before[i] == MPI_REQUEST_NULL || many->request[i] != MPI_REQUEST_NULL)
            continue;
        int one = knell__many_complete(many, i, &statuses[i], each ? statuses[i].MPI_ERROR : MPI_SUCCESS);
        code = knell__status_note(&statuses[i], one, code);
    }
    return code;
}

static int test_all(struct knell__many *many, int *flag, MPI_Status *statuses)
{
    int code = knell__native.testall(many->count, many->request, flag, statuses);
    if (*flag || code != MPI_SUCCESS)
        return all_complete(many, code, statuses);
    if (KNELL__LIKELY(!knell__many_look(many)) || !settle_failed(many))
        return MPI_SUCCESS;
    *flag = 1;
    complete_each(many, statuses, &code);
    return code;
}

/* Which one failed is only in the statuses: the layer has some of its own when the program wants none. */
int knell__mpi_testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct knell__many many;
    MPI_Status few[KNELL__MANY_FEW], *own = statuses;
    knell__many_begin(&many, count, requests);
    if (statuses == MPI_STATUSES_IGNORE)
        own = knell__many_statuses(count, few);
    int code = test_all(&many, flag, own);
    if (own != statuses && own != few)
        free(own);
    return knell__many_leave(&many, code);
}
