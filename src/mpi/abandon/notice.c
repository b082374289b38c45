/* notice.c: see notice.h. */
#include "mpi/abandon/notice.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/context/context.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#include <stdlib.h>

/* A notice on its way out or in. The MPI below may use its memory until the request is complete. */
struct letter {
    struct letter *next;
    MPI_Request request;
    int peer;
    struct notice notice;
};

/* LOCK_NOTICES; all but `hearer`, which is set at MPI_Init. */
static struct {
    struct letter *sent;
    struct letter *coming;   /* one at a time */
    struct letter *given_up; /* the MPI below may still use them */
    notice_hear *hearer[NOTICES];
} notices;

static struct letter *new_letter(int peer)
{
    struct letter *made = calloc(1, sizeof *made);
    if (!made)
        layer_die("out of memory");
    made->peer = peer;
    return made;
}

/* True: it is over. A letter to or from the dead may stay in the MPI's hands for ever, and then its memory does too. */
static bool is_over(struct letter *letter, bool *whole)
{
    int complete = 0, code = native.test(&letter->request, &complete, MPI_STATUS_IGNORE);
    *whole = complete && code == MPI_SUCCESS;
    return complete || code != MPI_SUCCESS || side_is_dead(letter->peer);
}

static void forget(struct letter *letter)
{
    if (letter->request == MPI_REQUEST_NULL) {
        free(letter);
        return;
    }
    letter->next = notices.given_up;
    notices.given_up = letter;
}

/* ---- out ------------------------------------------------------------------------------------------------------------------- */

/* When the MPI below refuses, the receiver is dying, and nobody waits for it for long. */
static void post(struct letter *letter)
{
    if (native.isend(&letter->notice, sizeof letter->notice, MPI_BYTE, letter->peer, context_notices_tag(),
                     context_wire, &letter->request) != MPI_SUCCESS) {
        free(letter);
        return;
    }
    letter->next = notices.sent;
    notices.sent = letter;
}

void notice_heard_by(enum notice_kind kind, notice_hear *by)
{
    notices.hearer[kind] = by;
}

static void hear(int source, const struct notice *notice)
{
    if ((unsigned)notice->kind < NOTICES)
        notices.hearer[notice->kind](source, notice);
}

void notice_send(int process, const struct notice *notice)
{
    if (process == self.process) {
        hear(process, notice);
        return;
    }
    struct letter *letter = new_letter(process);
    letter->notice = *notice;
    lock_take(LOCK_NOTICES);
    post(letter);
    lock_give(LOCK_NOTICES);
}

static void test_sent(void)
{
    bool whole;
    for (struct letter **at = &notices.sent; *at;) {
        struct letter *letter = *at;
        if (!is_over(letter, &whole)) {
            at = &letter->next;
            continue;
        }
        *at = letter->next;
        forget(letter);
    }
}

/* ---- in -------------------------------------------------------------------------------------------------------------------- */

static bool find_one(void)
{
    MPI_Message message;
    MPI_Status status;
    int found = 0;
    native.improbe(MPI_ANY_SOURCE, context_notices_tag(), context_wire, &found, &message, &status);
    if (!found)
        return false;
    notices.coming = new_letter(status.MPI_SOURCE);
    layer_guard++; /* no operation of the program's call: it is the others' */
    int code = native.imrecv(&notices.coming->notice, sizeof notices.coming->notice, MPI_BYTE, &message,
                             &notices.coming->request);
    layer_guard--;
    if (code == MPI_SUCCESS)
        return true;
    free(notices.coming);
    notices.coming = NULL;
    return false;
}

/* A notice is small, and there when it is found. True: there may be more. */
static bool hear_one(void)
{
    bool whole;
    if ((!notices.coming && !find_one()) || !is_over(notices.coming, &whole))
        return false;
    struct letter *letter = notices.coming;
    notices.coming = NULL;
    if (whole)
        hear(letter->peer, &letter->notice);
    forget(letter);
    return true;
}

bool notice_turn(void)
{
    if (!lock_try(LOCK_NOTICES))
        return true;
    while (hear_one())
        continue;
    test_sent();
    bool more = notices.sent != NULL;
    lock_give(LOCK_NOTICES);
    return more;
}
