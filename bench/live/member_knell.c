/* member-knell: one process with a detector, to be measured (log.h).
 *
 *      member-knell RANK RANKS ETA_NS DELTA_NS PORT MODE WORK WORK_NS
 *
 * MODE is knell (as shipped), udp (the ring of datagrams alone), udp-low (that at ordinary priority) or off (no detector); WORK a
 * number of enum work_kind. The step that SIGUSR1 asks for is the work, with a detector beside it that is started before and ended after
 * it, at the eta the log says; without any work the detector lives as long as the process, and the step is to be declared dead, at the
 * moment the log says. */
#include "log.h"
#include "work.h"

#include <knell/runtime.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WARM_UP_NS 30000000

struct member {
    uint32_t rank, ranks;
    int64_t eta, delta;
    uint16_t port;
    const char *mode;
    enum work_kind work;
    int64_t work_ns;
    int partner;
    struct live_log *log;
    struct live_part *part;
    struct knell_runtime *runtime; /* NULL: none */
};

static void on_fact(void *context, const struct knell_fact *fact)
{
    if (fact->type == KNELL_FACT_FENCED)
        _exit(KNELL_RUNTIME_EXIT_FENCED); /* as by default, without a word */
    if (fact->type == KNELL_FACT_FAILED)
        live_log_record(context, fact->rank);
}

static void start_detector(struct member *member, int64_t eta, int64_t delta)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    char why[KNELL_RUNTIME_WHY], meeting[32];
    if (strcmp(member->mode, "off") == 0)
        return;
    snprintf(meeting, sizeof meeting, "127.0.0.1:%u", member->port);
    config.rank = member->rank;
    config.ranks = member->ranks;
    config.eta = eta;
    config.delta = delta;
    config.key = "a key of this run"; /* within a network of its own */
    config.key_size = strlen(config.key);
    config.rendezvous = meeting;
    config.rendezvous_wait = 30000000000;
    config.no_shortcuts = strncmp(member->mode, "udp", 3) == 0;
    config.ordinary_priority = strcmp(member->mode, "udp-low") == 0;
    config.fencing = KNELL_FENCE_TELL;
    config.on_fact = on_fact;
    config.on_fact_context = member->part;
    if (knell_runtime_start(&config, &member->runtime, why) != 0) {
        fprintf(stderr, "member-knell: rank %u: %s\n", member->rank, why);
        exit(1);
    }
}

static void store_counters(const struct member *member)
{
    struct knell_runtime_counters counters;
    if (!member->runtime || knell_runtime_counters(member->runtime, &counters) != 0)
        return;
    member->part->missed = counters.core.heartbeats_missed;
    member->part->starved = counters.starved;
    member->part->late_most = counters.starved_most;
    member->part->repeated = counters.repeated;
}

static void trigger(const struct member *member)
{
    int64_t at = atomic_load(&member->log->at);
    if (at)
        live_sleep_until(at);
    member->part->stepped = live_now();
    if (member->runtime)
        knell_runtime_trigger(member->runtime);
}

/* In one process with and without a detector: two processes of the same program differ in speed by more than a detector costs. */
static void work(struct member *member)
{
    int64_t eta = atomic_load(&member->log->eta);
    if (eta > 0)
        start_detector(member, eta, member->delta / member->eta * eta);
    work_for(member->work, member->partner, member->rank, WARM_UP_NS); /* until the detectors have started */
    member->part->result = work_for(member->work, member->partner, member->rank, member->work_ns);
    if (!member->runtime)
        return;
    store_counters(member);
    knell_runtime_stop(member->runtime);
    member->runtime = NULL;
}

int main(int argc, char **argv)
{
    struct member member = {0};
    sigset_t signals;
    int signal;
    if (argc != 9) {
        fputs("usage: member-knell RANK RANKS ETA_NS DELTA_NS PORT MODE WORK WORK_NS (started by bench-live)\n",
              stderr);
        return 2;
    }
    member.rank = (uint32_t)atol(argv[1]);
    member.ranks = (uint32_t)atol(argv[2]);
    member.eta = atoll(argv[3]);
    member.delta = atoll(argv[4]);
    member.port = (uint16_t)atol(argv[5]);
    member.mode = argv[6];
    member.work = (enum work_kind)atol(argv[7]);
    member.work_ns = atoll(argv[8]);
    member.log = live_log_map(LIVE_LOG_FD, member.ranks);
    if (!member.log) {
        perror("member-knell: the log at descriptor 3");
        return 1;
    }
    member.part = &member.log->part[member.rank];
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    if (member.work == WORK_NONE)
        start_detector(&member, member.eta, member.delta);
    member.partner = work_connect(member.work, member.rank, (uint16_t)(member.port + 1));
    for (live_log_ready(); sigwait(&signals, &signal) == 0; live_log_ready())
        signal == SIGUSR2 ? store_counters(&member) : member.work == WORK_NONE ? trigger(&member) : work(&member);
    return 1;
}
