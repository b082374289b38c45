/* wire.h: what goes over the supervisor's channel, after the handshake (hello.h): messages of a head and a body. Between machines
 * of one byte order.
 *
 *     knell run                           supervisor
 *     WRITE ...                    ->                    the desk before the rank starts
 *     START                        ->
 *                                  <-     REPORT         STARTED, and whatever the rank tells (job/report.h)
 *     WRITE, SIGNAL, STRIKE, LOOK, DEATH  ->
 *                                  <-     SEEN           before reports that need it, and as the answer to STRIKE and LOOK
 *                                  <-     LOG, CALLS     what a record keeps
 *                                  <-     REPORT         ENDED: the last message
 *     BYE                          ->
 *
 * When the connection ends, the supervisor ends the rank. When nothing is heard over it, the host of `knell run` may be lost: the rank
 * goes on alone.
 *
 * The agents of a scenario's hosts (`knell agent --join`) connect in the same way to who leads the scenario, `knell run` or
 * `knell agent --hosts`:
 *
 *     leader                              agent
 *     SETUP ...                    ->                    the scenario, and which of its instances live here
 *                                  <-     READY
 *     BEGIN                        ->                    once all are ready
 *                                  <-     READY
 *     MAIL, ALIVE                  <->                   messages between daemons go through the leader
 *                                  <-     LINE, TELL     the log; what the user should know
 *                                  <-     OVER           no process is left of those it started
 *     BYE                          -> */
#ifndef KNELL_CHANNEL_WIRE_H
#define KNELL_CHANNEL_WIRE_H

#include "job/report.h"

enum channel_kind {
    CHANNEL_REPORT = 1, /* struct job_report */
    CHANNEL_SEEN,       /* struct channel_seen */
    CHANNEL_LOG,        /* bytes that the rank wrote to its standard output and standard error */
    CHANNEL_CALLS,      /* struct channel_at, and a piece of the rank's record of calls (job/record.h) */
    CHANNEL_WRITE,      /* struct channel_at, and words of eight bytes: they go to that place in the desk's orders */
    CHANNEL_LEFT,       /* struct channel_number: the desk's `left` */
    CHANNEL_START,      /* struct channel_start, and the path of the status file; empty: none */
    CHANNEL_SIGNAL,     /* struct channel_signal */
    CHANNEL_STRIKE,     /* struct channel_number: kill the rank, or, while its shield is shut, when that opens */
    CHANNEL_LOOK,       /* struct channel_look */
    CHANNEL_BYE,        /* nothing: the rank's end is heard; the scenario is over */
    CHANNEL_DEATH,      /* struct job_death, for the rank's detector */
    CHANNEL_AGENT, /* struct channel_number, and the path of knell: a supervisor starts the agent of this number on its host */
    CHANNEL_SETUP, /* a piece of struct channel_setup and what follows it */
    CHANNEL_BEGIN, /* nothing: the scenario's time begins */
    CHANNEL_READY, /* nothing: done, what SETUP or BEGIN says */
    CHANNEL_MAIL,  /* struct channel_mail */
    CHANNEL_ALIVE, /* nothing: a sign of life */
    CHANNEL_LINE,  /* struct channel_line, and a line of the scenario's log */
    CHANNEL_TELL,  /* struct channel_number: not 0, the scenario cannot go on; and a sentence */
    CHANNEL_OVER,  /* struct channel_number: the status of what the agent started */
    CHANNEL_KINDS,
};

enum { CHANNEL_BODY_MAX = 64 << 10 };

struct channel_head {
    uint32_t size; /* of the body */
    uint32_t kind;
};

struct channel_at {
    uint64_t offset;
};

struct channel_number {
    uint64_t number;
};

struct channel_start {
    int64_t silence; /* nothing was heard for so long: the host is lost */
    int64_t limit;   /* the rank may run for so long; 0: as long as it likes */
};

struct channel_signal {
    int32_t signal;
    int32_t minds_shield; /* it waits while the rank's shield is shut */
    uint64_t number;      /* not 0: answer when it is sent */
};

struct channel_look {
    uint64_t number;
    uint64_t takes_left; /* `left` becomes 0, and its value is in the answer */
};

/* The number under which agent N of a scenario shakes hands; ranks have those from 0 on. */
static inline int channel_agent_number(unsigned agent)
{
    return -1 - (int)agent;
}

/* Followed by a byte for each instance (1: it lives with this agent), the name of the scenario, its defines, each with its 0, and its text. */
struct channel_setup {
    uint64_t size; /* of all of it */
    uint64_t seed;
    uint32_t flags;
    uint32_t instances;
    uint32_t name, defines; /* bytes, with their zeros */
};

enum {
    CHANNEL_SETUP_STARTS = 1,    /* the agent starts the programs of its slots */
    CHANNEL_SETUP_LISTENS = 2,   /* and takes processes that come to it */
    CHANNEL_SETUP_ALL_LINES = 4, /* every event is wanted in the log, not only rules that fired */
    CHANNEL_SETUP_JSON = 8,
};

/* From an instance of one agent to one of another. */
struct channel_mail {
    uint32_t from, to, message;
};

struct channel_line {
    int32_t rank; /* of the process in question, by its launcher's word; -1: none */
    uint32_t flags;
};
enum { CHANNEL_LINE_FIRED = 1, CHANNEL_LINE_HALTS = 2 }; /* of its flags */

/* The desk as the rank wrote it. */
struct channel_seen {
    uint64_t number; /* of the question; 0: nobody asked */
    int64_t clock;   /* CLOCK_MONOTONIC of the supervisor's host */
    int64_t struck;  /* when the rank was killed by STRIKE; 0: it was not */
    uint32_t left;   /* calls that may still pass */
    uint32_t state;  /* the rank's process by the kernel: 'T' is stopped by a signal, 't' by a debugger; 0: not known */
    struct job_desk_seen desk;
};

#endif
