/* agent.c: a scenario that names what the layer cannot see (functions that are not MPI's, variables that the program did not register, slow())
 * is run by agents, one on each host: `knell agent --join`. That of this host is a child of this process; on another host a supervisor starts
 * it. The ranks give themselves to the agent of their host (src/exec/rank.c), which traces them from their first instruction. The job itself
 * goes its way as without a scenario; only who was halted is to be known. */
#include "cli/run/run.h"
#include "cli/scenario/names.h"
#include "cli/scenario/scenario.h"
#include "os/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

/* So long after another one a supervisor may come. */
#define SUPERVISOR_COMES_NS INT64_C(60000000000)

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
        for (uint32_t k = 0; k < place.size; k++, slots++)
            if (slots < plan->ranks) /* one beyond the last rank stays empty */
                plan->agent_slot[slots] = place.first + k;
        if (!leader_has_room(&place))
            return cli_usage_error(plan->usage, "--fail %.120s: `hosts` of %s has no room for its %u slots", plan->fail,
                                   place.name, place.size);
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

/* ---- what agents tell -------------------------------------------------------------------------------------------- */

/* The line comes before the death it tells of, but from another host it may be the other way round. */
static void take_line(void *driver, const struct channel_line *line, const char *text)
{
    struct run_job *job = driver;
    if (run_logs(job))
        run_log_scenario(job, text);
    if (line->flags & CHANNEL_LINE_HALTS && line->rank >= 0 && line->rank < job->plan->ranks)
        job->rank[line->rank].injected = job->rank[line->rank].struck = true;
}

/* The first reason is the one. After the job's end agents end because they are told to. */
static void take_tell(void *driver, bool fatal, const char *host, const char *text)
{
    struct run_job *job = driver;
    bool names_host = *host && job->plan->address[0];
    if (job->end || (fatal && job->agent_said))
        return;
    fprintf(stderr, "%s: %s%s%s\n", job->plan->usage->command, names_host ? host : "", names_host ? ": " : "", text);
    job->agent_said |= fatal;
    job->agent_lost |= fatal;
}

/* Its agent's end would have been that of the rank, too. */
static bool has_ended_before(const struct run_rank *rank)
{
    return rank->ended && (rank->injected || !WIFSIGNALED(rank->status) || WTERMSIG(rank->status) != SIGKILL);
}

/* All ranks of the host had ended; what they told is read first. */
static bool may_go(void *driver, const char *host)
{
    struct run_job *job = driver;
    run_read_reports(job);
    for (int rank = 0; rank < job->links.ranks; rank++)
        if (!has_ended_before(&job->rank[rank]) && leader_is_same_host(job->links.link[rank].host, host))
            return false;
    return job->links.opened == job->links.ranks;
}

void run_agent_cannot_start(struct run_job *job, int rank, const struct channel_message *message)
{
    char text[PATH_MAX + 128];
    if (message->size <= sizeof(struct channel_number) || !job->plan->by_agent)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(message->size - sizeof(struct channel_number)),
             (const char *)message->body + sizeof(struct channel_number));
    take_tell(job, true, job->links.link[rank].host, text);
}

/* ---- the agent of this host -------------------------------------------------------------------------------------- */

static _Noreturn void become_agent(const struct run_job *job)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* and the ranks with it: they are traced */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); /* ctrl-C is for the job to hear */
    setenv("KNELL_RUN", job->links.door.address, 1);
    setenv("KNELL_KEY", job->links.door.key_text, 1);
    execl("/proc/self/exe", "knell", "agent", "--join", "0", (char *)NULL);
    _exit(127);
}

/* Ranks find the agent of their host by a name that no other job has. */
static bool name_agents(void)
{
    uint64_t number;
    char name[40];
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return false;
    snprintf(name, sizeof name, "@knell-agent-%016" PRIx64, number);
    return setenv("KNELL_AGENT", name, 1) == 0;
}

static bool open_leader(struct run_job *job)
{
    char host[CHANNEL_HOST_NAME] = "";
    gethostname(host, sizeof host - 1);
    job->leader = (struct leader){.scenario = &job->agent_scenario,
                                  .defines = &job->plan->defines,
                                  .seed = (uint64_t)job->plan->seed,
                                  .flags = CHANNEL_SETUP_LISTENS | (run_logs(job) ? CHANNEL_SETUP_ALL_LINES : 0u),
                                  .driver = job,
                                  .line = take_line,
                                  .tell = take_tell,
                                  .may_go = may_go};
    return leader_open(&job->leader, host);
}

int run_agent_start(struct run_job *job)
{
    const struct run_plan *plan = job->plan;
    if (!plan->by_agent)
        return EXIT_OK;
    int status = scenario_peek(plan->usage, plan->fail, &plan->defines, &job->agent_scenario);
    if (status != EXIT_OK)
        return status;
    if (!open_leader(job) || !name_agents())
        return cli_failure(plan->usage, "no memory for the agents");
    job->agent = fork();
    if (job->agent == 0)
        become_agent(job);
    return job->agent > 0 ? EXIT_OK : cli_failure(plan->usage, "the agent cannot be started: %s", strerror(errno));
}

/* ---- those of the others ----------------------------------------------------------------------------------------- */

static void order_agent(struct run_job *job, int rank, unsigned number)
{
    char knell[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", knell, sizeof knell);
    struct channel_number order = {number};
    channel_put(&job->links.link[rank].stream, CHANNEL_AGENT, &order, sizeof order, knell, size > 0 ? (size_t)size : 0);
}

static int rank_of(const struct run_job *job, uint32_t instance)
{
    int rank = 0;
    while (rank < job->links.ranks && job->plan->agent_slot[rank] != instance)
        rank++;
    return rank < job->links.ranks ? rank : -1;
}

/* By `hosts` of its place. A rank must be where its slot is, unless it takes any slot of its host. */
static bool own_slot(struct run_job *job, const struct knell_fail_place *place, uint32_t slot)
{
    char host[CHANNEL_HOST_NAME], name[96], text[512];
    if (!leader_slot_host(place, slot, host))
        return true;
    int rank = rank_of(job, place->first + slot);
    unsigned number = leader_find(&job->leader, host);
    if (place->match == KNELL_FAIL_MATCH_RANK && rank >= 0 && !leader_is_same_host(host, job->links.link[rank].host)) {
        knell_fail_instance_name(job->agent_scenario.program, place->first + slot, name, sizeof name);
        snprintf(
            text, sizeof text,
            "rank %d runs on %s, and the scenario has its slot %s on %s; match = \"host\" would let it take any slot of its "
            "host",
            rank, job->links.link[rank].host, name, host);
        take_tell(job, true, "", text);
        return false;
    }
    job->leader.owner[place->first + slot] = number < job->leader.agents ? number : 0;
    return true;
}

static bool own_slots_by_host(struct run_job *job)
{
    const struct knell_fail_program *program = job->agent_scenario.program;
    for (uint32_t i = 0; i < knell_fail_place_count(program); i++) {
        struct knell_fail_place place = knell_fail_place_at(program, i);
        for (uint32_t k = 0; k < place.size; k++)
            if (!own_slot(job, &place, k))
                return false;
    }
    return true;
}

/* The agent of the rank's host; `is_new`: it is to be started. */
static bool add_agent(struct run_job *job, int rank, bool *is_new, unsigned *number)
{
    *number = leader_add(&job->leader, job->links.link[rank].host, is_new);
    if (*number == UINT_MAX)
        take_tell(job, true, "", "no memory for the agents");
    return *number != UINT_MAX;
}

/* A slot lives where its rank is; those without a rank stay with the first agent. Agents are started when nothing is wrong with that. */
void run_agent_gather(struct run_job *job)
{
    unsigned known = job->leader.agents, number;
    bool is_new;
    for (int rank = 0; rank < job->links.ranks; rank++) {
        if (!add_agent(job, rank, &is_new, &number))
            return;
        job->leader.owner[job->plan->agent_slot[rank]] = number;
    }
    if (!own_slots_by_host(job))
        return;
    for (int rank = 0; rank < job->links.ranks; rank++)
        if (leader_find(&job->leader, job->links.link[rank].host) == known)
            order_agent(job, rank, known++);
    leader_complete(&job->leader);
}

/* A supervisor tries to connect for half a minute and then ends; without it there is no beginning, and no other sign of that here. */
static void look_for_missing(struct run_job *job)
{
    struct run_links *links = &job->links;
    int rank = 0;
    char text[512];
    if (links->opened == 0 || links->opened == links->ranks ||
        knell__clock_now() - links->opened_at < SUPERVISOR_COMES_NS)
        return;
    while (rank + 1 < links->ranks && links->link[rank].was_open)
        rank++;
    snprintf(text, sizeof text,
             "rank %d does not come: %.200s has not started it, or its host cannot reach knell run at %.60s", rank,
             job->plan->launcher, links->door.address);
    take_tell(job, true, "", text);
}

int64_t run_agent_turn(struct run_job *job)
{
    if (!job->plan->by_agent)
        return KNELL_NEVER;
    bool ran = job->leader.phase == LEADER_RUNS;
    look_for_missing(job);
    leader_turn(&job->leader);
    if (!ran && job->leader.phase == LEADER_RUNS)
        run_links_start(job);
    return leader_ping(&job->leader);
}

/* Ranks are gone. What agents still had to say is in the log afterwards. */
void run_agent_stop(struct run_job *job)
{
    if (!job->plan->by_agent)
        return;
    for (int rank = 0; rank < job->links.ranks; rank++)
        if (job->links.link[rank].is_host_lost)
            leader_forget(&job->leader, job->links.link[rank].host);
    leader_close(&job->leader);
    if (job->agent > 0) {
        leader_end_child(job->agent, knell__clock_now() + LEADER_CHILD_ENDS_NS);
        job->agent = 0;
    }
    scenario_close(&job->agent_scenario);
}
