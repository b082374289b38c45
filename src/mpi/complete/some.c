/* some.c: MPI_Waitany, MPI_Testany, MPI_Waitsome and MPI_Testsome. What failures concern is looked at when nothing is
 * complete. */
#include "mpi/base/gen/own.h"
#include "mpi/complete/many.h"

#include <stdlib.h>

/* ---- any ------------------------------------------------------------------------------------------------------------------- */

/* The first that cannot complete, if there is one. */
static bool any_failed(struct many *many, int *index, MPI_Status *status, int *code)
{
    struct request known;
    for (int i = 0; i < many->count; i++) {
        int trouble = many_trouble(many, i, &known);
        if (trouble == MPI_SUCCESS)
            continue;
        *index = i;
        *code = many_give_up(many, i, trouble, &known, status);
        return true;
    }
    return false;
}

static bool any_turn(struct many *many, int *index, int *flag, MPI_Status *status, int *code)
{
    *index = MPI_UNDEFINED; /* wrong arguments leave it as it is */
    *code = native.testany(many->count, many->request, index, flag, status);
    if (*flag || *code != MPI_SUCCESS) {
        if (*index != MPI_UNDEFINED && *index >= 0)
            *code = many_complete(many, *index, status, *code);
        return true;
    }
    if (LIKELY(!many_look(many)) || !any_failed(many, index, status, code))
        return false;
    *flag = 1;
    return true;
}

int mpi_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct many many;
    int flag, code;
    many_begin(&many, count, requests);
    for (unsigned turns = 0; !any_turn(&many, index, &flag, status, &code);)
        many_idle(&turns, &many);
    return many_leave(&many, code);
}

int mpi_testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct many many;
    int code;
    many_begin(&many, count, requests);
    if (!any_turn(&many, index, flag, status, &code))
        code = MPI_SUCCESS;
    return many_leave(&many, code);
}

/* ---- some ------------------------------------------------------------------------------------------------------------------ */

static int some_complete(struct many *many, int native_code, int outcount, const int *indices, MPI_Status *statuses)
{
    int code = native_code;
    bool each = native_code == MPI_ERR_IN_STATUS;
    for (int i = 0; i < outcount; i++) {
        int one = many_complete(many, indices[i], &statuses[i], each ? statuses[i].MPI_ERROR : MPI_SUCCESS);
        code = status_note(&statuses[i], one, code);
    }
    return code;
}

/* All that cannot complete, in one call. */
static bool some_failed(struct many *many, int *outcount, int *indices, MPI_Status *statuses, int *code)
{
    struct request known;
    for (int i = 0; i < many->count; i++) {
        int trouble = many_trouble(many, i, &known);
        if (trouble == MPI_SUCCESS)
            continue;
        MPI_Status *status = &statuses[*outcount];
        indices[(*outcount)++] = i;
        *code = status_note(status, many_give_up(many, i, trouble, &known, status), *code);
    }
    return *outcount > 0;
}

static bool some_turn(struct many *many, int *outcount, int *indices, MPI_Status *statuses, int *code)
{
    *outcount = 0; /* wrong arguments leave it as it is */
    *code = native.testsome(many->count, many->request, outcount, indices, statuses);
    if (*outcount == MPI_UNDEFINED)
        return true;
    if (*outcount != 0 || *code != MPI_SUCCESS) {
        *code = some_complete(many, *code, *outcount, indices, statuses);
        return true;
    }
    return RARELY(many_look(many)) && some_failed(many, outcount, indices, statuses, code);
}

/* As in MPI_Testall, the layer has statuses of its own when the program wants none. `wait`: until there is one. */
static int some(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[], bool wait)
{
    struct many many;
    MPI_Status few[MANY_FEW], *own = statuses;
    int code;
    bool done;
    many_begin(&many, incount, requests);
    if (statuses == MPI_STATUSES_IGNORE)
        own = many_statuses(incount, few);
    for (unsigned turns = 0; !(done = some_turn(&many, outcount, indices, own, &code)) && wait;)
        many_idle(&turns, &many);
    if (own != statuses && own != few)
        free(own);
    return many_leave(&many, done ? code : MPI_SUCCESS);
}

int mpi_waitsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    return some(incount, requests, outcount, indices, statuses, true);
}

int mpi_testsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    return some(incount, requests, outcount, indices, statuses, false);
}
