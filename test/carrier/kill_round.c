/* kill_round.c: one round. The parent waits for the ends of its children, tells the others, and compares. */
#include "carrier/carrier.h"
#include "kill.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- a child -------------------------------------------------------------------------------------------------------------------- */

static struct {
    uint64_t count, at;
    bool yields;
    struct knell_prng random;
    _Atomic uint64_t *written;
} step;

void knell__carrier_step(void);
void knell__carrier_step(void)
{
    atomic_store_explicit(step.written, ++step.count, memory_order_relaxed);
    if (step.count == step.at)
        kill(getpid(), SIGKILL);
    if (step.yields && knell_prng_below(&step.random, 8) == 0)
        sched_yield();
}

static void be(const struct round *round, unsigned me, int fd, struct ledger *ledger)
{
    static struct exchange exchange;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* a sibling may read this process' memory, whatever Yama says */
    step.at = round->at_step[me];
    step.yields = round->yields;
    step.written = &ledger->steps[me];
    knell_prng_seed(&step.random, knell_prng_key(round->seed, 1000 + me));
    exchange = (struct exchange){
        .ledger = ledger, .me = me, .processes = round->processes, .numbers = round->numbers, .seed = round->seed};
    knell_prng_seed(&exchange.random, knell_prng_key(round->seed, me));
    if (knell_carrier_join(fd, round->processes, me, &exchange.carrier) != 0)
        _exit(2);
    _exit(exchange_run(&exchange) ? 0 : 1);
}

/* ---- the parent ----------------------------------------------------------------------------------------------------------------- */

struct family {
    const struct round *round;
    struct ledger *ledger;
    pid_t pid[PEERS]; /* 0: has ended */
    bool dead[PEERS];
    unsigned living;
    bool wrong;
    double begun;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void hear_of(struct family *family, pid_t pid, int status)
{
    unsigned i = 0;
    while (i < family->round->processes && family->pid[i] != pid)
        i++;
    if (i == family->round->processes)
        return;
    family->pid[i] = 0;
    family->living--;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        family->dead[i] = true;
        atomic_store_explicit(&family->ledger->dead[i], true, memory_order_release);
    } else if (status != 0) {
        fprintf(stderr, "process %u of %u ended with status %x\n", i, family->round->processes, (unsigned)status);
        family->wrong = true;
    }
}

/* Kills whose time has come; seconds until the next one. */
static double kill_by_clock(struct family *family, unsigned *due)
{
    double passed = now_s() - family->begun, next = 1;
    for (unsigned i = 0; i < family->round->processes; i++) {
        double at = family->round->after_us[i] / 1e6;
        if (!due[i])
            continue;
        if (at <= passed) {
            due[i] = 0;
            if (family->pid[i])
                kill(family->pid[i], SIGKILL);
        } else if (at - passed < next) {
            next = at - passed;
        }
    }
    return next;
}

static void end_all(struct family *family)
{
    for (unsigned i = 0; i < family->round->processes; i++)
        if (family->pid[i])
            kill(family->pid[i], SIGKILL);
}

static void wait_for_all(struct family *family)
{
    unsigned due[PEERS];
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    memcpy(due, family->round->after_us, sizeof due);
    while (family->living > 0) {
        double next = kill_by_clock(family, due);
        int status;
        pid_t pid;
        sigtimedwait(&child, NULL, &(struct timespec){(time_t)next, (long)((next - (double)(time_t)next) * 1e9)});
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            hear_of(family, pid, status);
        if (now_s() > family->begun + 4 * LIMIT_S && !family->wrong) {
            fprintf(stderr, "%u processes do not end\n", family->living);
            family->wrong = true;
            end_all(family);
        }
    }
}

static bool start_all(struct family *family, int fd)
{
    for (unsigned i = 0; i < family->round->processes; i++) {
        pid_t pid = fork();
        if (pid == 0)
            be(family->round, i, fd, family->ledger);
        if (pid < 0) {
            perror("fork");
            end_all(family);
            return false;
        }
        family->pid[i] = pid;
        family->living++;
    }
    return true;
}

/* ---- what is compared ----------------------------------------------------------------------------------------------------------- */

static uint64_t published_in(const struct pair *pair)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        uint64_t number = atomic_load(&pair->slot[i].number);
        most = number > most ? number : most;
    }
    return most;
}

static bool compare_counts(struct family *family, struct tally *tally, unsigned to, unsigned from, uint64_t published)
{
    const struct ledger_pair *pair = &family->ledger->pair[to][from];
    bool dead = family->dead[from];
    tally->messages += pair->seen;
    tally->lost += pair->lost;
    if (dead && pair->begun > pair->done)
        *(published > pair->done ? &tally->published : &tally->unpublished) += 1;
    if (pair->seen == published && pair->done <= published && published <= pair->begun &&
        (dead || (pair->done == pair->begun && pair->lost == 0)))
        return true;
    fprintf(stderr, "from %u%s to %u: %u calls, %u returned, %llu messages published, %u received, %u pulls lost\n",
            from, dead ? " (dead)" : "", to, pair->begun, pair->done, (unsigned long long)published, pair->seen,
            pair->lost);
    return false;
}

/* Of a living one each message came once or was withdrawn; of a dead one none came that was withdrawn. */
static bool compare_messages(struct family *family, struct tally *tally, unsigned to, unsigned from)
{
    const struct ledger_pair *pair = &family->ledger->pair[to][from];
    for (unsigned number = 0; number < family->round->numbers; number++) {
        bool got = pair->got[number], withdrawn = pair->withdrawn[number];
        enum message_way way = message_of(family->round->seed, from, to, number).way;
        tally->withdrawn += withdrawn;
        tally->pieces += got && (way == WAY_PIECES || way == WAY_OFFERED_PIECES);
        if ((got && withdrawn) || (!family->dead[from] && !got && !withdrawn)) {
            fprintf(stderr, "from %u to %u: message %u (%s) was %s\n", from, to, number, message_way_name(way),
                    got ? "received and withdrawn" : "neither received nor withdrawn");
            return false;
        }
    }
    return true;
}

static bool compare(struct family *family, struct tally *tally, int fd)
{
    unsigned n = family->round->processes;
    bool same = true;
    const struct process *process = mmap(NULL, knell_carrier_size(n), PROT_READ, MAP_SHARED, fd, 0);
    if (process == MAP_FAILED)
        return false;
    const struct pair *pair = (const struct pair *)(process + n);
    for (unsigned to = 0; to < n; to++)
        for (unsigned from = 0; from < n && !family->dead[to]; from++)
            if (from != to)
                same &= compare_counts(family, tally, to, from, published_in(&pair[(size_t)to * n + from])) &&
                        compare_messages(family, tally, to, from);
    munmap((void *)process, knell_carrier_size(n));
    for (unsigned i = 0; i < n; i++) {
        tally->killed += family->dead[i];
        tally->steps[i] = family->ledger->steps[i];
    }
    return same;
}

bool round_run(const struct round *round, struct tally *tally)
{
    struct family family = {.round = round, .begun = now_s()};
    int fd;
    family.ledger = mmap(NULL, sizeof *family.ledger, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (family.ledger == MAP_FAILED || knell_carrier_make(round->processes, &fd) != 0) {
        perror("no memory for a round");
        return false;
    }
    bool fine = start_all(&family, fd);
    wait_for_all(&family);
    fine = fine && !family.wrong && compare(&family, tally, fd);
    close(fd);
    munmap(family.ledger, sizeof *family.ledger);
    tally->rounds++;
    tally->failed += !fine;
    return fine;
}
