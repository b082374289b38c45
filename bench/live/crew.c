/* See crew.h. */
#include "crew.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000
enum { START_S = 40, STEP_S = 30, FIRST_PORT = 10000, PORTS = 600, LAST_PORT = 30000, LOOK_MS = 200 };

static const struct {
    const char *name, *program, *mode;
} kinds[CREW_KINDS] = {
    [CREW_KNELL] = {"knell", "member-knell", "knell"},
    [CREW_UDP] = {"knell-udp", "member-knell", "udp"},
    [CREW_UDP_LOW] = {"knell-udp-low", "member-knell", "udp-low"},
    [CREW_SWIM] = {"swim", "member-swim", "pure"},
    [CREW_PPG] = {"swim-ppg", "member-swim", "ppg"},
    [CREW_OFF] = {"off", "member-knell", "off"},
    [CREW_SLEEPER] = {"sleeper", "member-bare", ""},
    [CREW_EMPTY] = {"empty", "member-bare", ""},
};

const char *crew_kind_name(enum crew_kind kind)
{
    return kinds[kind].name;
}

bool crew_is_swim(enum crew_kind kind)
{
    return kind == CREW_SWIM || kind == CREW_PPG;
}

uint64_t crew_random(uint64_t limit)
{
    static uint64_t state = 0x9e3779b97f4a7c15; /* the same moments in every run */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

/* ---- start --------------------------------------------------------------------------------------------------------------- */

/* Beside this program. */
static void path_of(const char *program, char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    snprintf(path, size, "%s/%s", dirname(self), program);
    if (access(path, X_OK) != 0)
        machine_give_up("%s is missing; `tools/setup bench` installs what builds it, then build again", path);
}

struct text {
    char rank[16], ranks[16], eta[24], delta[24], port[16], work[8], work_ns[24];
};

static void arguments_of(const struct crew_plan *plan, const char *path, uint32_t rank, int port, struct text *text,
                         char *argv[10])
{
    snprintf(text->rank, sizeof text->rank, "%u", rank);
    snprintf(text->ranks, sizeof text->ranks, "%u", plan->ranks);
    snprintf(text->eta, sizeof text->eta, "%lld", plan->kind == CREW_EMPTY ? 0LL : (long long)plan->eta);
    snprintf(text->delta, sizeof text->delta, "%lld", (long long)plan->delta);
    snprintf(text->port, sizeof text->port, "%d", port);
    snprintf(text->work, sizeof text->work, "%d", (int)plan->work);
    snprintf(text->work_ns, sizeof text->work_ns, "%lld", (long long)plan->work_ns);
    char *mode = (char *)kinds[plan->kind].mode;
    char *knell[] = {(char *)path, text->rank, text->ranks, text->eta,     text->delta,
                     text->port,   mode,       text->work,  text->work_ns, NULL};
    char *swim[] = {(char *)path, text->rank, text->ranks, text->eta, text->port, mode, NULL};
    char *bare[] = {(char *)path, text->eta, NULL};
    if (crew_is_swim(plan->kind))
        memcpy(argv, swim, sizeof swim);
    else if (plan->kind == CREW_SLEEPER || plan->kind == CREW_EMPTY)
        memcpy(argv, bare, sizeof bare);
    else
        memcpy(argv, knell, sizeof knell);
}

/* In the child: only what is safe between fork and exec with threads about. */
static _Noreturn void become(struct crew *crew, uint32_t rank, char **argv)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (crew->plan.pinned) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(rank % (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    int log = fcntl(crew->log_fd, F_DUPFD, 10), ready = fcntl(crew->ready_fd, F_DUPFD, 10);
    if (dup2(log, LIVE_LOG_FD) < 0 || dup2(ready, LIVE_READY_FD) < 0)
        _exit(1);
    close(log);
    close(ready);
    execv(argv[0], argv);
    _exit(127);
}

static void launch(struct crew *crew)
{
    static int port = FIRST_PORT; /* another range for each crew: nothing of the last one disturbs */
    char path[PATH_MAX], *argv[10];
    struct text text;
    path_of(kinds[crew->plan.kind].program, path, sizeof path);
    port = port + PORTS > LAST_PORT ? FIRST_PORT : port + PORTS;
    for (uint32_t rank = 0; rank < crew->plan.ranks; rank++) {
        arguments_of(&crew->plan, path, rank, port, &text, argv);
        pid_t pid = fork();
        if (pid < 0)
            machine_give_up("no process for rank %u: %s", rank, strerror(errno));
        if (pid == 0)
            become(crew, rank, argv);
        crew->member[rank].pid = pid;
    }
}

/* Members that have ended: held for dead, or unable to start. */
static bool has_ended(const struct crew *crew, uint32_t rank)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)crew->member[rank].pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

static uint32_t ended(const struct crew *crew)
{
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < crew->plan.ranks; rank++)
        count += has_ended(crew, rank);
    return count;
}

/* Until so many have said that a step is done, or have ended before they could. */
static bool await(struct crew *crew, uint32_t wanted, int seconds, const char *what)
{
    uint64_t count = 0, more;
    uint32_t gone = 0;
    for (int64_t until = live_now() + seconds * 1000LL * MS; count < wanted && live_now() < until;) {
        struct pollfd fd = {.fd = crew->ready_fd, .events = POLLIN};
        if (poll(&fd, 1, LOOK_MS) > 0 && read(crew->ready_fd, &more, sizeof more) == sizeof more)
            count += more;
        else if ((gone = ended(crew)) > 0 && count + gone >= wanted)
            break;
    }
    if (count < wanted)
        fprintf(stderr, "bench-live: %s, %u members: %u of them did not %s within %d s, of which %u have ended\n",
                kinds[crew->plan.kind].name, crew->plan.ranks, wanted - (uint32_t)count, what, seconds, gone);
    return count >= wanted;
}

static uint64_t records(const struct crew *crew)
{
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < crew->plan.ranks; rank++)
        sum += atomic_load(&crew->log->part[rank].records);
    return sum;
}

/* The news of the start are out by then. Memberlist's members come one by one and may lose each other over it: it is given until nobody
 * was held for dead for 20 periods, a few times over. */
static void settle(const struct crew *crew)
{
    bool swim = crew_is_swim(crew->plan.kind), watches = crew->plan.kind <= CREW_PPG && crew->plan.work == WORK_NONE;
    int64_t least = swim ? 1500 * MS : watches ? 300 * MS : 20 * MS;
    int64_t periods = (swim ? 20 : watches ? 10 : 0) * crew->plan.eta;
    uint64_t before = 0;
    for (int tries = swim ? 3 : 1; tries > 0; tries--) {
        before = records(crew);
        live_sleep_until(live_now() + (periods > least ? periods : least));
        if (records(crew) == before)
            return;
    }
}

bool crew_start(struct crew *crew, const struct crew_plan *plan)
{
    *crew = (struct crew){.plan = *plan};
    crew->member = calloc(plan->ranks, sizeof *crew->member);
    crew->log_fd = memfd_create("bench-live", MFD_CLOEXEC);
    crew->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!crew->member || crew->log_fd < 0 || crew->ready_fd < 0 ||
        ftruncate(crew->log_fd, (off_t)live_log_size(plan->ranks)) != 0 ||
        !(crew->log = live_log_map(crew->log_fd, plan->ranks)))
        machine_give_up("no log: %s", strerror(errno));
    atomic_store(&crew->log->eta, plan->eta);
    launch(crew);
    bool well = await(crew, plan->ranks, START_S, "start");
    if (well && crew_is_swim(plan->kind)) /* all join rank 0, twice: then all know all (swim/member.go) */
        well = crew_step_all(crew) && crew_step_all(crew);
    if (!well) {
        crew_end(crew);
        return false;
    }
    settle(crew);
    crew->began = live_now();
    return true;
}

void crew_end(struct crew *crew)
{
    for (uint32_t rank = 0; rank < crew->plan.ranks; rank++)
        if (crew->member[rank].pid > 0)
            kill(crew->member[rank].pid, SIGKILL);
    for (uint32_t rank = 0; rank < crew->plan.ranks; rank++)
        if (crew->member[rank].pid > 0)
            waitpid(crew->member[rank].pid, NULL, 0); /* killed: it ends */
    munmap(crew->log, live_log_size(crew->plan.ranks));
    close(crew->log_fd);
    close(crew->ready_fd);
    free(crew->member);
}

/* ---- life ---------------------------------------------------------------------------------------------------------------- */

void crew_hurt(struct crew *crew, uint32_t rank, int signal)
{
    struct crew_member *member = &crew->member[rank];
    int64_t now = live_now();
    kill(member->pid, signal); /* not reaped before the end: the number is its own */
    if (signal == SIGCONT)
        member->resumed = now;
    else
        member->hurt = now;
}

bool crew_step(struct crew *crew, const uint32_t *rank, uint32_t count, int64_t at, bool wait)
{
    atomic_store(&crew->log->at, at);
    for (uint32_t i = 0; i < count; i++)
        kill(crew->member[rank ? rank[i] : i].pid, SIGUSR1);
    return !wait || await(crew, count, STEP_S, "do a step");
}

bool crew_step_all(struct crew *crew)
{
    return crew_step(crew, NULL, crew->plan.ranks, 0, true);
}

static bool lives(const struct crew *crew, uint32_t rank)
{
    return !has_ended(crew, rank) && !(crew->member[rank].hurt && !crew->member[rank].resumed);
}

bool crew_count(struct crew *crew)
{
    uint32_t asked = 0;
    for (uint32_t rank = 0; rank < crew->plan.ranks; rank++)
        if (lives(crew, rank)) {
            kill(crew->member[rank].pid, SIGUSR2);
            asked++;
        }
    return await(crew, asked, STEP_S, "count");
}

uint32_t crew_pick(const struct crew *crew)
{
    for (;;) {
        uint32_t rank = (uint32_t)crew_random(crew->plan.ranks);
        if (!crew->member[rank].hurt)
            return rank;
    }
}

double crew_cpu_s(const struct crew *crew)
{
    double sum = 0;
    for (uint32_t rank = 0; rank < crew->plan.ranks; rank++) {
        clockid_t clock;
        struct timespec time;
        if (clock_getcpuclockid(crew->member[rank].pid, &clock) == 0 && clock_gettime(clock, &time) == 0)
            sum += (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
    }
    return sum;
}
