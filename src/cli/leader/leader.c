/* leader.c: see leader.h. */
#include "cli/leader/leader.h"
#include "os/clock.h"
#include "os/pidfd.h"

#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define PING_NS (500 * MS)
/* An agent tries to connect for half a minute. It needs less for its part of the beginning. */
#define COMES_NS (35000 * MS)
/* So long an agent may take to end what it traces. */
#define LEAVES_NS (3000 * MS)

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool leader_open(struct leader *leader, const char *own_host)
{
    bool is_new;
    leader->events = epoll_create1(EPOLL_CLOEXEC);
    leader->owner = calloc(knell_fail_instance_count(leader->scenario->program) + 1u, sizeof *leader->owner);
    leader->since = knell__clock_now();
    return leader->events >= 0 && leader->owner && leader_add(leader, own_host, &is_new) == 0;
}

unsigned leader_add(struct leader *leader, const char *host, bool *is_new)
{
    *is_new = false;
    unsigned found = leader_find(leader, host);
    if (found < leader->agents)
        return found;
    struct leader_agent *more = realloc(leader->agent, (leader->agents + 1) * sizeof *more);
    if (!more)
        return UINT_MAX;
    leader->agent = more;
    more[leader->agents] = (struct leader_agent){.stream = {.fd = -1, .lost = true}};
    snprintf(more[leader->agents].host, sizeof more->host, "%s", host);
    *is_new = true;
    return leader->agents++;
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

bool leader_has_all(const struct leader *leader)
{
    bool all = leader->is_complete;
    for (unsigned i = 0; i < leader->agents && all; i++)
        all = leader->agent[i].was_open;
    return all;
}

static bool are_all_ready(const struct leader *leader)
{
    bool all = leader->is_complete;
    for (unsigned i = 0; i < leader->agents && all; i++)
        all = leader->agent[i].is_ready;
    return all;
}

/* All have done what the last phase asked for. */
static void advance(struct leader *leader)
{
    bool has_all = leader->phase == LEADER_GATHERS ? leader_has_all(leader) : are_all_ready(leader);
    if (!has_all || leader->phase >= LEADER_RUNS)
        return;
    leader->phase++;
    leader->since = knell__clock_now();
    for (unsigned i = 0; i < leader->agents; i++) {
        leader->agent[i].is_ready = false;
        if (leader->phase == LEADER_SETS_UP)
            leader_send_setup(leader, i);
        else if (leader->phase == LEADER_BEGINS)
            channel_put(&leader->agent[i].stream, CHANNEL_BEGIN, NULL, 0, NULL, 0);
    }
}

void leader_complete(struct leader *leader)
{
    leader->is_complete = true;
    leader->since = knell__clock_now();
    advance(leader);
}

bool leader_expects(const struct leader *leader, int number)
{
    return number < 0 && (unsigned)(-1 - number) < leader->agents && !leader->agent[-1 - number].was_open;
}

void leader_joined(struct leader *leader, int fd, const struct channel_hello *hello)
{
    unsigned number = (unsigned)(-1 - hello->rank);
    struct leader_agent *agent = &leader->agent[number];
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};
    channel_stream_open(&agent->stream, fd);
    agent->is_open = agent->was_open = epoll_ctl(leader->events, EPOLL_CTL_ADD, fd, &event) == 0;
    advance(leader);
}

/* ---- what comes -------------------------------------------------------------------------------------------------- */

/* A lost host takes its daemons along. */
static void pass_on(struct leader *leader, const struct channel_message *message)
{
    struct channel_mail mail;
    if (message->size != sizeof mail)
        return;
    memcpy(&mail, message->body, sizeof mail);
    if (mail.to < knell_fail_instance_count(leader->scenario->program))
        channel_put(&leader->agent[leader->owner[mail.to]].stream, CHANNEL_MAIL, &mail, sizeof mail, NULL, 0);
}

/* Agents number the lines of their own logs, as text or as JSON; here they get the numbers of their arrival. */
static void take_line(struct leader *leader, const struct channel_message *message)
{
    struct channel_line line;
    char text[2048], words[2048];
    if (message->size < sizeof line)
        return;
    memcpy(&line, message->body, sizeof line);
    snprintf(words, sizeof words, "%.*s", (int)(message->size - sizeof line),
             (const char *)message->body + sizeof line);
    const char *rest = words + strcspn(words, "0123456789");
    rest += strspn(rest, "0123456789");
    snprintf(text, sizeof text, words[0] == '{' ? "{\"seq\":%" PRIu64 "%s" : "%6" PRIu64 "%s", ++leader->lines, rest);
    leader->line(leader->driver, &line, text);
}

static void take_tell(struct leader *leader, const struct leader_agent *agent, const struct channel_message *message)
{
    struct channel_number fatal;
    char text[1024];
    if (message->size < sizeof fatal)
        return;
    memcpy(&fatal, message->body, sizeof fatal);
    snprintf(text, sizeof text, "%.*s", (int)(message->size - sizeof fatal),
             (const char *)message->body + sizeof fatal);
    leader->tell(leader->driver, fatal.number != 0, agent->host, text);
}

static void take_over(struct leader_agent *agent, const struct channel_message *message)
{
    struct channel_number status = {0};
    memcpy(&status, message->body, message->size < sizeof status ? message->size : sizeof status);
    agent->is_over = true;
    agent->status = (int)status.number;
}

static void take(struct leader *leader, struct leader_agent *agent, const struct channel_message *message)
{
    switch (message->kind) {
    case CHANNEL_READY:
        agent->is_ready = true;
        advance(leader);
        break;
    case CHANNEL_MAIL:
        pass_on(leader, message);
        break;
    case CHANNEL_LINE:
        take_line(leader, message);
        break;
    case CHANNEL_TELL:
        take_tell(leader, agent, message);
        break;
    case CHANNEL_OVER:
        take_over(agent, message);
        break;
    default:
        break;
    }
}

/* When TCP gives up, the host is lost: its daemons are, and the others go on, once the scenario runs. Before that they would wait for it for
 * ever. An agent that ends takes the processes with it that it traces. */
static void read_agent(struct leader *leader, struct leader_agent *agent)
{
    struct channel_message message;
    if (!agent->is_open)
        return;
    channel_fill(&agent->stream);
    while (channel_next(&agent->stream, &message))
        take(leader, agent, &message);
    if (!agent->stream.lost)
        return;
    bool was_silent = agent->stream.silent;
    agent->is_open = false;
    channel_stream_close(&agent->stream);
    agent->is_over =
        leader->phase >= LEADER_RUNS && (was_silent || (leader->may_go && leader->may_go(leader->driver, agent->host)));
    if (!agent->is_over)
        leader->tell(leader->driver, true, agent->host,
                     was_silent ? "nothing is heard of the agent any more" : "the agent ended before the job did");
}

void leader_turn(struct leader *leader)
{
    enum { SOME = 16 };
    struct epoll_event event[SOME];
    int ready = leader->scenario ? epoll_wait(leader->events, event, SOME, 0) : 0;
    for (int i = 0; i < ready; i++)
        read_agent(leader, &leader->agent[event[i].data.u64]);
    for (unsigned i = 0; i < leader->agents; i++)
        if (leader->agent[i].is_open && channel_unsent(&leader->agent[i].stream))
            channel_flush(&leader->agent[i].stream);
}

/* ---- signs of life ----------------------------------------------------------------------------------------------- */

/* It is said once. */
static void complain_of_missing(struct leader *leader)
{
    for (unsigned i = 0; i < leader->agents && !leader->has_complained; i++) {
        const struct leader_agent *agent = &leader->agent[i];
        leader->has_complained = leader->phase == LEADER_GATHERS ? !agent->was_open : !agent->is_ready;
        if (leader->has_complained)
            leader->tell(leader->driver, true, agent->host,
                         agent->was_open ? "the agent does not answer" : "the agent cannot be reached");
    }
}

int64_t leader_ping(struct leader *leader)
{
    int64_t now = knell__clock_now();
    if (now < leader->ping_at)
        return leader->ping_at;
    leader->ping_at = now + PING_NS;
    for (unsigned i = 0; i < leader->agents; i++)
        if (leader->agent[i].is_open)
            channel_put(&leader->agent[i].stream, CHANNEL_ALIVE, NULL, 0, NULL, 0);
    if (leader->is_complete && leader->phase < LEADER_RUNS && now - leader->since > COMES_NS)
        complain_of_missing(leader);
    return leader->ping_at;
}

void leader_forget(struct leader *leader, const char *host)
{
    unsigned number = leader_find(leader, host);
    if (number < leader->agents)
        leader->agent[number].is_open = false;
}

bool leader_is_over(const struct leader *leader, int *status)
{
    bool all = leader->phase == LEADER_RUNS;
    *status = 0;
    for (unsigned i = 0; i < leader->agents && all; i++) {
        all = leader->agent[i].is_over;
        *status = *status ? *status : leader->agent[i].status;
    }
    return all;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* An agent that has ended what it traced closes its connection. */
static void wait_until_gone(struct leader *leader, struct leader_agent *agent, int64_t until)
{
    struct channel_message message;
    int64_t left;
    while (!agent->stream.lost && (left = until - knell__clock_now()) > 0) {
        short events = (short)(POLLIN | (channel_unsent(&agent->stream) ? POLLOUT : 0));
        poll(&(struct pollfd){.fd = agent->stream.fd, .events = events}, 1, (int)(left / MS) + 1);
        channel_flush(&agent->stream);
        channel_fill(&agent->stream);
        while (channel_next(&agent->stream, &message))
            take(leader, agent, &message);
    }
}

void leader_close(struct leader *leader)
{
    int64_t until = knell__clock_now() + LEAVES_NS;
    leader->phase = LEADER_ENDS;
    for (unsigned i = 0; i < leader->agents; i++)
        if (leader->agent[i].is_open)
            channel_put(&leader->agent[i].stream, CHANNEL_BYE, NULL, 0, NULL, 0);
    for (unsigned i = 0; i < leader->agents; i++) {
        if (leader->agent[i].is_open)
            wait_until_gone(leader, &leader->agent[i], until);
        channel_stream_close(&leader->agent[i].stream);
    }
    if (leader->scenario && leader->events >= 0)
        close(leader->events);
    free(leader->agent);
    free(leader->owner);
    *leader = (struct leader){.events = -1};
}

/* A stopped one does not hear SIGTERM. What it traces dies with it. */
void leader_end_child(pid_t child, int64_t until)
{
    int fd = knell__pidfd_open(child);
    int64_t left = until - knell__clock_now();
    kill(child, SIGTERM);
    poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, fd >= 0 && left > 0 ? (int)(left / MS) + 1 : 0);
    if (fd >= 0)
        close(fd);
    if (waitpid(child, NULL, WNOHANG) == 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}
