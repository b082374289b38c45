/* hints.c: see hints.h. */
#include "mpi/comm/hints.h"
#include "job/hints.h"
#include "mpi/base/gen/own.h"
#include "mpi/base/settings.h"
#include "mpi/comm/comm.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE = 32 };

static const char uniform_key[] = JOB_HINT_UNIFORM, range_key[] = JOB_HINT_RANGE;
static const char *const uniform_names[] = {JOB_HINT_UNIFORM_VALUES, NULL};
static const char *const range_names[] = {JOB_HINT_RANGE_VALUES, NULL};

/* ---- names ----------------------------------------------------------------------------------------------------------------- */

static int find(const char *const *names, const char *value, int otherwise)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], value) == 0)
            return i;
    return otherwise;
}

static void read_one(const char *key, const char *value, struct hints *hints)
{
    if (strcmp(key, uniform_key) == 0 && strcmp(value, JOB_HINT_CONSTRUCT) == 0)
        hints->uniform = HINTS_UNIFORM_CREATE;
    else if (strcmp(key, uniform_key) == 0)
        hints->uniform = (enum hints_uniform)find(uniform_names, value, hints->uniform);
    else if (strcmp(key, range_key) == 0)
        hints->range = (enum hints_range)find(range_names, value, hints->range);
}

void hints_read(MPI_Info info, struct hints *hints)
{
    static const char *const keys[] = {uniform_key, range_key};
    char value[VALUE + 1];
    int found;
    for (size_t i = 0; info != MPI_INFO_NULL && i < sizeof keys / sizeof *keys; i++)
        if (native.info_get(info, keys[i], VALUE, value, &found) == MPI_SUCCESS && found)
            read_one(keys[i], value, hints);
}

/* ---- on a communicator ------------------------------------------------------------------------------------------------------- */

void hints_set(struct comm *comm, const struct hints *hints)
{
    comm_hint(comm, hints);
    if (hints->range != HINTS_RANGE_LOCAL)
        side_epoch_raise(); /* it may be revoked now */
}

/* "KEY=VALUE;KEY=VALUE" */
void hints_learn(void)
{
    const char *text = settings_get("KNELL_INFO");
    struct hints hints = {0};
    char copy[256], *rest = copy, *one;
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    while ((one = strsep(&rest, ";"))) {
        char *value = strchr(one, '=');
        if (value)
            *value++ = '\0', read_one(one, value, &hints);
    }
    hints_set(&comm_world, &hints);
}

/* ---- calls --------------------------------------------------------------------------------------------------------------------- */

int mpi_comm_set_info(MPI_Comm handle, MPI_Info info)
{
    struct comm *comm = comm_of(handle);
    int code = native.comm_set_info(handle, info);
    if (!comm || code != MPI_SUCCESS)
        return code;
    struct hints hints = comm->hints;
    hints_read(info, &hints);
    hints_set(comm, &hints);
    return MPI_SUCCESS;
}

int mpi_comm_get_info(MPI_Comm handle, MPI_Info *info_used)
{
    const struct comm *comm = comm_of(handle);
    int code = native.comm_get_info(handle, info_used);
    if (!comm || code != MPI_SUCCESS)
        return code;
    native.info_set(*info_used, uniform_key, uniform_names[comm->hints.uniform]);
    native.info_set(*info_used, range_key, range_names[comm->hints.range]);
    return MPI_SUCCESS;
}
