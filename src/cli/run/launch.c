/* launch.c: see launch.h. */
#include "cli/run/launch.h"
#include "cli/common/heartbeat.h"
#include "cli/common/installed.h"
#include "cli/common/shell.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- gathering --------------------------------------------------------------------------------------------------- */

void run_launch_add(struct run_launch *command, const char *word)
{
    command->word[command->words++] = strdup(word);
}

void run_launch_add_all(struct run_launch *command, const char *const *words)
{
    while (*words)
        run_launch_add(command, *words++);
}

void run_launch_give(const struct run_plan *plan, struct run_launch *command, const char *name, const char *value)
{
    char both[3 * PATH_MAX];
    snprintf(both, sizeof both, "%s=%s", name, value);
    if (plan->slurm) {
        run_launch_add(command, both);
    } else if (plan->mpi == PROGRAM_OPENMPI) {
        run_launch_add(command, "-x");
        run_launch_add(command, both);
    } else {
        run_launch_add(command, "-genv");
        run_launch_add(command, name);
        run_launch_add(command, value);
    }
}

void run_launch_give_unless_set(const struct run_plan *plan, struct run_launch *command, const char *name,
                                const char *value)
{
    if (!getenv(name))
        run_launch_give(plan, command, name, value);
}

void run_launch_add_hosts(const struct run_plan *plan, const char *name, struct run_launch *command)
{
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    if (!out)
        return;
    run_hosts_write(plan, out);
    fclose(out);
    run_launch_add(command, name);
    run_launch_add(command, list);
    free(list);
}

static void give_time(const struct run_plan *plan, struct run_launch *command, const char *name, int64_t time)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, time);
    run_launch_give(plan, command, name, text);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void give_preload(const struct run_plan *plan, struct run_launch *command)
{
    char list[2 * PATH_MAX];
    installed_preload(plan->layer, list);
    run_launch_give(plan, command, "KNELL_PRELOAD", list);
}

static void give_infos(const struct run_plan *plan, struct run_launch *command)
{
    char text[1024];
    run_info_join(plan, text, sizeof text);
    run_launch_give(plan, command, "KNELL_INFO", text);
}

static void give_settings(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    run_launch_give(plan, command, "KNELL_MODE", plan->mode == RUN_MODE_GHOST ? "ghost" : "real");
    if (plan->eta)
        give_time(plan, command, "KNELL_ETA_NS", plan->eta);
    if (plan->delta)
        give_time(plan, command, "KNELL_DELTA_NS", plan->delta);
    run_launch_give(plan, command, "KNELL_OVERLAY", heartbeat_overlay_names[plan->overlay]);
    run_launch_give(plan, command, "KNELL_ON_SPLIT", heartbeat_split_names[plan->on_split]);
    if (plan->latest_only)
        run_launch_give(plan, command, "KNELL_LATEST_ONLY", "1");
    if (plan->ghost_delay)
        give_time(plan, command, "KNELL_GHOST_DELAY_NS", plan->ghost_delay);
    if (plan->grace)
        give_time(plan, command, "KNELL_GRACE_NS", plan->grace);
    if (plan->carrier != RUN_CARRIER_ON)
        run_launch_give(plan, command, "KNELL_CARRIER", plan->carrier == RUN_CARRIER_OFF ? "off" : "pieces");
    if (plan->verbose)
        run_launch_give(plan, command, "KNELL_VERBOSE", "1");
    if (plan->infos.n)
        give_infos(plan, command);
    if (job)
        run_launch_give(plan, command, "KNELL_RUN", job->address);
    if (job && run_injects(plan))
        run_launch_give(plan, command, "KNELL_INJECT", "1");
    if (job && job->records)
        run_launch_give(plan, command, "KNELL_RECORD", "1");
    if (job && plan->calls)
        run_launch_give(plan, command, "KNELL_CALLS", plan->stacks ? "stacks" : "sites");
}

bool run_launch_make(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    char ranks[16];
    size_t count = 0, room = RUN_LAUNCH_WORDS;
    while (plan->program[count])
        count++;
    for (char **at = environ; *at; at++)
        room += 2;
    memset(command, 0, sizeof *command);
    command->word = calloc(count + room, sizeof *command->word);
    if (!command->word)
        return false;
    snprintf(ranks, sizeof ranks, "%" PRId64, plan->ranks);
    run_launch_add(command, plan->launcher);
    if (plan->slurm)
        run_launch_slurm(plan, ranks, command);
    if (plan->mpi == PROGRAM_OPENMPI)
        run_launch_openmpi(plan, job, command);
    else
        run_launch_mpich(plan, job, command);
    give_settings(plan, job, command);
    give_preload(plan, command);
    if (!plan->slurm) {
        run_launch_add(command, "-n");
        run_launch_add(command, ranks);
    }
    run_launch_add(command, plan->supervisor);
    run_launch_add(command, plan->path);
    for (size_t i = 1; i < count; i++)
        run_launch_add(command, plan->program[i]);
    return true;
}

void run_launch_print(const struct run_launch *command, FILE *out)
{
    shell_print(command->word, command->words, out);
    fputc('\n', out);
}

/* The launcher has its own process group, so that ctrl-C reaches only this process; it ends if this process is
 * killed. */
static _Noreturn void become_launcher(const struct run_launch *command, const char *key, pid_t parent, int output,
                                      int errors)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127);
    if (isatty(STDIN_FILENO)) {
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(nothing, STDIN_FILENO);
    }
    if (output != STDOUT_FILENO) /* that may be our standard error */
        dup2(output, STDOUT_FILENO);
    if (errors != STDERR_FILENO)
        dup2(errors, STDERR_FILENO);
    setenv("KNELL_KEY", key, 1);
    execv(command->word[0], command->word);
    _exit(127);
}

pid_t run_launch_start(const struct run_launch *command, const char *key, int output, int errors)
{
    pid_t parent = getpid(), child;
    fflush(NULL);
    child = fork();
    if (child == 0)
        become_launcher(command, key, parent, output, errors);
    return child;
}

void run_launch_free(struct run_launch *command)
{
    for (size_t i = 0; command->word && i < command->words; i++)
        free(command->word[i]);
    free(command->word);
}
