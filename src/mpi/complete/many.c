/* many.c: see many.h. */
#include "mpi/complete/many.h"
#include "mpi/p2p/p2p.h"
#include "mpi/request/persistent.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

/* What is known of request `i`, as it was; false: it is not ours. */
static bool known_of(const struct many *many, int i, struct request *known)
{
    if (many->before[i] == MPI_REQUEST_NULL || many->before[i] == native_request_complete)
        return false;
    if (LIKELY(!many->known))
        return request_get(many->before[i], known);
    *known = many->known[i];
    return known->comm != NULL;
}

RARE static void get_all(struct many *many)
{
    struct request *known = calloc((size_t)many->count + 1, sizeof *known);
    if (!known)
        layer_die("out of memory");
    for (int i = 0; i < many->count; i++)
        if (!known_of(many, i, &known[i]))
            known[i].comm = NULL;
    many->known = known;
}

/* ---- persistent requests --------------------------------------------------------------------------------------------------- */

static void note_persistent(struct many *many, int i, struct persistent *persistent)
{
    size_t size = (size_t)many->count * sizeof *many->persistent;
    if (!many->persistent) {
        many->persistent = many->count <= MANY_FEW ? many->few_persistent : malloc(size);
        if (!many->persistent)
            layer_die("out of memory");
        memset(many->persistent, 0, size);
    }
    many->persistent[i] = persistent;
}

RARE static void put_active(struct many *many)
{
    for (int i = 0; i < many->count; i++) {
        struct persistent *persistent = persistent_of(many->request[i]);
        if (!persistent)
            continue;
        note_persistent(many, i, persistent);
        many->request[i] = persistent->active;
    }
}

/* What is complete is null, and leaves its request inactive. What was settled has another handle. */
RARE static void put_back(struct many *many)
{
    for (int i = 0; i < many->count; i++) {
        struct persistent *persistent = many->persistent[i];
        if (!persistent)
            continue;
        persistent->active = many->request[i];
        many->request[i] = persistent->handle;
    }
    if (many->persistent != many->few_persistent)
        free(many->persistent);
}

/* ---- from the beginning to the end ----------------------------------------------------------------------------------------- */

void many_begin(struct many *many, int count, MPI_Request *request)
{
    many->count = count;
    many->request = request;
    many->persistent = NULL;
    if (persistent_any())
        put_active(many);
    many->before = count <= MANY_FEW ? many->few : malloc((size_t)count * sizeof *request);
    if (!many->before)
        layer_die("out of memory");
    if (count > 0)
        memcpy(many->before, request, (size_t)count * sizeof *request);
    many->epoch = side_epoch_now();
    many->look = comm_any_trouble();
    many->done = 0;
    many->stays = -1;
    many->known = NULL;
    many->blamed = NULL;
    if (RARELY(self.threads))
        get_all(many);
    if (atomic_load_explicit(&layer_tasks, memory_order_relaxed))
        task_advance_all();
}

void many_heed(unsigned turns, const struct many *many)
{
    struct request known = {.comm = NULL};
    int i = many->done;
    while (i < many->count && (many->request[i] == MPI_REQUEST_NULL || !known_of(many, i, &known)))
        i++;
    struct where_aim aim = {i < many->count ? known.comm : NULL, known.peer, known.kind};
    wait_heed(turns, &aim);
}

MPI_Status *many_statuses(int count, MPI_Status few[MANY_FEW])
{
    MPI_Status *room = count <= MANY_FEW ? few : malloc((size_t)count * sizeof *room);
    if (!room)
        layer_die("out of memory");
    return room;
}

void many_end(struct many *many)
{
    if (RARELY(many->persistent != NULL))
        put_back(many);
    if (RARELY(many->before != many->few))
        free(many->before);
    if (RARELY(many->known))
        free(many->known);
}

/* ---- failures -------------------------------------------------------------------------------------------------------------- */

bool many_look(struct many *many)
{
    uint32_t now = side_epoch_now();
    bool look = now != many->epoch || many->look;
    many->epoch = now;
    many->look = false;
    return look;
}

int many_trouble(const struct many *many, int i, struct request *known)
{
    if (many->request[i] == MPI_REQUEST_NULL || !known_of(many, i, known))
        return MPI_SUCCESS;
    return complete_trouble(known);
}

/* The first that failed; without a communicator to raise it on it is nobody's. */
void many_blame(struct many *many, struct comm *comm, int code)
{
    if (many->blamed)
        return;
    many->blamed = comm;
    many->blamed_code = code;
}

int many_complete(struct many *many, int i, MPI_Status *status, int code)
{
    struct request known;
    if (!known_of(many, i, &known))
        return code;
    struct comm *comm = complete_finish(&known, status, &code);
    if (RARELY(code != MPI_SUCCESS))
        many_blame(many, comm, code);
    return code;
}

int many_give_up(struct many *many, int i, int trouble, const struct request *known, MPI_Status *status)
{
    struct comm *comm = known->comm;
    int code = trouble;
    if (trouble != MPIX_ERR_PROC_FAILED_PENDING) {
        if (complete_give_up(known, trouble, &many->request[i], status))
            code = MPI_SUCCESS;
        comm = complete_finish(known, status, &code);
    }
    if (code != MPI_SUCCESS)
        many_blame(many, comm, code);
    return code;
}

int many_settle(struct many *many, int i, int trouble, const struct request *known)
{
    MPI_Status status;
    bool complete = complete_give_up(known, trouble, &many->request[i], &status);
    bool received = complete && known->kind == REQUEST_RECV;
    int code = complete ? MPI_SUCCESS : trouble;
    if (received)
        p2p_status(known->comm, known->peer, &status);
    if (request_settled(known->comm, code, received ? &status : NULL, &many->request[i]) != MPI_SUCCESS)
        layer_die("out of memory for requests");
    request_drop(known);
    many->before[i] = many->request[i];
    if (many->known)
        request_get(many->before[i], &many->known[i]);
    return code;
}
