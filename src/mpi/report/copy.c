/* copy.c: see copy.h. Standard output is a terminal to the rank, so that the C library writes each line when it is complete: with a pipe
 * a rank that is killed takes its last 4096 bytes with it. It is a raw one: bytes pass as they are.
 *
 * The log comes first. A launcher that does not read holds up the rank's writes, as it does without this, but neither the log of what was
 * read nor the news of the rank's end. */
#include "mpi/report/copy.h"
#include "mpi/base/settings.h"
#include "mpi/report/tell.h"
#include "os/pidfd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* A kernel keeps up to 64 KiB that nobody has read, in a pipe and in a terminal. MOST_LEFT: read after the rank's end; children of the rank
 * may still write. */
enum { PIECE = 64 << 10, ROOM = 4 * PIECE, MOST_LEFT = 4 << 20, LOOK_AGAIN_MS = 20, LAUNCHER_READS_MS = 10000 };

struct stream {
    int rank_end; /* kept open here too: so `from` never says that it is at its end */
    int from;
    int to; /* the launcher's; -1: it is gone */
    char *data;
    size_t begin, end; /* of what `to` has yet to get */
};

static struct {
    bool wanted;
    int log; /* -1: cannot be written */
    struct stream stream[2];
} copy = {.log = -1};

enum { STREAMS = 2 };

/* ---- before the fork --------------------------------------------------------------------------------------------------------- */

static bool open_terminal(struct stream *stream)
{
    char name[64];
    struct termios raw;
    stream->from = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    stream->rank_end = -1;
    if (stream->from >= 0 && grantpt(stream->from) == 0 && unlockpt(stream->from) == 0 &&
        ptsname_r(stream->from, name, sizeof name) == 0)
        stream->rank_end = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (stream->rank_end >= 0 && tcgetattr(stream->rank_end, &raw) == 0) {
        cfmakeraw(&raw);
        if (tcsetattr(stream->rank_end, TCSANOW, &raw) == 0)
            return true;
    }
    if (stream->rank_end >= 0)
        close(stream->rank_end);
    if (stream->from >= 0)
        close(stream->from);
    return false;
}

static bool open_pipe(struct stream *stream)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    stream->from = ends[0];
    stream->rank_end = ends[1];
    return true;
}

void copy_prepare(void)
{
    const char *directory = settings_get("KNELL_RECORD");
    char path[PATH_MAX];
    if (!directory || tell_rank() < 0)
        return;
    snprintf(path, sizeof path, "%.*s/rank-%d.log", PATH_MAX - 32, directory, tell_rank());
    copy.log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct stream *out = &copy.stream[0], *err = &copy.stream[1];
    out->to = STDOUT_FILENO;
    err->to = STDERR_FILENO;
    if (!open_terminal(out) && !open_pipe(out))
        return;
    copy.wanted = open_pipe(err);
}

/* ---- after it ---------------------------------------------------------------------------------------------------------------- */

void copy_become_rank(void)
{
    if (!copy.wanted)
        return;
    for (int i = 0; i < STREAMS; i++) {
        dup2(copy.stream[i].rank_end, copy.stream[i].to);
        close(copy.stream[i].rank_end);
        close(copy.stream[i].from);
    }
    if (copy.log >= 0)
        close(copy.log);
}

static void do_not_block(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void copy_become_supervisor(void)
{
    if (!copy.wanted)
        return;
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < STREAMS; i++) {
        void *memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        copy.stream[i].data = memory == MAP_FAILED ? NULL : memory;
        do_not_block(copy.stream[i].from);
        do_not_block(copy.stream[i].to);
        if (!copy.stream[i].data)
            copy.stream[i].to = -1;
    }
}

/* ---- copying ----------------------------------------------------------------------------------------------------------------- */

/* What does not fit on the disk is left out, up to the end: a log has no holes. */
static void write_log(const char *data, size_t size)
{
    while (size > 0 && copy.log >= 0) {
        ssize_t put = write(copy.log, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            close(copy.log);
            copy.log = -1;
            break;
        }
        data += put;
        size -= (size_t)put;
    }
    if (size > 0 && tell_desk())
        atomic_fetch_add(&tell_desk()->words.left_out, size);
}

static void write_out(struct stream *stream)
{
    while (stream->to >= 0 && stream->begin < stream->end) {
        ssize_t put = write(stream->to, stream->data + stream->begin, stream->end - stream->begin);
        if (put < 0 && errno == EAGAIN)
            return;
        if (put < 0 && errno != EINTR)
            stream->to = -1;
        stream->begin += put > 0 ? (size_t)put : 0;
    }
    stream->begin = stream->end = 0;
}

static bool read_piece(struct stream *stream, size_t *got)
{
    static char piece[PIECE];
    ssize_t size = read(stream->from, piece, sizeof piece);
    if (size <= 0)
        return size < 0 && errno == EINTR;
    write_log(piece, (size_t)size);
    size_t fits = (size_t)size < ROOM - stream->end ? (size_t)size : ROOM - stream->end;
    if (stream->to >= 0)
        memcpy(stream->data + stream->end, piece, fits);
    stream->end += stream->to >= 0 ? fits : 0;
    write_out(stream);
    *got += (size_t)size;
    return true;
}

static struct pollfd waits_for(const struct stream *stream)
{
    if (stream->begin < stream->end)
        return (struct pollfd){.fd = stream->to, .events = POLLOUT};
    return (struct pollfd){.fd = stream->from, .events = POLLIN};
}

/* Returns after something happened. An error on the launcher's end shows when it is written to. */
static int copy_once(int ended, int limit_ms)
{
    struct pollfd fds[STREAMS + 1] = {waits_for(&copy.stream[0]), waits_for(&copy.stream[1]), {ended, POLLIN, 0}};
    int ready = poll(fds, STREAMS + 1, limit_ms);
    for (int i = 0; i < STREAMS && ready > 0; i++)
        if (fds[i].revents && fds[i].fd == copy.stream[i].from)
            read_piece(&copy.stream[i], &(size_t){0});
        else if (fds[i].revents)
            write_out(&copy.stream[i]);
    return ready;
}

static bool has_ended(pid_t rank)
{
    siginfo_t end = {0};
    return waitid(P_PID, (id_t)rank, &end, WEXITED | WNOWAIT | WNOHANG) == 0 && end.si_pid == rank;
}

void copy_until_end(pid_t rank)
{
    if (!copy.wanted)
        return;
    int fd = knell__pidfd_open(rank);
    while (!has_ended(rank))
        copy_once(fd, fd < 0 ? LOOK_AGAIN_MS : -1);
    for (int i = 0; i < STREAMS; i++)
        for (size_t got = 0; got < MOST_LEFT && read_piece(&copy.stream[i], &got);)
            ;
    if (fd >= 0)
        close(fd);
}

void copy_rest(void)
{
    if (!copy.wanted)
        return;
    for (int i = 0; i < STREAMS; i++)
        while (copy.stream[i].begin < copy.stream[i].end &&
               poll(&(struct pollfd){.fd = copy.stream[i].to, .events = POLLOUT}, 1, LAUNCHER_READS_MS) > 0)
            write_out(&copy.stream[i]);
}
