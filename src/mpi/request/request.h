/* request.h: what the program's requests stand for: handle -> communicator, peer, kind.
 *
 * Point-to-point requests are the native ones. What has no native operation (nonblocking collectives, creations, receives
 * that wait) gets a *token*: a generalized request, so that the handle is valid everywhere, in Fortran too. A handle that is
 * not in the table belongs to the MPI alone (I/O, generalized requests of the program).
 *
 * Sends that were complete at once have one handle in common, on both MPIs. The table does not know it: what is complete cannot
 * fail any more. */
#ifndef KNELL_MPI_REQUEST_REQUEST_H
#define KNELL_MPI_REQUEST_REQUEST_H

#include "mpi/comm/comm.h"
#include "mpi/native/tune.h"

/* Peers that are no process. */
enum { PEER_ANY = -1, PEER_ALL = -2 };

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_TASK,       /* token: `task` says when it is done */
    REQUEST_PERSISTENT, /* the program's handle of one; what it has begun is a request of its own (persistent.h) */
};

/* Something that goes on until it is done: advanced by every waiter. */
struct task {
    /* MPI_SUCCESS and *done false: go on. *done: over, with the code returned. */
    int (*advance)(struct task *task, bool *done);
    void (*release)(struct task *task); /* the program has seen the end */
    /* A receive has these too; NULL: nothing to say, nothing to be done. */
    void (*fill)(const struct task *task, MPI_Status *status); /* as the program knows ranks and tags */
    void (*cancel)(struct task *task);
    bool any_source;   /* a receive from any source: a death leaves it pending */
    struct task *next; /* all active tasks */
    MPI_Request handle;
    int code;
    _Atomic bool over; /* from here on `code` may be read */
    bool detached;     /* the program freed the request: nobody will ask */
};

struct persistent;

struct request {
    MPI_Request handle;
    enum request_kind kind;
    uint32_t number; /* given by put: the MPI below gives out a handle again as soon as it is complete */
    uint32_t place;  /* given by get: where the table had it */
    int peer;        /* a process; PEER_ANY: a receive from any source; PEER_ALL: a task, but for such a receive */
    struct comm *comm;
    union {
        struct task *task;
        struct persistent *persistent;
        void *behind; /* either of them */
        int tag;      /* of a send: the native one */
    };
};

/* put holds the communicator, get copies, drop releases it. With threads, what is known of a request must be got before the MPI below
 * completes it: after that the handle may be another thread's. */
/* `tag`: of a send. */
void request_put(MPI_Request handle, enum request_kind kind, int peer, struct comm *comm, int tag);
void request_put_persistent(MPI_Request handle, struct comm *comm, struct persistent *persistent);
bool request_get(MPI_Request handle, struct request *request);
void request_drop(const struct request *known);
/* Those that the program has not seen the end of. */
int request_count(void);

/* A native handle without an operation, for a task. The request is put; the task is advanced by all waiters from now on. */
int request_token(struct comm *comm, struct task *task, MPI_Request *handle);

/* A request whose end is known: its completion gives `code` and `status` (NULL: an empty one), which is as the program knows it. */
int request_settled(struct comm *comm, int code, const MPI_Status *status, MPI_Request *handle);

/* MPI_Request_free: what is under way goes on, and is forgotten when it is over. */
int request_detach(MPI_Request *handle);

/* Advances all active tasks once (inside a task's advance: none), and does what other processes ask for (drain.h). */
void task_advance_all(void);
/* That is done by this function, every few turns. */
void task_serve_by(bool (*serve)(void));
#endif
