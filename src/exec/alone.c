/* alone.c: a rank whose `knell run` is on another host, when nothing is heard of that host any more. The rank is not ended: the ring decides
 * who lives. Launchers end what they started when they lose their own host; the supervisor does not obey them then (front.c). What
 * `knell run` would have done is left to the supervisors: the time limit, and the status of the job in a file. */
#include "channel/status.h"
#include "exec/exec.h"
#include "os/clock.h"

#include <knell/runtime.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MS INT64_C(1000000)
/* A rank whose job has not begun is ended after so long: it waits in MPI_Init for ranks that come no more, and nobody tells it. */
#define START_SILENCE_NS (20000 * MS)
#define LONGEST_NS (60000 * MS)

static struct {
    int64_t silence, heard; /* how long it may last; when it began */
    int64_t limit;          /* when the time is over; 0: never */
    bool has_begun;         /* the rank has left MPI_Init */
    char *status_file;      /* NULL: none is wanted */
    uint8_t *dead;          /* by rank */
    int32_t room;
} alone;

void alone_learn(const struct channel_message *message)
{
    struct channel_start start;
    if (message->size < sizeof start)
        return;
    memcpy(&start, message->body, sizeof start);
    alone.silence = start.silence;
    alone.limit = start.limit ? knell__clock_now() + start.limit : 0;
    if (message->size > sizeof start)
        alone.status_file = strndup((const char *)message->body + sizeof start, message->size - sizeof start);
}

void alone_note(const struct job_report *report)
{
    alone.has_begun |= report->word == JOB_WORD_READY;
    if (report->word != JOB_WORD_LEARNED || report->peer < 0)
        return;
    if (report->peer >= alone.room) {
        int32_t room = 2 * report->peer + 64;
        uint8_t *more = realloc(alone.dead, (size_t)room);
        if (!more)
            return;
        memset(more + alone.room, 0, (size_t)(room - alone.room));
        alone.dead = more;
        alone.room = room;
    }
    alone.dead[report->peer] = 1;
}

/* ---- silence --------------------------------------------------------------------------------------------------------- */

void alone_heard(struct exec *exec)
{
    alone.heard = knell__clock_now();
    exec->is_alone = false;
}

/* What waits to be sent to a host that is lost must not hold up the rank. */
static void give_up_if_full(struct exec *exec)
{
    if (channel_unsent(&exec->channel) >= EXEC_UNSENT_MOST)
        exec->channel.lost = exec->channel.silent = true;
}

/* When a rank that is alone is ended; INT64_MAX: never. */
static int64_t end_of_alone(void)
{
    int64_t limit = alone.limit ? alone.limit : INT64_MAX, start = alone.heard + START_SILENCE_NS;
    return !alone.has_begun && start < limit ? start : limit;
}

/* A host that was lost and is there again knows nothing of the connection. Whoever speaks again after a silence is heard before an end. */
static void excuse_reset(struct exec *exec)
{
    if (exec->is_alone && exec->channel.lost && exec->channel.reset)
        exec->channel.silent = true;
}

void alone_look(struct exec *exec)
{
    int64_t now = knell__clock_now();
    if (!exec->is_apart)
        return;
    excuse_reset(exec);
    exec->is_alone = exec->channel.lost ? exec->channel.silent : now - alone.heard > alone.silence;
    if (exec->is_alone)
        give_up_if_full(exec);
    if (exec->is_alone && now >= end_of_alone())
        rank_kill(exec, SIGKILL);
}

bool alone_waits_in_vain(const struct exec *exec)
{
    return exec->is_apart && knell__clock_now() - alone.heard > START_SILENCE_NS;
}

int alone_next_look(const struct exec *exec)
{
    int64_t now = knell__clock_now(), at = exec->is_alone ? end_of_alone() : alone.heard + alone.silence;
    if (!exec->is_apart || at == INT64_MAX)
        return -1;
    return at <= now ? 1 : at - now < LONGEST_NS ? (int)((at - now) / MS) + 1 : (int)(LONGEST_NS / MS);
}

/* ---- the status ------------------------------------------------------------------------------------------------------ */

static bool is_lowest(int number)
{
    int rank = 0;
    while (rank < number && rank < alone.room && alone.dead[rank])
        rank++;
    return rank == number;
}

/* The lowest rank that lives speaks for all. One that died by a signal does not: the others know, and another is the lowest. Nor
 * does one of the smaller side of a split: the file may be there for both sides. */
static void tell_status(const struct exec *exec)
{
    if (alone.status_file && WIFEXITED(exec->status) && WEXITSTATUS(exec->status) != KNELL_RUNTIME_EXIT_SPLIT &&
        is_lowest(exec->number) && !channel_status_write(alone.status_file, WEXITSTATUS(exec->status)))
        exec_say("the job's status %d cannot be written to %.500s: %s", WEXITSTATUS(exec->status), alone.status_file,
                 strerror(errno));
}

/* `knell run` must have read the end before the connection closes: closed with a question unread in it, it would be reset, and what is
 * under way the other way would be lost. On another host the silence may not have been long enough yet to mean something. */
void alone_end(struct exec *exec)
{
    while (!exec->is_alone && !exec->may_end && !exec->channel.lost) {
        poll(&(struct pollfd){.fd = exec->channel.fd, .events = POLLIN}, 1, alone_next_look(exec));
        link_obey(exec);
        alone_look(exec);
    }
    if (exec->is_alone)
        tell_status(exec);
}
