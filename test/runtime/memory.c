/* Private memory of a process with a detector above the same process without: `ranks` real processes on this host, each
 * measured before it starts and after it has met the others, sent heartbeats and taken part in an agreement.
 *
 * Usage: test-runtime-memory [RANKS [KIB_AT_MOST]] */
#include <knell/runtime.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS INT64_C(1000000)
enum { PATIENCE_MS = 60000 };

static const char key[] = "the secret of this job";

struct measured {
    knell_rank rank;
    long before, after; /* KiB; after < 0: it did not come so far */
};

static long private_kib(void)
{
    char line[128];
    long sum = 0, kib;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Clean: %ld", &kib) == 1 || sscanf(line, "Private_Dirty: %ld", &kib) == 1)
            sum += kib;
    if (file)
        fclose(file);
    return sum;
}

static bool wait_decision(struct knell_runtime *runtime)
{
    struct knell_fact fact;
    for (int left = PATIENCE_MS; left > 0; left -= 100) {
        while (knell_runtime_poll(runtime, &fact) == 1)
            if (fact.type == KNELL_FACT_DECIDED)
                return true;
        poll(&(struct pollfd){.fd = knell_runtime_fd(runtime), .events = POLLIN}, 1, 100);
    }
    return false;
}

static _Noreturn void measure(knell_rank rank, uint32_t ranks, const char *meeting, int out, int stop)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    struct knell_runtime *runtime;
    char why[KNELL_RUNTIME_WHY];
    uint8_t flags = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    config.rank = rank;
    config.ranks = ranks;
    config.delta = 5000 * MS;
    config.rendezvous_wait = 30000 * MS;
    config.key = key;
    config.key_size = sizeof key;
    config.rendezvous = meeting;
    private_kib(); /* what measuring itself takes is there before */
    struct measured result = {rank, private_kib(), -1};
    if (knell_runtime_start(&config, &runtime, why) != 0)
        fprintf(stderr, "rank %u: %s\n", rank, why);
    else if (knell_runtime_propose(runtime, KNELL_WORLD, KNELL_KIND_AGREE, 0, &flags, 1, 0) != 0 ||
             !wait_decision(runtime))
        fprintf(stderr, "rank %u waits in vain for the decision\n", rank);
    else
        result.after = private_kib();
    if (write(out, &result, sizeof result) != sizeof result || result.after < 0)
        _exit(1);
    poll(&(struct pollfd){.fd = stop, .events = POLLIN}, 1, PATIENCE_MS); /* nobody leaves before all have measured */
    _exit(0);
}

static int by_growth(const void *a, const void *b)
{
    const struct measured *one = a, *other = b;
    long x = one->after - one->before, y = other->after - other->before;
    return (x > y) - (x < y);
}

/* The results of all, sorted by growth; how many there are. */
static uint32_t gather(struct measured *result, uint32_t ranks, int in)
{
    uint32_t count = 0;
    struct pollfd ready = {.fd = in, .events = POLLIN};
    while (count < ranks && poll(&ready, 1, 2 * PATIENCE_MS) == 1 &&
           read(in, &result[count], sizeof *result) == sizeof *result && result[count].after >= 0)
        count++;
    qsort(result, count, sizeof *result, by_growth);
    return count;
}

int main(int argc, char **argv)
{
    uint32_t ranks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 64;
    long most = argc > 2 ? strtol(argv[2], NULL, 10) : 1024, worst;
    char folder[] = "/tmp/knell-memory-XXXXXX", meeting[64];
    int results[2], stop[2];
    struct measured *result = calloc(ranks, sizeof *result);
    if (!result || ranks < 2 || !mkdtemp(folder) || pipe(results) != 0 || pipe(stop) != 0)
        return 2;
    snprintf(meeting, sizeof meeting, "file:%s/meeting", folder);
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (fork() == 0) {
            close(stop[1]);
            measure(rank, ranks, meeting, results[1], stop[0]);
        }
    close(results[1]);
    uint32_t count = gather(result, ranks, results[0]);
    close(stop[1]);
    while (wait(NULL) > 0)
        ;
    rmdir(folder);
    if (count < ranks) {
        fprintf(stderr, "only %u of %u processes have measured\n", count, ranks);
        return 1;
    }
    worst = result[ranks - 1].after - result[ranks - 1].before;
    printf("%u processes, private KiB above the empty program: median %ld, most %ld (rank %u, %ld before)\n", ranks,
           result[ranks / 2].after - result[ranks / 2].before, worst, result[ranks - 1].rank, result[ranks - 1].before);
    free(result);
    return worst > most;
}
