/* notice.h: what the processes of the layer tell each other on the wire, beside the program's messages: small, and never waited
 * for. A process hears notices wherever in MPI it waits, once it knows of any trouble (request.h, knell__tasks_advance). */
#ifndef KNELL_MPI_NOTICE_H
#define KNELL_MPI_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

enum knell__notice_kind {
    KNELL__NOTICE_TAKE,  /* the receiver shall take what was sent to it on `context` with `tag` (drain.h) */
    KNELL__NOTICE_TAKEN, /* that send is over */
    KNELL__NOTICE_OUT,   /* the sender is out of a collective (coll_out.h) */
};

struct knell__notice {
    int kind;                /* enum knell__notice_kind */
    int context;             /* TAKE, TAKEN: by number, see context.h */
    int tag;                 /* OUT: that of the collective */
    int dead;                /* OUT: the process whose death is the reason */
    uint32_t sequence, from; /* OUT: the collective; the sender is out of every later one from `from` on, too */
};

/* Never blocks. A notice to oneself is heard at once. */
void knell__notice_send(int process, const struct knell__notice *notice);

/* Hears what has come. True: something is under way. */
bool knell__notices_turn(void);

#endif
