/* capture.c: the job's output, on its way to ours: a thread copies it into the record, looks for lines that --expect and
 * --progress name, or that its user wants to hear of, and passes it on. A reader of ours that does not read holds up the job's output, as
 * without this, but not its control: the thread is alone with it. What the disk does not take is left out. */
#include "cli/run/capture.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* A write of PIECE never blocks on a pipe that poll calls writable. LINE_MOST: the rest of a longer line is not
 * compared. */
enum { PIECE = 4096, LINE_MOST = 64 << 10 };
/* How long our reader may take for the rest after the job's end. */
enum { READER_MS = 2000, READER_TURN_MS = 100, JOIN_S = 5 };

struct run_capture {
    int from, launcher_end, out, file, over;
    pthread_t thread;
    bool has_thread;
    bool records; /* a file is wanted */
    bool expects, follows;
    void (*on_line)(void *context, const char *line);
    void *context;
    regex_t expect, progress;
    size_t line;
    char text[LINE_MOST + 1];
    _Atomic bool matched;
    _Atomic int64_t progress_at;
    _Atomic uint64_t left_out;
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void end_line(struct run_capture *c)
{
    c->text[c->line] = '\0';
    c->line = 0;
    if (c->expects && !atomic_load(&c->matched) && regexec(&c->expect, c->text, 0, NULL, 0) == 0)
        atomic_store(&c->matched, true);
    if (c->follows && regexec(&c->progress, c->text, 0, NULL, 0) == 0)
        atomic_store(&c->progress_at, knell__clock_now());
    if (c->on_line)
        c->on_line(c->context, c->text);
}

static void look_at(struct run_capture *c, const char *data, size_t size)
{
    if (!c->expects && !c->follows && !c->on_line)
        return;
    for (size_t i = 0; i < size; i++)
        if (data[i] == '\n')
            end_line(c);
        else if (c->line < LINE_MOST)
            c->text[c->line++] = data[i];
}

/* ---- copying ----------------------------------------------------------------------------------------------------- */

/* After the first failure nothing more is written: a file without holes. */
static void record(struct run_capture *c, const char *data, size_t size)
{
    while (size > 0 && c->file >= 0) {
        ssize_t put = write(c->file, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            close(c->file);
            c->file = -1;
            break;
        }
        data += put;
        size -= (size_t)put;
    }
    if (c->records)
        atomic_fetch_add(&c->left_out, size);
}

static bool is_over(const struct run_capture *c)
{
    return poll(&(struct pollfd){.fd = c->over, .events = POLLIN}, 1, 0) > 0;
}

/* Can our reader take more? Not for ever, once the job is over. */
static bool may_write(struct run_capture *c)
{
    for (int waited = 0; waited < READER_MS; waited += is_over(c) ? READER_TURN_MS : 0) {
        struct pollfd out = {.fd = c->out, .events = POLLOUT};
        int ready = poll(&out, 1, READER_TURN_MS);
        if (ready > 0)
            return !(out.revents & (POLLERR | POLLNVAL));
    }
    return false;
}

static void pass_on(struct run_capture *c, const char *data, size_t size)
{
    while (size > 0 && c->out >= 0) {
        bool may = may_write(c);
        ssize_t put = may ? write(c->out, data, size) : -1;
        if (may && put < 0 && (errno == EINTR || errno == EAGAIN) && !is_over(c))
            continue;
        if (put <= 0)
            c->out = -1;
        data += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
}

/* False: there is no more. */
static bool copy_piece(struct run_capture *c)
{
    char data[PIECE];
    ssize_t got = read(c->from, data, sizeof data);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    record(c, data, (size_t)got);
    look_at(c, data, (size_t)got);
    pass_on(c, data, (size_t)got);
    return true;
}

/* Until the job is over. What is in the pipe then is all there is, even if somebody still has its other end. */
static void *copy_all(void *capture)
{
    struct run_capture *c = capture;
    struct pollfd fds[] = {{.fd = c->from, .events = POLLIN}, {.fd = c->over, .events = POLLIN}};
    while (!fds[1].revents) {
        poll(fds, 2, -1);
        if (fds[0].revents && !copy_piece(c))
            fds[0].fd = -1;
    }
    while (copy_piece(c))
        ;
    if (c->line)
        end_line(c);
    return NULL;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

struct run_capture *run_capture_open(const struct run_capture_plan *plan)
{
    struct run_capture *c = calloc(1, sizeof *c);
    int ends[2] = {-1, -1};
    if (!c)
        return NULL;
    c->records = plan->file != NULL;
    c->file = c->records ? open(plan->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    c->over = eventfd(0, EFD_CLOEXEC);
    c->out = plan->out;
    c->on_line = plan->on_line;
    c->context = plan->context;
    c->expects = plan->expect && regcomp(&c->expect, plan->expect, REG_EXTENDED | REG_NOSUB) == 0;
    c->follows = plan->progress && regcomp(&c->progress, plan->progress, REG_EXTENDED | REG_NOSUB) == 0;
    bool fine = (c->file >= 0 || !c->records) && c->over >= 0 && pipe2(ends, O_CLOEXEC) == 0;
    c->from = ends[0];
    c->launcher_end = ends[1];
    if (fine)
        fcntl(c->from, F_SETFL, O_NONBLOCK);
    if (fine)
        return c;
    run_capture_free(c);
    return NULL;
}

int run_capture_target(const struct run_capture *c)
{
    return c->launcher_end;
}

/* The thread gets no signals: a closed reader is an error of write. */
bool run_capture_start(struct run_capture *c)
{
    sigset_t all, before;
    close(c->launcher_end);
    c->launcher_end = -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    c->has_thread = pthread_create(&c->thread, NULL, copy_all, c) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c->has_thread;
}

bool run_capture_end(struct run_capture *c)
{
    struct timespec until;
    if (!c->has_thread)
        return true;
    if (write(c->over, &(uint64_t){1}, sizeof(uint64_t)) < 0)
        return false;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += JOIN_S;
    c->has_thread = pthread_timedjoin_np(c->thread, NULL, &until) != 0;
    return !c->has_thread;
}

bool run_capture_matched(const struct run_capture *c)
{
    return atomic_load(&c->matched);
}

int64_t run_capture_progress_at(const struct run_capture *c)
{
    return atomic_load(&c->progress_at);
}

uint64_t run_capture_left_out(const struct run_capture *c)
{
    return atomic_load(&c->left_out);
}

void run_capture_free(struct run_capture *c)
{
    if (!c || c->has_thread) /* then it has all of this still in its hands, and ends with the process */
        return;
    if (c->expects)
        regfree(&c->expect);
    if (c->follows)
        regfree(&c->progress);
    int fds[] = {c->from, c->launcher_end, c->file, c->over};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(c);
}
