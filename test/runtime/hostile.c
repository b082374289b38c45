/* A running job under hostile input. First a job says all there is to say while somebody listens: agreements, heartbeats, a
 * death, farewells. Then a second one with the same key is flooded: with noise, forgeries, what the first job said, and what
 * it said itself, mutated and repeated, partly with a member's own address as the sender's. Nothing but counters may change:
 * nobody is suspected, agreements go on, memory does not grow.
 *
 * Usage: test-runtime-hostile [DATAGRAMS] [PER_SECOND]; status 77: listening on the loopback is not permitted. */
#include "hostile.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5, GROWTH_KIB = 128 };
enum { BEAT = 1, DATA = 2, BYE = 4 }; /* kinds of datagrams */

static const char key[] = "both jobs have this one";
static const char *const ways[] = {"random", "forged", "flipped", "truncated", "lengthened", "replayed", "misdirected"};
#ifdef KNELL_SANITIZED /* a sanitizer has memory of its own, which grows */
static const bool is_sanitized = true;
#else
static const bool is_sanitized = false;
#endif
static struct overheard all;
static unsigned wrong;

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s\n", what);
        wrong++;
    }
}

/* The datagram's kind is its fourth byte. */
static unsigned count_kind(unsigned from, uint8_t kind)
{
    unsigned count = 0;
    for (unsigned i = from; i < all.count; i++)
        count += all.datagram[i].size > 3 && all.datagram[i].bytes[3] == kind;
    return count;
}

/* What an earlier job said is heard from its beginning to its end. */
static void listen_to_first_job(int wire, const char *meeting)
{
    struct job job;
    all.most = OVERHEARD_MAX / 2; /* the second job is to be overheard too, however long this one takes */
    bool well = job_start(&job, meeting, key, sizeof key);
    for (uint8_t round = 1; well && round <= ROUNDS; round++)
        well = job_agree(&job, round);
    well = well && job_kill(&job, MEMBERS - 1) && job_agree(&job, 99);
    wire_take(wire, &job, &all);
    struct job place = job; /* farewells come when its processes are no more */
    must(job_end(&job) && well, "the first job runs as it should");
    wire_take(wire, &place, &all);
    must(count_kind(0, BEAT) > 0 && count_kind(0, DATA) > 0 && count_kind(0, BYE) > 0,
         "heartbeats, messages and farewells were overheard");
}

static bool listen_for_heartbeats(int wire, const struct job *job, unsigned from)
{
    for (int left = PATIENCE_MS; left > 0; left -= 100) {
        poll(&(struct pollfd){.fd = wire, .events = POLLIN}, 1, 100);
        wire_take(wire, job, &all);
        if (count_kind(from, BEAT) >= 2 * MEMBERS)
            return true;
    }
    return false;
}

static void check_member(knell_rank rank, const struct report *before, const struct report *after, bool spared)
{
    const struct knell_runtime_counters *was = &before->counters, *is = &after->counters;
    char what[120];
#define MUST(condition)                                               \
    do {                                                              \
        snprintf(what, sizeof what, "rank %u: %s", rank, #condition); \
        must(condition, what);                                        \
    } while (0)
    MUST(after->facts == 0);
    MUST(after->gone == 0);
    MUST(is->core.suspicions == 0);
    MUST(is->core.broadcasts_started == 0);
    MUST(is->core.fenced == 0);
    MUST(is->core.syncs == was->core.syncs);
    MUST(is->lost_full == 0);
    MUST(is->core.heartbeats_received > was->core.heartbeats_received);
    MUST(is->refused_format > was->refused_format);
    MUST(is->refused_tag > was->refused_tag);
    if (!spared) {
        MUST(is->duplicates > was->duplicates);
        MUST(is->stale_heartbeats > was->stale_heartbeats);
    }
}

/* Agreements go on while the flood does. */
static void flood_second_job(struct job *job, uint64_t total, uint64_t rate, struct flood *flood)
{
    uint8_t round = 10;
    pid_t flooder = fork();
    if (flooder == 0) {
        flood_send(job, &all, total, rate, flood);
        _exit(0);
    }
    while (waitpid(flooder, NULL, WNOHANG) == 0) {
        must(job_agree(job, round), "agreement under the flood");
        round = round < 90 ? round + 1 : 10;
        usleep(50000);
        if (wrong > 5) /* enough is known */
            break;
    }
    must(job_agree(job, 91), "agreement after the flood");
}

static void say(const struct flood *flood, const struct report *before, const struct report *after, uint64_t total)
{
    uint64_t came = 0, real = 0;
    for (unsigned i = 0; i < MEMBERS; i++) {
        came += after[i].counters.datagrams_received - before[i].counters.datagrams_received;
        real += after[i].counters.datagrams_sent - before[i].counters.datagrams_sent;
    }
    printf("%" PRIu64 " hostile datagrams, %" PRIu64 " of them with a member's address, %" PRIu64
           " refused by the sender's host:",
           total, flood->spoofed, flood->refused);
    for (unsigned i = 0; i < WAYS; i++)
        printf(" %s %" PRIu64, ways[i], flood->sent[i]);
    printf("\nthe members took in %" PRIu64 " datagrams and sent %" PRIu64 "\n", came, real);
    must(came > total / 2, "most of the flood was taken in, not dropped by the kernel");
}

static void run_second_job(int wire, const char *meeting, uint64_t total, uint64_t rate, struct flood *flood)
{
    struct job job;
    struct report before[MEMBERS], after[MEMBERS];
    long memory[MEMBERS] = {0};
    unsigned first = all.count;
    all.most = OVERHEARD_MAX;
    bool well = job_start(&job, meeting, key, sizeof key);
    for (uint8_t round = 1; well && round <= ROUNDS; round++)
        well = job_agree(&job, round);
    must(wire < 0 || listen_for_heartbeats(wire, &job, first), "heartbeats of the second job are overheard");
    must(well && job_report(&job, before), "the second job starts as it should");
    for (knell_rank rank = 0; rank < MEMBERS; rank++)
        memory[rank] = job_private_kib(&job, rank);
    if (wrong == 0) {
        flood_second_job(&job, total, rate, flood);
        if (job_report(&job, after)) {
            say(flood, before, after, total);
            for (knell_rank rank = 0; rank < MEMBERS; rank++)
                check_member(rank, &before[rank], &after[rank], wire < 0);
        } else {
            wrong++;
        }
        for (knell_rank rank = 0; rank < MEMBERS; rank++) {
            long grown = job_private_kib(&job, rank) - memory[rank];
            printf("rank %u: private memory %ld KiB before, %+ld KiB after\n", rank, memory[rank], grown);
            must(is_sanitized || grown <= GROWTH_KIB, "memory does not grow");
        }
    }
    must(job_end(&job), "all leave in peace");
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a member that has ended is a finding, not an end */
    uint64_t total = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000,
             rate = argc > 2 ? strtoull(argv[2], NULL, 10) : 50000;
    char folder[] = "/tmp/knell-hostile-XXXXXX", meeting[64];
    struct flood *flood = mmap(NULL, sizeof *flood, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    wire_take_apart();
    int wire = wire_open();
    if (!mkdtemp(folder) || flood == MAP_FAILED || total == 0 || rate == 0)
        return 2;
    snprintf(meeting, sizeof meeting, "file:%s/meeting", folder);
    if (wire < 0)
        printf("not permitted to listen on the loopback (run as root): nothing is replayed or mutated\n");
    else
        listen_to_first_job(wire, meeting);
    run_second_job(wire, meeting, total, rate, flood);
    must(rmdir(folder) == 0, "no file is left");
    if (!flood->may_spoof)
        printf("not permitted to spoof addresses (run as root)\n");
    return wrong ? 1 : wire < 0 || !flood->may_spoof ? 77 : 0;
}
