/* kill.h: a round: processes exchange messages, some of them are killed, and what the survivors got is compared with what was
 * published. */
#ifndef KNELL_TEST_CARRIER_KILL_H
#define KNELL_TEST_CARRIER_KILL_H

#include "exchange.h"

struct round {
    unsigned processes, numbers;
    uint64_t seed;
    uint64_t at_step[PEERS];  /* 0: not at a step */
    unsigned after_us[PEERS]; /* 0: not by the clock */
    bool yields; /* gives its processor away at random steps: what lies between two stores becomes longer */
};

struct tally {
    unsigned rounds, failed, killed;
    unsigned published;         /* pairs whose last message was published by a call that never returned */
    unsigned unpublished;       /* pairs whose last call had not published when it was killed */
    unsigned lost;              /* pulls that found their sender gone */
    unsigned withdrawn, pieces; /* messages */
    uint64_t messages, steps[PEERS];
};

/* False: something was wrong, and has been said. */
bool round_run(const struct round *round, struct tally *tally);

#endif
