/* The scripts of wire_fuzz.c, which wire_corpus.c writes.
 *
 * A script is a byte of setup and acts. An act is a byte: its kind in the lower three bits, five bits of detail above.
 * A datagram's detail is its length, 31 meaning 31 more than the next byte says; its bytes follow. */
#ifndef KNELL_TEST_WIRE_FUZZ_H
#define KNELL_TEST_WIRE_FUZZ_H

#include <knell/wire.h>

#define FUZZ_RANKS 8
#define FUZZ_GROUP 300  /* takes two bytes */
#define FUZZ_OUTSIDER 6 /* the one rank that is not in it */

/* Setup: who the node is in bits 4 to 6, and */
enum { FUZZ_HBA = 1, FUZZ_LATEST = 2, FUZZ_ROOMY = 4, FUZZ_SPLIT = 8 };

enum {
    FUZZ_DATAGRAM = 0, /* to 2, as most acts are that */
    FUZZ_DATAGRAM_LAST = 2,
    FUZZ_TICK = 3,    /* so much later, 0: at the deadline */
    FUZZ_SUSPECT = 4, /* whom; 8: it has left */
    FUZZ_PROPOSE = 5, /* 1: in the group, 2 bits of kind, operation, with a value */
    FUZZ_WISH = 6,    /* group, drop, revoke, resumed, leave or trigger, move */
};

#endif
