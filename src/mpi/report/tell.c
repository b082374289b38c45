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
    int out;  /* -1: nobody listens */
    int rank; /* -1: no launcher */
    struct job_desk *desk;
    char supervisor[32]; /* its folder of descriptors */
    int calls;           /* its descriptor for the record of calls; -1: not wanted */
    int deaths;          /* and for deaths that we are told of; -1: none */
} report_to = {.out = -1, .rank = -1, .calls = -1, .deaths = -1};

/* This rank's number before MPI_Init, by the word of Open MPI, PMIx or hydra; -1: no launcher. */
static int launched_as(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (settings_get(names[i]))
            return atoi(settings_get(names[i]));
    return -1;
}

static int open_of_supervisor(int descriptor, int flags)
{
    char path[64];
    if (descriptor < 0)
        return -1;
    snprintf(path, sizeof path, "%s/%d", report_to.supervisor, descriptor);
    return open(path, flags | O_CLOEXEC);
}

static struct job_desk *map_desk(int descriptor)
{
    int fd = open_of_supervisor(descriptor, O_RDWR);
    void *memory = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct job_desk), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Before main; after settings.c. */
__attribute__((constructor(102))) static void find_supervisor(void)
{
    const char *where = settings_get(JOB_SUPERVISOR);
    int pid, desk, reports, calls, deaths;
    report_to.rank = launched_as();
    if (!where || report_to.rank < 0 || sscanf(where, "%d:%d:%d:%d:%d", &pid, &desk, &reports, &calls, &deaths) != 5)
        return;
    snprintf(report_to.supervisor, sizeof report_to.supervisor, "/proc/%d/fd", pid);
    report_to.desk = map_desk(desk);
    report_to.out = open_of_supervisor(reports, O_WRONLY | O_NONBLOCK);
    report_to.calls = calls;
    report_to.deaths = deaths;
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

void tell_goodbye(void)
{
    if (report_to.desk)
        atomic_store(&report_to.desk->pact.goodbye, 1);
}

int tell_rank(void)
{
    return report_to.rank;
}

struct job_desk *tell_desk(void)
{
    return tell_is_heard() ? report_to.desk : NULL;
}

void tell_recovers(void)
{
    if (tell_is_heard())
        atomic_store(&report_to.desk->seen.words.recovers, 1);
}

void tell_learns(void)
{
    if (tell_is_heard())
        atomic_fetch_add(&report_to.desk->seen.words.deaths, 1);
}

void tell_ignored(void)
{
    struct job_desk *desk = tell_desk();
    int64_t now = desk ? knell__clock_now() : 0;
    if (!desk)
        return;
    if (atomic_fetch_add(&desk->seen.words.ignored, 1) == 0)
        atomic_store(&desk->seen.words.ignored_first, now);
    atomic_store(&desk->seen.words.ignored_last, now);
}

int tell_open_deaths(void)
{
    return open_of_supervisor(report_to.deaths, O_RDONLY);
}

int tell_open_calls(void)
{
    return open_of_supervisor(report_to.calls, O_RDWR);
}
