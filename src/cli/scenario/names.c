/* names.c: see names.h. */
#include "cli/scenario/names.h"
#include "cli/common/program.h"

#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 256 };

struct files {
    char *path[FILES_MAX];
    unsigned count;
};

static void add_file(void *context, const char *name, const char *path)
{
    struct files *files = context;
    (void)name;
    if (path && files->count < FILES_MAX && (files->path[files->count] = strdup(path)))
        files->count++;
}

bool scenario_check_names(const struct knell_fail_program *program, uint32_t place, const char *path,
                          char why[AGENT_WHY])
{
    struct files files = {0};
    if (!agent_check_file(path, why))
        return false;
    add_file(&files, path, path);
    program_libraries(path, add_file, &files);
    bool fine = agent_check_names(program, place, files.path, files.count, why);
    for (unsigned i = 0; i < files.count; i++)
        free(files.path[i]);
    return fine;
}
