/* links.c: see links.h. */
#include "cli/run/run.h"
#include "os/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define MS INT64_C(1000000)
/* A supervisor that answers nothing for so long does not hold up the scenario. */
#define ANSWER_NS (2000 * MS)
/* How often the time of a host is asked for that shares no clock with this one, before a rank starts there. */
enum { CLOCK_ANSWERS = 8 };
#define PING_NS (500 * MS)
/* Beyond delta, nothing is heard of a supervisor although it is asked. */
#define SILENCE_NS (2000 * MS)

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool run_links_open(struct run_links *links, int ranks)
{
    links->door.listening = links->door.events = links->news = links->news_in = -1;
    links->ranks = ranks;
    links->link = calloc((size_t)ranks, sizeof *links->link);
    links->events = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; links->link && i < ranks; i++) {
        links->link[i].stream = (struct channel_stream){.fd = -1, .lost = true};
        links->link[i].log = links->link[i].calls = -1;
    }
    return links->link && links->events >= 0;
}

void run_links_close(struct run_links *links)
{
    channel_door_close(&links->door);
    for (int i = 0; links->link && i < links->ranks; i++) {
        struct run_link *link = &links->link[i];
        channel_stream_close(&link->stream);
        if (link->log >= 0)
            close(link->log);
        if (link->calls >= 0)
            close(link->calls);
    }
    int fds[] = {links->events, links->news, links->news_in};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(links->link);
    free(links->report);
}

bool run_links_any(const struct run_links *links)
{
    bool any = false;
    for (int i = 0; i < links->ranks && !any; i++)
        any = links->link[i].is_open;
    return any;
}

static void start(struct run_job *job, int rank)
{
    const struct run_plan *plan = job->plan;
    struct run_link *link = &job->links.link[rank];
    int64_t left = plan->timeout ? job->launched + plan->timeout - knell__clock_now() : 0;
    struct channel_start start = {plan->delta + SILENCE_NS, plan->timeout && left <= 0 ? 1 : left};
    const char *file = job->status_file ? job->status_file : "";
    run_desk_send(job, rank);
    link->is_started = true;
    channel_put(&link->stream, CHANNEL_START, &start, sizeof start, file, strlen(file));
}

static void ask_clock(struct run_link *link)
{
    struct channel_look look = {.number = run_link_number(link)};
    channel_put(&link->stream, CHANNEL_LOOK, &look, sizeof look, NULL, 0);
}

/* Where agents run the scenario, they must be there first. */
static void allow(struct run_job *job, int rank)
{
    job->links.link[rank].may_start = true;
    if (!job->plan->by_agent || job->leader.phase == LEADER_RUNS)
        start(job, rank);
}

void run_links_start(struct run_job *job)
{
    for (int i = 0; i < job->links.ranks; i++)
        if (job->links.link[i].may_start && !job->links.link[i].is_started)
            start(job, i);
}

void run_link_opened(struct run_job *job, int rank, int fd, const struct channel_hello *hello)
{
    struct run_link *link = &job->links.link[rank];
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)rank};
    channel_stream_open(&link->stream, fd);
    link->is_open = link->was_open = epoll_ctl(job->links.events, EPOLL_CTL_ADD, fd, &event) == 0;
    memcpy(link->host, hello->name, sizeof link->host);
    link->shares_clock = memcmp(hello->host, job->links.door.host, sizeof hello->host) == 0;
    link->ahead_error = link->shares_clock ? 0 : INT64_MAX;
    link->is_changed = true;
    link->heard = job->links.opened_at = knell__clock_now();
    if (link->shares_clock)
        allow(job, rank);
    else
        ask_clock(link);
    if (++job->links.opened == job->links.ranks && job->plan->by_agent)
        run_agent_gather(job);
}

/* A rank starts once. */
static bool expects(void *driver, int number)
{
    const struct run_job *job = driver;
    return number < 0 ? leader_expects(&job->leader, number)
                      : number < job->links.ranks && !job->links.link[number].was_open;
}

static void opened(void *driver, int fd, const struct channel_hello *hello)
{
    struct run_job *job = driver;
    if (hello->rank < 0)
        leader_joined(&job->leader, fd, hello);
    else
        run_link_opened(job, hello->rank, fd, hello);
    if (job->links.opened == job->links.ranks && (!job->plan->by_agent || leader_has_all(&job->leader)))
        channel_door_close(&job->links.door); /* nobody else is expected: from here on nothing listens */
}

bool run_links_listen(struct run_job *job, const char *address)
{
    struct channel_door *door = &job->links.door;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = RUN_EVENT_DOOR};
    door->driver = job;
    door->expects = expects;
    door->opened = opened;
    return channel_door_open(door, address) && epoll_ctl(job->links.events, EPOLL_CTL_ADD, door->events, &event) == 0;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static void queue(struct run_links *links, const struct job_report *report)
{
    if (links->first == links->last)
        links->first = links->last = 0;
    if (links->last == links->room) {
        size_t room = links->room ? 2 * links->room : 256;
        struct job_report *more = realloc(links->report, room * sizeof *more);
        if (!more)
            return;
        links->report = more;
        links->room = room;
    }
    links->report[links->last++] = *report;
}

bool run_links_next(struct run_links *links, struct job_report *report)
{
    if (links->first == links->last)
        return false;
    *report = links->report[links->first++];
    return true;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void take_report(struct run_job *job, int rank, const struct channel_message *message)
{
    struct run_link *link = &job->links.link[rank];
    struct job_report report;
    if (message->size != sizeof report)
        return;
    memcpy(&report, message->body, sizeof report);
    report.process = rank; /* a supervisor speaks for one */
    report.when -= link->ahead;
    if (report.word == JOB_WORD_ENDED) {
        link->has_told_end = link->has_seen_end = true;
        channel_put(&link->stream, CHANNEL_BYE, NULL, 0, NULL, 0);
    }
    queue(&job->links, &report);
}

/* The clock was read between question and answer. The quickest answer says it best. What is known when the rank starts stays: times that
 * were told before and after are to be compared. */
static void set_clock(struct run_job *job, int rank)
{
    struct run_link *link = &job->links.link[rank];
    int64_t now = knell__clock_now(), error = (now - link->asked_at) / 2;
    if (link->may_start || link->answered != link->asked) /* the answer to another question is still to come */
        return;
    if (error < link->ahead_error) {
        link->ahead = link->seen.clock - (link->asked_at + error);
        link->ahead_error = error;
    }
    if (++link->clock_answers < CLOCK_ANSWERS)
        ask_clock(link);
    else
        allow(job, rank);
}

static void align(_Atomic int64_t *when, int64_t ahead)
{
    if (*when)
        *when -= ahead;
}

/* Times by the clock of this host. */
static void align_all(struct channel_seen *seen, int64_t ahead)
{
    align(&seen->desk.words.waits_since, ahead);
    align(&seen->desk.words.waits_seen, ahead);
    align(&seen->desk.words.progress_at, ahead);
    if (seen->struck)
        seen->struck -= ahead;
}

static void take_seen(struct run_job *job, int rank, const struct channel_message *message)
{
    struct run_link *link = &job->links.link[rank];
    uint32_t state = link->seen.state;
    if (message->size != sizeof link->seen)
        return;
    memcpy(&link->seen, message->body, sizeof link->seen);
    align_all(&link->seen, link->ahead);
    if (!link->seen.number) {
        link->seen.state = state;
        return;
    }
    link->answered = link->seen.number;
    set_clock(job, rank);
}

/* What does not fit on the disk is left out, up to the end: a log has no holes. */
static void take_log(struct run_job *job, int rank, const struct channel_message *message)
{
    struct run_link *link = &job->links.link[rank];
    char path[PATH_MAX + 32];
    if (link->log == -1) {
        snprintf(path, sizeof path, "%s/rank-%d.log", job->record, rank);
        link->log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
    ssize_t put = link->log >= 0 ? write(link->log, message->body, message->size) : -1;
    if (put == (ssize_t)message->size)
        return;
    job->links.left_out += message->size - (put > 0 ? (size_t)put : 0);
    if (link->log >= 0)
        close(link->log);
    link->log = -2;
}

static void take_calls(struct run_job *job, int rank, const struct channel_message *message)
{
    struct run_link *link = &job->links.link[rank];
    struct channel_at at;
    char path[sizeof job->directory.path + 32];
    if (message->size < sizeof at)
        return;
    memcpy(&at, message->body, sizeof at);
    if (link->calls == -1) {
        snprintf(path, sizeof path, "%s/" JOB_RECORD_FILE, job->directory.path, rank);
        link->calls = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    }
    size_t size = message->size - sizeof at;
    ssize_t put = link->calls >= 0 ? pwrite(link->calls, message->body + sizeof at, size, (off_t)at.offset) : -1;
    if (put == (ssize_t)size)
        return;
    job->links.left_out += size - (put > 0 ? (size_t)put : 0);
    if (link->calls >= 0)
        close(link->calls);
    link->calls = -2;
}

static void take(struct run_job *job, int rank, const struct channel_message *message)
{
    switch (message->kind) {
    case CHANNEL_REPORT:
        take_report(job, rank, message);
        break;
    case CHANNEL_SEEN:
        take_seen(job, rank, message);
        break;
    case CHANNEL_LOG:
        take_log(job, rank, message);
        break;
    case CHANNEL_CALLS:
        take_calls(job, rank, message);
        break;
    case CHANNEL_TELL:
        run_agent_cannot_start(job, rank, message);
        break;
    default:
        break;
    }
}

/* The rank of a supervisor that is gone is gone too: it dies with it. */
static void lose(struct run_job *job, int rank)
{
    struct run_link *link = &job->links.link[rank];
    link->is_open = false;
    channel_stream_close(&link->stream);
    if (!link->has_told_end)
        queue(&job->links, &(struct job_report){
                               .word = JOB_WORD_ENDED, .process = rank, .value = SIGKILL, .when = knell__clock_now()});
    link->has_told_end = true;
}

static void read_link(struct run_job *job, int rank)
{
    struct run_link *link = &job->links.link[rank];
    struct channel_message message;
    if (!link->is_open)
        return;
    size_t had = link->stream.in.end - link->stream.in.begin;
    channel_fill(&link->stream);
    if (link->stream.in.end - link->stream.in.begin > had)
        link->heard = knell__clock_now();
    while (channel_next(&link->stream, &message))
        take(job, rank, &message);
    if (link->stream.lost && link->stream.silent)
        epoll_ctl(job->links.events, EPOLL_CTL_DEL, link->stream.fd, NULL); /* TCP gave up: the others decide */
    else if (link->stream.lost)
        lose(job, rank);
}

void run_links_turn(struct run_job *job)
{
    enum { SOME = 64 };
    struct epoll_event event[SOME];
    bool called = false;
    for (int ready; (ready = epoll_wait(job->links.events, event, SOME, 0)) > 0;) {
        for (int i = 0; i < ready; i++)
            if (event[i].data.u64 == RUN_EVENT_DOOR)
                called = true;
            else if (event[i].data.u64 == RUN_EVENT_NEWS)
                run_slurm_read_news(job);
            else
                read_link(job, (int)event[i].data.u64);
        if (called)
            channel_door_serve(&job->links.door);
        if (ready < SOME)
            break;
    }
    for (int i = 0; i < job->links.ranks; i++)
        if (job->links.link[i].is_open && channel_unsent(&job->links.link[i].stream))
            channel_flush(&job->links.link[i].stream);
}

/* ---- hosts that are lost ----------------------------------------------------------------------------------------- */

static bool is_silent(const struct run_job *job, int rank, int64_t now)
{
    const struct run_link *link = &job->links.link[rank];
    return link->is_open && (link->is_down || now - link->heard > job->plan->delta + SILENCE_NS);
}

/* Is there a rank of which more will be heard? */
static bool is_any_heard(const struct run_job *job, int64_t now)
{
    bool any = false;
    for (int i = 0; i < job->links.ranks && !any; i++)
        any = job->links.link[i].is_open && !is_silent(job, i, now);
    return any;
}

/* A silent supervisor alone says little: its rank is dead when the survivors say so, when there is nobody left to say so, or when no
 * detector runs yet. On one host there is no silence. */
static void give_up_silent(struct run_job *job, int64_t now)
{
    bool any = is_any_heard(job, now);
    for (int i = 0; i < job->links.ranks && job->plan->address[0]; i++)
        if (is_silent(job, i, now) && (!any || !job->begin || run_first_to_know(job, i))) {
            job->links.link[i].is_host_lost = true;
            lose(job, i);
        }
}

int64_t run_links_ping(struct run_job *job)
{
    int64_t now = knell__clock_now(), turn = job->plan->stuck / 4 < PING_NS ? job->plan->stuck / 4 : PING_NS;
    if (now < job->links.ping_at)
        return job->links.ping_at;
    job->links.ping_at = now + turn;
    if (job->links.door.listening >= 0)
        channel_door_serve(&job->links.door); /* who says nothing there goes after a while */
    run_desks_look(job, false);
    give_up_silent(job, now);
    return job->links.ping_at;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

uint64_t run_link_number(struct run_link *link)
{
    link->asked_at = knell__clock_now();
    return ++link->asked;
}

int64_t run_link_patience(void)
{
    return knell__clock_now() + ANSWER_NS;
}

/* Other ranks have to wait: their reports are read later, in order. An answer that is there is read even when the time is over. */
void run_link_wait(struct run_job *job, int rank, int64_t until)
{
    struct run_link *link = &job->links.link[rank];
    int64_t left = 1;
    while (link->is_open && !link->stream.lost && link->answered < link->asked && left > 0) {
        short events = (short)(POLLIN | (channel_unsent(&link->stream) ? POLLOUT : 0));
        left = until - knell__clock_now();
        poll(&(struct pollfd){.fd = link->stream.fd, .events = events}, 1, left > 0 ? (int)(left / MS) + 1 : 0);
        channel_flush(&link->stream);
        read_link(job, rank);
    }
}

void run_link_ask(struct run_job *job, int rank, enum channel_kind kind, const void *body, size_t size)
{
    struct run_link *link = &job->links.link[rank];
    if (!link->is_open)
        return;
    channel_put(&link->stream, kind, body, size, NULL, 0);
    run_link_wait(job, rank, run_link_patience());
}
