/* trap_bottom: MPI_BOTTOM with a datatype that names variables wherever they are, on the stack, on the heap and among the static ones:
 * in every call of point to point, also where the layer matches messages itself (a communicator that shares its context), and in
 * collectives, whose members describe the same data in other ways. All other datatypes of absolute addresses: coll.c. */
#include "check.h"

enum { HEAP = 3000, COMMS = 14 }; /* with so many communicators the last one shares its context */

/* What goes from one to the other: one of each kind of memory. `data` below is on the stack of main. */
struct parts {
    int *fixed, *stack, *heap;
    MPI_Datatype type;
};
static struct parts mine, theirs;

static MPI_Datatype absolute(int *fixed, int *stack, int *heap)
{
    int counts[] = {1, 1, HEAP};
    MPI_Aint places[3];
    MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT}, made;
    OK(MPI_Get_address(stack, &places[0])); /* the highest address first */
    OK(MPI_Get_address(fixed, &places[1]));
    OK(MPI_Get_address(heap, &places[2]));
    OK(MPI_Type_create_struct(3, counts, places, types, &made));
    OK(MPI_Type_commit(&made));
    return made;
}

static struct parts make(int *fixed, int *stack)
{
    struct parts parts = {.fixed = fixed, .stack = stack, .heap = malloc(HEAP * sizeof(int))};
    CHECK(parts.heap);
    parts.type = absolute(fixed, stack, parts.heap);
    return parts;
}

static void drop(struct parts *parts)
{
    OK(MPI_Type_free(&parts->type));
    free(parts->heap);
}

static void fill(struct parts *parts, int value)
{
    *parts->stack = value;
    *parts->fixed = value + 1;
    for (int i = 0; i < HEAP; i++)
        parts->heap[i] = value + 2 + i;
}

static void check(const struct parts *parts, int value)
{
    CHECK(*parts->stack == value && *parts->fixed == value + 1);
    for (int i = 0; i < HEAP; i++)
        CHECK(parts->heap[i] == value + 2 + i);
}

/* ---- point to point: both ranks send to each other --------------------------------------------------------------------------- */

static void begin_round(int value)
{
    fill(&mine, 100000 * me + value);
    fill(&theirs, -1);
}

static void end_round(int value)
{
    check(&mine, 100000 * me + value);
    check(&theirs, 100000 * (1 - me) + value);
}

/* Each kind of send has each kind of receive as its other end. */
static void send_by(int way, MPI_Comm comm, MPI_Request *request)
{
    int to = 1 - me;
    *request = MPI_REQUEST_NULL;
    switch (way) {
    case 0:
        OK(MPI_Isend(MPI_BOTTOM, 1, mine.type, to, 1, comm, request));
        break;
    case 1:
        OK(MPI_Issend(MPI_BOTTOM, 1, mine.type, to, 1, comm, request));
        break;
    case 2:
        OK(MPI_Ibsend(MPI_BOTTOM, 1, mine.type, to, 1, comm, request));
        break;
    case 3:
        OK(MPI_Bsend(MPI_BOTTOM, 1, mine.type, to, 1, comm));
        break;
    }
}

static void receive_by(int way, MPI_Comm comm)
{
    int from = 1 - me;
    MPI_Message message;
    MPI_Request request;
    switch (way) {
    case 0:
        OK(MPI_Recv(MPI_BOTTOM, 1, theirs.type, from, 1, comm, MPI_STATUS_IGNORE));
        break;
    case 1:
        OK(MPI_Recv(MPI_BOTTOM, 1, theirs.type, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE));
        break;
    case 2:
        OK(MPI_Irecv(MPI_BOTTOM, 1, theirs.type, from, MPI_ANY_TAG, comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        break;
    case 3:
        OK(MPI_Mprobe(from, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE));
        OK(MPI_Mrecv(MPI_BOTTOM, 1, theirs.type, &message, MPI_STATUS_IGNORE));
        break;
    case 4:
        OK(MPI_Mprobe(from, 1, comm, &message, MPI_STATUS_IGNORE));
        OK(MPI_Imrecv(MPI_BOTTOM, 1, theirs.type, &message, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        break;
    }
}

static void both_ways(MPI_Comm comm)
{
    for (int sending = 0; sending < 4; sending++)
        for (int receiving = 0; receiving < 5; receiving++) {
            MPI_Request request;
            begin_round(10 * sending + receiving);
            send_by(sending, comm, &request);
            receive_by(receiving, comm);
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            end_round(10 * sending + receiving);
        }
}

static void in_turn(MPI_Comm comm)
{
    begin_round(7);
    for (int turn = 0; turn < 2; turn++) {
        if (me != turn)
            OK(MPI_Recv(MPI_BOTTOM, 1, theirs.type, turn, 2, comm, MPI_STATUS_IGNORE));
        else if (turn == 0)
            OK(MPI_Send(MPI_BOTTOM, 1, mine.type, 1, 2, comm));
        else
            OK(MPI_Ssend(MPI_BOTTOM, 1, mine.type, 0, 2, comm));
    }
    end_round(7);
}

static void at_once(MPI_Comm comm)
{
    begin_round(8);
    OK(MPI_Sendrecv(MPI_BOTTOM, 1, mine.type, 1 - me, 3, MPI_BOTTOM, 1, theirs.type, 1 - me, 3, comm,
                    MPI_STATUS_IGNORE));
    end_round(8);
    OK(MPI_Sendrecv(MPI_BOTTOM, 1, mine.type, me, 3, MPI_BOTTOM, 1, theirs.type, me, 3, comm, MPI_STATUS_IGNORE));
    check(&theirs, 100000 * me + 8);
    begin_round(9);
    OK(MPI_Sendrecv_replace(MPI_BOTTOM, 1, mine.type, 1 - me, 3, 1 - me, 3, comm, MPI_STATUS_IGNORE));
    check(&mine, 100000 * (1 - me) + 9);
}

static void point_to_point(void)
{
    MPI_Comm comms[COMMS];
    char *room = malloc(1 << 20), *detached;
    int size;
    CHECK(room);
    OK(MPI_Buffer_attach(room, 1 << 20));
    for (int i = 0; i < COMMS; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < COMMS; i += COMMS - 1) {
        both_ways(comms[i]);
        in_turn(comms[i]);
        at_once(comms[i]);
    }
    for (int i = 0; i < COMMS; i++)
        OK(MPI_Comm_free(&comms[i]));
    OK(MPI_Buffer_detach(&detached, &size));
    CHECK(detached == room);
    free(room);
}

/* ---- collectives: the others have the same ints in a row -------------------------------------------------------------------- */

enum { INTS = 2 + HEAP };

static void check_row(const int *row, int value)
{
    for (int i = 0; i < INTS; i++)
        CHECK(row[i] == value + i);
}

/* The root's, and everybody's, own block goes from one set of variables to the other, by MPI_BOTTOM on both sides. */
static void everyone(int *row)
{
    int counts[2], places[2] = {0, 0};
    MPI_Datatype from[2] = {MPI_INT, MPI_INT}, into[2] = {MPI_INT, MPI_INT};
    MPI_Request request;
    begin_round(20);
    counts[me] = 1;
    counts[1 - me] = 0;
    from[me] = mine.type;
    into[me] = theirs.type;
    OK(MPI_Alltoallw(MPI_BOTTOM, counts, places, from, MPI_BOTTOM, counts, places, into, MPI_COMM_WORLD));
    check(&theirs, 100000 * me + 20);
    begin_round(21);
    OK(MPI_Ialltoallw(MPI_BOTTOM, counts, places, from, MPI_BOTTOM, counts, places, into, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check(&theirs, 100000 * me + 21);
    OK(MPI_Allgather(MPI_BOTTOM, 1, mine.type, row, INTS, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < 2; r++)
        check_row(row + r * INTS, 100000 * r + 21);
}

static void one(int *row)
{
    begin_round(22);
    OK(MPI_Gather(MPI_BOTTOM, 1, mine.type, me == 1 ? row : NULL, INTS, MPI_INT, 1, MPI_COMM_WORLD));
    for (int r = 0; me == 1 && r < 2; r++)
        check_row(row + r * INTS, 100000 * r + 22);
    OK(MPI_Scatter(row, INTS, MPI_INT, MPI_BOTTOM, 1, theirs.type, 1, MPI_COMM_WORLD));
    check(&theirs, 100000 * me + 22);
    OK(MPI_Bcast(me == 0 ? MPI_BOTTOM : row, me == 0 ? 1 : INTS, me == 0 ? mine.type : MPI_INT, 0, MPI_COMM_WORLD));
    if (me == 1)
        check_row(row, 22);
}

int main(int argc, char **argv)
{
    static int fixed[2];
    int stack[2], *row = malloc(2 * INTS * sizeof *row);
    begin(&argc, &argv, 30);
    CHECK(all == 2 && row);
    mine = make(&fixed[0], &stack[0]);
    theirs = make(&fixed[1], &stack[1]);
    point_to_point();
    everyone(row);
    one(row);
    drop(&mine);
    drop(&theirs);
    free(row);
    return end();
}
