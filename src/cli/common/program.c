/* program.c: see program.h. */
#include "cli/common/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const program_mpi_names[] = {"openmpi", "mpich", NULL};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

bool program_is(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

bool program_on_path(const char *name, char path[PATH_MAX])
{
    const char *along = getenv("PATH");
    const char *from = strchr(name, '/') ? "" : along ? along : "/usr/bin:/bin";
    do {
        size_t length = strcspn(from, ":");
        int size = length ? snprintf(path, PATH_MAX, "%.*s/%s", (int)length, from, name)
                          : snprintf(path, PATH_MAX, "%s", name);
        if (size < PATH_MAX && program_is(path))
            return true;
        from += length;
    } while (*from++ == ':');
    return false;
}

/* ---- its libraries ----------------------------------------------------------------------------------------------- */

static FILE *start_ldd(const char *path, pid_t *child)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execlp("ldd", "ldd", path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

/* "\tlibm.so.6 => /lib/libm.so.6 (0x7f...)", "\tlibx.so => not found", "\t/lib64/ld-linux-x86-64.so.2 (0x7f...)". */
static void read_line(char *line, program_library *each, void *context)
{
    char *name = line + strspn(line, " \t"), *arrow = strstr(name, " => "), *file = arrow ? arrow + 4 : name;
    char *address = strstr(file, " (0x");
    if (arrow)
        *arrow = '\0';
    if (address)
        *address = '\0';
    if (arrow || address)
        each(context, name, address && *file == '/' ? file : NULL);
}

void program_libraries(const char *path, program_library *each, void *context)
{
    char line[PATH_MAX + 256];
    pid_t child = 0;
    FILE *in = start_ldd(path, &child);
    while (in && fgets(line, sizeof line, in))
        read_line(line, each, context);
    if (in)
        fclose(in);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* ---- its MPI ----------------------------------------------------------------------------------------------------- */

/* Debian's MPICH is libmpich, other builds are libmpi.so.12; Open MPI since version 2 is libmpi.so.20, 40, ... */
int program_mpi_of_library(const char *name)
{
    if (strstr(name, "libmpich.so") || strstr(name, "libmpi.so.12") || strstr(name, "libknell-mpi-mpich"))
        return PROGRAM_MPICH;
    return strstr(name, "libmpi.so.") || strstr(name, "libknell-mpi-openmpi") ? PROGRAM_OPENMPI : PROGRAM_MPIS;
}

static void look_for_mpi(void *context, const char *name, const char *file)
{
    int *mpi = context;
    (void)file;
    if (*mpi == PROGRAM_MPIS)
        *mpi = program_mpi_of_library(name);
}

int program_mpi(const char *path)
{
    int mpi = PROGRAM_MPIS;
    program_libraries(path, look_for_mpi, &mpi);
    return mpi;
}
