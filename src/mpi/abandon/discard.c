/* discard.c: see discard.h. */
#include "mpi/abandon/discard.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#include <limits.h>
#include <stdlib.h>

struct discarded {
    struct discarded *next;
    MPI_Request request;
    int source;
    char bytes[];
};

static struct discarded *all; /* each is counted in layer_tasks, so that every waiter comes by */

/* What does not fit into memory is received by none of its bytes: the MPI below drops what is too long, and says so. */
static struct discarded *make_room(const MPI_Status *status, int *bytes)
{
    MPI_Count wanted = 0;
    native.get_elements_x(status, MPI_BYTE, &wanted);
    *bytes = wanted > 0 && wanted <= INT_MAX ? (int)wanted : 0;
    struct discarded *made = malloc(sizeof *made + (size_t)*bytes);
    if (!made) {
        *bytes = 0;
        made = malloc(sizeof *made);
    }
    if (!made)
        layer_die("out of memory");
    made->source = status->MPI_SOURCE;
    return made;
}

void discard_message(MPI_Message *message, const MPI_Status *status)
{
    int bytes;
    struct discarded *made = make_room(status, &bytes);
    layer_guard++; /* no operation of the program's call: it is the others' */
    int code = native.imrecv(made->bytes, bytes, MPI_PACKED, message, &made->request);
    layer_guard--;
    if (code != MPI_SUCCESS) {
        free(made);
        return;
    }
    lock_take(LOCK_DISCARD);
    made->next = all;
    all = made;
    atomic_fetch_add(&layer_tasks, 1);
    lock_give(LOCK_DISCARD);
}

/* True: it is over. Of a sender that died nothing more comes; the MPI keeps the memory all the same. */
static bool is_over(struct discarded *one, bool *ours)
{
    int complete = 0, code = native.test(&one->request, &complete, MPI_STATUS_IGNORE);
    *ours = complete || code != MPI_SUCCESS;
    return *ours || (side_is_dead(one->source) && !self.ghosts);
}

static void test_all(void)
{
    for (struct discarded **at = &all; *at;) {
        struct discarded *one = *at;
        bool ours;
        if (!is_over(one, &ours)) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        atomic_fetch_sub(&layer_tasks, 1);
        if (ours)
            free(one);
    }
}

bool discard_turn(void)
{
    if (!lock_try(LOCK_DISCARD))
        return true;
    test_all();
    bool more = all != NULL;
    lock_give(LOCK_DISCARD);
    return more;
}
