/* notice.h: what the processes of the layer tell each other on the wire, beside the program's messages: small, and never waited
 * for. A process hears notices wherever in MPI it waits, once it knows of any trouble (request.h, knell__tasks_advance). */
#ifndef KNELL_MPI_ABANDON_NOTICE_H
#define KNELL_MPI_ABANDON_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

enum knell__notice_kind {
    KNELL__NOTICE_TAKE,  /* the receiver shall take what was sent to it on `context` with `tag` (drain.h) */
    KNELL__NOTICE_TAKEN, /* that send is over */
    KNELL__NOTICE_OUT,   /* the sender is out of a collective (coll/out.h) */
    KNELL__NOTICES
};

struct knell__notice {
    int kind;                /* enum knell__notice_kind */
    int context;             /* TAKE, TAKEN: by number, see context.h */
    int tag;                 /* OUT: that of the collective */
    int dead;                /* OUT: the process whose death is the reason */
    uint32_t sequence, from; /* OUT: the collective; the sender is out of every later one from `from` on, too */
};

/* Notices of this kind are heard by this function: registered once, at MPI_Init. */
typedef void knell__notice_hear(int source, const struct knell__notice *notice);
void knell__notice_heard_by(enum knell__notice_kind kind, knell__notice_hear *hear);

/* Never blocks. A notice to oneself is heard at once. */
void knell__notice_send(int process, const struct knell__notice *notice);

/* Hears what has come. True: something is under way. */
bool knell__notices_turn(void);

#endif
