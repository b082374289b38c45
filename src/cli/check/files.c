/* files.c: the program and the libraries that it loads, except those of the MPI itself, whose own calls reach no wrapper of interest. */
#include "cli/check/check.h"
#include "cli/common/program.h"
#include "job/calls.h"
#include "symbols/imports.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Of Open MPI, MPICH, and ours: libmpi.so.40, libmpi_cxx.so.40, libmpichfort.so.12, libopen-rte.so.40. */
static bool is_of_mpi(const char *name)
{
    static const char *const begins[] = {"libmpi.so",    "libmpi_",   "libmpich.so", "libmpichcxx",
                                         "libmpichfort", "libmpicxx", "libmpifort",  "libopen-",
                                         "libmca_",      "libompi",   "libknell-mpi"};
    for (size_t i = 0; i < COUNT_OF(begins); i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* Of namespace MPI: the bindings are inline functions, and their tables of virtual functions are in every C++ program. */
static bool is_binding(const char *name)
{
    return strncmp(name, "_ZN3MPI", 7) == 0 || strncmp(name, "_ZNK3MPI", 8) == 0;
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

struct looking {
    struct check_result *result;
    const struct imports *imports;
    char *file;
    bool by_program, has_bindings;
};

static bool look_for_bindings(void *context, const char *name, bool is_defined)
{
    struct looking *looking = context;
    looking->has_bindings = looking->has_bindings || (is_defined && is_binding(name));
    return !looking->has_bindings;
}

static bool is_known(const struct check_result *result, const char *call)
{
    for (size_t i = 0; i < result->imports; i++)
        if (result->import[i].call == call && result->import[i].number == result->files)
            return true;
    return false;
}

static bool add(struct check_result *result, struct check_import import)
{
    if (result->imports == result->room) {
        size_t room = result->room ? 2 * result->room : 64;
        struct check_import *more = realloc(result->import, room * sizeof *more);
        if (!more)
            return !(result->no_memory = true);
        result->import = more;
        result->room = room;
    }
    import.file = strdup(import.file);
    result->no_memory = result->no_memory || !import.file;
    if (import.file)
        result->import[result->imports++] = import;
    return !result->no_memory;
}

static bool is_of_mpis_names(const char *name)
{
    name += *name == 'P' || *name == 'p';
    return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "MPIX_", 5) == 0 || strncmp(name, "mpi_", 4) == 0;
}

static bool look_at_symbol(void *context, const char *name, bool is_defined)
{
    const struct looking *looking = context;
    struct check_result *result = looking->result;
    const char *call = is_defined ? NULL : job_call_not_carried(name);
    result->names += !is_defined && is_of_mpis_names(name);
    if (!call || is_known(result, call))
        return true;
    bool by_bindings = looking->has_bindings && imports_is_called_by(looking->imports, name, is_binding);
    return add(result, (struct check_import){call, looking->file, result->files, looking->by_program, by_bindings});
}

/* NULL: it was looked at; otherwise why not. */
static const char *look_at(struct check_result *result, const char *path, bool is_program)
{
    const char *why, *slash = strrchr(path, '/');
    char name[NAME_MAX + 1];
    struct imports *imports = imports_open(path, &why);
    if (!imports)
        return why;
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    struct looking looking = {result, imports, name, is_program, false};
    result->files++;
    imports_list(imports, look_for_bindings, &looking);
    imports_list(imports, look_at_symbol, &looking);
    imports_close(imports);
    return NULL;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void look_at_library(void *context, const char *name, const char *file)
{
    struct check_result *result = context;
    const char *slash = strrchr(name, '/');
    if (result->mpi == PROGRAM_MPIS)
        result->mpi = program_mpi_of_library(name);
    if (is_of_mpi(slash ? slash + 1 : name) || result->no_memory)
        return;
    if (file)
        look_at(result, file, false);
    else if (strstr(name, ".so") && strncmp(name, "linux-vdso", 10) != 0 && !result->missing++)
        result->first_missing = strdup(name);
}

int check_files(const struct usage *usage, struct check_result *result)
{
    result->mpi = PROGRAM_MPIS;
    const char *why = look_at(result, result->path, true);
    if (!why)
        program_libraries(result->path, look_at_library, result);
    if (!why && result->mpi == PROGRAM_MPIS && result->names == 0)
        why = "is linked with no MPI (by ldd)";
    if (why)
        return cli_usage_error(usage,
                               "%.200s: %s; what it loads or starts later cannot be seen from here: name the program "
                               "or library that makes the MPI calls",
                               result->path, why);
    return result->no_memory ? cli_failure(usage, "no memory for the names of calls") : -1;
}

void check_free(struct check_result *result)
{
    for (size_t i = 0; i < result->imports; i++)
        free(result->import[i].file);
    free(result->first_missing);
    free(result->import);
}
