/* launch.c: the launcher's command line with the environment of the ranks: the settings with which each MPI goes on
 * after a death (docs/design/mpi.md). */
#include "cli/run/run.h"
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

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* ---- gathering --------------------------------------------------------------------------------------------------- */

static void add(struct run_launch *command, const char *word)
{
    command->word[command->words++] = strdup(word);
}

static void add_all(struct run_launch *command, const char *const *words)
{
    while (*words)
        add(command, *words++);
}

/* Sets a variable for the ranks only: the launcher itself must not load the layer. */
static void give(const struct run_plan *plan, struct run_launch *command, const char *name, const char *value)
{
    char both[3 * PATH_MAX];
    snprintf(both, sizeof both, "%s=%s", name, value);
    if (plan->slurm) {
        add(command, both);
    } else if (plan->mpi == PROGRAM_OPENMPI) {
        add(command, "-x");
        add(command, both);
    } else {
        add(command, "-genv");
        add(command, name);
        add(command, value);
    }
}

/* A variable that the user has set is left alone; the launcher passes it on. */
static void give_unless_set(const struct run_plan *plan, struct run_launch *command, const char *name,
                            const char *value)
{
    if (!getenv(name))
        give(plan, command, name, value);
}

static void give_time(const struct run_plan *plan, struct run_launch *command, const char *name, int64_t time)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, time);
    give(plan, command, name, text);
}

/* ---- the launchers ----------------------------------------------------------------------------------------------- */

/* A setting of Open MPI: srun has no options for them. */
static void option(const struct run_plan *plan, struct run_launch *command, const char *name, const char *value)
{
    char variable[128];
    const char *const words[] = {"--mca", name, value, NULL};
    snprintf(variable, sizeof variable, "OMPI_MCA_%s", name);
    if (plan->slurm)
        give_unless_set(plan, command, variable, value);
    else
        add_all(command, words);
}

/* A death of a rank or a host is no reason to end the others. The settings of the ranks follow, as words of env: a value with a comma
 * cannot go through --export. */
static void by_slurm(const struct run_plan *plan, const char *ranks, struct run_launch *command)
{
    const char *const words[] = {plan->mpi == PROGRAM_OPENMPI ? "--mpi=pmix" : "--mpi=pmi2",
                                 "--no-kill",
                                 "--kill-on-bad-exit=0",
                                 "--wait=0",
                                 "--overcommit",
                                 "--overlap",
                                 "--quiet",
                                 "--export=ALL",
                                 "-n",
                                 ranks,
                                 "env",
                                 NULL};
    add_all(command, words);
}

static void add_hosts(const struct run_plan *plan, const char *name, struct run_launch *command)
{
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    if (!out)
        return;
    run_hosts_write(plan, out);
    fclose(out);
    add(command, name);
    add(command, list);
    free(list);
}

/* Many builds of Open MPI do not know IPv6, and then no prefix of it: they take the interface's other address. */
static const char *network_for_openmpi(const struct run_plan *plan)
{
    return strchr(plan->network, ':') ? plan->device : plan->network;
}

/* Every daemon talks to mpirun itself: with a tree between them a lost host takes those behind it along. Connections are made at once:
 * one that is made after a death may need the lost host. */
static void to_hosts_openmpi(const struct run_plan *plan, struct run_launch *command)
{
    option(plan, command, "mpi_preconnect_mpi", "1");
    option(plan, command, "btl_tcp_if_include", network_for_openmpi(plan));
    if (plan->slurm)
        return;
    add_hosts(plan, "--host", command);
    option(plan, command, "plm_rsh_agent", plan->rsh);
    option(plan, command, "plm_rsh_no_tree_spawn", "1");
    option(plan, command, "routed", "direct");
    option(plan, command, "oob_tcp_if_include", network_for_openmpi(plan));
}

/* Of a host or a shell, not of the program; or of the launcher. */
static bool is_local(const char *name, size_t length)
{
    static const char *const names[] = {"PWD", "OLDPWD", "SHLVL", "_", "HOSTNAME", "TMPDIR", "KNELL_KEY"};
    bool local = strncmp(name, "OMPI_", 5) == 0 || strncmp(name, "PMIX_", 5) == 0;
    for (size_t i = 0; i < COUNT_OF(names) && !local; i++)
        local = strlen(names[i]) == length && strncmp(names[i], name, length) == 0;
    return local;
}

/* As on one host, and as MPICH's launcher does: ranks have the environment of this command. mpirun passes on what is named. */
static void pass_environment(struct run_launch *command)
{
    for (char **at = environ; *at; at++) {
        size_t length = strcspn(*at, "=");
        char name[256];
        if (length >= sizeof name || strspn(*at, NAME_LETTERS) != length || is_local(*at, length))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, *at);
        add(command, "-x");
        add(command, name);
    }
}

static void to_hosts_mpich(const struct run_plan *plan, struct run_launch *command)
{
    give_unless_set(plan, command, "UCX_NET_DEVICES", plan->device);
    if (plan->slurm)
        return;
    add_hosts(plan, "-hosts", command);
    add(command, "-launcher-exec");
    add(command, plan->rsh);
    add(command, "-iface");
    add(command, plan->device);
}

static void by_mpirun(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    static const char *const words[] = {"--oversubscribe", "--enable-recovery", NULL};
    add_all(command, words);
    if (geteuid() == 0)
        add(command, "--allow-run-as-root");
    option(plan, command, "orte_abort_on_non_zero_status", "0");
    option(plan, command, "orte_allowed_exit_without_sync", "1");
    /* After MPI_Abort it would wait a second for ranks that have ended. */
    option(plan, command, "odls_base_sigkill_timeout", "0");
    if (job && !plan->address[0])
        option(plan, command, "orte_tmpdir_base", job->directory);
    if (job) {
        add(command, "-x"); /* by its name: anybody may read arguments */
        add(command, "KNELL_KEY");
    }
    if (plan->address[0])
        pass_environment(command);
}

/* Shared memory is faster than TCP, but a rank that is killed while it writes there may leave it corrupt
 * (docs/design/mpi.md). A ghost is not killed. */
static void for_openmpi(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    if (!plan->slurm)
        by_mpirun(plan, job, command);
    option(plan, command, "pml", "ob1");
    if (!getenv("OMPI_MCA_btl")) /* the user's own setting wins */
        option(plan, command, "btl", plan->mode == RUN_MODE_GHOST ? "vader,tcp,self" : "tcp,self");
    if (plan->address[0])
        to_hosts_openmpi(plan, command);
    else if (job)
        option(plan, command, "btl_vader_backing_directory", job->directory);
}

/* Small messages go by TCP; the sender writes large ones into the receiver's memory. docs/design/mpi.md says what a death
 * does to other ranks over other transports. */
static void for_mpich(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    if (!plan->slurm)
        add(command, "-disable-auto-cleanup");
    give_unless_set(plan, command, "UCX_TLS", "tcp,cma,self");
    give_unless_set(plan, command, "UCX_RNDV_SCHEME", "put_zcopy");
    give_unless_set(plan, command, "UCX_MAX_RNDV_RAILS", "1");
    if (plan->address[0])
        to_hosts_mpich(plan, command);
    else if (job)
        give(plan, command, "UCX_POSIX_DIR", job->directory);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void give_preload(const struct run_plan *plan, struct run_launch *command)
{
    char list[2 * PATH_MAX];
    installed_preload(plan->layer, list);
    give(plan, command, "KNELL_PRELOAD", list);
}

static void give_infos(const struct run_plan *plan, struct run_launch *command)
{
    char text[1024];
    run_info_join(plan, text, sizeof text);
    give(plan, command, "KNELL_INFO", text);
}

static void give_settings(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    give(plan, command, "KNELL_MODE", plan->mode == RUN_MODE_GHOST ? "ghost" : "real");
    if (plan->eta)
        give_time(plan, command, "KNELL_ETA_NS", plan->eta);
    if (plan->delta)
        give_time(plan, command, "KNELL_DELTA_NS", plan->delta);
    give(plan, command, "KNELL_OVERLAY", heartbeat_overlay_names[plan->overlay]);
    give(plan, command, "KNELL_ON_SPLIT", heartbeat_split_names[plan->on_split]);
    if (plan->latest_only)
        give(plan, command, "KNELL_LATEST_ONLY", "1");
    if (plan->ghost_delay)
        give_time(plan, command, "KNELL_GHOST_DELAY_NS", plan->ghost_delay);
    if (plan->grace)
        give_time(plan, command, "KNELL_GRACE_NS", plan->grace);
    if (plan->infos.n)
        give_infos(plan, command);
    if (job)
        give(plan, command, "KNELL_RUN", job->address);
    if (job && run_injects(plan))
        give(plan, command, "KNELL_INJECT", "1");
    if (job && job->records)
        give(plan, command, "KNELL_RECORD", "1");
    if (job && plan->calls)
        give(plan, command, "KNELL_CALLS", plan->stacks ? "stacks" : "sites");
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
    add(command, plan->launcher);
    if (plan->slurm)
        by_slurm(plan, ranks, command);
    if (plan->mpi == PROGRAM_OPENMPI)
        for_openmpi(plan, job, command);
    else
        for_mpich(plan, job, command);
    give_settings(plan, job, command);
    give_preload(plan, command);
    if (!plan->slurm) {
        add(command, "-n");
        add(command, ranks);
    }
    add(command, plan->supervisor);
    add(command, plan->path);
    for (size_t i = 1; i < count; i++)
        add(command, plan->program[i]);
    return true;
}

void run_launch_print(const struct run_launch *command, FILE *out)
{
    shell_print(command->word, command->words, out);
    fputc('\n', out);
}

/* The launcher has its own process group, so that ctrl-C reaches only this process; it ends if this process is
 * killed. */
static _Noreturn void become_launcher(const struct run_launch *command, const char *key, pid_t parent, int output)
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
    if (output != STDOUT_FILENO)
        dup2(output, STDOUT_FILENO);
    setenv("KNELL_KEY", key, 1);
    execv(command->word[0], command->word);
    _exit(127);
}

pid_t run_launch_start(const struct run_launch *command, const char *key, int output)
{
    pid_t parent = getpid(), child;
    fflush(NULL);
    child = fork();
    if (child == 0)
        become_launcher(command, key, parent, output);
    return child;
}

void run_launch_free(struct run_launch *command)
{
    for (size_t i = 0; command->word && i < command->words; i++)
        free(command->word[i]);
    free(command->word);
}
