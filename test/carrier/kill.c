/* Kills processes that exchange messages by the carrier.
 *
 *      test-carrier-kill steps PROCESSES                a round for each step of a process, in which it is killed there
 *      test-carrier-kill step PROCESSES VICTIM STEP     one of them
 *      test-carrier-kill random ROUNDS SEED             rounds in which everything is random: processes, messages, victims, the moment
 *      test-carrier-kill one SEED ROUND                 one of them
 *
 * Status 0: the survivors lost nothing that was published, read nothing that was not, and did not wait for ever. */
#include "kill.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAILED = 3 };

static void sum_up(const char *what, const struct tally *tally)
{
    printf("%s: %u rounds, %u processes killed, %" PRIu64
           " messages received, %u in pieces, %u withdrawn; of calls that were cut "
           "off %u had published and %u had not; %u pulls found their sender gone; %u rounds failed\n",
           what, tally->rounds, tally->killed, tally->messages, tally->pieces, tally->withdrawn, tally->published,
           tally->unpublished, tally->lost, tally->failed);
}

/* ---- at every step -------------------------------------------------------------------------------------------------------------- */

/* With two processes each way of sending has several sizes; with more the number of steps is kept down. */
static struct round scripted(unsigned processes)
{
    return (struct round){.processes = processes,
                          .numbers = processes == 2   ? 4 * WAYS
                                     : processes == 3 ? 2 * WAYS
                                                      : WAYS};
}

static bool at_step(unsigned processes, unsigned victim, uint64_t at, struct tally *tally)
{
    struct round round = scripted(processes);
    round.at_step[victim] = at;
    round.yields = at % 2;
    if (round_run(&round, tally))
        return true;
    fprintf(stderr, "again: test-carrier-kill step %u %u %" PRIu64 "\n", processes, victim, at);
    return false;
}

/* Steps depend a little on who runs when: some are counted in a dry run and not reached then. */
static int at_every_step(unsigned processes)
{
    struct tally tally = {0};
    struct round dry = scripted(processes);
    if (!round_run(&dry, &tally))
        return 1;
    uint64_t steps[PEERS];
    memcpy(steps, tally.steps, sizeof steps);
    unsigned victims = processes <= 3 ? 2 : 1;
    for (unsigned victim = 0; victim < victims; victim++)
        for (uint64_t at = 1; at <= steps[victim] && tally.failed < MOST_FAILED; at++)
            at_step(processes, victim, at, &tally);
    sum_up("at every step", &tally);
    if (tally.failed == 0 && (tally.killed < steps[0] / 2 || tally.published == 0 || tally.unpublished == 0)) {
        fprintf(stderr, "too few were killed, or none at the edge of publishing: nothing was tested\n");
        return 1;
    }
    return tally.failed > 0;
}

/* ---- at random ------------------------------------------------------------------------------------------------------------------ */

static struct round drawn(uint64_t seed, uint64_t number)
{
    struct knell_prng random;
    struct round round = {.seed = knell_prng_key(seed, number) | 1};
    knell_prng_seed(&random, round.seed);
    round.processes = 2 + (unsigned)knell_prng_below(&random, PEERS - 1);
    round.numbers = 4 + (unsigned)knell_prng_below(&random, round.processes <= 3 ? 300 : 24);
    round.yields = knell_prng_below(&random, 2);
    unsigned victims = 1 + (unsigned)knell_prng_below(&random, round.processes <= 3 ? 1 : 3);
    for (unsigned i = 0; i < victims; i++) {
        unsigned victim = (unsigned)knell_prng_below(&random, round.processes);
        if (knell_prng_below(&random, 2))
            round.at_step[victim] = 1 + knell_prng_below(&random, 8 * round.numbers * (round.processes - 1));
        else
            round.after_us[victim] = 1 + (unsigned)knell_prng_below(&random, 6000);
    }
    return round;
}

static int at_random(uint64_t seed, uint64_t first, uint64_t count)
{
    struct tally tally = {0};
    for (uint64_t i = first; i < first + count && tally.failed < MOST_FAILED; i++) {
        struct round round = drawn(seed, i);
        if (!round_run(&round, &tally))
            fprintf(stderr, "again: test-carrier-kill one %" PRIu64 " %" PRIu64 "\n", seed, i);
    }
    sum_up("at random", &tally);
    if (count >= 100 && tally.failed == 0 && tally.killed < count / 2) {
        fprintf(stderr, "too few were killed: nothing was tested\n");
        return 1;
    }
    return tally.failed > 0;
}

/* ---- the command line ----------------------------------------------------------------------------------------------------------- */

static int usage(void)
{
    fprintf(
        stderr,
        "usage: test-carrier-kill steps PROCESSES | step PROCESSES VICTIM STEP | random ROUNDS SEED | one SEED ROUND\n");
    return 2;
}

int main(int argc, char **argv)
{
    uint64_t number[3] = {0};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    for (int i = 2; i < argc && i < 5; i++)
        number[i - 2] = strtoull(argv[i], NULL, 10);
    const char *what = argc > 1 ? argv[1] : "";
    bool of_processes = number[0] >= 2 && number[0] <= PEERS;
    if (strcmp(what, "steps") == 0 && argc == 3 && of_processes)
        return at_every_step((unsigned)number[0]);
    if (strcmp(what, "step") == 0 && argc == 5 && of_processes && number[1] < number[0])
        return !at_step((unsigned)number[0], (unsigned)number[1], number[2], &(struct tally){0});
    if (strcmp(what, "random") == 0 && argc == 4)
        return at_random(number[1], 0, number[0]);
    if (strcmp(what, "one") == 0 && argc == 4)
        return at_random(number[0], number[1], 1);
    return usage();
}
