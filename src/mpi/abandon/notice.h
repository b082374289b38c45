/* notice.h: what the processes of the layer tell each other on the wire, beside the program's messages: small, and never waited
 * for. A process hears notices wherever in MPI it waits, once it knows of any trouble (request.h, task_advance_all). */
#ifndef KNELL_MPI_ABANDON_NOTICE_H
#define KNELL_MPI_ABANDON_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

enum notice_kind {
    NOTICE_TAKE,  /* the receiver shall take what was sent to it on `context` with `tag` (drain.h) */
    NOTICE_TAKEN, /* that send is over */
    NOTICE_OUT,   /* the sender is out of a collective (coll/out.h) */
    NOTICES
};

struct notice {
    int kind;                /* enum notice_kind */
    int context;             /* TAKE, TAKEN: by number, see context.h */
    int tag;                 /* OUT: that of the collective */
    int dead;                /* OUT: the process whose death is the reason */
    uint32_t sequence, from; /* OUT: the collective; the sender is out of every later one from `from` on, too */
};

/* Notices of this kind are heard by this function: registered once, at MPI_Init. */
typedef void notice_hear(int source, const struct notice *notice);
void notice_heard_by(enum notice_kind kind, notice_hear *hear);

/* Never blocks. A notice to oneself is heard at once. */
void notice_send(int process, const struct notice *notice);

/* Hears what has come. True: something is under way. */
bool notice_turn(void);

#endif
