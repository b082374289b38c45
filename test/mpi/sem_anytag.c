/* sem_anytag: MPI_ANY_TAG with more communicators alive than the MPI below has contexts for: their messages share contexts, and
 * wildcards must see their own only, in order. Every receive is checked against a model of what may match it.
 * Then the same after a revoke, a death and a shrink. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

enum { COMMS = 40, MESSAGES = 60, SMALL = 4, LARGE = 50000, TAGS = 3, BATCH = 8, RECEIVER = 1, MOST = 8 };

static MPI_Comm comms[COMMS];
static int comm_count, ranks; /* of each of them */

static uint64_t state;
static int draw(int below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)below);
}

/* ---- the plan: everybody knows what everybody sends ----------------------------------------------------------------------------- */

struct message {
    int comm, tag, count;
    bool gone; /* received */
};
static struct message plan[MOST][MESSAGES];

static void make_plan(int seed)
{
    state = (uint64_t)seed * 7919 + 1;
    for (int source = 0; source < ranks; source++)
        for (int i = 0; i < MESSAGES; i++)
            plan[source][i] =
                (struct message){draw(comm_count), draw(TAGS), i % 16 == 15 ? LARGE : SMALL, source == RECEIVER};
}

static int value_of(int source, int i)
{
    return source * 1000 + i;
}

static int (*out)[LARGE];

static void send_all(int rank)
{
    static MPI_Request request[MESSAGES];
    static MPI_Status status[MESSAGES]; /* some compilers warn of MPI_STATUSES_IGNORE */
    for (int i = 0; i < MESSAGES; i++) {
        const struct message *m = &plan[rank][i];
        for (int k = 0; k < m->count; k++)
            out[i][k] = value_of(rank, i);
        OK(MPI_Isend(out[i], m->count, MPI_INT, RECEIVER, m->tag, comms[m->comm], &request[i]));
    }
    OK(MPI_Waitall(MESSAGES, request, status));
}

/* ---- the model ------------------------------------------------------------------------------------------------------------------ */

/* The first of this source that a receive must match; -1: none. */
static int first_of(int source, int comm, int tag)
{
    for (int i = 0; i < MESSAGES; i++) {
        const struct message *m = &plan[source][i];
        if (!m->gone && m->comm == comm && (tag == MPI_ANY_TAG || tag == m->tag))
            return i;
    }
    return -1;
}

static void check_received(int comm, int source, int tag, const int *buffer, const MPI_Status *status)
{
    int from = status->MPI_SOURCE, count = -1;
    CHECK(from >= 0 && from < ranks && (source == MPI_ANY_SOURCE || from == source));
    int i = first_of(from, comm, tag);
    CHECK(i >= 0);
    OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK(status->MPI_TAG == plan[from][i].tag && count == plan[from][i].count);
    for (int k = 0; k < count; k++)
        CHECK(buffer[k] == value_of(from, i));
    plan[from][i].gone = true;
}

/* ---- one at a time: any way of receiving ---------------------------------------------------------------------------------------- */

static int in[LARGE];

static void receive(int comm, int source, int tag)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    int flag = 0;
    switch (draw(6)) {
    case 0:
        OK(MPI_Recv(in, LARGE, MPI_INT, source, tag, comms[comm], &status));
        break;
    case 1:
        OK(MPI_Irecv(in, LARGE, MPI_INT, source, tag, comms[comm], &request));
        OK(MPI_Wait(&request, &status));
        break;
    case 2:
        OK(MPI_Probe(source, tag, comms[comm], &status));
        OK(MPI_Recv(in, LARGE, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comms[comm], &status));
        break;
    case 3:
        OK(MPI_Mprobe(source, tag, comms[comm], &message, &status));
        OK(MPI_Mrecv(in, LARGE, MPI_INT, &message, &status));
        break;
    case 4:
        while (!flag)
            OK(MPI_Improbe(source, tag, comms[comm], &flag, &message, &status));
        OK(MPI_Imrecv(in, LARGE, MPI_INT, &message, &request));
        OK(MPI_Wait(&request, &status));
        break;
    default:
        OK(MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, in, LARGE, MPI_INT, source, tag, comms[comm], &status));
    }
    check_received(comm, source, tag, in, &status);
}

/* Some message that is still to come. */
static bool some_message(int *source, int *i)
{
    int left = 0;
    for (int s = 0; s < ranks; s++)
        for (int k = 0; k < MESSAGES; k++)
            left += !plan[s][k].gone;
    int chosen = left ? draw(left) : -1;
    for (int s = 0; s < ranks && chosen >= 0; s++)
        for (int k = 0; k < MESSAGES && chosen >= 0; k++)
            if (!plan[s][k].gone && chosen-- == 0) {
                *source = s;
                *i = k;
            }
    return left > 0;
}

static void receive_all(void)
{
    int source, i;
    while (some_message(&source, &i)) {
        const struct message *m = &plan[source][i];
        receive(m->comm, draw(2) ? MPI_ANY_SOURCE : source, draw(3) ? MPI_ANY_TAG : m->tag);
    }
}

/* ---- many posted at once: they match in the order of posting; who gets nothing is cancelled ----------------------------------------- */

struct posted {
    int comm, tag, wanted; /* the message it must get; -1: none */
    MPI_Request request;
    int *buffer;
};

/* Each takes the first that is left, in order: so it is whenever the messages come. */
static void post(struct posted *p, int source, int i, bool gone[])
{
    p->comm = plan[source][i].comm;
    p->tag = draw(2) ? MPI_ANY_TAG : plan[source][i].tag;
    p->wanted = -1;
    for (int k = 0; k < MESSAGES && p->wanted < 0; k++)
        if (!gone[k] && plan[source][k].comm == p->comm && (p->tag == MPI_ANY_TAG || p->tag == plan[source][k].tag))
            p->wanted = k;
    if (p->wanted >= 0)
        gone[p->wanted] = true;
    OK(MPI_Irecv(p->buffer, LARGE, MPI_INT, source, p->tag, comms[p->comm], &p->request));
}

static void complete(struct posted *p, int source)
{
    MPI_Status status;
    int cancelled = 0, count = -1;
    if (p->wanted < 0)
        OK(MPI_Cancel(&p->request));
    OK(MPI_Wait(&p->request, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK(cancelled == (p->wanted < 0));
    if (cancelled)
        return;
    struct message *m = &plan[source][p->wanted];
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(status.MPI_SOURCE == source && status.MPI_TAG == m->tag && count == m->count);
    CHECK(p->buffer[0] == value_of(source, p->wanted) && p->buffer[count - 1] == value_of(source, p->wanted));
    m->gone = true;
}

static void receive_in_batches(void)
{
    static struct posted posted[BATCH];
    int source, i, count;
    for (int k = 0; k < BATCH && !posted[k].buffer; k++)
        posted[k].buffer = malloc(sizeof(int) * LARGE);
    while (some_message(&source, &i)) {
        bool gone[MESSAGES];
        for (int k = 0; k < MESSAGES; k++)
            gone[k] = plan[source][k].gone;
        for (count = 0; count < BATCH; count++) {
            post(&posted[count], source, i, gone);
            i = (i + draw(3)) % MESSAGES;
        }
        for (int k = 0, step = 1 + 2 * draw(4); k < BATCH; k++) /* in any order: the odd step meets all eight */
            complete(&posted[k * step % BATCH], source);
    }
}

/* ---- rounds --------------------------------------------------------------------------------------------------------------------- */

static void storms(int rank, int first_seed, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        make_plan(first_seed + round);
        if (rank != RECEIVER)
            send_all(rank);
        else if (round % 2)
            receive_in_batches();
        else
            receive_all();
        meet(comms[0]);
    }
}

static void duplicate(MPI_Comm comm)
{
    for (comm_count = 0; comm_count < COMMS; comm_count++)
        OK(MPI_Comm_dup(comm, &comms[comm_count]));
    OK(MPI_Comm_size(comm, &ranks));
}

static void free_all(void)
{
    for (int i = 0; i < COMMS; i++)
        OK(MPI_Comm_free(&comms[i]));
}

/* ---- failures ------------------------------------------------------------------------------------------------------------------- */

/* A revoke releases who waits for any tag, and nobody else; what was sent before it disturbs nobody. */
static void revoked(void)
{
    MPI_Comm comm = comms[COMMS - 1], other = comms[COMMS - 5]; /* on the same context */
    MPI_Request request, untouched;
    int value = me, got = -1;
    if (me == 0)
        OK(MPI_Send(&value, 1, MPI_INT, RECEIVER, 7, comm));
    meet(comm);
    if (me == RECEIVER) {
        OK(MPI_Irecv(&got, 1, MPI_INT, 2, MPI_ANY_TAG, comm, &request));
        OK(MPI_Irecv(in, LARGE, MPI_INT, 2, MPI_ANY_TAG, other, &untouched));
    }
    meet(MPI_COMM_WORLD);
    if (me == 0)
        OK(MPIX_Comm_revoke(comm));
    if (me == RECEIVER) {
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
        FAILS(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
        CHECK(request == MPI_REQUEST_NULL && got == -1);
    }
    meet(MPI_COMM_WORLD);
    if (me == 2)
        OK(MPI_Send(&value, 1, MPI_INT, RECEIVER, 9, other));
    if (me == RECEIVER) {
        OK(MPI_Wait(&untouched, MPI_STATUS_IGNORE));
        CHECK(in[0] == 2);
    }
    comms[COMMS - 1] = shrunk(comm);
    OK(MPI_Comm_free(&comm));
}

/* From any source with any tag, and somebody dies: pending, until it is acknowledged; then the living are heard. */
static void died(MPI_Comm comm, int victim)
{
    MPI_Request request;
    MPI_Status status;
    int value = 41, got = -1, acked = 1, code;
    meet(comm);
    if (me == RECEIVER)
        OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request));
    die_if(me == victim);
    learn_death(comm, victim);
    if (me == RECEIVER) {
        FAILS(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status), MPIX_ERR_PROC_FAILED);
        FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED_PENDING);
        OK(MPIX_Comm_ack_failed(comm, 1, &acked));
    }
    code = CODE(MPIX_Comm_agree(comm, &acked)); /* the receiver is ready; not all have acknowledged */
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    if (me == 0)
        OK(MPI_Send(&value, 1, MPI_INT, RECEIVER, 11, comm));
    if (me == RECEIVER) {
        OK(MPI_Wait(&request, &status));
        CHECK(got == 41 && status.MPI_SOURCE == 0 && status.MPI_TAG == 11);
        FAILS(MPI_Recv(&got, 1, MPI_INT, victim, MPI_ANY_TAG, comm, &status), MPIX_ERR_PROC_FAILED);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    out = malloc(sizeof *out * MESSAGES);
    CHECK(out);
    duplicate(MPI_COMM_WORLD);
    storms(me, 1, 6);
    revoked();
    storms(me, 100, 4);
    died(comms[COMMS - 2], all - 1);
    MPI_Comm living = shrunk(comms[COMMS - 2]);
    free_all();
    duplicate(living); /* on slots that saw a failure */
    storms(me, 200, 6);
    return end();
}
