/* sentinel: see sentinel.h. The word in a line of the board holds, as the kernel wants it, the number of the thread that
 * holds the lock, FUTEX_WAITERS when somebody waits and FUTEX_OWNER_DIED when it has ended; 0: not there yet, or left. */
#include "runtime/sentinel.h"

#include "os/futex.h"
#include "os/thread.h"

#include <sys/syscall.h>
#include <unistd.h>

/* From here on the kernel marks the word when this thread ends, however it ends. */
static void hold(struct knell__sentinel *sentinel)
{
    struct knell__board_lock *lock = knell__board_lock(sentinel->board, sentinel->self);
    sentinel->held = (struct robust_list_head){
        .list = {&lock->node},
        .futex_offset = (long)((char *)&lock->word - (char *)&lock->node),
    };
    lock->node.next = &sentinel->held.list;
    if (syscall(SYS_set_robust_list, &sentinel->held, sizeof sentinel->held) != 0)
        return;
    atomic_store(&lock->word, (uint32_t)syscall(SYS_gettid));
    knell__futex_wake_all(&lock->word);
}

static void let_go(struct knell__sentinel *sentinel)
{
    struct knell__board_lock *lock = knell__board_lock(sentinel->board, sentinel->self);
    sentinel->held.list.next = &sentinel->held.list;
    atomic_store(&lock->word, 0);
    knell__futex_wake_all(&lock->word);
}

/* The kernel looks at the word whether it has to wake anybody. False: it has changed meanwhile. */
static bool mark_waiting(_Atomic uint32_t *word, uint32_t *value)
{
    if (*value == 0 || *value & FUTEX_WAITERS)
        return true;
    if (!atomic_compare_exchange_strong(word, value, *value | FUTEX_WAITERS))
        return false;
    *value |= FUTEX_WAITERS;
    return true;
}

/* The kernel wakes one of those who wait; that one wakes the rest. */
static void tell_end(struct knell__sentinel *sentinel, knell_rank rank)
{
    knell_rank expected = rank;
    knell__futex_wake_all(&knell__board_lock(sentinel->board, rank)->word);
    atomic_compare_exchange_strong(&sentinel->watched, &expected, KNELL_NOBODY);
    sentinel->call.on_end(sentinel->call.context, rank);
}

/* One look at everything, then a wait for any of it to change. False: the kernel cannot. */
static bool look_and_wait(struct knell__sentinel *sentinel, uint32_t *rung)
{
    uint32_t order = atomic_load(&sentinel->order), bell = atomic_load(sentinel->bell), value = 0;
    knell_rank rank = atomic_load(&sentinel->watched);
    _Atomic uint32_t *word = rank == KNELL_NOBODY ? NULL : &knell__board_lock(sentinel->board, rank)->word;
    if (bell != *rung) { /* what the dead said comes before their death */
        *rung = bell;
        sentinel->call.on_bell(sentinel->call.context);
        return true;
    }
    if (word && (value = atomic_load(word)) & FUTEX_OWNER_DIED) {
        tell_end(sentinel, rank);
        return true;
    }
    if (word && !mark_waiting(word, &value))
        return true;
    if (atomic_load(&sentinel->ending))
        return true;
    const struct knell__futex_wait wait[] = {{&sentinel->order, order}, {sentinel->bell, bell}, {word, value}};
    return knell__futex_wait_any(wait, word ? 3 : 2);
}

static void *stand(void *argument)
{
    struct knell__sentinel *sentinel = argument;
    uint32_t rung = 0;
    knell__thread_be_prompt(sentinel->ordinary);
    hold(sentinel);
    while (!atomic_load(&sentinel->ending) && look_and_wait(sentinel, &rung))
        continue;
    let_go(sentinel);
    return NULL;
}

bool knell__sentinel_can(void)
{
    _Atomic uint32_t word = 0;
    return knell__futex_wait_any(&(struct knell__futex_wait){&word, 1}, 1);
}

static void give_order(struct knell__sentinel *sentinel)
{
    atomic_fetch_add(&sentinel->order, 1);
    knell__futex_wake_all(&sentinel->order);
}

void knell__sentinel_start(struct knell__sentinel *sentinel, const struct knell__board *board, _Atomic uint32_t *bell,
                           knell_rank self, bool ordinary, const struct knell__sentinel_calls *calls)
{
    sentinel->board = board;
    sentinel->bell = bell;
    sentinel->self = self;
    sentinel->ordinary = ordinary;
    sentinel->call = *calls;
    atomic_store(&sentinel->watched, KNELL_NOBODY);
    sentinel->running = knell__sentinel_can() && knell__thread_start(&sentinel->thread, stand, sentinel) == 0;
}

void knell__sentinel_watch(struct knell__sentinel *sentinel, knell_rank rank)
{
    if (!sentinel->running)
        return;
    atomic_store(&sentinel->watched, rank);
    give_order(sentinel);
}

void knell__sentinel_stop(struct knell__sentinel *sentinel)
{
    if (!sentinel->running)
        return;
    atomic_store(&sentinel->ending, true);
    give_order(sentinel);
    pthread_join(sentinel->thread, NULL);
    sentinel->running = false;
}
