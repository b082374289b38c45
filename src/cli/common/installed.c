/* installed.c: see installed.h. */
#include "cli/common/installed.h"
#include "cli/common/program.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The folder of this program. */
static void find_here(char here[PATH_MAX])
{
    char self[PATH_MAX] = "";
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    snprintf(here, PATH_MAX, "%s", size > 0 ? dirname(self) : ".");
}

static bool is_at(const char *here, const char *place, const char *name, char path[PATH_MAX])
{
    char text[3 * PATH_MAX];
    snprintf(text, sizeof text, "%s/%s/%s", here, place, name);
    return realpath(text, path) != NULL;
}

int installed_layer(const struct usage *usage, int mpi, char path[PATH_MAX])
{
    static const char *const places[] = {"../mpi", ("../" KNELL_LIBDIR), "../lib"};
    char here[PATH_MAX], library[64];
    find_here(here);
    snprintf(library, sizeof library, "libknell-mpi-%s.so", program_mpi_names[mpi]);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (is_at(here, places[i], library, path))
            return EXIT_OK;
    return cli_failure(usage,
                       "%s: not found beside %.200s; it is built if mpicc.%s is there when Knell is: "
                       "install lib%s-dev, then build again",
                       library, here, program_mpi_names[mpi], program_mpi_names[mpi]);
}

int installed_supervisor(const struct usage *usage, char path[PATH_MAX])
{
    static const char *const places[] = {"../" KNELL_LIBEXECDIR "/knell", "../libexec/knell", "../../libexec/knell"};
    char here[PATH_MAX];
    find_here(here);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (is_at(here, places[i], "exec", path))
            return EXIT_OK;
    return cli_failure(usage, "libexec/knell/exec: not found beside %.200s; it is installed with knell", here);
}

void installed_preload(const char *layer, char list[2 * PATH_MAX])
{
    const char *already = getenv("LD_PRELOAD");
    snprintf(list, 2 * PATH_MAX, "%s%s%s", already ? already : "", already && *already ? ":" : "", layer);
}
