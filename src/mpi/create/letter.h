/* letter.h: what processes tell each other while they make a communicator and have none in common: messages of the layer on the wire, of
 * any length, which wait in the mailbox of this process until somebody takes them. Nothing here blocks. */
#ifndef KNELL_MPI_CREATE_LETTER_H
#define KNELL_MPI_CREATE_LETTER_H

#include <stdint.h>

enum letter_kind {
    LETTER_GROUP, /* a leader to the other one: its group */
    LETTER_LOCAL, /* a leader to its own group: the remote one */
    LETTER_BYE,   /* a leader to the other one: it has left, after it had sent its group */
    LETTER_VOID,  /* a leader to all: nobody will have the communicator */
};

/* Letters are told apart by sender, kind, key and number. */
struct letter {
    int kind;
    int code; /* an error class: why there is nothing to be made */
    uint64_t key, number;
    uint64_t id; /* of the new communicator's group */
    int leader;  /* LOCAL: that of the remote group, a process */
    int count;   /* of the processes that follow */
};

/* `process` has letter->count of them. */
void letter_send(int to, const struct letter *letter, const int *process);

/* The first of this kind, key and number; NULL: none has come. The caller frees it. `from` < 0: whoever sent it. */
struct letter *letter_take(int from, enum letter_kind kind, uint64_t key, uint64_t number);
/* Those of this key with lower numbers are of calls that are over. */
void letter_forget(int from, uint64_t key, uint64_t below);

static inline const int *letter_processes(const struct letter *letter)
{
    return (const int *)(letter + 1);
}

#endif
