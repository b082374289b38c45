/* live_run: the parent of `knell live`: makes the processes, injects, keeps the log, and leaves none behind. */
#include "cli/live.h"
#include "runtime/address.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define LOOK (20 * MS) /* between two looks at the notes */
enum { KEY = 32 };

struct run {
    const struct knell_usage *usage;
    struct knell__live_plan *plan;
    FILE *show;
    struct knell__live_log *log;
    pid_t *pid; /* by rank; 0: has ended */
    uint32_t started, counted, living;
    struct knell__live_notes *notes;
    int stop[2], listening;
    uint8_t key[KEY];
    char rendezvous[KNELL__ADDRESS_TEXT];
    int64_t sampled;
    long steal;
    sigset_t ending; /* SIGINT and SIGTERM: blocked, and waited for */
    bool interrupted;
    int status;
};

static int64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- what happened ----------------------------------------------------------------------------------------------------- */

/* The first to say so is shown; the table has the others. */
static bool is_news(const struct knell__live_log *log, const struct knell__live_note *note)
{
    if (note->word != KNELL__LIVE_FAILED)
        return false;
    for (const struct knell__live_note *earlier = log->note; earlier < note; earlier++)
        if (earlier->word == KNELL__LIVE_FAILED && earlier->as.failed.rank == note->as.failed.rank)
            return false;
    return true;
}

static void show_fact(const struct run *run, const struct knell__live_note *note)
{
    double at = (double)(note->when - run->log->begin) * 1e-9;
    fprintf(run->show, "%10.4f s  rank %" PRIu32 " is dead, says rank %" PRIu32 " (%s)\n", at, note->as.failed.rank,
            note->as.failed.by, knell_why_text(note->as.failed.why));
}

static int add_note(struct run *run, const struct knell__live_note *note)
{
    struct knell__live_log *log = run->log;
    if (log->count == log->room) {
        size_t room = log->room ? 2 * log->room : 1024;
        struct knell__live_note *grown = realloc(log->note, room * sizeof *grown);
        if (!grown)
            return knell__cli_broken(run->usage, "no memory for the log");
        log->note = grown;
        log->room = room;
    }
    log->note[log->count++] = *note;
    run->started += note->word == KNELL__LIVE_STARTED;
    run->counted += note->word == KNELL__LIVE_COUNTED;
    if (note->word == KNELL__LIVE_BROKEN)
        return knell__cli_broken(run->usage, "rank %" PRIu32 ": %s", note->rank,
                                 knell__live_notes_why(run->notes, note->rank));
    return KNELL_EXIT_OK;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct knell__live_note *)a)->when, y = ((const struct knell__live_note *)b)->when;
    return (x > y) - (x < y);
}

static void read_notes(struct run *run)
{
    struct knell__live_log *log = run->log;
    struct knell__live_note note;
    size_t before = log->count;
    for (knell_rank rank = 0; rank < (knell_rank)run->plan->nodes; rank++)
        while (run->status == KNELL_EXIT_OK && knell__live_notes_take(run->notes, rank, &note))
            run->status = add_note(run, &note);
    if (log->count > before)
        qsort(log->note + before, log->count - before, sizeof note, by_time);
    for (size_t i = before; i < log->count && run->show && log->begin && !log->end; i++)
        if (is_news(log, &log->note[i]))
            show_fact(run, &log->note[i]);
}

/* Who has ended is not waited for, killed or stopped any more: its number may be another's. */
static void reap(struct run *run)
{
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;)
        for (int64_t i = 0; i < run->plan->nodes; i++)
            if (run->pid[i] == pid) {
                run->pid[i] = 0;
                run->living--;
            }
}

/* The machine itself was away: time the hypervisor took, in the last tenth of a second. */
static void sample_steal(struct run *run)
{
    long user, nice, system, idle, iowait, irq, softirq, steal;
    int64_t now = clock_now();
    if (now - run->sampled < 100 * MS)
        return;
    FILE *file = fopen("/proc/stat", "re");
    int fields = file ? fscanf(file, "cpu %ld %ld %ld %ld %ld %ld %ld %ld", &user, &nice, &system, &idle, &iowait, &irq,
                               &softirq, &steal) : 0;
    if (file)
        fclose(file);
    if (fields != 8)
        return;
    double ms = (double)(steal - run->steal) * 1000.0 / (double)sysconf(_SC_CLK_TCK);
    if (run->sampled && ms > run->log->steal_ms)
        run->log->steal_ms = ms;
    run->sampled = now;
    run->steal = steal;
}

/* Sleeps until `deadline`, a SIGINT or SIGTERM, but wakes every so often to read what was noted: not for each note, since
 * this would compete for the processors with those it measures. */
static void listen_until(struct run *run, int64_t deadline, const uint32_t *count, uint32_t enough)
{
    do {
        int64_t left = deadline - clock_now();
        left = left < 0 ? 0 : left > LOOK ? LOOK : left;
        int number = sigtimedwait(&run->ending, NULL, &(struct timespec){.tv_nsec = left});
        if (number > 0)
            run->interrupted = true;
        read_notes(run);
        reap(run);
        sample_steal(run);
    } while (!run->interrupted && run->status == KNELL_EXIT_OK && clock_now() < deadline && !(count && *count >= enough));
}

/* ---- injections -------------------------------------------------------------------------------------------------------- */

static void inject(struct run *run, struct knell__injection *injection)
{
    pid_t pid = run->pid[injection->rank];
    bool kill_it = injection->kind == KNELL__LIVE_KILL;
    injection->done = clock_now();
    if (pid > 0)
        kill(pid, kill_it ? SIGKILL : SIGSTOP);
    if (run->show)
        fprintf(run->show, "%10.4f s  rank %" PRIu32 " %s\n", (double)(injection->done - run->log->begin) * 1e-9,
                injection->rank, kill_it ? "killed" : "stopped");
}

static void resume(struct run *run, struct knell__injection *injection)
{
    pid_t pid = run->pid[injection->rank];
    injection->resumed = clock_now();
    if (pid > 0)
        kill(pid, SIGCONT);
    if (run->show)
        fprintf(run->show, "%10.4f s  rank %" PRIu32 " resumed\n", (double)(injection->resumed - run->log->begin) * 1e-9,
                injection->rank);
}

/* Does what is due; returns when the next thing is. */
static int64_t do_due(struct run *run)
{
    int64_t next = run->log->begin + run->plan->duration;
    for (size_t i = 0; i < run->plan->injections; i++) {
        struct knell__injection *injection = &run->plan->injection[i];
        int64_t when = run->log->begin + injection->at;
        if (injection->done)
            when = injection->lasts && !injection->resumed ? injection->done + injection->lasts : INT64_MAX;
        if (when <= clock_now()) {
            if (injection->done)
                resume(run, injection);
            else
                inject(run, injection);
            when = injection->resumed || !injection->lasts ? INT64_MAX : injection->done + injection->lasts;
        }
        next = when < next ? when : next;
    }
    return next;
}

/* ---- processes --------------------------------------------------------------------------------------------------------- */

static int open_ways(struct run *run)
{
    struct knell__address address, bound;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max; /* rank 0 has a connection to everyone while they meet */
        setrlimit(RLIMIT_NOFILE, &files);
    }
    run->stop[0] = run->stop[1] = run->listening = -1;
    run->notes = knell__live_notes_new((uint32_t)run->plan->nodes);
    if (!run->notes || pipe2(run->stop, O_CLOEXEC) != 0 || getrandom(run->key, sizeof run->key, 0) != sizeof run->key ||
        knell__address_parse_host("127.0.0.1", &address) != 0 ||
        (run->listening = knell__address_listen(&address, &bound)) < 0)
        return knell__cli_broken(run->usage, "cannot begin: %s", strerror(errno));
    knell__address_text(&bound, run->rendezvous);
    return KNELL_EXIT_OK;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int make_processes(struct run *run)
{
    pid_t parent = getpid();
    fflush(NULL);
    for (int64_t rank = 0; rank < run->plan->nodes; rank++) {
        pid_t pid = fork();
        if (pid < 0)
            return knell__cli_broken(run->usage, "no process for rank %" PRId64 ": %s", rank, strerror(errno));
        if (pid == 0) {
            sigprocmask(SIG_UNBLOCK, &run->ending, NULL);
            close(run->stop[1]);
            knell__live_child(&(struct knell__live_child){
                .plan = run->plan, .rank = (knell_rank)rank, .parent = parent, .notes = run->notes, .stop = run->stop[0],
                .listening = run->listening, .rendezvous = run->rendezvous, .key = run->key, .key_size = KEY});
        }
        run->pid[rank] = pid;
        run->living++;
    }
    close_one(&run->stop[0]);
    close_one(&run->listening);
    return KNELL_EXIT_OK;
}

static void end_all(struct run *run)
{
    for (int64_t i = 0; i < run->plan->nodes; i++)
        if (run->pid[i] > 0)
            kill(run->pid[i], SIGKILL);
    for (int64_t i = 0; i < run->plan->nodes; i++)
        if (run->pid[i] > 0)
            waitpid(run->pid[i], NULL, 0); /* killed: it ends */
    close_one(&run->stop[0]);
    close_one(&run->stop[1]);
    close_one(&run->listening);
    knell__live_notes_free(run->notes);
}

/* Asks those that can hear it to leave, and waits for their counts. */
static void part(struct run *run)
{
    uint32_t deaf = 0;
    for (size_t i = 0; i < run->plan->injections; i++) {
        const struct knell__injection *injection = &run->plan->injection[i];
        deaf += injection->kind == KNELL__LIVE_STOP && run->pid[injection->rank] > 0 && !injection->resumed;
    }
    uint32_t hearing = run->living - deaf;
    close_one(&run->stop[1]);
    int64_t most = 2 * run->plan->delta > 1000 * MS ? 2 * run->plan->delta : 1000 * MS;
    listen_until(run, clock_now() + most + 2000 * MS, &run->counted, hearing);
    /* What they say while they leave is not judged; they leave within `most`. */
    for (int64_t until = clock_now() + most + 1000 * MS; run->living > deaf && clock_now() < until && !run->interrupted;)
        listen_until(run, clock_now() + 5 * MS, NULL, 0);
}

static void live(struct run *run)
{
    uint32_t nodes = (uint32_t)run->plan->nodes;
    listen_until(run, clock_now() + run->plan->wait + 2000 * MS, &run->started, nodes);
    if (run->status == KNELL_EXIT_OK && !run->interrupted && run->started < nodes)
        run->status = knell__cli_broken(run->usage, "%" PRIu32 " of %" PRIu32 " processes did not start in time",
                                        nodes - run->started, nodes);
    if (run->status != KNELL_EXIT_OK || run->interrupted)
        return;
    run->log->begin = clock_now();
    if (run->show)
        fprintf(run->show, "%10.4f s  %" PRIu32 " processes watch each other\n", 0.0, nodes);
    for (int64_t next = 0, end = run->log->begin + run->plan->duration; next < end && !run->interrupted;) {
        next = do_due(run);
        listen_until(run, next, NULL, 0);
        if (run->status != KNELL_EXIT_OK)
            return;
    }
    run->log->end = clock_now();
    part(run);
}

int knell__live_run(const struct knell_usage *usage, struct knell__live_plan *plan, FILE *show, struct knell__live_log *log)
{
    struct run run = {.usage = usage, .plan = plan, .show = show, .log = log};
    sigset_t before;
    run.pid = calloc((size_t)plan->nodes, sizeof *run.pid);
    if (!run.pid)
        return knell__cli_broken(usage, "no memory for -n %" PRId64, plan->nodes);
    sigemptyset(&run.ending);
    sigaddset(&run.ending, SIGINT);
    sigaddset(&run.ending, SIGTERM);
    sigprocmask(SIG_BLOCK, &run.ending, &before);
    run.status = open_ways(&run);
    if (run.status == KNELL_EXIT_OK)
        run.status = make_processes(&run);
    if (run.status == KNELL_EXIT_OK)
        live(&run);
    end_all(&run);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(run.pid);
    if (run.status == KNELL_EXIT_OK && run.interrupted)
        run.status = knell__cli_broken(usage, "interrupted; all processes are ended");
    return run.status;
}
