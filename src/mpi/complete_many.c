/* complete_many.c: several requests: MPI_Waitall, MPI_Testany and the like.
 *
 * MPI_Waitall completes one after the other. The others ask the native Testall, Testany and Testsome, which look at the whole
 * array: the tokens of tasks are native requests and complete with them. What the layer knows of a request is asked only when it completes, and of all of them when the epoch has moved;
 * with threads, of all of them at first. */
#include "mpi/complete.h"
#include "mpi/gen/own.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 32 };

/* The array as it was: a native call that completes a request overwrites its handle. */
struct many {
    int count;
    MPI_Request *request; /* the program's */
    MPI_Request *before;
    struct knell__request *known; /* with threads: got before the MPI below completes any (request.h); else NULL */
    uint32_t epoch;
    bool look; /* failures may concern some of them */
    int done;  /* MPI_Waitall: so many are complete, */
    int code;  /* MPI_ERR_IN_STATUS: not all of them well, */
    struct knell__comm *blamed; /* and on whom to raise that */
    MPI_Request few[FEW];
};

/* What is known of request `i`, as it was; false: it is not ours. */
static bool many_known(const struct many *many, int i, struct knell__request *known)
{
    if (many->before[i] == MPI_REQUEST_NULL || many->before[i] == knell__request_complete)
        return false;
    if (KNELL__LIKELY(!many->known))
        return knell__request_get(many->before[i], known);
    *known = many->known[i];
    return known->comm != NULL;
}

static void many_get(struct many *many)
{
    struct knell__request *known = calloc((size_t)many->count + 1, sizeof *known);
    if (!known)
        knell__die("out of memory");
    for (int i = 0; i < many->count; i++)
        if (!many_known(many, i, &known[i]))
            known[i].comm = NULL;
    many->known = known;
}

static void many_begin(struct many *many, int count, MPI_Request *request)
{
    many->count = count;
    many->request = request;
    many->before = count <= FEW ? many->few : malloc((size_t)count * sizeof *request);
    if (!many->before)
        knell__die("out of memory");
    if (count > 0)
        memcpy(many->before, request, (size_t)count * sizeof *request);
    many->epoch = knell__epoch_now();
    many->look = knell__troubled();
    many->done = 0;
    many->code = MPI_SUCCESS;
    many->blamed = NULL;
    many->known = NULL;
    if (KNELL__RARELY(knell__self.threads))
        many_get(many);
    if (atomic_load_explicit(&knell__tasks_active, memory_order_relaxed))
        knell__tasks_advance();
}

static void many_end(struct many *many)
{
    if (many->before != many->few)
        free(many->before);
    free(many->known);
}

/* ---- failures -------------------------------------------------------------------------------------------------------------- */

/* The first request that cannot complete, with its code; -1: none. Looks only when something has happened. */
static int many_failed(struct many *many, int *code, struct knell__request *known)
{
    uint32_t now = knell__epoch_now();
    if (KNELL__LIKELY(now == many->epoch && !many->look))
        return -1;
    many->epoch = now;
    many->look = false;
    for (int i = 0; i < many->count; i++)
        if (many->request[i] != MPI_REQUEST_NULL && many_known(many, i, known) &&
            (*code = knell__request_trouble(known)) != MPI_SUCCESS)
            return i;
    return -1;
}

/* Ends the failed request `i`, unless it is to stay pending. Its code; on whom to raise it. */
static int many_give_up(struct many *many, int i, int code, const struct knell__request *known, MPI_Status *status,
                        struct knell__comm **comm)
{
    *comm = known->comm;
    if (code == MPIX_ERR_PROC_FAILED_PENDING)
        return code;
    if (knell__request_give_up(known, code, &many->request[i], status))
        code = MPI_SUCCESS;
    *comm = knell__request_finish(known, status, &code);
    return code;
}

/* Request `i` is complete natively: its code. *blamed is set when it failed. */
static int many_complete(struct many *many, int i, MPI_Status *status, int code, struct knell__comm **blamed)
{
    struct knell__request known;
    if (!many_known(many, i, &known))
        return code;
    struct knell__comm *comm = knell__request_finish(&known, status, &code);
    if (KNELL__RARELY(code != MPI_SUCCESS))
        *blamed = comm;
    return code;
}

/* ---- all ------------------------------------------------------------------------------------------------------------------- */

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* All are complete natively: codes and statuses as the program knows them. */
static int all_complete(struct many *many, int native_code, MPI_Status *statuses)
{
    struct knell__comm *blamed = NULL;
    int code = native_code;
    bool each = native_code == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE;
    for (int i = 0; i < many->count; i++) {
        MPI_Status *status = status_at(statuses, i);
        if (many->before[i] == MPI_REQUEST_NULL)
            continue;
        int one = many_complete(many, i, status, each ? status->MPI_ERROR : MPI_SUCCESS, &blamed);
        if (statuses != MPI_STATUSES_IGNORE)
            status->MPI_ERROR = one;
        if (one != MPI_SUCCESS)
            code = MPI_ERR_IN_STATUS;
    }
    return knell__raise_on(blamed, code);
}

/* Completed for itself by all_failed: its status is there. */
static bool all_has(const struct many *many, int i)
{
    return many->request[i] == MPI_REQUEST_NULL && many->before[i] != MPI_REQUEST_NULL;
}

/* One cannot complete: each is looked at for itself, and what is not complete stays (MPI_ERR_PENDING). Returns whether one
 * failed indeed. */
static bool all_failed(struct many *many, MPI_Status *statuses, struct knell__comm **blamed)
{
    struct knell__comm *comm;
    bool failed = many->code != MPI_SUCCESS;
    for (int i = many->done; i < many->count; i++) {
        struct knell__request known;
        if (all_has(many, i))
            continue;
        bool ours = many_known(many, i, &known);
        int trouble = ours ? knell__request_trouble(&known) : MPI_SUCCESS;
        MPI_Status own, *status = statuses == MPI_STATUSES_IGNORE ? &own : &statuses[i];
        int complete = 0, code = knell__native.test(&many->request[i], &complete, status);
        if (complete || code != MPI_SUCCESS)
            code = many_complete(many, i, status, code, blamed);
        else if (trouble == MPI_SUCCESS)
            code = MPI_ERR_PENDING;
        else if ((code = many_give_up(many, i, trouble, &known, status, &comm)) == trouble)
            *blamed = comm;
        failed = failed || (code != MPI_SUCCESS && code != MPI_ERR_PENDING);
        status->MPI_ERROR = code;
    }
    return failed;
}

/* True: over, with *code. */
static bool all_turn(struct many *many, MPI_Status *statuses, int *flag, int *code)
{
    struct knell__request known;
    struct knell__comm *blamed = NULL;
    int trouble;
    *code = knell__native.testall(many->count, many->request, flag, statuses);
    if (*flag || *code != MPI_SUCCESS) {
        *code = all_complete(many, *code, statuses);
        return true;
    }
    if (KNELL__LIKELY(many_failed(many, &trouble, &known) < 0))
        return false;
    *flag = all_failed(many, statuses, &blamed);
    *code = *flag ? knell__raise_on(blamed, MPI_ERR_IN_STATUS) : MPI_SUCCESS;
    return *flag;
}

/* The first that is not complete keeps the rest waiting, which costs nothing. False: there is one. */
static bool all_in_order(struct many *many, MPI_Status *statuses)
{
    for (; many->done < many->count; many->done++) {
        int complete = 0, i = many->done;
        MPI_Status *status = status_at(statuses, i);
        if (KNELL__RARELY(all_has(many, i)))
            continue;
        int one = knell__native.test(&many->request[i], &complete, status);
        if (!complete && one == MPI_SUCCESS)
            return false;
        one = many_complete(many, i, status, one, &many->blamed);
        if (statuses != MPI_STATUSES_IGNORE)
            status->MPI_ERROR = one;
        if (KNELL__RARELY(one != MPI_SUCCESS))
            many->code = MPI_ERR_IN_STATUS;
    }
    return true;
}

int knell__mpi_waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct many many;
    struct knell__request known;
    int trouble;
    many_begin(&many, count, requests);
    for (unsigned turns = 0; !all_in_order(&many, statuses); knell__idle(&turns))
        if (KNELL__RARELY(many_failed(&many, &trouble, &known) >= 0) && all_failed(&many, statuses, &many.blamed)) {
            many.code = MPI_ERR_IN_STATUS;
            break;
        }
    many_end(&many);
    return knell__raise_on(many.blamed, many.code);
}

int knell__mpi_testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct many many;
    int code;
    many_begin(&many, count, requests);
    if (!all_turn(&many, statuses, flag, &code))
        code = MPI_SUCCESS;
    many_end(&many);
    return code;
}

/* ---- any ------------------------------------------------------------------------------------------------------------------- */

static bool any_turn(struct many *many, int *index, int *flag, MPI_Status *status, int *code)
{
    struct knell__request known;
    struct knell__comm *comm = NULL;
    int trouble;
    *code = knell__native.testany(many->count, many->request, index, flag, status);
    if (*flag || *code != MPI_SUCCESS) {
        if (*index != MPI_UNDEFINED && *index >= 0)
            *code = many_complete(many, *index, status, *code, &comm);
        knell__raise_on(comm, *code);
        return true;
    }
    int failed = many_failed(many, &trouble, &known);
    if (KNELL__LIKELY(failed < 0))
        return false;
    *index = failed;
    *flag = 1;
    *code = many_give_up(many, failed, trouble, &known, status, &comm);
    knell__raise_on(comm, *code);
    return true;
}

int knell__mpi_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct many many;
    int flag, code;
    many_begin(&many, count, requests);
    for (unsigned turns = 0; !any_turn(&many, index, &flag, status, &code);)
        knell__idle(&turns);
    many_end(&many);
    return code;
}

int knell__mpi_testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct many many;
    int code;
    many_begin(&many, count, requests);
    if (!any_turn(&many, index, flag, status, &code))
        code = MPI_SUCCESS;
    many_end(&many);
    return code;
}

/* ---- some ------------------------------------------------------------------------------------------------------------------ */

static int some_complete(struct many *many, int native_code, int *outcount, const int *indices, MPI_Status *statuses)
{
    struct knell__comm *blamed = NULL;
    bool each = native_code == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE;
    for (int i = 0; i < *outcount; i++) {
        MPI_Status *status = status_at(statuses, i);
        int one = many_complete(many, indices[i], status, each ? status->MPI_ERROR : MPI_SUCCESS, &blamed);
        if (statuses != MPI_STATUSES_IGNORE)
            status->MPI_ERROR = one;
        if (one != MPI_SUCCESS)
            native_code = MPI_ERR_IN_STATUS;
    }
    return knell__raise_on(blamed, native_code);
}

static bool some_turn(struct many *many, int *outcount, int *indices, MPI_Status *statuses, int *code)
{
    struct knell__request known;
    struct knell__comm *comm;
    MPI_Status own;
    int trouble;
    *code = knell__native.testsome(many->count, many->request, outcount, indices, statuses);
    if (*outcount != 0 || *code != MPI_SUCCESS) {
        if (*outcount != MPI_UNDEFINED)
            *code = some_complete(many, *code, outcount, indices, statuses);
        return true;
    }
    int failed = many_failed(many, &trouble, &known);
    if (KNELL__LIKELY(failed < 0))
        return false;
    MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? &own : &statuses[0];
    *outcount = 1;
    indices[0] = failed;
    status->MPI_ERROR = many_give_up(many, failed, trouble, &known, status, &comm);
    *code = status->MPI_ERROR == MPI_SUCCESS ? MPI_SUCCESS : knell__raise_on(comm, MPI_ERR_IN_STATUS);
    return true;
}

int knell__mpi_waitsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    struct many many;
    int code;
    many_begin(&many, incount, requests);
    for (unsigned turns = 0; !some_turn(&many, outcount, indices, statuses, &code);)
        knell__idle(&turns);
    many_end(&many);
    return code;
}

int knell__mpi_testsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    struct many many;
    int code;
    many_begin(&many, incount, requests);
    if (!some_turn(&many, outcount, indices, statuses, &code))
        code = MPI_SUCCESS;
    many_end(&many);
    return code;
}
