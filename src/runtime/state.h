/* state.h: what the files of the runtime share: one struct, and the seams between them.
 *
 *   start.c   from a configuration to a running thread, and back      loop.c    the thread: wait, listen, tick
 *   meet.c    sockets, rendezvous, table, ring order                  drive.c   the node: steps, sink, what arrives
 *   runtime.c what the program may ask and order                      local.c   this host: board and pidfd
 *   outbox.c  datagrams out, many per system call                     inbox.c   datagrams in, by two sockets
 *   fork.c    children are without a detector                         sides.c   what it says and does in a split
 *   channel_*.c, frame.c, rendezvous*.c, board.c, news.c, sentinel.c, watch.c, facts.c, ...   know nothing of this struct
 *
 * One lock is around everything that changes. The thread holds it while it works and not while it waits. */
#ifndef KNELL_RUNTIME_STATE_H
#define KNELL_RUNTIME_STATE_H

#include "os/clock.h"
#include "runtime/address.h"
#include "runtime/board.h"
#include "runtime/channel.h"
#include "runtime/directory.h"
#include "runtime/ears.h"
#include "runtime/facts.h"
#include "runtime/news.h"
#include "runtime/offset.h"
#include "runtime/rendezvous.h"
#include "runtime/sentinel.h"
#include "runtime/watch.h"

#include <knell/runtime.h>
#include <knell/wire.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { KNELL__BATCH = 16 };

/* Datagrams to go out with one system call. */
struct knell__outbox {
    struct mmsghdr header[KNELL__BATCH];
    struct iovec piece[KNELL__BATCH];
    struct knell__address address[KNELL__BATCH];
    uint8_t bytes[KNELL__BATCH][KNELL__FRAME_MAX];
    unsigned count;
};

/* What this process has heard of another. All zero: nothing yet, and no memory that is really there. */
struct knell__other {
    struct knell__offset offset; /* of its clock, when it is on another host */
    knell_time heard;            /* emission of its newest heartbeat, by its clock */
};

/* A process the program has named. */
struct knell__named {
    knell_rank rank;
    pid_t pid;
};

struct knell__registered {
    struct knell__registered *next;
    struct knell_group group;
    knell_rank member[];
};

struct knell_runtime {
    struct knell__key key; /* aligned as the library wants it: first */
    pthread_mutex_t lock;
    pthread_t thread;
    struct knell_runtime *next; /* fork.c's list */
    _Atomic bool inert;         /* in a child of fork */

    struct knell_runtime_config config;
    struct knell_config core;
    struct knell_counters core_counters;
    struct knell_runtime_counters counters;
    struct knell__directory directory; /* on the board, or in `own_directory` */
    void *own_directory;
    struct knell__named *named; /* by the program: knell_runtime_watch_pid */
    uint32_t names;

    struct knell_node *node;
    struct knell_wire_join *join;
    struct knell__channel channel;
    struct knell__outbox *outbox;
    struct knell__other *other; /* by rank */
    struct knell__registered *groups;
    uint32_t split; /* number of the last message that was split */

    int ears;        /* what is listened to while the thread sleeps: */
    int control;     /* sockets: what is to be heard at once, */
    int beats;       /* and what is heard when the thread is awake anyway */
    bool beats_come; /* heartbeats of somebody are datagrams: not where all are on one board */
    bool beats_pour; /* more than can be meant as heartbeats comes in there: it is listened to as well */
    int wake;        /* eventfd: the program has changed something */
    knell_time now;
    knell_time asked; /* until when the thread wanted to sleep */

    struct knell__board board;
    int board_fd;                    /* while all meet */
    bool shortcuts;                  /* the processes of this host have agreed on board and pidfds */
    knell_rank watched;              /* whose pidfd is held; KNELL_NOBODY */
    int watch_fd;                    /* -1: none */
    struct knell__sentinel sentinel; /* watches the same */
    struct knell__news news;
    bool by_news;             /* what is being told came from the board: all of this host have it */
    uint32_t thread_id;       /* of the detector's thread, for who looks at the board */
    knell_rank doubted;       /* the emitter that was silent but looked alive, */
    knell_time doubted_heard; /* since this heartbeat, */
    unsigned doubts;          /* so many times */
    bool watch_again;         /* somebody is gone: look whom to watch */
    knell_rank killed;        /* a process of this host that was ended as it was held for dead; KNELL_NOBODY */
    bool lost_some;           /* in this step somebody failed */
    struct knell_sides
        even; /* this half of a split has the lowest rank, and this process is it; here is 0: it is not so */

    struct knell__facts facts;
    bool calling; /* a thread is in the program's callback */
    int facts_fd; /* eventfd: facts wait */

    bool started, leaving, ended;
    knell_time linger; /* when leaving: the latest end */
};

/* start.c */
int knell__runtime_fail(char *why, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* meet.c: fills sockets, board, directory, ring. */
int knell__meet(struct knell_runtime *runtime, char *why);

/* loop.c */
void *knell__loop(void *runtime);
knell_time knell__loop_deadline(const struct knell_runtime *runtime);

void knell__call_back(struct knell_runtime *runtime);

/* runtime.c: around whatever changes something: the lock, the time; after it datagrams go out and the thread is woken if it
 * has something to do. */
int knell__runtime_enter(struct knell_runtime *runtime);
int knell__leave(struct knell_runtime *runtime, int result);

/* drive.c: all with the lock held. */
int knell__drive(struct knell_runtime *runtime, struct knell_event *event);
void knell__drive_datagram(struct knell_runtime *runtime, const uint8_t *bytes, size_t size, knell_time arrived);
void knell__drive_news(void *runtime, const struct knell__news_item *item);
bool knell__drive_carried(struct knell_runtime *runtime, knell_rank from, const uint8_t *bytes, size_t size);
void knell__drive_heartbeat(struct knell_runtime *runtime, knell_rank from, knell_time emitted, uint32_t size,
                            uint64_t digest);

/* local.c */
void knell__local_begin(struct knell_runtime *runtime);                                           /* without the lock */
struct knell__process knell__local_process(const struct knell_runtime *runtime, knell_rank rank); /* pid 0: none */
void knell__local_hear(struct knell_runtime *runtime); /* the news of the host */
void knell__local_post(struct knell_runtime *runtime, const struct knell_body *body);
void knell__local_look(struct knell_runtime *runtime);   /* at the emitter's line */
void knell__local_watch(struct knell_runtime *runtime);  /* holds the pidfd of whom it should */
void knell__local_ended(struct knell_runtime *runtime);  /* the pidfd became readable */
bool knell__local_doubts(struct knell_runtime *runtime); /* that its silent emitter is dead */
bool knell__local_can_end(const struct knell_runtime *runtime,
                          knell_rank rank);                             /* is it here, to be ended for certain? */
bool knell__local_kill(struct knell_runtime *runtime, knell_rank rank); /* whether it was ended */

/* sides.c */
_Noreturn void knell__sides_end(const struct knell_runtime *runtime, const struct knell_sides *sides);
void knell__sides_look(struct knell_runtime *runtime); /* after a step in which somebody failed */
void knell__sides_settled(struct knell_runtime *runtime, const struct knell_fact *decided);

/* inbox.c: true when nothing more waits there. */
bool knell__inbox_hear_control(struct knell_runtime *runtime);
bool knell__inbox_hear_beats(struct knell_runtime *runtime);

/* outbox.c */
void knell__outbox_put(void *runtime, knell_rank to, enum knell__frame_kind kind, const uint8_t *bytes, size_t size);
void knell__outbox_flush(struct knell_runtime *runtime);

/* fork.c */
void knell__fork_register(struct knell_runtime *runtime);
void knell__fork_forget(struct knell_runtime *runtime);

#endif
