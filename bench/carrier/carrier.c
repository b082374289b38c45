/* The carrier between two processes: how long a small message takes one way, how many go in a second, and how many bytes of larger
 * ones: through the ring up to KNELL_CARRIER_MOST, pulled out of the sender's memory above.
 *
 * Both processes spin, and give the processor away when nothing has come for long. They want two processors for themselves. */
#include "../bench.h"

#include <knell/carrier.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PINGS = 200, BATCHES = 500, SMALL = 1000000, LARGEST = 1 << 20, SPINS = 20000, BYTES = 256 << 20 };

static struct knell_carrier *carrier;
static unsigned peer;
static uint8_t *data;
static const struct knell_carrier_head head = {1, 2};

static void give_up(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void pause_at(unsigned *spins)
{
    if (++*spins % SPINS == 0)
        sched_yield();
}

/* ---- by the one and the other --------------------------------------------------------------------------------------------------- */

static void send_whole(size_t size)
{
    unsigned spins = 0;
    while (knell_carrier_send(carrier, peer, &head, data, size) != 0)
        pause_at(&spins);
}

/* `by_hints`: as one who waits for anybody; else it looks at the ring of the one it waits for. */
static void receive_whole(bool by_hints)
{
    struct knell_carrier_message message;
    unsigned spins = 0;
    while (!knell_carrier_look(carrier, peer, &message))
        do
            pause_at(&spins);
        while (by_hints && knell_carrier_next(carrier) < 0);
    memcpy(data, message.data, message.bytes);
    knell_carrier_pass(carrier, peer);
}

static void send_offered(size_t size)
{
    unsigned spins = 0;
    uint64_t ticket;
    while (knell_carrier_offer(carrier, peer, &head, data, size, &ticket) != 0)
        pause_at(&spins);
    while (knell_carrier_state(carrier, ticket) != KNELL_CARRIER_DONE)
        pause_at(&spins);
    knell_carrier_end(carrier, ticket);
}

static void receive_offered(void)
{
    struct knell_carrier_message message;
    unsigned spins = 0;
    while (!knell_carrier_look(carrier, peer, &message))
        pause_at(&spins);
    knell_carrier_pass(carrier, peer);
    if (!knell_carrier_accept(carrier, peer, message.ticket) ||
        knell_carrier_pull(carrier, peer, message.address, data, message.size) != 0)
        give_up("process_vm_readv is not permitted here");
    knell_carrier_answer(carrier, peer, message.ticket, KNELL_CARRIER_DONE);
}

/* ---- what is measured ----------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The median of short batches: most of them are over before somebody else gets the processor. */
static double one_way_us(bool first, bool by_hints)
{
    static double batch[BATCHES];
    for (int k = 0; k < BATCHES; k++) {
        double begun = bench_now_s();
        for (int i = 0; i < PINGS; i++) {
            if (first)
                send_whole(8);
            receive_whole(by_hints);
            if (!first)
                send_whole(8);
        }
        batch[k] = (bench_now_s() - begun) * 1e6 / PINGS / 2;
    }
    qsort(batch, BATCHES, sizeof *batch, compare);
    return batch[BATCHES / 2];
}

/* The last one is answered, so that the first knows that all have come. */
static double stream(bool first, size_t size, int count)
{
    double begun = bench_now_s();
    for (int i = 0; i < count; i++) {
        if (first && size <= KNELL_CARRIER_MOST)
            send_whole(size);
        else if (first)
            send_offered(size);
        else if (size <= KNELL_CARRIER_MOST)
            receive_whole(true);
        else
            receive_offered();
    }
    if (first)
        receive_whole(true);
    else
        send_whole(8);
    return bench_now_s() - begun;
}

static const size_t large[] = {4096, 65536, LARGEST};
enum { LARGE = sizeof large / sizeof *large };

struct results {
    struct bench_series one_way, by_hints, rate, bandwidth[LARGE];
};

static void measure(bool first, struct results *results)
{
    one_way_us(first, true); /* pages are touched, processors found */
    for (int i = 0; i < BENCH_REPETITIONS; i++) {
        bench_add(&results->one_way, one_way_us(first, false));
        bench_add(&results->by_hints, one_way_us(first, true));
        bench_add(&results->rate, SMALL / stream(first, 8, SMALL) / 1e6);
        for (int k = 0; k < LARGE; k++) {
            int count = (int)(BYTES / large[k]);
            bench_add(&results->bandwidth[k], (double)BYTES / stream(first, large[k], count) / 1e9);
        }
    }
}

static void show(const struct results *results)
{
    FILE *csv = bench_begin("carrier", "The carrier between two processes");
    bench_row(csv, "8 bytes, one way, at the ring", "us", &results->one_way, NULL, false);
    bench_row(csv, "8 bytes, one way, by hints", "us", &results->by_hints, NULL, false);
    bench_row(csv, "messages of 8 bytes", "million/s", &results->rate, NULL, false);
    bench_row(csv, "4 KiB, through the ring", "GB/s", &results->bandwidth[0], NULL, false);
    bench_row(csv, "64 KiB, pulled", "GB/s", &results->bandwidth[1], NULL, false);
    bench_row(csv, "1 MiB, pulled", "GB/s", &results->bandwidth[2], NULL, false);
    bench_end(csv);
}

static void join(int fd, unsigned me)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    peer = 1 - me;
    data = calloc(1, LARGEST);
    if (!data || knell_carrier_join(fd, 2, me, &carrier) != 0)
        give_up("no memory");
}

int main(void)
{
    static struct results results;
    int fd, status;
    if (knell_carrier_make(2, &fd) != 0)
        give_up("no memory");
    pid_t child = fork();
    if (child < 0)
        give_up("no process");
    if (child == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    join(fd, child == 0);
    measure(child != 0, &results);
    if (child == 0)
        _exit(0);
    show(&results);
    return waitpid(child, &status, 0) != child || status != 0;
}
