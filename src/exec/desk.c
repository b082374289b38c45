/* desk.c: the desk of one rank, in memory that rank and supervisor share; and what `knell run` orders there. */
#include "exec/exec.h"
#include "os/clock.h"
#include "os/futex.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool desk_make(struct exec *exec)
{
    exec->desk_fd = memfd_create("knell-desk", MFD_CLOEXEC);
    void *memory = exec->desk_fd >= 0 && ftruncate(exec->desk_fd, sizeof *exec->desk) == 0
                       ? mmap(NULL, sizeof *exec->desk, PROT_READ | PROT_WRITE, MAP_SHARED, exec->desk_fd, 0)
                       : MAP_FAILED;
    exec->desk = memory == MAP_FAILED ? NULL : memory;
    return exec->desk != NULL;
}

/* ---- orders ---------------------------------------------------------------------------------------------------------- */

static void wake_if_changed(_Atomic uint32_t *word, uint32_t was)
{
    if (atomic_load(word) != was)
        knell__futex_wake_all(word);
}

/* Whole words, low addresses first: the rank reads while we write. */
static void store_words(void *to, const uint8_t *bytes, size_t size)
{
    _Atomic uint64_t *word = to;
    for (size_t i = 0; i < size / 8; i++) {
        uint64_t value;
        memcpy(&value, bytes + 8 * i, sizeof value);
        atomic_store(&word[i], value);
    }
}

void desk_write(struct exec *exec, uint64_t offset, const uint8_t *bytes, size_t size)
{
    struct job_desk_orders *orders = &exec->desk->orders;
    if (offset % 8 || size % 8 || offset > sizeof *orders || size > sizeof *orders - offset)
        return;
    uint32_t stopped = atomic_load(&orders->stopped), halt = atomic_load(&orders->halt),
             answers = atomic_load(&orders->answers);
    store_words((uint8_t *)orders + offset, bytes, size);
    wake_if_changed(&orders->stopped, stopped);
    wake_if_changed(&orders->halt, halt);
    wake_if_changed(&orders->answers, answers);
}

void desk_strike(struct exec *exec)
{
    uint32_t was = JOB_SHIELD_OPEN;
    if (!atomic_compare_exchange_strong(&exec->desk->pact.shield, &was, JOB_SHIELD_STRUCK))
        return;
    exec->struck = knell__clock_now();
    rank_kill(exec, SIGKILL);
}

/* The rank may lower its shield at the same time. Whichever of the two then takes the owed signal sends it. */
static bool is_owed(struct job_desk_pact *pact, int signal)
{
    uint64_t bit = UINT64_C(1) << (signal - 1);
    if (atomic_load(&pact->shield) != JOB_SHIELD_SHUT)
        return false;
    atomic_fetch_or(&pact->owed, bit);
    return atomic_load(&pact->shield) == JOB_SHIELD_SHUT || !(atomic_fetch_and(&pact->owed, ~bit) & bit);
}

void desk_signal(struct exec *exec, int signal, bool minds_shield)
{
    if (signal == SIGCONT)
        atomic_fetch_and(&exec->desk->pact.owed, ~(UINT64_C(1) << (SIGSTOP - 1)));
    if (signal > 0 && signal <= 64 && !(minds_shield && is_owed(&exec->desk->pact, signal)))
        rank_kill(exec, signal);
}

/* ---- what the rank wrote --------------------------------------------------------------------------------------------- */

void desk_tell(struct exec *exec, uint64_t number, uint32_t left)
{
    struct channel_seen seen = {.number = number,
                                .clock = knell__clock_now(),
                                .struck = exec->struck,
                                .left = left,
                                .state = number ? (unsigned char)rank_state(exec) : 0};
    memcpy(&seen.desk, &exec->desk->seen, sizeof seen.desk);
    channel_put(&exec->channel, CHANNEL_SEEN, &seen, sizeof seen, NULL, 0);
}
