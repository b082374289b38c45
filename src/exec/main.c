/* main.c: see exec.h. */
#include "exec/exec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void exec_say(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    int size = snprintf(line, sizeof line, "knell exec: ");
    va_start(arguments, format);
    vsnprintf(line + size, sizeof line - (size_t)size - 1, format, arguments);
    va_end(arguments);
    strcat(line, "\n");
    (void)!write(STDERR_FILENO, line, strlen(line));
}

/* By the word of Open MPI, PMIx, hydra or Slurm. */
static int launched_as(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return -1;
}

static bool prepare(struct exec *exec)
{
    exec->is_heard = getenv("KNELL_RUN") && exec->number >= 0;
    if (exec->is_heard && !link_open(exec))
        return false;
    if (!desk_make(exec) || !rank_prepare(exec)) {
        exec_say("there is no memory for what the rank and its supervisor share");
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct exec exec = {.program = argv + 1,
                        .number = launched_as(),
                        .channel = {.fd = -1, .lost = true},
                        .front = -1,
                        .desk_fd = -1,
                        .calls_fd = -1,
                        .reports_in = -1,
                        .reports_out = -1,
                        .deaths_in = -1,
                        .deaths_out = -1};
    if (argc < 2) {
        exec_say("a program is expected, as in mpirun -n 4 knell exec ./app");
        return 2;
    }
    pmix_prepare();
    if (!prepare(&exec))
        return EXIT_FAILURE;
    if (exec.is_apart && !front_leave(&exec)) {
        exec_say("no process can be started for the supervisor");
        return EXIT_FAILURE;
    }
    if (!loop_until_start(&exec))
        return EXIT_FAILURE;
    output_prepare(exec.is_heard && getenv("KNELL_RECORD"));
    if (!rank_start(&exec)) {
        exec_say("no process can be started for the rank");
        return EXIT_FAILURE;
    }
    output_become_supervisor();
    loop_until_end(&exec);
    return end_tell(&exec);
}
