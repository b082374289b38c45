/* futex.h: words of shared memory to wait for, between processes. */
#ifndef KNELL_OS_FUTEX_H
#define KNELL_OS_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct knell__futex_wait {
    _Atomic uint32_t *word;
    uint32_t value;
};

/* Until one of the words is not, or no longer surely, what it was. False: the kernel does not do it (before Linux 5.16). */
bool knell__futex_wait_any(const struct knell__futex_wait *wait, unsigned count);
/* Until the word is not, or no longer surely, `value`. */
void knell__futex_wait(_Atomic uint32_t *word, uint32_t value);
void knell__futex_wake_all(_Atomic uint32_t *word);

#endif
