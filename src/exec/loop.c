/* loop.c: the supervisor while it waits: for the word to start, then for the end of the rank. Whatever happens is an event of poll. */
#include "exec/exec.h"

#include <signal.h>
#include <unistd.h>

enum { AT_CHANNEL, AT_REPORTS, AT_SIGNALS, AT_FRONT, AT_OUTPUT, EVENTS = AT_OUTPUT + OUTPUT_STREAMS };

bool loop_until_start(struct exec *exec)
{
    alone_heard(exec);
    while (exec->is_heard && !exec->may_start) {
        if (exec->channel.lost || alone_waits_in_vain(exec))
            return false;
        poll(&(struct pollfd){.fd = exec->channel.fd, .events = POLLIN}, 1, exec->is_apart ? 1000 : -1);
        link_obey(exec);
    }
    return true;
}

/* The launcher has killed it. That ends the rank, unless the launcher itself is lost. */
static void lose_front(struct exec *exec)
{
    close(exec->front);
    exec->front = -1;
    if (!exec->is_alone)
        rank_kill(exec, SIGKILL);
}

static void turn(struct exec *exec)
{
    const bool connected = !exec->channel.lost, takes = channel_unsent(&exec->channel) < EXEC_UNSENT_MOST;
    struct pollfd fds[EVENTS] = {
        [AT_CHANNEL] = {.fd = connected ? exec->channel.fd : -1,
                        .events = (short)(POLLIN | (channel_unsent(&exec->channel) ? POLLOUT : 0))},
        [AT_REPORTS] = {.fd = takes ? exec->reports_in : -1, .events = POLLIN},
        [AT_SIGNALS] = {.fd = exec->signals, .events = POLLIN},
        [AT_FRONT] = {.fd = exec->front, .events = POLLIN},
    };
    output_poll(&fds[AT_OUTPUT]);
    for (int i = 0; i < OUTPUT_STREAMS && !takes; i++)
        fds[AT_OUTPUT + i].fd = -1;
    poll(fds, EVENTS, pmix_next_look(alone_next_look(exec)));
    pmix_look(exec);
    channel_flush(&exec->channel);
    if (fds[AT_CHANNEL].revents)
        link_obey(exec);
    if (fds[AT_REPORTS].revents)
        link_pass_reports(exec);
    output_turn(&exec->channel, &fds[AT_OUTPUT]);
    alone_look(exec);
    if (fds[AT_SIGNALS].revents)
        rank_hear_signals(exec);
    if (fds[AT_FRONT].revents)
        lose_front(exec);
}

/* When `knell run` ends the connection the job is over. When nothing is heard of it, its host may be lost: the ring decides. */
void loop_until_end(struct exec *exec)
{
    bool was_lost = !exec->is_heard;
    while (!exec->has_ended) {
        turn(exec);
        if (exec->channel.lost && !exec->channel.silent && !was_lost)
            rank_kill(exec, SIGKILL);
        was_lost = was_lost || exec->channel.lost;
    }
}
