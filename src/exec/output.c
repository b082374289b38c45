/* output.c: what a rank writes to its standard output and standard error, copied to the launcher and into the rank's log, which
 * `knell run --record` keeps. Standard output is a terminal to the rank, so that the C library writes each line when it is complete: with
 * a pipe a rank that is killed takes its last 4096 bytes with it. It is a raw one: bytes pass as they are.
 *
 * The log comes first. A launcher that does not read holds up the rank's writes, as it does without this, but neither the log of what was
 * read nor the news of the rank's end. */
#include "exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

/* A kernel keeps up to 64 KiB that nobody has read, in a pipe and in a terminal. MOST_LEFT: read after the rank's end; children of the rank
 * may still write. */
enum { PIECE = CHANNEL_BODY_MAX, ROOM = 4 * PIECE, MOST_LEFT = 4 << 20, LAUNCHER_READS_MS = 10000 };

struct stream {
    int rank_end; /* kept open here too: so `from` never says that it is at its end */
    int from;
    int to; /* the launcher's; -1: it is gone */
    char *data;
    size_t begin, end; /* of what `to` has yet to get */
};

static struct {
    bool wanted;
    struct stream stream[OUTPUT_STREAMS];
} copy;

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

void output_prepare(bool wanted)
{
    struct stream *out = &copy.stream[0], *err = &copy.stream[1];
    out->to = STDOUT_FILENO;
    err->to = STDERR_FILENO;
    copy.wanted = wanted && (open_terminal(out) || open_pipe(out)) && open_pipe(err);
}

/* ---- after it ---------------------------------------------------------------------------------------------------------------- */

void output_become_rank(void)
{
    if (!copy.wanted)
        return;
    for (int i = 0; i < OUTPUT_STREAMS; i++) {
        dup2(copy.stream[i].rank_end, copy.stream[i].to);
        close(copy.stream[i].rank_end);
        close(copy.stream[i].from);
    }
}

static void do_not_block(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void output_become_supervisor(void)
{
    if (!copy.wanted)
        return;
    for (int i = 0; i < OUTPUT_STREAMS; i++) {
        void *memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        copy.stream[i].data = memory == MAP_FAILED ? NULL : memory;
        do_not_block(copy.stream[i].from);
        do_not_block(copy.stream[i].to);
        if (!copy.stream[i].data)
            copy.stream[i].to = -1;
    }
}

/* ---- copying ----------------------------------------------------------------------------------------------------------------- */

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

static bool read_piece(struct channel_stream *log, struct stream *stream, size_t *got)
{
    static char piece[PIECE];
    ssize_t size = read(stream->from, piece, sizeof piece);
    if (size <= 0)
        return size < 0 && errno == EINTR;
    channel_put(log, CHANNEL_LOG, NULL, 0, piece, (size_t)size);
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

void output_poll(struct pollfd fds[OUTPUT_STREAMS])
{
    for (int i = 0; i < OUTPUT_STREAMS; i++)
        fds[i] = copy.wanted ? waits_for(&copy.stream[i]) : (struct pollfd){.fd = -1};
}

/* An error on the launcher's end shows when it is written to. */
void output_turn(struct channel_stream *log, const struct pollfd fds[OUTPUT_STREAMS])
{
    for (int i = 0; i < OUTPUT_STREAMS && copy.wanted; i++)
        if (fds[i].revents && fds[i].fd == copy.stream[i].from)
            read_piece(log, &copy.stream[i], &(size_t){0});
        else if (fds[i].revents)
            write_out(&copy.stream[i]);
}

void output_drain(struct channel_stream *log)
{
    for (int i = 0; i < OUTPUT_STREAMS && copy.wanted; i++)
        for (size_t got = 0; got < MOST_LEFT && read_piece(log, &copy.stream[i], &got);)
            ;
}

void output_rest(void)
{
    for (int i = 0; i < OUTPUT_STREAMS && copy.wanted; i++)
        while (copy.stream[i].begin < copy.stream[i].end &&
               poll(&(struct pollfd){.fd = copy.stream[i].to, .events = POLLOUT}, 1, LAUNCHER_READS_MS) > 0)
            write_out(&copy.stream[i]);
}
