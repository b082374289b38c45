/* futex: see futex.h. */
#include "os/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

enum { MOST = 4, WORD_32 = 2 /* FUTEX_32 or FUTEX2_SIZE_U32, as the headers have it */ };

/* As the kernel has it; older headers do not. */
struct item {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};

bool knell__futex_wait_any(const struct knell__futex_wait *wait, unsigned count)
{
    struct item item[MOST];
    for (unsigned i = 0; i < count; i++)
        item[i] = (struct item){.value = wait[i].value, .address = (uintptr_t)wait[i].word, .flags = WORD_32};
    return syscall(SYS_futex_waitv, item, count, 0u, NULL, 0) != -1 || errno == EAGAIN || errno == EINTR;
}

void knell__futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

void knell__futex_wake_all(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
