/* where_words.c: what a thread waits for, in words: the call, its peer, its communicator. */
#include "mpi/native/native.h"
#include "mpi/wait/where.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* One line, whatever the program named it. */
static void write_name(const struct comm *comm, char *text, size_t size)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    native.comm_get_name(comm->handle, name, &length);
    for (char *at = name; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = ' ';
    snprintf(text, size, "\"%s\"", name);
}

static void write_comm(const struct comm *comm, char *text, size_t size)
{
    if (comm->named && comm->handle != MPI_COMM_NULL)
        write_name(comm, text, size);
    else if (comm == &comm_world || comm == &comm_self)
        snprintf(text, size, "%s", comm == &comm_world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    else if (comm_is_inter(comm))
        snprintf(text, size, "an intercommunicator of %d and %d ranks", comm->local, comm->size);
    else
        snprintf(text, size, "a communicator of %d rank%s", comm->size, comm->size == 1 ? "" : "s");
}

/* What MPI_Wait and the like wait for they do not say themselves. */
static const char *what(enum job_call call, const struct where_aim *aim)
{
    if (strncmp(job_call_name(call), "MPI_Wait", 8) != 0)
        return "";
    if (aim->kind == REQUEST_RECV || aim->peer == PEER_ANY)
        return " for a receive";
    return aim->kind == REQUEST_SEND ? " for a send" : " for an operation";
}

static void write_peer(const struct where_aim *aim, char *text, size_t size)
{
    if (aim->peer == PEER_ANY)
        snprintf(text, size, " from any source of ");
    else if (aim->peer >= 0)
        snprintf(text, size, " %s rank %d of ", aim->kind == REQUEST_SEND ? "to" : "from",
                 aim->comm->rank_of[aim->peer]);
    else
        snprintf(text, size, " on ");
}

void where_write(enum job_call call, const struct where_aim *aim, char *text, size_t size)
{
    char peer[48], comm[MPI_MAX_OBJECT_NAME + 48];
    if (!aim || !aim->comm) {
        snprintf(text, size, "%s", job_call_name(call));
        return;
    }
    write_peer(aim, peer, sizeof peer);
    write_comm(aim->comm, comm, sizeof comm);
    snprintf(text, size, "%s%s%s%s", job_call_name(call), what(call, aim), peer, comm);
}
