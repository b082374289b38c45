/* The exchange by threads in the place of processes, all on one mapping of the memory, so that ThreadSanitizer sees who reads what
 * whom wrote: carriers that map it each for itself would lie at different addresses. test-carrier-threads ROUNDS SEED */
#include "carrier/carrier.h"
#include "exchange.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct knell_carrier *join_one_mapping(int fd, unsigned processes, unsigned me,
                                              const struct knell_carrier *first)
{
    struct knell_carrier *carrier;
    if (knell_carrier_join(fd, processes, me, &carrier) != 0)
        abort();
    if (first) {
        munmap(carrier->process, carrier->size);
        carrier->process = first->process;
        carrier->pair = first->pair;
    }
    return carrier;
}

static void *run(void *argument)
{
    exchange_run(argument);
    return NULL;
}

static bool run_round(uint64_t seed, unsigned processes, unsigned numbers)
{
    static struct exchange exchange[PEERS];
    struct ledger *ledger = calloc(1, sizeof *ledger);
    pthread_t thread[PEERS];
    bool fine = true;
    int fd;
    if (!ledger || knell_carrier_make(processes, &fd) != 0)
        abort();
    for (unsigned i = 0; i < processes; i++) {
        exchange[i] =
            (struct exchange){.ledger = ledger, .me = i, .processes = processes, .numbers = numbers, .seed = seed};
        exchange[i].carrier = join_one_mapping(fd, processes, i, i ? exchange[0].carrier : NULL);
        knell_prng_seed(&exchange[i].random, knell_prng_key(seed, i));
    }
    close(fd);
    for (unsigned i = 0; i < processes; i++)
        if (pthread_create(&thread[i], NULL, run, &exchange[i]) != 0)
            abort();
    for (unsigned i = 0; i < processes; i++) {
        pthread_join(thread[i], NULL);
        fine &= !exchange[i].wrong;
    }
    for (unsigned i = processes; i-- > 0;) {
        if (i > 0)
            exchange[i].carrier->process = NULL;
        knell_carrier_leave(exchange[i].carrier);
    }
    free(ledger);
    return fine;
}

/* ---- one way ------------------------------------------------------------------------------------------------------------------- */

/* Small messages one way and nothing back, not even hints: what orders the reuse of a slot is `passed` alone. */
enum { STREAM = 3000 };

static void *write_stream(void *carrier)
{
    for (uint64_t i = 0; i < STREAM;)
        if (knell_carrier_send(carrier, 1, &(struct knell_carrier_head){0}, &i, sizeof i) == 0)
            i++;
        else
            sched_yield();
    return NULL;
}

static bool run_stream(void)
{
    struct knell_carrier_message message;
    pthread_t writer;
    int fd;
    bool fine = true;
    if (knell_carrier_make(2, &fd) != 0)
        abort();
    struct knell_carrier *from = join_one_mapping(fd, 2, 0, NULL), *to = join_one_mapping(fd, 2, 1, from);
    close(fd);
    if (pthread_create(&writer, NULL, write_stream, from) != 0)
        abort();
    for (uint64_t i = 0, found; i < STREAM;) {
        if (!knell_carrier_look(to, 0, &message)) {
            sched_yield();
            continue;
        }
        memcpy(&found, message.data, sizeof found);
        fine &= message.bytes == sizeof found && found == i++;
        knell_carrier_pass(to, 0);
    }
    pthread_join(writer, NULL);
    to->process = NULL;
    knell_carrier_leave(to);
    knell_carrier_leave(from);
    return fine;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: test-carrier-threads ROUNDS SEED\n");
        return 2;
    }
    uint64_t rounds = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
    if (!run_stream()) {
        fprintf(stderr, "the stream of one thread to another is wrong\n");
        return 1;
    }
    for (uint64_t i = 0; i < rounds; i++) {
        unsigned processes = i % 4 == 3 ? 8 : 2 + (unsigned)(i % 4);
        if (!run_round(i == 0 ? 0 : seed + i, processes, processes == 8 ? 24 : 200)) {
            fprintf(stderr, "again: test-carrier-threads %" PRIu64 " %" PRIu64 "\n", i + 1, seed);
            return 1;
        }
    }
    printf("%" PRIu64 " rounds by threads\n", rounds);
    return 0;
}
