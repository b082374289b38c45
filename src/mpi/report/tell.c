/* tell.c: see tell.h. What the detector's thread reports is written without waiting. */
#include "mpi/report/tell.h"
#include "mpi/base/settings.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Set before main; constant after. */
static struct {
    int out; /* -1: nobody listens */
    int rank;
    struct job_desk *desk;
} report_to = {.out = -1, .rank = -1};

/* This rank's number before MPI_Init, by the word of Open MPI, PMIx or hydra; -1: no launcher. */
static int launched_as(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (settings_get(names[i]))
            return atoi(settings_get(names[i]));
    return -1;
}

static void map_desk(const char *directory)
{
    char path[256];
    size_t stride = job_desk_stride((size_t)sysconf(_SC_PAGESIZE));
    snprintf(path, sizeof path, "%.200s/" JOB_REPORT_DESK, directory);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    void *memory = mmap(NULL, sizeof *report_to.desk, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                        (off_t)((size_t)report_to.rank * stride));
    report_to.desk = memory == MAP_FAILED ? NULL : memory;
    close(fd);
}

/* Before main and before supervise.c, whose fork inherits it; after settings.c. */
__attribute__((constructor(102))) static void open_report(void)
{
    const char *directory = settings_get("KNELL_RUN");
    char path[256];
    report_to.rank = launched_as();
    if (!directory || report_to.rank < 0)
        return;
    snprintf(path, sizeof path, "%.200s/" JOB_REPORT_PIPE, directory);
    report_to.out = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    map_desk(directory);
}

bool tell_is_heard(void)
{
    return report_to.out >= 0 && report_to.desk;
}

/* What only makes the timeline richer may be lost when nobody reads; what somebody waits for may not. */
static bool is_waited_for(int word)
{
    return word != JOB_WORD_LEARNED && word != JOB_WORD_DID && word != JOB_WORD_FLIPPED && word != JOB_WORD_COUNTED;
}

void tell_report(struct job_report report)
{
    if (report_to.out < 0)
        return;
    report.process = report_to.rank;
    if (!report.when)
        report.when = knell__clock_now();
    while (write(report_to.out, &report, sizeof report) < 0 && errno == EAGAIN && is_waited_for(report.word))
        poll(&(struct pollfd){.fd = report_to.out, .events = POLLOUT}, 1, -1);
}

void tell_word(enum job_word word, int64_t value)
{
    tell_report((struct job_report){.word = word, .value = value});
}

int tell_rank(void)
{
    return report_to.rank;
}

struct job_desk *tell_desk(void)
{
    return report_to.desk;
}
