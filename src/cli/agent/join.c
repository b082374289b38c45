/* join.c: `knell agent --join`: the agent of one host, with a part of a scenario whose leader (cli/leader/leader.h) may be on another one. It has
 * no user to talk to: log, complaints and messages between daemons go to the leader. When the leader is gone, so is the agent, and all
 * that it traces; when nothing is heard of it any more, its host may be lost: the agent ends with the last of its processes. */
#include "channel/call.h"
#include "cli/agent/job.h"
#include "cli/common/ending.h"
#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define SILENCE_NS (20 * SECOND)
#define LAST_WORDS_NS (2 * SECOND)
/* The leader gives two signs of life a second. */
#define RESET_SILENCE_NS (3 * SECOND)

/* ---- to the leader ----------------------------------------------------------------------------------------------- */

void join_tell(struct job *job, bool fatal, const char *text)
{
    channel_put(&job->leader.stream, CHANNEL_TELL, &(struct channel_number){fatal}, sizeof(struct channel_number), text,
                strlen(text));
}

static bool halts(const struct knell_fail_record *record)
{
    for (uint32_t i = 0; i < record->action_count; i++)
        if (record->actions[i].type == KNELL_FAIL_HALT && !record->actions[i].vain)
            return true;
    return false;
}

/* Before the actions are carried out: what the leader hears of a death comes after. */
void join_line(struct job *job, const struct knell_fail_record *record)
{
    char text[2048];
    bool fired = record->outcome == KNELL_FAIL_FIRED;
    struct channel_line line = {(int32_t)agent_rank_of(job->agent, record->instance),
                                (fired ? CHANNEL_LINE_FIRED : 0u) | (halts(record) ? CHANNEL_LINE_HALTS : 0u)};
    if (!fired && !job->leader.wants_all_lines)
        return;
    if (job->json)
        knell_fail_record_json(job->scenario.program, record, text, sizeof text);
    else
        knell_fail_record_text(job->scenario.program, record, text, sizeof text);
    channel_put(&job->leader.stream, CHANNEL_LINE, &line, sizeof line, text, strlen(text));
}

void join_send(void *driver, uint32_t from, uint32_t to, uint32_t message)
{
    struct job *job = driver;
    struct channel_mail mail = {from, to, message};
    channel_put(&job->leader.stream, CHANNEL_MAIL, &mail, sizeof mail, NULL, 0);
}

/* ---- from the leader --------------------------------------------------------------------------------------------- */

static void keep_piece(struct job *job, const struct channel_message *message)
{
    uint8_t *more = realloc(job->leader.setup, job->leader.got + message->size + 1);
    if (!more) {
        job->failed = true;
        return;
    }
    memcpy(more + job->leader.got, message->body, message->size);
    job->leader.setup = more;
    job->leader.got += message->size;
}

static void take_mail(struct job *job, const struct channel_message *message)
{
    struct channel_mail mail;
    if (message->size != sizeof mail || !job->agent)
        return;
    memcpy(&mail, message->body, sizeof mail);
    agent_deliver(job->agent, mail.from, mail.to, mail.message);
}

static void hear_leader(struct job *job)
{
    struct channel_message message;
    channel_flush(&job->leader.stream);
    channel_fill(&job->leader.stream);
    while (channel_next(&job->leader.stream, &message)) {
        job->leader.heard = knell__clock_now();
        if (message.kind == CHANNEL_SETUP)
            keep_piece(job, &message);
        else if (message.kind == CHANNEL_BEGIN)
            job->leader.may_begin = true;
        else if (message.kind == CHANNEL_MAIL)
            take_mail(job, &message);
        else if (message.kind == CHANNEL_BYE)
            job->leader.is_over = true;
    }
}

static bool is_over(const struct job *job)
{
    const struct channel_stream *stream = &job->leader.stream;
    int64_t silence = knell__clock_now() - job->leader.heard;
    /* a host that was lost and is there again answers with a reset */
    bool was_silent = stream->silent || (stream->reset && silence > RESET_SILENCE_NS);
    bool is_alone = stream->lost || silence > SILENCE_NS;
    return job->failed || job->signal || job->leader.is_over || (stream->lost && !was_silent) ||
           (is_alone && (!job->agent || agent_processes(job->agent) == 0));
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

/* By KNELL_RUN and KNELL_KEY, which are nobody else's business. */
static int call_leader(struct job *job)
{
    const char *where = getenv("KNELL_RUN"), *secret = getenv("KNELL_KEY");
    struct knell__address address;
    struct knell__key key;
    if (!where || !secret || knell__address_parse(where, &address) != 0 || !channel_key_read(secret, &key))
        return cli_usage_error(job->usage, "--join: KNELL_RUN and KNELL_KEY do not say whose scenario it is");
    int fd = channel_call(&address, &key, channel_agent_number((unsigned)job->join));
    if (fd < 0)
        return cli_failure(job->usage, "--join: nobody can be reached at %.100s: %s", where,
                           errno ? strerror(errno) : "another program answers there");
    unsetenv("KNELL_RUN");
    unsetenv("KNELL_KEY");
    channel_stream_open(&job->leader.stream, fd);
    job->leader.heard = knell__clock_now();
    return EXIT_OK;
}

/* Returns false if it is over before that. */
static bool wait_for(struct job *job, int signals, bool (*has_come)(const struct job *job))
{
    while (!has_come(job) && !is_over(job)) {
        short events = (short)(POLLIN | (channel_unsent(&job->leader.stream) ? POLLOUT : 0));
        struct pollfd fds[] = {{.fd = job->leader.stream.fd, .events = events}, {.fd = signals, .events = POLLIN}};
        poll(fds, COUNT_OF(fds), 1000);
        hear_leader(job);
        job_hear_signal(job, signals);
    }
    return has_come(job);
}

static bool has_setup(const struct job *job)
{
    struct channel_setup head;
    if (job->leader.got < sizeof head)
        return false;
    memcpy(&head, job->leader.setup, sizeof head);
    return job->leader.got >= head.size;
}

static bool may_begin(const struct job *job)
{
    return job->leader.may_begin;
}

static bool add_defines(struct job *job, char *at, const char *end)
{
    while (at < end && job->defines.n < TEXTS_MAX) {
        job->defines.items[job->defines.n++] = at;
        at += strlen(at) + 1;
    }
    return at == end;
}

/* The setup stays where it is: hosted and the defines lie in it. The text is the scenario's to free. */
static int compile(struct job *job)
{
    struct channel_setup head;
    memcpy(&head, job->leader.setup, sizeof head);
    uint64_t before = sizeof head + (uint64_t)head.instances + head.name + head.defines;
    char *name = (char *)job->leader.setup + sizeof head + head.instances, *defines = name + head.name;
    if (before > head.size || head.size > job->leader.got || !head.name || name[head.name - 1] ||
        (head.defines && defines[head.defines - 1]) || !add_defines(job, defines, defines + head.defines))
        return job_complain(job, EXIT_FAILED, "the scenario did not arrive whole");
    size_t size = (size_t)(head.size - before);
    char *text = calloc(1, size + 1);
    if (!text)
        return job_complain(job, EXIT_FAILED, "no memory for the scenario");
    memcpy(text, job->leader.setup + before, size);
    job->fail = name;
    job->seed = (int64_t)head.seed;
    job->json = head.flags & CHANNEL_SETUP_JSON;
    job->listen = head.flags & CHANNEL_SETUP_LISTENS;
    job->leader.wants_all_lines = head.flags & CHANNEL_SETUP_ALL_LINES;
    int status = scenario_compile(job->usage, name, text, size, &job->defines, &job->scenario);
    if (status != EXIT_OK || knell_fail_instance_count(job->scenario.program) != head.instances)
        return job_complain(job, EXIT_FAILED, "the scenario is not understood: another version of Knell?");
    job->leader.hosted = job->leader.setup + sizeof head;
    return EXIT_OK;
}

static bool starts(const struct job *job)
{
    struct channel_setup head;
    memcpy(&head, job->leader.setup, sizeof head);
    return head.flags & CHANNEL_SETUP_STARTS;
}

static void tell_ready(struct job *job)
{
    channel_put(&job->leader.stream, CHANNEL_READY, NULL, 0, NULL, 0);
}

/* Until the scenario's time begins. -1: it has; otherwise an exit status. */
static int prepare(struct job *job, int signals)
{
    int status = call_leader(job);
    if (status != EXIT_OK)
        return status;
    if (!wait_for(job, signals, has_setup))
        return EXIT_FAILED;
    status = compile(job);
    if (status == EXIT_OK && starts(job))
        status = names_check_all(job);
    if (status == EXIT_OK && job->listen)
        status = door_open(job);
    if (status == EXIT_OK)
        status = job_open_agent(job);
    if (status != EXIT_OK)
        return status;
    tell_ready(job);
    return wait_for(job, signals, may_begin) ? -1 : EXIT_FAILED;
}

/* ---- the course -------------------------------------------------------------------------------------------------- */

/* Nothing is left of what it started. */
static void tell_end(struct job *job)
{
    if (job->leader.has_told_end || !starts(job) || agent_started(job->agent) > 0)
        return;
    job->leader.has_told_end = true;
    channel_put(&job->leader.stream, CHANNEL_OVER, &(struct channel_number){(uint64_t)job_status(job)},
                sizeof(struct channel_number), NULL, 0);
}

static void turn_until_over(struct job *job, int signals)
{
    knell_time begin = knell__clock_now();
    agent_begin(job->agent);
    tell_ready(job);
    if (starts(job) && job_start_slots(job) != EXIT_OK)
        return;
    while (!is_over(job)) {
        knell_time next = agent_turn(job->agent), look = knell__clock_now() - begin + SECOND;
        tell_end(job);
        short events = (short)(POLLIN | (channel_unsent(&job->leader.stream) ? POLLOUT : 0));
        struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                               {.fd = job->door, .events = POLLIN},
                               {.fd = job->leader.stream.lost ? -1 : job->leader.stream.fd, .events = events}};
        if (is_over(job))
            break;
        agent_wait(job->agent, fds, COUNT_OF(fds), next < look ? next : look);
        job_hear_signal(job, signals);
        hear_leader(job);
        door_serve(job);
    }
}

/* A connection that is closed with something unread is reset, and what was said last is lost. */
static void say_goodbye(struct channel_stream *stream)
{
    struct channel_message message;
    int64_t until = knell__clock_now() + LAST_WORDS_NS;
    while (channel_unsent(stream) > 0 && channel_wait(stream->fd, POLLOUT, until))
        channel_flush(stream);
    if (stream->fd >= 0)
        shutdown(stream->fd, SHUT_WR);
    while (!stream->lost && channel_wait(stream->fd, POLLIN, until)) {
        channel_fill(stream);
        while (channel_next(stream, &message))
            ;
    }
    channel_stream_close(stream);
}

int join_run(struct job *job)
{
    sigset_t ending;
    job->leader.stream = (struct channel_stream){.fd = -1, .lost = true};
    ending_signals(&ending);
    int signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    int status = prepare(job, signals);
    if (status < 0) {
        turn_until_over(job, signals);
        status = job->leader.is_over ? EXIT_OK : EXIT_FAILED;
    }
    if (job->agent)
        job_end_all(job);
    say_goodbye(&job->leader.stream);
    close(signals);
    job_close(job);
    free(job->leader.setup);
    return status;
}
