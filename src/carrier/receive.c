/* receive.c: the reader's side of a ring. */
#include "carrier/carrier.h"

#include <errno.h>
#include <sys/uio.h>

/* ---- who has something ---------------------------------------------------------------------------------------------------------- */

/* Bits are taken word by word, and each is a process to look at. */
int knell_carrier_next(struct knell_carrier *carrier)
{
    unsigned words = (carrier->processes + 63) / 64;
    for (unsigned tries = 0; !carrier->word; tries++) {
        if (tries == words)
            return -1;
        carrier->looking = carrier->looking + 1 < words ? carrier->looking + 1 : 0;
        _Atomic uint64_t *hints = &carrier->process[carrier->me].hints[carrier->looking];
        carrier->word = carrier->look[carrier->looking];
        carrier->look[carrier->looking] = 0;
        if (atomic_load_explicit(hints, memory_order_relaxed)) {
            carrier->word |= atomic_exchange(hints, 0);
            STEP();
        }
    }
    unsigned bit = (unsigned)__builtin_ctzll(carrier->word);
    carrier->word &= carrier->word - 1;
    return (int)(carrier->looking * 64 + bit);
}

void knell_carrier_sweep(struct knell_carrier *carrier, unsigned from)
{
    carrier->look[from / 64] |= UINT64_C(1) << from % 64;
}

/* ---- messages -------------------------------------------------------------------------------------------------------------------- */

bool knell_carrier_has(const struct knell_carrier *carrier, unsigned from)
{
    uint64_t next = carrier->in[from].messages;
    const struct slot *slot = &knell__carrier_pair(carrier, carrier->me, from)->slot[next % SLOTS];
    return atomic_load(&slot->number) == next + 1;
}

static inline size_t inlined_in(const struct slot *slot)
{
    return slot->kind == KNELL_CARRIER_ASKS ? sizeof slot->asked : sizeof slot->inlined;
}

bool knell_carrier_look(struct knell_carrier *carrier, unsigned from, struct knell_carrier_message *message)
{
    if (!knell_carrier_has(carrier, from))
        return false;
    const struct pair *pair = knell__carrier_pair(carrier, carrier->me, from);
    const struct in *in = &carrier->in[from];
    const struct slot *slot = &pair->slot[in->messages % SLOTS];
    message->kind = (enum knell_carrier_kind)slot->kind;
    message->head = slot->head;
    message->size = message->bytes = slot->bytes;
    message->data = slot->inlined;
    if (slot->bytes > inlined_in(slot))
        message->data = &pair->data[knell__carrier_data_begin(in->bytes, slot->bytes) % DATA_BYTES];
    if (slot->kind == KNELL_CARRIER_ASKS)
        message->ticket = slot->asks;
    if (slot->kind == KNELL_CARRIER_OFFER || slot->kind == KNELL_CARRIER_BEGIN) {
        message->size = slot->size;
        message->address = slot->address;
        message->ticket = slot->ticket;
    }
    return true;
}

/* Gives the room back. */
static inline void give_back(struct pair *pair, struct in *in)
{
    STEP();
    if (in->given_bytes != in->bytes)
        atomic_store_explicit(&pair->passed.bytes, in->bytes, memory_order_release);
    STEP();
    atomic_store_explicit(&pair->passed.messages, in->messages, memory_order_release);
    STEP();
    in->given = in->messages;
    in->given_bytes = in->bytes;
}

/* A writer whose ring is full looks at `passed` all the time, and takes its line away from the reader. So room is given back when there is
 * nothing more to read, or in larger parts. */
void knell_carrier_pass(struct knell_carrier *carrier, unsigned from)
{
    struct pair *pair = knell__carrier_pair(carrier, carrier->me, from);
    struct in *in = &carrier->in[from];
    const struct slot *slot = &pair->slot[in->messages % SLOTS];
    if (slot->bytes > inlined_in(slot))
        in->bytes = knell__carrier_data_end(knell__carrier_data_begin(in->bytes, slot->bytes), slot->bytes);
    in->messages++;
    if (in->messages - in->given >= SLOTS / 4 || in->bytes - in->given_bytes >= DATA_BYTES / 4 ||
        !knell_carrier_has(carrier, from))
        give_back(pair, in);
}

/* ---- out of the sender's memory ------------------------------------------------------------------------------------------------------ */

/* The proof and a part of the data, in one call: the kernel reads both from one process. */
static ssize_t read_some(const struct process *sender, pid_t pid, struct proof *proof, uint64_t address, void *into,
                         size_t size)
{
    struct iovec here[2] = {{proof, sizeof *proof}, {into, size}};
    struct iovec there[2] = {{(void *)(uintptr_t)sender->proof_at, sizeof *proof}, {(void *)(uintptr_t)address, size}};
    return process_vm_readv(pid, here, 2, there, 2, 0);
}

static bool is_proven(const struct process *sender, const struct proof *proof)
{
    return proof->word[0] == sender->proof.word[0] && proof->word[1] == sender->proof.word[1];
}

/* The kernel copies at most about 2 GiB at once. */
int knell_carrier_pull(struct knell_carrier *carrier, unsigned from, uint64_t address, void *into, size_t size)
{
    const struct process *sender = &carrier->process[from];
    pid_t pid = atomic_load_explicit(&sender->pid, memory_order_acquire);
    if (pid == 0)
        return KNELL_CARRIER_FORBIDDEN;
    for (size_t done = 0; done < size;) {
        struct proof proof;
        ssize_t copied = read_some(sender, pid, &proof, address + done, (char *)into + done, size - done);
        STEP();
        if (copied < 0 && (errno == ESRCH || errno == EFAULT))
            return KNELL_CARRIER_LOST;
        if (copied >= (ssize_t)sizeof proof && !is_proven(sender, &proof))
            return KNELL_CARRIER_LOST;
        if (copied <= (ssize_t)sizeof proof)
            return KNELL_CARRIER_FORBIDDEN;
        done += (size_t)copied - sizeof proof;
    }
    return 0;
}
