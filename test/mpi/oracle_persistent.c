/* oracle_persistent: random patterns of persistent requests, beside nonblocking ones: modes, datatypes that are freed before, any source
 * and any tag where only one message can come, several requests with one tag, cancelled and freed ones, completed by any of the calls
 * in parts. For each seed a line with a digest of all that was received: the same with any MPI and under the layer. All ranks make the
 * same plan; the order in which a rank starts and completes is its own.
 *
 * Left out, since an MPI alone is wrong there: Open MPI 4.1.4 sends the data of the first start of a buffered send each time; MPICH
 * 4.0.2 leaves the status as it was when MPI_Testany finds persistent requests that are inactive and no others. */
#include "oracle.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMMS = 24,
    CHANNELS = 14,
    DEPTH = 3,
    ROUNDS = 5,
    BYTES = 1 << 19,
    ATTACHED = 1 << 23,
    MOST = 2 * CHANNELS * DEPTH + 4
};
enum mode { SEND, SSEND, BSEND, RSEND, ISEND, MODES };

/* From one rank to another: `depth` messages in a round, with one tag. */
struct channel {
    int from, to, comm, tag, depth, count;
    enum mode mode;
    bool strided, any_source, any_tag, plain_receive, never, free_active;
    unsigned rounds; /* in which it is used, by bit */
};

struct end {
    MPI_Request request; /* the persistent one; MPI_REQUEST_NULL: nonblocking, made in each round */
    int *buffer;
};

static int me, ranks;
static MPI_Comm comms[COMMS];
static struct channel channel[CHANNELS];
static struct end out[CHANNELS][DEPTH], in[CHANNELS][DEPTH];
static int channels;
static uint64_t digest;

/* ---- the plan ------------------------------------------------------------------------------------------------------------------- */

/* A channel with wildcards has its communicator to itself; the others share the first, with a tag of their own. */
static struct channel plan_channel(int i)
{
    static const int counts[] = {0, 1, 7, 500, 3000, 40000};
    bool wild = draw(&common, 3) == 0;
    struct channel c = {.from = draw(&common, ranks),
                        .to = draw(&common, ranks),
                        .comm = wild ? 1 + (i + draw(&common, 2) * CHANNELS / 2) % (COMMS - 1) : 0,
                        .tag = 10 + i,
                        .depth = 1 + draw(&common, DEPTH),
                        .count = counts[draw(&common, 6)],
                        .mode = (enum mode)draw(&common, MODES),
                        .strided = draw(&common, 3) == 0,
                        .any_source = draw(&common, 3) == 0,
                        .any_tag = wild && draw(&common, 3) > 0,
                        .plain_receive = draw(&common, 4) == 0,
                        .never = draw(&common, 8) == 0,
                        .rounds = (unsigned)draw(&common, 1 << ROUNDS)};
#ifdef OPEN_MPI
    c.mode = c.mode == BSEND ? SEND : c.mode;
#endif
    c.free_active = c.mode != ISEND && c.count <= 500 && draw(&common, 6) == 0;
    return c;
}

/* No two with wildcards on one communicator. */
static void make_plan(int seed)
{
    bool taken[COMMS] = {false};
    draw_from(seed, me);
    channels = 0;
    for (int i = 0; i < CHANNELS; i++) {
        struct channel c = plan_channel(i);
        if (c.comm > 0 && taken[c.comm])
            continue;
        taken[c.comm] = true;
        channel[channels++] = c;
    }
}

static int value_of(int i, int d, int round, int k)
{
    return (int)(mix((uint64_t)i * 1000003 + (uint64_t)d * 10007 + (uint64_t)round * 101 + (uint64_t)k) & 0xffffff);
}

/* ---- requests ------------------------------------------------------------------------------------------------------------------- */

static MPI_Datatype type_of(const struct channel *c)
{
    MPI_Datatype type;
    if (!c->strided)
        return MPI_INT;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
    MPI_Type_commit(&type);
    return type;
}

static void done_with(const struct channel *c, MPI_Datatype *type)
{
    if (c->strided)
        MPI_Type_free(type);
}

static MPI_Request make_send(const struct channel *c, int *buffer)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = type_of(c);
    MPI_Comm comm = comms[c->comm];
    if (c->mode == SEND)
        MPI_Send_init(buffer, c->count, type, c->to, c->tag, comm, &request);
    else if (c->mode == SSEND)
        MPI_Ssend_init(buffer, c->count, type, c->to, c->tag, comm, &request);
    else if (c->mode == BSEND)
        MPI_Bsend_init(buffer, c->count, type, c->to, c->tag, comm, &request);
    else if (c->mode == RSEND)
        MPI_Rsend_init(buffer, c->count, type, c->to, c->tag, comm, &request);
    done_with(c, &type);
    return request;
}

static MPI_Request make_receive(const struct channel *c, int *buffer, bool now)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = type_of(c);
    int source = c->any_source ? MPI_ANY_SOURCE : c->from, tag = c->any_tag ? MPI_ANY_TAG : c->tag;
    if (now)
        MPI_Irecv(buffer, c->count, type, source, tag, comms[c->comm], &request);
    else
        MPI_Recv_init(buffer, c->count, type, source, tag, comms[c->comm], &request);
    done_with(c, &type);
    return request;
}

static void make_all(void)
{
    for (int i = 0; i < channels; i++)
        for (int d = 0; d < channel[i].depth; d++) {
            const struct channel *c = &channel[i];
            in[i][d] = out[i][d] = (struct end){MPI_REQUEST_NULL, NULL};
            if (c->from == me)
                out[i][d].buffer = calloc(BYTES, 1), out[i][d].request = make_send(c, out[i][d].buffer);
            if (c->to == me)
                in[i][d].buffer = calloc(BYTES, 1);
            if (c->to == me && !c->plain_receive)
                in[i][d].request = make_receive(c, in[i][d].buffer, false);
        }
}

static void free_all(void)
{
    for (int i = 0; i < channels; i++)
        for (int d = 0; d < channel[i].depth; d++) {
            if (out[i][d].request != MPI_REQUEST_NULL)
                MPI_Request_free(&out[i][d].request);
            if (in[i][d].request != MPI_REQUEST_NULL)
                MPI_Request_free(&in[i][d].request);
            free(out[i][d].buffer);
            free(in[i][d].buffer);
        }
}

/* ---- a round -------------------------------------------------------------------------------------------------------------------- */

/* What is under way at this rank: persistent handles are copied, as programs do. */
static MPI_Request active[MOST];
static struct {
    int channel, depth;
    bool receives, cancelled;
} what[MOST];
static int count;

static void note(MPI_Request request, int i, int d, bool receives)
{
    active[count] = request;
    what[count].channel = i;
    what[count].depth = d;
    what[count].receives = receives;
    what[count++].cancelled = channel[i].never;
}

static bool used(int i, int round)
{
    return channel[i].rounds >> round & 1;
}

static void start_receives(int round)
{
    for (int i = 0; i < channels; i++)
        for (int d = 0; d < channel[i].depth && used(i, round); d++) {
            struct channel *c = &channel[i];
            if (c->to != me)
                continue;
            memset(in[i][d].buffer, 0, (size_t)(c->count + 1) * sizeof(int) * 2);
            MPI_Request request = in[i][d].request;
            if (c->plain_receive)
                request = make_receive(c, in[i][d].buffer, true);
            else
                MPI_Start(&request);
            note(request, i, d, true);
        }
}

static void start_send(int i, int d, int round)
{
    struct channel *c = &channel[i];
    for (int k = 0; k < c->count; k++)
        out[i][d].buffer[c->strided ? 2 * k : k] = value_of(i, d, round, k);
    MPI_Request request = out[i][d].request;
    if (c->mode == ISEND) {
        MPI_Datatype type = type_of(c);
        MPI_Isend(out[i][d].buffer, c->count, type, c->to, c->tag, comms[c->comm], &request);
        done_with(c, &type);
    }
    note(request, i, d, false);
}

/* Persistent ones by MPI_Startall, in runs of random length: those of one channel stay in order. */
static void start_sends(int round)
{
    for (int i = 0; i < channels; i++)
        for (int d = 0; d < channel[i].depth && used(i, round); d++)
            if (channel[i].from == me && !channel[i].never)
                start_send(i, d, round);
    MPI_Request run[MOST];
    int running = 0;
    for (int n = 0; n <= count; n++) {
        bool send = n < count && !what[n].receives && channel[what[n].channel].mode != ISEND;
        if (send)
            run[running++] = active[n];
        if (n == count || draw(&own, 3) == 0)
            MPI_Startall(running, run), running = 0;
    }
}

static void cancel_some(void)
{
    for (int n = 0; n < count; n++)
        if (what[n].cancelled)
            MPI_Cancel(&active[n]);
}

static void record(int n, const MPI_Status *status, int round)
{
    const struct channel *c = &channel[what[n].channel];
    int got = -1, cancelled = -1;
    MPI_Test_cancelled(status, &cancelled);
    uint64_t all =
        mix((uint64_t)what[n].channel * 64 + (uint64_t)what[n].depth * 8 + (uint64_t)round) + (uint64_t)cancelled;
    if (what[n].receives && !cancelled) {
        const int *buffer = in[what[n].channel][what[n].depth].buffer;
        MPI_Get_count(status, MPI_INT, &got);
        all = mix(all + (uint64_t)status->MPI_SOURCE * 7 + (uint64_t)status->MPI_TAG * 13 + (uint64_t)got * 17);
        for (int k = 0; k < 2 * c->count; k++)
            all = mix(all + (uint64_t)buffer[k]);
    }
    digest += all;
}

/* A part of them, chosen at random: by whichever call. An inactive request is among them once its operation is complete. */
static int complete_part(int first, int size, bool *done, int round)
{
    MPI_Status status[MOST];
    int index[MOST], completed = 0, flag = 1, way = draw(&own, 7);
    if (way == 0)
        MPI_Waitany(size, active + first, index, status), completed = index[0] != MPI_UNDEFINED;
    else if (way == 1)
        MPI_Testany(size, active + first, index, &flag, status), completed = flag && index[0] != MPI_UNDEFINED;
    else if (way == 2)
        MPI_Waitsome(size, active + first, &completed, index, status);
    else if (way == 3)
        MPI_Testsome(size, active + first, &completed, index, status);
    if (completed == MPI_UNDEFINED)
        completed = 0;
    if (way > 3) {
        bool test = way == 4;
        if (test)
            MPI_Testall(size, active + first, &flag, status);
        else if (size == 1)
            MPI_Wait(active + first, status);
        else
            MPI_Waitall(size, active + first, status);
        for (int n = 0; flag && n < size; n++)
            if (!done[first + n])
                index[completed++] = n, status[completed - 1] = status[n];
    }
    for (int n = 0; n < completed; n++) {
        record(first + index[n], &status[n], round);
        done[first + index[n]] = true;
    }
    return completed;
}

/* Nothing can wait for what only a later call of this rank would bring: all has been started. */
static void complete_all(int round)
{
    bool done[MOST] = {false};
    for (int left = count; left > 0;) {
        int first = draw(&own, count), size = 1 + draw(&own, count - first);
        left -= complete_part(first, size, done, round);
    }
    int index = 0, flag = 0;
    MPI_Status status;
    MPI_Testany(count, active, &index, &flag, &status);
    digest += mix((uint64_t)flag * 2 + (index == MPI_UNDEFINED));
}

static void run_round(int round)
{
    count = 0;
    start_receives(round);
    MPI_Barrier(comms[0]); /* for ready sends */
    start_sends(round);
    cancel_some();
    complete_all(round);
}

/* ---- freed while active --------------------------------------------------------------------------------------------------------- */

/* The send goes on; what it sent is received by another request. */
static void free_active(void)
{
    for (int i = 0; i < channels; i++)
        for (int d = 0; d < channel[i].depth && channel[i].free_active; d++) {
            struct channel *c = &channel[i];
            MPI_Request receive = MPI_REQUEST_NULL;
            MPI_Status status;
            if (c->to == me)
                receive = make_receive(c, in[i][d].buffer, true);
            MPI_Barrier(comms[0]);
            if (c->from == me) {
                MPI_Start(&out[i][d].request);
                MPI_Request_free(&out[i][d].request);
            }
            MPI_Wait(&receive, &status);
            if (c->to == me)
                digest += mix((uint64_t)status.MPI_SOURCE + (uint64_t)in[i][d].buffer[0]);
            MPI_Barrier(comms[0]);
        }
}

static void run_seed(int seed)
{
    uint64_t total = 0;
    digest = 0;
    make_plan(seed);
    make_all();
    for (int round = 0; round < ROUNDS; round++)
        run_round(round);
    free_active();
    free_all();
    MPI_Reduce(&digest, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d %016llx\n", seed, (unsigned long long)total);
}

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 1, seeds = argc > 2 ? atoi(argv[2]) : 1, size;
    void *attached = malloc(ATTACHED), *address;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Buffer_attach(attached, ATTACHED);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int seed = first; seed < first + seeds; seed++)
        run_seed(seed);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Buffer_detach(&address, &size);
    MPI_Finalize();
    free(attached);
    return 0;
}
