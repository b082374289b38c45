/* inject.c: see inject.h. */
#include "mpi/inject.h"
#include "mpi/flip.h"
#include "mpi/ghost.h"
#include "mpi/settings.h"
#include "mpi/tell.h"
#include "mpi/where.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert((int)KNELL__CALL_END <= (int)KNELL__DESK_CALLS, "the desk has no room for all calls");

/* One call at a time is held: the desk has room for one answer. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Until `knell run` raises the word above what it was. */
static void sleep_on(_Atomic uint32_t *word, uint32_t was)
{
    while (atomic_load(word) == was)
        syscall(SYS_futex, word, FUTEX_WAIT, was, NULL, NULL, 0);
}

static void obey(struct knell__desk *desk)
{
    if (atomic_load(&desk->halt))
        knell__die_now();
}

void knell__inject_start(void)
{
    struct knell__desk *desk = knell__desk();
    bool wanted = knell__setting("KNELL_INJECT") && desk;
    uint32_t was = wanted ? atomic_load(&desk->answers) : 0;
    knell__where_listen();
    knell__announce_word(KNELL__WORD_READY, 0);
    if (!wanted)
        return;
    sleep_on(&desk->answers, was);
    atomic_fetch_or(&knell__attention, KNELL__ATTENTION_INJECT);
    knell__ghost_listen(&desk->halt);
    obey(desk);
}

static void hold(struct knell__desk *desk, enum knell__call call, int after)
{
    pthread_mutex_lock(&lock);
    uint32_t was = atomic_load(&desk->answers);
    knell__announce((struct knell__report){.word = KNELL__WORD_AT, .value = call, .code = after});
    sleep_on(&desk->answers, was);
    knell__flip_order(call, desk->flip, after ? 0 : desk->flips);
    desk->flips = 0;
    pthread_mutex_unlock(&lock);
    obey(desk);
}

void knell__inject_before(enum knell__call call)
{
    struct knell__desk *desk = knell__desk();
    obey(desk);
    if (atomic_load(&desk->armed[call]) & KNELL__ARMED_BEFORE)
        hold(desk, call, 0);
}

void knell__inject_after(enum knell__call call)
{
    struct knell__desk *desk = knell__desk();
    knell__flip_unused();
    obey(desk);
    if (atomic_load(&desk->armed[call]) & KNELL__ARMED_AFTER)
        hold(desk, call, 1);
}
