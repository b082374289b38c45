/* lock.c: see lock.h. */
#include "mpi/base/lock.h"
#include "mpi/base/layer.h"

#include <stdlib.h>

struct lock_line lock_line[LOCK_END] = {
#define LOCK_MADE(name, protects) {PTHREAD_MUTEX_INITIALIZER},
    LOCKS(LOCK_MADE)
#undef LOCK_MADE
};

_Thread_local unsigned lock_held;

#ifdef KNELL_CHECK_LOCKS
static const char *const lock_name[] = {
#define LOCK_NAME(name, protects) #name,
    LOCKS(LOCK_NAME)
#undef LOCK_NAME
};

/* A thread of a ghost parks wherever it is, and then serves the others: its own locks are of no interest any more. */
void lock_check(enum lock lock)
{
    unsigned later = lock_held >> lock;
    if (!later || (atomic_load(&layer_attention) & ATTENTION_GHOST))
        return;
    layer_say("lock %s is taken by a thread that holds %s: see src/mpi/base/lock.h", lock_name[lock],
              lock_name[lock + __builtin_ctz(later)]);
    abort();
}
#endif
