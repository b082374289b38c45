/* complete_some.c: MPI_Waitany, MPI_Testany, MPI_Waitsome and MPI_Testsome. What failures concern is looked at when nothing is
 * complete. */
#include "mpi/complete_many.h"
#include "mpi/gen/own.h"

/* ---- any ------------------------------------------------------------------------------------------------------------------- */

/* The first that cannot complete, if there is one. */
static bool any_failed(struct knell__many *many, int *index, MPI_Status *status, int *code)
{
    struct knell__comm *blamed = NULL;
    struct knell__request known;
    for (int i = 0; i < many->count; i++) {
        int trouble = knell__many_trouble(many, i, &known);
        if (trouble == MPI_SUCCESS)
            continue;
        *index = i;
        *code = knell__many_give_up(many, i, trouble, &known, status, &blamed);
        knell__raise_on(blamed, *code);
        return true;
    }
    return false;
}

static bool any_turn(struct knell__many *many, int *index, int *flag, MPI_Status *status, int *code)
{
    struct knell__comm *blamed = NULL;
    *index = MPI_UNDEFINED; /* wrong arguments leave it as it is */
    *code = knell__native.testany(many->count, many->request, index, flag, status);
    if (*flag || *code != MPI_SUCCESS) {
        if (*index != MPI_UNDEFINED && *index >= 0)
            *code = knell__many_complete(many, *index, status, *code, &blamed);
        knell__raise_on(blamed, *code);
        return true;
    }
    if (KNELL__LIKELY(!knell__many_look(many)) || !any_failed(many, index, status, code))
        return false;
    *flag = 1;
    return true;
}

int knell__mpi_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct knell__many many;
    int flag, code;
    knell__many_begin(&many, count, requests);
    for (unsigned turns = 0; !any_turn(&many, index, &flag, status, &code);)
        knell__idle(&turns);
    knell__many_end(&many);
    return code;
}

int knell__mpi_testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct knell__many many;
    int code;
    knell__many_begin(&many, count, requests);
    if (!any_turn(&many, index, flag, status, &code))
        code = MPI_SUCCESS;
    knell__many_end(&many);
    return code;
}

/* ---- some ------------------------------------------------------------------------------------------------------------------ */

static int some_complete(struct knell__many *many, int native_code, int outcount, const int *indices, MPI_Status *statuses)
{
    struct knell__comm *blamed = NULL;
    int code = native_code;
    bool each = native_code == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE;
    for (int i = 0; i < outcount; i++) {
        MPI_Status *status = knell__status_at(statuses, i);
        int one = knell__many_complete(many, indices[i], status, each ? status->MPI_ERROR : MPI_SUCCESS, &blamed);
        code = knell__status_note(status, one, code);
    }
    return knell__raise_on(blamed, code);
}

/* All that cannot complete, in one call. */
static bool some_failed(struct knell__many *many, int *outcount, int *indices, MPI_Status *statuses, int *code)
{
    struct knell__comm *blamed = NULL;
    struct knell__request known;
    for (int i = 0; i < many->count; i++) {
        int trouble = knell__many_trouble(many, i, &known);
        if (trouble == MPI_SUCCESS)
            continue;
        MPI_Status *status = knell__status_at(statuses, *outcount);
        indices[(*outcount)++] = i;
        *code = knell__status_note(status, knell__many_give_up(many, i, trouble, &known, status, &blamed), *code);
    }
    knell__raise_on(blamed, *code);
    return *outcount > 0;
}

static bool some_turn(struct knell__many *many, int *outcount, int *indices, MPI_Status *statuses, int *code)
{
    *outcount = 0; /* wrong arguments leave it as it is */
    *code = knell__native.testsome(many->count, many->request, outcount, indices, statuses);
    if (*outcount == MPI_UNDEFINED)
        return true;
    if (*outcount != 0 || *code != MPI_SUCCESS) {
        *code = some_complete(many, *code, *outcount, indices, statuses);
        return true;
    }
    return KNELL__RARELY(knell__many_look(many)) && some_failed(many, outcount, indices, statuses, code);
}

int knell__mpi_waitsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    struct knell__many many;
    int code;
    knell__many_begin(&many, incount, requests);
    for (unsigned turns = 0; !some_turn(&many, outcount, indices, statuses, &code);)
        knell__idle(&turns);
    knell__many_end(&many);
    return code;
}

int knell__mpi_testsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    struct knell__many many;
    int code;
    knell__many_begin(&many, incount, requests);
    if (!some_turn(&many, outcount, indices, statuses, &code))
        code = MPI_SUCCESS;
    knell__many_end(&many);
    return code;
}
