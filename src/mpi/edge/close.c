/* close.c: MPICH over UCX closes its connections in MPI_Finalize, and the layer has all processes close them together.
 *
 * To close a connection over TCP UCX asks the other end whether all has come, and waits for its answer. MPICH 4.0.2 does that for its
 * own connections and then waits for the others in a barrier of the launcher's, where it answers nobody: who asks it then waits for
 * ever, and so do all. (Answering makes UCX 1.13 ask again: to have asked once before does not help.) So the layer
 * stands between: at the first connection that MPICH closes, it closes all of them, and then goes on answering until it is told
 * that everybody has come so far. UCX is found by name: where the MPI below does without it, nothing here is called. */
#include "mpi/edge/close.h"
#include "mpi/base/layer.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#ifdef MPICH
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* As in ucp.h, which need not be installed. */
int8_t ucp_ep_create(void *worker, const void *params, void **connection);
void *ucp_disconnect_nb(void *connection); /* NULL: done; an error, as a number; else a request */
enum { LOWEST_ERROR = -100 };

static struct {
    int8_t (*create)(void *worker, const void *params, void **connection);
    void *(*disconnect)(void *connection);
    unsigned (*progress)(void *worker);
    int (*is_completed)(void *request);
    void (*let_go)(void *request);
} ucx;

/* The MPI's own; a library of the program's that uses UCX too has others. */
static struct connection {
    void *worker, *handle, *request;
} * connection;
static int connections, room;
static bool learning;
static _Thread_local bool closing __attribute__((tls_model("initial-exec")));
static _Atomic bool closed_here, closed_everywhere;

/* ---- which there are -------------------------------------------------------------------------------------------------------- */

static void find_ucx(void)
{
    *(void **)&ucx.disconnect = layer_symbol("ucp_disconnect_nb");
    *(void **)&ucx.progress = layer_symbol("ucp_worker_progress");
    *(void **)&ucx.is_completed = layer_symbol("ucp_request_is_completed");
    *(void **)&ucx.let_go = layer_symbol("ucp_request_free");
    *(void **)&ucx.create = layer_symbol("ucp_ep_create");
}

static void learn(void *worker, void *handle)
{
    if (connections == room) {
        room = room ? 2 * room : 64;
        connection = realloc(connection, (size_t)room * sizeof *connection);
    }
    if (!connection)
        layer_die("out of memory");
    connection[connections++] = (struct connection){.worker = worker, .handle = handle};
}

EXPORT int8_t ucp_ep_create(void *worker, const void *params, void **handle)
{
    if (!ucx.create)
        find_ucx();
    int8_t status = ucx.create(worker, params, handle);
    if (status == 0 && learning)
        learn(worker, *handle);
    return status;
}

void close_learn(bool on)
{
    learning = on;
}

/* ---- closing ---------------------------------------------------------------------------------------------------------------- */

static void progress(void)
{
    for (int i = 0; i < connections; i++)
        if (i == 0 || connection[i].worker != connection[i - 1].worker)
            ucx.progress(connection[i].worker);
    if (self.crowded)
        sched_yield();
    while (side_deaths() > 0) /* the caller of MPI_Finalize has left: nobody waits for this thread */
        pause();
}

static bool is_error(const void *request)
{
    return (uintptr_t)request >= (uintptr_t)LOWEST_ERROR;
}

static void close_all(void)
{
    for (int i = 0; i < connections; i++)
        connection[i].request = ucx.disconnect(connection[i].handle);
    for (int i = 0; i < connections; i++) {
        if (!connection[i].request || is_error(connection[i].request))
            continue;
        while (!ucx.is_completed(connection[i].request))
            progress();
        ucx.let_go(connection[i].request);
    }
}

static void close_together(void)
{
    close_all();
    atomic_store(&closed_here, true);
    side_epoch_raise();
    while (!atomic_load(&closed_everywhere))
        progress();
}

static bool is_known(const void *handle)
{
    int i = 0;
    while (i < connections && connection[i].handle != handle)
        i++;
    return i < connections;
}

EXPORT void *ucp_disconnect_nb(void *handle)
{
    if (!ucx.disconnect)
        find_ucx();
    if (!closing || !is_known(handle))
        return ucx.disconnect(handle);
    if (!atomic_load(&closed_here))
        close_together();
    return NULL;
}

void close_begin(void)
{
    closing = true;
}

bool close_is_done_here(void)
{
    return atomic_load(&closed_here);
}

void close_is_done_everywhere(void)
{
    atomic_store(&closed_everywhere, true);
}
#else
void close_learn(bool on)
{
    (void)on;
}

void close_begin(void)
{
}

bool close_is_done_here(void)
{
    return false;
}

void close_is_done_everywhere(void)
{
}
#endif
