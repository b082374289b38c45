/* letter.c: see letter.h. */
#include "mpi/create/letter.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/context/context.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#include <stdlib.h>
#include <string.h>

/* A letter on its way, or in the mailbox. The MPI below may use its memory until the request is complete. */
struct envelope {
    struct envelope *next;
    MPI_Request request;
    int peer;
    struct letter *letter;
};

/* LOCK_LETTERS. */
static struct {
    struct envelope *sent, *coming;
    struct envelope *here, **last; /* in the order they came */
} mail = {.last = &mail.here};

static size_t size_of(const struct letter *letter)
{
    return sizeof *letter + (size_t)letter->count * sizeof(int);
}

static struct envelope *new_envelope(int peer, size_t size)
{
    struct envelope *made = calloc(1, sizeof *made);
    struct letter *letter = calloc(1, size);
    if (!made || !letter)
        layer_die("out of memory");
    made->peer = peer;
    made->letter = letter;
    return made;
}

static void forget(struct envelope *envelope)
{
    free(envelope->letter);
    free(envelope);
}

/* ---- out -------------------------------------------------------------------------------------------------------------------- */

/* When the MPI below refuses, the receiver is dying, and nobody waits for it. */
void letter_send(int to, const struct letter *letter, const int *process)
{
    size_t size = size_of(letter);
    struct envelope *envelope = new_envelope(to, size);
    memcpy(envelope->letter, letter, sizeof *letter);
    if (letter->count > 0)
        memcpy(envelope->letter + 1, process, size - sizeof *letter);
    lock_take(LOCK_LETTERS);
    if (native.isend(envelope->letter, (int)size, MPI_BYTE, to, context_letters_tag(), context_wire,
                     &envelope->request) != MPI_SUCCESS) {
        forget(envelope);
    } else {
        envelope->next = mail.sent;
        mail.sent = envelope;
    }
    lock_give(LOCK_LETTERS);
}

/* True: it is over. What is left with the dead stays with the MPI below, for ever. */
static bool is_over(struct envelope *envelope, bool *whole)
{
    int complete = 0, code = native.test(&envelope->request, &complete, MPI_STATUS_IGNORE);
    *whole = complete && code == MPI_SUCCESS;
    return complete || code != MPI_SUCCESS || side_is_dead(envelope->peer);
}

static void test_sent(void)
{
    bool whole;
    for (struct envelope **at = &mail.sent; *at;) {
        struct envelope *envelope = *at;
        if (!is_over(envelope, &whole)) {
            at = &envelope->next;
            continue;
        }
        *at = envelope->next;
        if (whole)
            forget(envelope);
    }
}

/* ---- in --------------------------------------------------------------------------------------------------------------------- */

static void put(struct envelope *envelope)
{
    envelope->next = NULL;
    *mail.last = envelope;
    mail.last = &envelope->next;
}

/* In any order: those of one sender are told apart by their kind and number. */
static void test_coming(void)
{
    bool whole;
    for (struct envelope **at = &mail.coming; *at;) {
        struct envelope *envelope = *at;
        if (!is_over(envelope, &whole)) {
            at = &envelope->next;
            continue;
        }
        *at = envelope->next;
        if (whole)
            put(envelope);
    }
}

static bool find_one(void)
{
    MPI_Message message;
    MPI_Status status;
    int found = 0, size = 0;
    native.improbe(MPI_ANY_SOURCE, context_letters_tag(), context_wire, &found, &message, &status);
    if (!found)
        return false;
    native.get_count(&status, MPI_BYTE, &size);
    struct envelope *envelope = new_envelope(status.MPI_SOURCE, (size_t)size);
    layer_guard++; /* no operation of the program's call: it may be another's */
    int code = native.imrecv(envelope->letter, size, MPI_BYTE, &message, &envelope->request);
    layer_guard--;
    if (code != MPI_SUCCESS) {
        forget(envelope);
        return false;
    }
    envelope->next = mail.coming;
    mail.coming = envelope;
    return true;
}

static void turn(void)
{
    while (find_one())
        continue;
    test_coming();
    test_sent();
}

/* ---- the mailbox ------------------------------------------------------------------------------------------------------------- */

static struct envelope *unlink_at(struct envelope **at)
{
    struct envelope *taken = *at;
    *at = taken->next;
    if (mail.last == &taken->next)
        mail.last = at;
    return taken;
}

static struct letter *open(struct envelope *envelope)
{
    struct letter *letter = envelope->letter;
    free(envelope);
    return letter;
}

struct letter *letter_take(int from, enum letter_kind kind, uint64_t key, uint64_t number)
{
    struct letter *found = NULL;
    lock_take(LOCK_LETTERS);
    turn();
    for (struct envelope **at = &mail.here; *at && !found;) {
        const struct letter *letter = (*at)->letter;
        if ((from < 0 || (*at)->peer == from) && letter->kind == (int)kind && letter->key == key &&
            letter->number == number)
            found = open(unlink_at(at));
        else
            at = &(*at)->next;
    }
    lock_give(LOCK_LETTERS);
    return found;
}

void letter_forget(int from, uint64_t key, uint64_t below)
{
    lock_take(LOCK_LETTERS);
    turn();
    for (struct envelope **at = &mail.here; *at;) {
        const struct envelope *envelope = *at;
        if (envelope->peer == from && envelope->letter->key == key && envelope->letter->number < below)
            forget(unlink_at(at));
        else
            at = &(*at)->next;
    }
    lock_give(LOCK_LETTERS);
}
