/* link.c: the supervisor's end of the channel to `knell run`. */
#include "channel/call.h"
#include "exec/exec.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define SENT_NS (10000 * MS)

/* ---- the connection -------------------------------------------------------------------------------------------------- */

/* Without brackets and port. */
static void host_text(struct knell__address *address, char text[KNELL__ADDRESS_TEXT])
{
    knell__address_text(address, text);
    char *end = strrchr(text, ':');
    if (end)
        end[end > text && end[-1] == ']' ? -1 : 0] = '\0';
    if (*text == '[')
        memmove(text, text + 1, strlen(text));
}

/* By which address this host is seen: the detector of the rank uses the same. `knell run` is here if it has that address, too. */
static void learn_addresses(struct exec *exec, int fd)
{
    struct knell__address own = {.size = sizeof own.as}, other = {.size = sizeof other.as};
    char here[KNELL__ADDRESS_TEXT], there[KNELL__ADDRESS_TEXT];
    if (getsockname(fd, &own.as.any, &own.size) != 0 || getpeername(fd, &other.as.any, &other.size) != 0)
        return;
    host_text(&own, here);
    host_text(&other, there);
    exec->is_apart = strcmp(here, there) != 0;
    exec->has_hosts = !knell__address_is_loopback(&own);
    setenv("KNELL_ADDRESS", here, 0);
}

static bool make_pipes(struct exec *exec)
{
    int reports[2], deaths[2] = {-1, -1};
    if (pipe2(reports, O_CLOEXEC) != 0 || (exec->has_hosts && pipe2(deaths, O_CLOEXEC) != 0))
        return false;
    exec->reports_in = reports[0];
    exec->reports_out = reports[1];
    exec->deaths_in = deaths[0];
    exec->deaths_out = deaths[1];
    fcntl(exec->reports_in, F_SETFL, O_NONBLOCK);
    fcntl(exec->deaths_out, F_SETFL, O_NONBLOCK);
    return true;
}

bool link_open(struct exec *exec)
{
    const char *where = getenv("KNELL_RUN"), *secret = getenv("KNELL_KEY");
    struct knell__address address;
    struct knell__key key;
    if (knell__address_parse(where, &address) != 0 || !secret || !channel_key_read(secret, &key)) {
        exec_say(
            "KNELL_RUN=%.100s and KNELL_KEY are not what `knell run` sets: the launcher must pass them on as they are",
            where);
        return false;
    }
    int fd = channel_call(&address, &key, exec->number);
    if (fd < 0) {
        exec_say("rank %d cannot reach knell run at %.100s: %s", exec->number, where,
                 errno ? strerror(errno) : "another program answers there");
        return false;
    }
    channel_stream_open(&exec->channel, fd);
    learn_addresses(exec, fd);
    return make_pipes(exec);
}

void link_wait_sent(struct exec *exec, size_t most)
{
    int64_t until = knell__clock_now() + SENT_NS;
    for (channel_flush(&exec->channel);
         channel_unsent(&exec->channel) > most && channel_wait(exec->channel.fd, POLLOUT, until);
         channel_flush(&exec->channel))
        ;
}

/* ---- reports --------------------------------------------------------------------------------------------------------- */

/* Those that go with words or values on the desk. */
static bool needs_desk(int word)
{
    return word == JOB_WORD_AT || word == JOB_WORD_CHANGED || word == JOB_WORD_READY || word == JOB_WORD_INSIDE ||
           word == JOB_WORD_ABORTED || word == JOB_WORD_ENDED;
}

void link_report(struct exec *exec, struct job_report report)
{
    if (!exec->is_heard)
        return;
    report.process = exec->number;
    if (!report.when)
        report.when = knell__clock_now();
    if (needs_desk(report.word))
        desk_tell(exec, 0, atomic_load(&exec->desk->pact.left));
    channel_put(&exec->channel, CHANNEL_REPORT, &report, sizeof report, NULL, 0);
}

void link_pass_reports(struct exec *exec)
{
    struct job_report report;
    while (exec->reports_in >= 0 && channel_unsent(&exec->channel) < EXEC_UNSENT_MOST &&
           read(exec->reports_in, &report, sizeof report) == (ssize_t)sizeof report) {
        alone_note(&report);
        link_report(exec, report);
    }
}

/* ---- orders ---------------------------------------------------------------------------------------------------------- */

static void look(struct exec *exec, const struct channel_look *order)
{
    _Atomic uint32_t *left = &exec->desk->pact.left;
    desk_tell(exec, order->number, order->takes_left ? atomic_exchange(left, 0) : atomic_load(left));
}

/* A rank that does not read any more has no use for it: silence tells it the same. */
static void pass_death(const struct exec *exec, const struct channel_message *message)
{
    if (message->size == sizeof(struct job_death) && exec->deaths_out >= 0)
        (void)!write(exec->deaths_out, message->body, message->size);
}

static void obey(struct exec *exec, const struct channel_message *message)
{
    union {
        struct channel_at at;
        struct channel_number number;
        struct channel_signal signal;
        struct channel_look look;
    } order = {0};
    memcpy(&order, message->body, message->size < sizeof order ? message->size : sizeof order);
    switch (message->kind) {
    case CHANNEL_WRITE:
        if (message->size >= sizeof order.at)
            desk_write(exec, order.at.offset, message->body + sizeof order.at, message->size - sizeof order.at);
        break;
    case CHANNEL_LEFT:
        atomic_store(&exec->desk->pact.left, (uint32_t)order.number.number);
        break;
    case CHANNEL_START:
        alone_learn(message);
        alone_heard(exec);
        exec->may_start = true;
        break;
    case CHANNEL_SIGNAL:
        desk_signal(exec, order.signal.signal, order.signal.minds_shield);
        if (order.signal.number)
            desk_tell(exec, order.signal.number, atomic_load(&exec->desk->pact.left));
        break;
    case CHANNEL_STRIKE:
        desk_strike(exec);
        desk_tell(exec, order.number.number, atomic_load(&exec->desk->pact.left));
        break;
    case CHANNEL_DEATH:
        pass_death(exec, message);
        break;
    case CHANNEL_BYE:
        exec->may_end = true;
        break;
    case CHANNEL_AGENT:
        agent_start(exec, order.number.number, message);
        break;
    case CHANNEL_LOOK:
        look(exec, &order.look);
        break;
    default:
        break;
    }
}

void link_obey(struct exec *exec)
{
    struct channel_message message;
    channel_fill(&exec->channel);
    while (channel_next(&exec->channel, &message)) {
        alone_heard(exec);
        obey(exec, &message);
    }
}
