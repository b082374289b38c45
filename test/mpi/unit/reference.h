/* reference.h: a matcher as the MPI standard describes it, written in the plainest way: one list of messages and one of receives, each
 * in order. The layer's matching is measured by it. */
#ifndef KNELL_TEST_MPI_REFERENCE_H
#define KNELL_TEST_MPI_REFERENCE_H

#include <stdbool.h>

enum { REFERENCE_MOST = 1000, REFERENCE_ANY = -1, REFERENCE_NONE = -1 };

struct reference_message {
    int comm, source, tag;
    bool is_taken; /* received, matched by a probe, or thrown away */
};

struct reference_receive {
    int comm, source, tag; /* or REFERENCE_ANY */
    bool is_cancelled;
    int message; /* which it got; REFERENCE_NONE: none yet */
};

struct reference {
    struct reference_message message[REFERENCE_MOST];
    struct reference_receive receive[REFERENCE_MOST];
    int messages, receives;
};

/* Each returns the number of the message or receive that is added. */
int reference_arrive(struct reference *reference, int comm, int source, int tag);
int reference_post(struct reference *reference, int comm, int source, int tag);
/* True: it had got nothing. */
bool reference_cancel(struct reference *reference, int receive);
/* The message that a probe finds; REFERENCE_NONE. */
int reference_probe(const struct reference *reference, int comm, int source, int tag);
/* What is there from this source with this tag is thrown away; all of a communicator's. */
void reference_discard(struct reference *reference, int comm, int source, int tag);
void reference_end(struct reference *reference, int comm);

#endif
