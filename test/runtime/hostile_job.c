/* hostile_job: processes with detectors that do as they are told through a pipe. */
#include "hostile.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)

static bool complain(const char *who, knell_rank rank, const char *what)
{
    fprintf(stderr, "%s %u %s\n", who, rank, what);
    return false;
}

/* ---- a member ---------------------------------------------------------------------------------------------------------- */

struct member {
    struct knell_runtime *runtime;
    int ask, answer;
    uint32_t facts;
};

/* Waits for a fact of that type; all but decisions are counted. */
static bool hear(struct member *member, enum knell_fact_type type, struct knell_fact *fact)
{
    for (int left = PATIENCE_MS; left > 0; left -= 100) {
        while (knell_runtime_poll(member->runtime, fact) == 1) {
            member->facts += fact->type != KNELL_FACT_DECIDED;
            if (fact->type == type)
                return true;
        }
        poll(&(struct pollfd){.fd = knell_runtime_fd(member->runtime), .events = POLLIN}, 1, 100);
    }
    return false;
}

static void answer(const struct member *member, const void *bytes, size_t size)
{
    if (write(member->answer, bytes, size) != (ssize_t)size)
        _exit(1);
}

static void agree(struct member *member, uint8_t round)
{
    struct knell_fact fact;
    uint64_t acked = knell_runtime_failures(member->runtime, KNELL_WORLD);
    bool right = knell_runtime_propose(member->runtime, KNELL_WORLD, KNELL_KIND_AGREE, 0, &round, 1, acked) == 0 &&
                 hear(member, KNELL_FACT_DECIDED, &fact) && fact.value_size == 1 && fact.value[0] == round;
    answer(member, &right, sizeof right);
}

static void report(struct member *member)
{
    struct report report = {.facts = 0};
    struct knell_fact fact;
    struct knell_range range[MEMBERS];
    while (knell_runtime_poll(member->runtime, &fact) == 1)
        member->facts++;
    report.facts = member->facts;
    if (knell_runtime_counters(member->runtime, &report.counters) != 0 ||
        knell_runtime_view(member->runtime, range, MEMBERS, &report.gone) != 0)
        _exit(1);
    answer(member, &report, sizeof report);
}

static void hear_of_death(struct member *member)
{
    struct knell_fact fact;
    bool heard = hear(member, KNELL_FACT_FAILED, &fact);
    answer(member, &heard, sizeof heard);
}

static _Noreturn void obey(struct member *member)
{
    uint8_t order[2];
    while (read(member->ask, order, sizeof order) == sizeof order) {
        if (order[0] == 'a')
            agree(member, order[1]);
        else if (order[0] == 'd')
            hear_of_death(member);
        else
            report(member);
    }
    knell_runtime_stop(member->runtime);
    _exit(0);
}

static _Noreturn void be_member(knell_rank rank, const char *meeting, const void *key, size_t key_size, int ask,
                                int answers)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    struct member member = {.ask = ask, .answer = answers};
    char why[KNELL_RUNTIME_WHY];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    config.rank = rank;
    config.ranks = MEMBERS;
    config.eta = 100 * MS;
    config.delta = 1000 * MS;
    config.key = key;
    config.key_size = key_size;
    config.rendezvous = meeting;
    config.no_shortcuts = true; /* everything is said over the wire */
    bool started = knell_runtime_start(&config, &member.runtime, why) == 0;
    if (!started)
        fprintf(stderr, "rank %u: %s\n", rank, why);
    answer(&member, &started, sizeof started);
    obey(&member);
}

/* ---- its sockets ------------------------------------------------------------------------------------------------------- */

static in_port_t port_of(unsigned long inode)
{
    char line[512];
    unsigned port;
    unsigned long found;
    in_port_t result = 0;
    FILE *file = fopen("/proc/net/udp", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, " %*u: %*8x:%4x %*s %*s %*s %*s %*s %*s %*s %lu", &port, &found) == 2 && found == inode)
            result = htons((uint16_t)port);
    if (file)
        fclose(file);
    return result;
}

static void find_ports(struct job *job, knell_rank rank)
{
    char path[64], link[64];
    unsigned long inode;
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)job->pid[rank]);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        ssize_t size = readlinkat(dirfd(dir), entry->d_name, link, sizeof link - 1);
        link[size < 0 ? 0 : size] = '\0';
        in_port_t port = sscanf(link, "socket:[%lu]", &inode) == 1 ? port_of(inode) : 0;
        if (port && count < SOCKETS)
            job->port[rank][count++] = port;
    }
    if (dir)
        closedir(dir);
}

/* ---- the parent -------------------------------------------------------------------------------------------------------- */

static bool read_answer(const struct job *job, knell_rank rank, void *bytes, size_t size)
{
    struct pollfd ready = {.fd = job->answer[rank], .events = POLLIN};
    return poll(&ready, 1, PATIENCE_MS + 5000) == 1 && read(job->answer[rank], bytes, size) == (ssize_t)size;
}

static void order_all(const struct job *job, char what, uint8_t argument)
{
    const uint8_t order[2] = {(uint8_t)what, argument};
    for (knell_rank rank = 0; rank < MEMBERS; rank++)
        if (job->pid[rank] && write(job->ask[rank], order, sizeof order) != sizeof order)
            complain("rank", rank, "takes no orders");
}

static bool all_say_yes(const struct job *job, const char *otherwise)
{
    bool all = true;
    for (knell_rank rank = 0; rank < MEMBERS; rank++) {
        bool yes = false;
        if (job->pid[rank] && (!read_answer(job, rank, &yes, sizeof yes) || !yes))
            all = complain("rank", rank, otherwise);
    }
    return all;
}

bool job_start(struct job *job, const char *meeting, const void *key, size_t key_size)
{
    *job = (struct job){.pid = {0}};
    for (knell_rank rank = 0; rank < MEMBERS; rank++) {
        int ask[2], answers[2];
        if (pipe(ask) != 0 || pipe(answers) != 0 || (job->pid[rank] = fork()) < 0)
            return complain("rank", rank, "cannot be made");
        if (job->pid[rank] == 0) {
            for (knell_rank other = 0; other < rank; other++)
                close(job->ask[other]); /* or it would not see the end of its orders */
            close(ask[1]);
            be_member(rank, meeting, key, key_size, ask[0], answers[1]);
        }
        close(ask[0]);
        close(answers[1]);
        job->ask[rank] = ask[1];
        job->answer[rank] = answers[0];
    }
    if (!all_say_yes(job, "did not start"))
        return false;
    for (knell_rank rank = 0; rank < MEMBERS; rank++) {
        find_ports(job, rank);
        if (job->port[rank][0] == 0)
            return complain("rank", rank, "has no socket");
    }
    return true;
}

bool job_agree(struct job *job, uint8_t round)
{
    order_all(job, 'a', round);
    return all_say_yes(job, "does not agree");
}

bool job_report(struct job *job, struct report report[MEMBERS])
{
    order_all(job, 'r', 0);
    for (knell_rank rank = 0; rank < MEMBERS; rank++)
        if (job->pid[rank] && !read_answer(job, rank, &report[rank], sizeof *report))
            return complain("rank", rank, "does not report");
    return true;
}

static void forget(struct job *job, knell_rank rank)
{
    close(job->ask[rank]);
    close(job->answer[rank]);
    job->pid[rank] = 0;
}

bool job_kill(struct job *job, knell_rank rank)
{
    kill(job->pid[rank], SIGKILL);
    waitpid(job->pid[rank], NULL, 0);
    forget(job, rank);
    order_all(job, 'd', 0);
    return all_say_yes(job, "does not hear of the death");
}

bool job_end(struct job *job)
{
    bool peaceful = true;
    for (knell_rank rank = 0; rank < MEMBERS; rank++)
        if (job->pid[rank])
            close(job->ask[rank]);
    for (knell_rank rank = 0; rank < MEMBERS; rank++) {
        int status = 0;
        struct pollfd end = {.fd = job->answer[rank], .events = POLLIN};
        if (job->pid[rank] == 0)
            continue;
        if (poll(&end, 1, PATIENCE_MS) != 1) {
            complain("rank", rank, "does not end");
            kill(job->pid[rank], SIGKILL);
        }
        waitpid(job->pid[rank], &status, 0);
        if (status != 0)
            peaceful = complain("rank", rank, WIFSIGNALED(status) ? "was ended by a signal" : "ended with an error");
        close(job->answer[rank]);
        job->pid[rank] = 0;
    }
    return peaceful;
}

long job_private_kib(const struct job *job, knell_rank rank)
{
    char path[64], line[128];
    long sum = 0, kib;
    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)job->pid[rank]);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Clean: %ld", &kib) == 1 || sscanf(line, "Private_Dirty: %ld", &kib) == 1)
            sum += kib;
    if (file)
        fclose(file);
    return sum;
}
