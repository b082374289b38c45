/* run_launch: the launcher's command line, with the environment of the ranks: what each MPI needs to live on after a death (docs/mpi.md). */
#include "cli/heartbeat.h"
#include "cli/run.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- gathering ------------------------------------------------------------------------------------------------------------- */

static void add(struct knell__run_command *command, const char *word)
{
    command->word[command->words++] = strdup(word);
}

static void add_all(struct knell__run_command *command, const char *const *words)
{
    while (*words)
        add(command, *words++);
}

/* A setting of the ranks alone: the launcher itself must not load the layer. */
static void give(const struct knell__run_plan *plan, struct knell__run_command *command, const char *name,
                 const char *value)
{
    char both[3 * PATH_MAX];
    snprintf(both, sizeof both, "%s=%s", name, value);
    if (plan->mpi == KNELL__RUN_OPENMPI) {
        add(command, "-x");
        add(command, both);
    } else {
        add(command, "-genv");
        add(command, name);
        add(command, value);
    }
}

/* What the user has set is the user's; the launcher passes it on. */
static void give_unless_set(const struct knell__run_plan *plan, struct knell__run_command *command, const char *name,
                            const char *value)
{
    if (!getenv(name))
        give(plan, command, name, value);
}

static void give_time(const struct knell__run_plan *plan, struct knell__run_command *command, const char *name,
                      int64_t time)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, time);
    give(plan, command, name, text);
}

/* ---- the two launchers ----------------------------------------------------------------------------------------------------- */

static void option(struct knell__run_command *command, const char *name, const char *value)
{
    const char *const words[] = {"--mca", name, value, NULL};
    add_all(command, words);
}

/* Its shared memory is quicker than TCP, and may be left broken by who is killed while it writes there (docs/mpi.md): a ghost is not. */
static void for_openmpi(const struct knell__run_plan *plan, const char *place, struct knell__run_command *command)
{
    static const char *const words[] = {"--oversubscribe", "--enable-recovery", NULL};
    add_all(command, words);
    if (geteuid() == 0)
        add(command, "--allow-run-as-root");
    option(command, "orte_abort_on_non_zero_status", "0");
    option(command, "orte_allowed_exit_without_sync", "1");
    option(command, "pml", "ob1");
    if (!getenv("OMPI_MCA_btl")) /* what the user has set is the user's */
        option(command, "btl", plan->mode == KNELL__RUN_GHOST ? "vader,tcp,self" : "tcp,self");
    if (place) {
        option(command, "orte_tmpdir_base", place);
        option(command, "btl_vader_backing_directory", place);
    }
}

/* Small messages by TCP, large ones written into the receiver's memory by the sender: docs/mpi.md says what a death does to the others
 * over other paths. */
static void for_mpich(const struct knell__run_plan *plan, const char *place, struct knell__run_command *command)
{
    add(command, "-disable-auto-cleanup");
    give_unless_set(plan, command, "UCX_TLS", "tcp,cma,self");
    give_unless_set(plan, command, "UCX_RNDV_SCHEME", "put_zcopy");
    give_unless_set(plan, command, "UCX_MAX_RNDV_RAILS", "1");
    if (place)
        give(plan, command, "UCX_POSIX_DIR", place);
}

/* ---- the command ----------------------------------------------------------------------------------------------------------- */

/* What the user loads comes first: a tool stands between the program and the layer, and sees the calls of the program. */
static void give_preload(const struct knell__run_plan *plan, struct knell__run_command *command)
{
    char list[2 * PATH_MAX];
    const char *already = getenv("LD_PRELOAD");
    snprintf(list, sizeof list, "%s%s%s", already ? already : "", already && *already ? ":" : "", plan->layer);
    give(plan, command, "LD_PRELOAD", list);
}

static void give_infos(const struct knell__run_plan *plan, struct knell__run_command *command)
{
    char text[1024];
    knell__run_info_join(plan, text, sizeof text);
    give(plan, command, "KNELL_INFO", text);
}

static void give_settings(const struct knell__run_plan *plan, const char *place, struct knell__run_command *command)
{
    give(plan, command, "KNELL_SUPERVISE", "1");
    give(plan, command, "KNELL_MODE", plan->mode == KNELL__RUN_GHOST ? "ghost" : "real");
    if (plan->eta)
        give_time(plan, command, "KNELL_ETA_NS", plan->eta);
    if (plan->delta)
        give_time(plan, command, "KNELL_DELTA_NS", plan->delta);
    give(plan, command, "KNELL_OVERLAY", knell__overlay_names[plan->overlay]);
    if (plan->latest_only)
        give(plan, command, "KNELL_LATEST_ONLY", "1");
    if (plan->ghost_delay)
        give_time(plan, command, "KNELL_GHOST_DELAY_NS", plan->ghost_delay);
    if (plan->grace)
        give_time(plan, command, "KNELL_GRACE_NS", plan->grace);
    if (plan->infos.n)
        give_infos(plan, command);
    if (place)
        give(plan, command, "KNELL_RUN", place);
    if (place && knell__run_injects(plan))
        give(plan, command, "KNELL_INJECT", "1");
}

bool knell__run_command_make(const struct knell__run_plan *plan, const char *place, struct knell__run_command *command)
{
    char ranks[16];
    size_t count = 0;
    while (plan->program[count])
        count++;
    memset(command, 0, sizeof *command);
    command->word = calloc(count + KNELL__RUN_WORDS, sizeof *command->word);
    if (!command->word)
        return false;
    snprintf(ranks, sizeof ranks, "%" PRId64, plan->ranks);
    add(command, plan->launcher);
    if (plan->mpi == KNELL__RUN_OPENMPI)
        for_openmpi(plan, place, command);
    else
        for_mpich(plan, place, command);
    give_settings(plan, place, command);
    give_preload(plan, command);
    add(command, "-n");
    add(command, ranks);
    add(command, plan->path);
    for (size_t i = 1; i < count; i++)
        add(command, plan->program[i]);
    return true;
}

/* As a shell takes it. */
static void print_word(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%^";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

void knell__run_command_print(const struct knell__run_command *command, FILE *out)
{
    for (size_t i = 0; i < command->words; i++, fputc(i < command->words ? ' ' : '\n', out))
        print_word(command->word[i], out);
}

/* In a group of its own, so that ctrl-C comes to us alone; it ends should we be killed. */
static _Noreturn void become_launcher(const struct knell__run_command *command, pid_t parent, int output)
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
    execv(command->word[0], command->word);
    _exit(127);
}

pid_t knell__run_command_start(const struct knell__run_command *command, int output)
{
    pid_t parent = getpid(), child;
    fflush(NULL);
    child = fork();
    if (child == 0)
        become_launcher(command, parent, output);
    return child;
}

void knell__run_command_free(struct knell__run_command *command)
{
    for (size_t i = 0; command->word && i < command->words; i++)
        free(command->word[i]);
    free(command->word);
}
