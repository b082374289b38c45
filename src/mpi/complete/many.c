/* many.c: see many.h. */
#include "mpi/complete/many.h"
#include "mpi/p2p/p2p.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

/* What is known of request `i`, as it was; false: it is not ours. */
static bool known_of(const struct knell__many *many, int i, struct knell__request *known)
{
    if (many->before[i] == MPI_REQUEST_NULL || many->before[i] == knell__request_complete)
        return false;
    if (KNELL__LIKELY(!many->known))
        return knell__request_get(many->before[i], known);
    *known = many->known[i];
    return known->comm != NULL;
}

KNELL__RARE static void get_all(struct knell__many *many)
{
    struct knell__request *known = calloc((size_t)many->count + 1, sizeof *known);
    if (!known)
        knell__die("out of memory");
    for (int i = 0; i < many->count; i++)
        if (!known_of(many, i, &known[i]))
            known[i].comm = NULL;
    many->known = known;
}

void knell__many_begin(struct knell__many *many, int count, MPI_Request *request)
{
    many->count = count;
    many->request = request;
    many->before = count <= KNELL__MANY_FEW ? many->few : malloc((size_t)count * sizeof *request);
    if (!many->before)
        knell__die("out of memory");
    if (count > 0)
        memcpy(many->before, request, (size_t)count * sizeof *request);
    many->epoch = knell__epoch_now();
    many->look = knell__troubled();
    many->done = 0;
    many->stays = -1;
    many->known = NULL;
    many->blamed = NULL;
    if (KNELL__RARELY(knell__self.threads))
        get_all(many);
    if (atomic_load_explicit(&knell__tasks_active, memory_order_relaxed))
        knell__tasks_advance();
}

void knell__many_heed(unsigned turns, const struct knell__many *many)
{
    struct knell__request known = {.comm = NULL};
    int i = many->done;
    while (i < many->count && (many->request[i] == MPI_REQUEST_NULL || !known_of(many, i, &known)))
        i++;
    struct knell__aim aim = {i < many->count ? known.comm : NULL, known.peer, known.kind};
    knell__heed_waiting(turns, &aim);
}

MPI_Status *knell__many_statuses(int count, MPI_Status few[KNELL__MANY_FEW])
{
    MPI_Status *room = count <= KNELL__MANY_FEW ? few : malloc((size_t)count * sizeof *room);
    if (!room)
        knell__die("out of memory");
    return room;
}

void knell__many_end(struct knell__many *many)
{
    if (KNELL__RARELY(many->before != many->few))
        free(many->before);
    if (KNELL__RARELY(many->known))
        free(many->known);
}

/* ---- failures -------------------------------------------------------------------------------------------------------------- */

bool knell__many_look(struct knell__many *many)
{
    uint32_t now = knell__epoch_now();
    bool look = now != many->epoch || many->look;
    many->epoch = now;
    many->look = false;
    return look;
}

int knell__many_trouble(const struct knell__many *many, int i, struct knell__request *known)
{
    if (many->request[i] == MPI_REQUEST_NULL || !known_of(many, i, known))
        return MPI_SUCCESS;
    return knell__request_trouble(known);
}

/* The first that failed; without a communicator to raise it on it is nobody's. */
void knell__many_blame(struct knell__many *many, struct knell__comm *comm, int code)
{
    if (many->blamed)
        return;
    many->blamed = comm;
    many->blamed_code = code;
}

int knell__many_complete(struct knell__many *many, int i, MPI_Status *status, int code)
{
    struct knell__request known;
    if (!known_of(many, i, &known))
        return code;
    struct knell__comm *comm = knell__request_finish(&known, status, &code);
    if (KNELL__RARELY(code != MPI_SUCCESS))
        knell__many_blame(many, comm, code);
    return code;
}

int knell__many_give_up(struct knell__many *many, int i, int trouble, const struct knell__request *known,
                        MPI_Status *status)
{
    struct knell__comm *comm = known->comm;
    int code = trouble;
    if (trouble != MPIX_ERR_PROC_FAILED_PENDING) {
        if (knell__request_give_up(known, trouble, &many->request[i], status))
            code = MPI_SUCCESS;
        comm = knell__request_finish(known, status, &code);
    }
    if (code != MPI_SUCCESS)
        knell__many_blame(many, comm, code);
    return code;
}

int knell__many_settle(struct knell__many *many, int i, int trouble, const struct knell__request *known)
{
    MPI_Status status;
    bool complete = knell__request_give_up(known, trouble, &many->request[i], &status);
    bool received = complete && known->kind == KNELL__REQUEST_RECV;
    int code = complete ? MPI_SUCCESS : trouble;
    if (received)
        knell__status_translate(known->comm, known->peer, &status);
    if (knell__request_settled(known->comm, code, received ? &status : NULL, &many->request[i]) != MPI_SUCCESS)
        knell__die("out of memory for requests");
    knell__request_drop(known);
    many->before[i] = many->request[i];
    if (many->known)
        knell__request_get(many->before[i], &many->known[i]);
    return code;
}
