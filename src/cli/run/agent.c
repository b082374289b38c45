/* agent.c: a scenario that names what the layer cannot see (functions that are not MPI's, variables that the program did not register, slow())
 * is run by the agent: `knell agent --listen`, a child of this process. The ranks' supervisors give it the ranks (src/exec/rank.c), which
 * it traces from their first instruction. The job itself goes its way as without a scenario; only who was halted is asked. */
#include "cli/run/run.h"
#include "cli/scenario/names.h"
#include "cli/scenario/scenario.h"
#include "os/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_NS INT64_C(5000000000)

/* ---- is it needed? ----------------------------------------------------------------------------------------------- */

static void hear_nothing(void *driver, const struct knell_fail_note *note)
{
    (void)driver, (void)note;
}

static bool can(const struct scenario *scenario, const char *effector)
{
    const struct knell_fail_reporter reporter = {NULL, hear_nothing};
    return knell_fail_require(scenario->program, knell_fail_effector_find(effector), &reporter) == 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_of_program(const struct run_plan *plan, const struct knell_fail_place *place)
{
    char word[PATH_MAX];
    if (!place->program)
        return false;
    agent_program_word(place->program, word);
    return strcmp(base_name(word), base_name(plan->path)) == 0;
}

/* A slot beyond the last rank stays empty. */
static void name_slot(struct run_plan *plan, const struct scenario *scenario, int64_t rank, uint32_t instance)
{
    if (rank < plan->ranks)
        knell_fail_instance_name(scenario->program, instance, plan->agent_slot[rank], RUN_SLOT_NAME);
}

/* The slots of its program, as the agent numbers them. */
static int check_slots(struct run_plan *plan, const struct scenario *scenario)
{
    char why[AGENT_WHY];
    int64_t slots = 0;
    plan->agent_slot = calloc((size_t)plan->ranks, sizeof *plan->agent_slot);
    if (!plan->agent_slot)
        return cli_failure(plan->usage, "no memory for the slots");
    for (uint32_t i = 0; i < knell_fail_place_count(scenario->program); i++) {
        struct knell_fail_place place = knell_fail_place_at(scenario->program, i);
        if (!is_of_program(plan, &place))
            continue;
        for (uint32_t k = 0; k < place.size; k++)
            name_slot(plan, scenario, slots++, place.first + k);
        if (!scenario_check_names(scenario->program, i, plan->path, why))
            return cli_usage_error(plan->usage, "%s", why);
    }
    if (slots == 0)
        return cli_usage_error(
            plan->usage,
            "--fail %.120s: it names functions that are not MPI's, and no place of it has the program \"%.80s\"",
            plan->fail, base_name(plan->path));
    if (slots < plan->ranks)
        return cli_usage_error(plan->usage,
                               "%.120s is for %d processes, the job has %d ranks: make `size` of its group larger",
                               plan->fail, (int)slots, (int)plan->ranks);
    return -1;
}

static int decide(struct run_plan *plan, const struct scenario *scenario)
{
    plan->by_agent = !can(scenario, "run") && can(scenario, "agent");
    if (!plan->by_agent)
        return -1; /* whatever is wrong with it is said later */
    if (plan->hosts)
        return cli_usage_error(
            plan->usage, "--fail %.120s: names functions that are not MPI's; that works on one host only", plan->fail);
    return check_slots(plan, scenario);
}

int run_agent_check(struct run_plan *plan)
{
    struct scenario scenario;
    if (!plan->fail || plan->mode != RUN_MODE_REAL || strcmp(plan->fail, "-") == 0)
        return -1;
    int status = scenario_peek(plan->usage, plan->fail, &plan->defines, &scenario);
    status = status == EXIT_OK       ? decide(plan, &scenario)
             : status == EXIT_FAILED ? -1 /* its errors are said when it is opened */
                                     : status;
    scenario_close(&scenario);
    return status;
}

/* ---- its process ------------------------------------------------------------------------------------------------- */

static _Noreturn void become_agent(const struct run_job *job, const char *log)
{
    const struct run_plan *plan = job->plan;
    const char *argv[16 + 2 * TEXTS_MAX] = {"knell", "agent", "--listen", "--fail", plan->fail, "--log", log, "--seed"};
    char seed[32];
    size_t count = 8;
    snprintf(seed, sizeof seed, "%lld", (long long)plan->seed);
    argv[count++] = seed;
    for (size_t i = 0; i < plan->defines.n; i++) {
        argv[count++] = "--define";
        argv[count++] = plan->defines.items[i];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* and the ranks with it: they are traced */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); /* ctrl-C is for the job to hear */
    execv("/proc/self/exe", (char *const *)argv);
    _exit(127);
}

static bool has_socket(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISSOCK(s.st_mode);
}

int run_agent_start(struct run_job *job)
{
    char path[PATH_MAX], log[PATH_MAX];
    if (!job->plan->by_agent)
        return EXIT_OK;
    snprintf(path, sizeof path, "%s/agent", job->directory.path);
    snprintf(log, sizeof log, "%s/agent.log", job->directory.path);
    setenv("KNELL_AGENT", path, 1);
    job->agent = fork();
    if (job->agent == 0)
        become_agent(job, log);
    int64_t until = knell__clock_now() + PATIENCE_NS;
    while (job->agent > 0 && !has_socket(path) && knell__clock_now() < until && waitpid(job->agent, NULL, WNOHANG) == 0)
        usleep(1000);
    return has_socket(path) ? EXIT_OK : cli_failure(job->plan->usage, "the agent cannot be started");
}

/* Ranks are gone. What it wrote becomes part of the job's log. */
void run_agent_stop(struct run_job *job)
{
    char path[PATH_MAX], line[2048];
    if (!job->plan->by_agent)
        return;
    if (job->agent > 0) {
        kill(job->agent, SIGTERM);
        waitpid(job->agent, NULL, 0);
        job->agent = 0;
    }
    snprintf(path, sizeof path, "%s/agent.log", job->directory.path);
    FILE *log = run_logs(job) ? fopen(path, "re") : NULL;
    while (log && fgets(line, sizeof line, log)) {
        line[strcspn(line, "\n")] = '\0';
        run_log_scenario(job, line);
    }
    if (log)
        fclose(log);
}

/* ---- whom it halted ---------------------------------------------------------------------------------------------- */

static bool is_halt(const char *actions)
{
    for (const char *at = actions; (at = strstr(at, "halt")) != NULL; at += 4)
        if (at[-1] == ' ' && (at[4] == ',' || at[4] == '\n'))
            return true;
    return false;
}

/* The log's lines are "SEQUENCE TIME SLOT LINE event -> action, action"; it is written before the death it tells. */
bool run_agent_halted(const struct run_job *job, int rank)
{
    char path[PATH_MAX], line[2048], slot[128];
    bool halted = false;
    snprintf(path, sizeof path, "%s/agent.log", job->directory.path);
    FILE *log = job->plan->by_agent ? fopen(path, "re") : NULL;
    while (log && !halted && fgets(line, sizeof line, log)) {
        const char *arrow = strstr(line, " -> ");
        halted = arrow && is_halt(arrow + 3) && sscanf(line, "%*s %*s %127s", slot) == 1 &&
                 strcmp(slot, job->plan->agent_slot[rank]) == 0;
    }
    if (log)
        fclose(log);
    return halted;
}
