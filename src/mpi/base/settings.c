/* settings.c: see settings.h. */
#include "mpi/base/settings.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

/* The rank's number as Open MPI, PMIx and hydra have it; the descriptor of its connection to hydra; Open MPI's folder of jobs. */
static const char *const wanted[] = {
    "KNELL_", "OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "PMI_RANK=", "PMI_FD=", "OMPI_MCA_orte_jobfam_session_dir=",
};

static char *kept[MOST];
static int settings;

static int is_wanted(const char *variable)
{
    size_t i = 0;
    while (i < sizeof wanted / sizeof *wanted && strncmp(variable, wanted[i], strlen(wanted[i])) != 0)
        i++;
    return i < sizeof wanted / sizeof *wanted;
}

/* Before all that asks for settings. Not by getenv: bash has one of its own. */
__attribute__((constructor(101))) static void keep(void)
{
    for (char **at = environ; at && *at && settings < MOST; at++)
        if (is_wanted(*at) && (kept[settings] = strdup(*at)))
            settings++;
}

const char *settings_get(const char *name)
{
    size_t size = strlen(name);
    for (int i = 0; i < settings; i++)
        if (strncmp(kept[i], name, size) == 0 && kept[i][size] == '=')
            return kept[i] + size + 1;
    return NULL;
}
