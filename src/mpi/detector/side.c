/* side.c: see side.h. Starting the runtime, and what it tells of deaths and revokes. */
#include "mpi/detector/side.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/base/settings.h"
#include "mpi/detector/agree.h"
#include "mpi/detector/meeting.h"
#include "mpi/detector/told.h"
#include "mpi/report/tell.h"
#include "os/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The word of a death goes round in well under this; a processor that is busy elsewhere counts too. */
enum { SPREADS = 200000000 };
/* On one host a message costs little, and a process that has to be given a processor to pass it on costs much. */
enum { TREE_BITS = 3 };

_Atomic uint32_t side_epoch;

/* Facts are stored by whichever thread learns them, under the detector's own lock; any thread reads them. */
static struct {
    struct side_hooks hears;
    struct knell_runtime *runtime; /* NULL: the job has one process */
    _Atomic bool *dead;            /* by process */
    _Atomic int *death;            /* in the order of learning */
    _Atomic int deaths;
    _Atomic bool real_death;
    knell_time needs; /* from a death to its being known here, at worst */
    _Atomic int sleepers;
} side;

struct knell_runtime *side_runtime(void)
{
    return side.runtime;
}

/* ---- the epoch ------------------------------------------------------------------------------------------------------------- */

void side_epoch_raise(void)
{
    atomic_fetch_add(&side_epoch, 1);
    if (atomic_load(&side.sleepers))
        syscall(SYS_futex, &side_epoch, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void side_epoch_sleep(uint32_t seen, int64_t most_ns)
{
    struct timespec most = {most_ns / INT64_C(1000000000), most_ns % INT64_C(1000000000)};
    atomic_fetch_add(&side.sleepers, 1);
    syscall(SYS_futex, &side_epoch, FUTEX_WAIT_PRIVATE, seen, &most, NULL, 0);
    atomic_fetch_sub(&side.sleepers, 1);
}

/* ---- facts: called in any thread, with the runtime's lock held ------------------------------------------------------------- */

static void failed(const struct knell_fact *fact)
{
    int number = atomic_load(&side.deaths);
    atomic_store(&side.death[number], (int)fact->rank);
    atomic_store(&side.dead[fact->rank], true); /* first: who has counted this death knows whose it is */
    atomic_store(&side.deaths, number + 1);
    if (!self.ghosts || fact->why != KNELL_WHY_TRIGGER)
        atomic_store(&side.real_death, true);
    tell_learns();
    side.hears.failed((int)fact->rank);
    tell_report((struct job_report){
        .word = JOB_WORD_LEARNED, .peer = (int32_t)fact->rank, .by = (int32_t)fact->by, .value = fact->why});
}

static void hear(const struct knell_fact *fact)
{
    if (fact->type == KNELL_FACT_FAILED)
        failed(fact);
    else if (fact->type == KNELL_FACT_REVOKED)
        side.hears.revoked(fact->group);
    else if (fact->type == KNELL_FACT_DECIDED)
        agree_decided(fact);
    else
        return; /* who left is of no interest, who is fenced ends */
    side_epoch_raise();
}

static void on_fact(void *context, const struct knell_fact *fact)
{
    (void)context;
    lock_note_taken(LOCK_RUNTIME);
    hear(fact);
    lock_note_given(LOCK_RUNTIME);
}

/* ---- life ------------------------------------------------------------------------------------------------------------------ */

/* In nanoseconds, as `knell run` writes them. */
static knell_time time_setting(const char *name, knell_time otherwise)
{
    const char *text = settings_get(name);
    long long value = text ? strtoll(text, NULL, 10) : 0;
    return value > 0 ? value : otherwise;
}

static enum knell_overlay overlay_setting(void)
{
    const char *text = settings_get("KNELL_OVERLAY");
    if (text && strcmp(text, "circulant") != 0 && strcmp(text, "hba") != 0)
        layer_die("KNELL_OVERLAY is %s: it must be circulant or hba", text);
    return text && strcmp(text, "hba") == 0 ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT;
}

static enum knell_split split_setting(void)
{
    const char *text = settings_get("KNELL_ON_SPLIT");
    if (text && strcmp(text, "end") != 0 && strcmp(text, "go-on") != 0)
        layer_die("KNELL_ON_SPLIT is %s: it must be end or go-on", text);
    return text && strcmp(text, "go-on") == 0 ? KNELL_SPLIT_GO_ON : KNELL_SPLIT_END;
}

static void start_runtime(const struct side_meeting *meeting, int listening)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    struct meeting_own own;
    char why[KNELL_RUNTIME_WHY];
    meeting_accept(meeting, &own);
    config.rank = (knell_rank)self.process;
    config.ranks = (uint32_t)self.processes;
    config.eta = time_setting("KNELL_ETA_NS", config.eta);
    config.delta = time_setting("KNELL_DELTA_NS", 5 * config.eta); /* as with `knell run --eta` alone */
    side.needs = config.eta + 2 * config.delta + SPREADS;          /* its observer may be dead too */
    config.overlay = overlay_setting();
    config.latest_only = settings_get("KNELL_LATEST_ONLY") != NULL;
    config.key = own.key;
    config.key_size = sizeof own.key;
    config.bind = own.address;
    config.rendezvous = meeting->address;
    config.rendezvous_fd = listening;
    config.rendezvous_wait = SIDE_START_NS;
    config.combine = agree_folds;
    config.combine_count = SIDE_FOLDS;
    config.tree_bits = TREE_BITS;
    config.on_split = split_setting();
    config.on_fact_at_once = on_fact;
    config.spare_the_dead = self.ghosts;
    config.carry = carry_hand_over;
    if (knell_runtime_start(&config, &side.runtime, why) != 0)
        layer_die("the detector does not start: %s", why);
}

void side_start(const struct side_meeting *meeting, int listening, const struct side_hooks *who)
{
    side.hears = *who;
    side.dead = calloc((size_t)self.processes, sizeof *side.dead);
    side.death = calloc((size_t)self.processes, sizeof *side.death);
    if (!side.dead || !side.death)
        layer_die("out of memory");
    if (self.processes > 1)
        start_runtime(meeting, listening);
    if (side.runtime)
        told_listen();
}

/* How punctual the detector was here. */
static void tell_counts(void)
{
    struct knell_runtime_counters counters;
    if (knell_runtime_counters(side.runtime, &counters) == 0)
        tell_report((struct job_report){.word = JOB_WORD_COUNTED,
                                        .value = (int64_t)counters.core.heartbeats_missed,
                                        .took = counters.starved_most});
}

void side_stop(void)
{
    if (side.runtime)
        tell_counts();
    told_stop();
    if (side.runtime)
        knell_runtime_stop(side.runtime);
    side.runtime = NULL;
}

/* ---- the dead -------------------------------------------------------------------------------------------------------------- */

bool side_is_dead(int process)
{
    return atomic_load_explicit(&side.dead[process], memory_order_acquire);
}

int side_deaths(void)
{
    return atomic_load(&side.deaths);
}

int side_death_at(int number)
{
    return atomic_load(&side.death[number]);
}

bool side_real_death(void)
{
    return atomic_load(&side.real_death);
}

bool side_confirm(int process)
{
    knell_time end = knell__clock_now() + side.needs;
    while (!side_is_dead(process) && knell__clock_now() < end)
        sched_yield();
    return side_is_dead(process);
}

bool side_reaches(int process)
{
    return self.ghosts || !side_is_dead(process);
}

uint64_t side_digest(int process)
{
    return knell_digest_of((knell_rank)process);
}

void side_trigger(void)
{
    lock_check(LOCK_RUNTIME);
    if (side.runtime)
        knell_runtime_trigger(side.runtime);
}

/* ---- groups ---------------------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    knell_rank x = *(const knell_rank *)a, y = *(const knell_rank *)b;
    return (x > y) - (x < y);
}

int side_group(uint64_t id, const int *member, int size)
{
    if (!side.runtime || size < 2)
        return 0;
    knell_rank *sorted = malloc((size_t)size * sizeof *sorted);
    if (!sorted)
        return KNELL_ESYSTEM;
    for (int i = 0; i < size; i++)
        sorted[i] = (knell_rank)member[i];
    qsort(sorted, (size_t)size, sizeof *sorted, by_number);
    lock_check(LOCK_RUNTIME);
    int error = knell_runtime_group(side.runtime, id, sorted, (uint32_t)size);
    free(sorted);
    return error;
}

void side_drop(uint64_t id)
{
    lock_check(LOCK_RUNTIME);
    if (side.runtime)
        knell_runtime_drop(side.runtime, id);
}

void side_revoke(uint64_t id)
{
    lock_check(LOCK_RUNTIME);
    if (side.runtime)
        knell_runtime_revoke(side.runtime, id);
}
