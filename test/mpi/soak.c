/* soak: rounds of random kills and recoveries, until one rank is left. The plan comes from the seed, so that all know it: in
 * each round one or two of the members die, each at a random step of the work, or (real deaths) at a random time, wherever it
 * is. The survivors work on, check every result, recover, and meet in the next round. In some rounds the work is collectives only
 * and nobody revokes: those who wait for one that has left must find out by themselves.
 * Usage: soak SEED.  The last one says "rounds N". */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>

enum { MOST = 16, LENGTH = 3000 };

static uint64_t random_state;
static unsigned draw(unsigned below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % below;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------------------- */

static unsigned dies_at; /* this process, at this step of the round; 0: not */

static void strike(int signal)
{
    (void)signal;
    raise(SIGKILL);
}

static void set_timer(long microseconds)
{
    signal(SIGVTALRM, strike);
    struct itimerval timer = {.it_value = {.tv_usec = microseconds}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL); /* of its own time, so that a busy machine hits it anywhere too */
}

/* Everybody draws the same; who is meant prepares. The number of deaths. */
static int plan(int rank, int size, bool ghosts)
{
    int deaths = 1 + (int)draw(2);
    int ranks[MOST];
    if (deaths >= size)
        deaths = size - 1;
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    dies_at = 0;
    for (int i = 0; i < deaths; i++) {
        int chosen = i + (int)draw((unsigned)(size - i)), victim = ranks[chosen];
        unsigned step = 1 + draw(12), time = draw(3), delay = 1 + draw(20000);
        ranks[chosen] = ranks[i];
        if (victim == rank && time == 0 && !ghosts)
            set_timer((long)delay);
        else if (victim == rank)
            dies_at = step;
    }
    return deaths;
}

/* ---- the work: every result is checked ---------------------------------------------------------------------------------------- */

static int buffer[2][LENGTH];

static int by_allreduce(MPI_Comm comm, int rank, int size)
{
    int sum = -1, code = CODE(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(code != MPI_SUCCESS || sum == size * (size - 1) / 2);
    return code;
}

static int by_bcast(MPI_Comm comm, int rank, int size)
{
    for (int i = 0; i < LENGTH; i++)
        buffer[0][i] = rank == size / 2 ? i : -1;
    int code = CODE(MPI_Bcast(buffer[0], LENGTH, MPI_INT, size / 2, comm));
    for (int i = 0; i < LENGTH && code == MPI_SUCCESS; i++)
        CHECK(buffer[0][i] == i);
    return code;
}

static int by_ring(MPI_Comm comm, int rank, int size)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int before = (rank + size - 1) % size, first, second;
    for (int i = 0; i < LENGTH; i++)
        buffer[0][i] = rank;
    first = CODE(MPI_Irecv(buffer[1], LENGTH, MPI_INT, before, 5, comm, &request[0]));
    second = CODE(MPI_Isend(buffer[0], LENGTH, MPI_INT, (rank + 1) % size, 5, comm, &request[1]));
    if (first == MPI_SUCCESS)
        first = CODE(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    if (second == MPI_SUCCESS)
        second = CODE(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
    for (int i = 0; i < LENGTH && first == MPI_SUCCESS; i++)
        CHECK(buffer[1][i] == before);
    return first != MPI_SUCCESS ? first : second;
}

static int by_split(MPI_Comm comm, int rank, int size)
{
    MPI_Comm part;
    int part_size = -1, sum = 0, one = 1, code = CODE(MPI_Comm_split(comm, rank % 2, 0, &part));
    if (code != MPI_SUCCESS)
        return code;
    OK(MPI_Comm_size(part, &part_size));
    CHECK(part_size == (rank % 2 ? size / 2 : (size + 1) / 2));
    code = CODE(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part));
    CHECK(code != MPI_SUCCESS || sum == part_size);
    OK(MPI_Comm_free(&part));
    return code;
}

static int by_dup(MPI_Comm comm, int rank, int size)
{
    MPI_Comm copy;
    int code = CODE(MPI_Comm_dup(comm, &copy));
    if (code != MPI_SUCCESS)
        return code;
    code = by_ring(copy, rank, size);
    OK(MPI_Comm_free(&copy));
    return code;
}

/* ---- collectives, several under way at once ------------------------------------------------------------------------------------- */

enum { UNDER_WAY = 4, PIECE = 6000 }; /* PIECE: of ints, more than goes eagerly */
static int out[MOST * PIECE], in[UNDER_WAY][MOST * PIECE];

static int begin_barrier(MPI_Comm comm, int *result, int size, MPI_Request *request)
{
    (void)result, (void)size;
    return MPI_Ibarrier(comm, request);
}
static int begin_allreduce(MPI_Comm comm, int *result, int size, MPI_Request *request)
{
    (void)size;
    return MPI_Iallreduce(out, result, PIECE, MPI_INT, MPI_SUM, comm, request);
}
static int begin_alltoall(MPI_Comm comm, int *result, int size, MPI_Request *request)
{
    (void)size;
    return MPI_Ialltoall(out, PIECE, MPI_INT, result, PIECE, MPI_INT, comm, request);
}
static int begin_bcast(MPI_Comm comm, int *result, int size, MPI_Request *request)
{
    int rank;
    OK(MPI_Comm_rank(comm, &rank));
    for (int i = 0; i < PIECE; i++)
        result[i] = rank == size - 1 ? size - 1 : -1;
    return MPI_Ibcast(result, PIECE, MPI_INT, size - 1, comm, request);
}
static int begin_allgather(MPI_Comm comm, int *result, int size, MPI_Request *request)
{
    (void)size;
    return MPI_Iallgather(out, PIECE, MPI_INT, result, PIECE, MPI_INT, comm, request);
}
static int begin_scan(MPI_Comm comm, int *result, int size, MPI_Request *request)
{
    (void)size;
    return MPI_Iscan(out, result, PIECE, MPI_INT, MPI_SUM, comm, request);
}

static bool is_sum(const int *result, int rank, int size)
{
    (void)rank;
    return result[0] == size * (size - 1) / 2 && result[PIECE - 1] == result[0];
}
static bool is_from_all(const int *result, int rank, int size)
{
    (void)rank;
    for (int i = 0; i < size; i++)
        if (result[i * PIECE] != i || result[(i + 1) * PIECE - 1] != i)
            return false;
    return true;
}
static bool is_from_last(const int *result, int rank, int size)
{
    (void)rank;
    return result[0] == size - 1 && result[PIECE - 1] == size - 1;
}
static bool is_scanned(const int *result, int rank, int size)
{
    (void)size;
    return result[0] == rank * (rank + 1) / 2 && result[PIECE - 1] == result[0];
}
static bool is_anything(const int *result, int rank, int size)
{
    (void)result, (void)rank, (void)size;
    return true;
}

static const struct {
    int (*begin)(MPI_Comm comm, int *result, int size, MPI_Request *request);
    bool (*is_right)(const int *result, int rank, int size);
} collectives[] = {{begin_barrier, is_anything}, {begin_allreduce, is_sum},      {begin_alltoall, is_from_all},
                   {begin_bcast, is_from_last},  {begin_allgather, is_from_all}, {begin_scan, is_scanned}};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

static unsigned mix; /* the same at all */

/* They are begun in one order and waited for in another. Each has an end of its own. */
static int by_several(MPI_Comm comm, int rank, int size)
{
    MPI_Request request[UNDER_WAY];
    int first = (int)(mix % COLLECTIVES), code = MPI_SUCCESS;
    for (int i = 0; i < size * PIECE; i++)
        out[i] = rank;
    for (int i = 0; i < UNDER_WAY; i++)
        OK(collectives[(first + i) % COLLECTIVES].begin(comm, in[i], size, &request[i]));
    for (int n = 0; n < UNDER_WAY; n++) {
        int i = (n + rank + 1) % UNDER_WAY, one = CODE(MPI_Wait(&request[i], MPI_STATUS_IGNORE));
        CHECK(one != MPI_SUCCESS || collectives[(first + i) % COLLECTIVES].is_right(in[i], rank, size));
        code = one != MPI_SUCCESS ? one : code;
    }
    return code;
}

static int by_reduce(MPI_Comm comm, int rank, int size)
{
    int sum = -1, root = size - 1, code = CODE(MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, comm));
    CHECK(code != MPI_SUCCESS || rank != root || sum == size * (size - 1) / 2);
    return code;
}

static int by_barrier(MPI_Comm comm, int rank, int size)
{
    (void)rank, (void)size;
    return CODE(MPI_Barrier(comm));
}

static int by_gather(MPI_Comm comm, int rank, int size)
{
    for (int i = 0; i < PIECE; i++)
        out[i] = rank;
    int code = CODE(MPI_Gather(out, PIECE, MPI_INT, in[0], PIECE, MPI_INT, 0, comm));
    CHECK(code != MPI_SUCCESS || rank != 0 || is_from_all(in[0], rank, size));
    return code;
}

/* The first of them are collectives only; one that creates a communicator waits for all who live. */
static int (*const works[])(MPI_Comm, int, int) = {by_allreduce, by_bcast, by_several, by_reduce, by_barrier,
                                                   by_gather,    by_split, by_ring,    by_dup};
enum { WORKS = sizeof works / sizeof *works, ONLY_COLLECTIVES = 6 };

static void fail_strangely(int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int size;
    MPI_Error_string(code, text, &size);
    fprintf(stderr, "rank %d, at %s: %d, %s\n", me, at, code, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Until somebody's death is met. The order of works is the same at all. */
static void work(MPI_Comm comm, int rank, int size, unsigned start, unsigned kinds, unsigned *step)
{
    int code = MPI_SUCCESS;
    for (unsigned i = start; code == MPI_SUCCESS; i = i * 5 + 1) {
        die_if(dies_at && ++*step >= dies_at);
        mix = i >> 8;
        code = works[(i >> 4) % kinds](comm, rank, size);
        if (code != MPI_SUCCESS && code != MPIX_ERR_PROC_FAILED && code != MPIX_ERR_REVOKED)
            fail_strangely(code);
    }
}

/* The AND is over the living, and perhaps some who died just now. */
static void agree_on(MPI_Comm comm, int size, int rank)
{
    int flag = ~(1 << rank), code = CODE(MPIX_Comm_agree(comm, &flag));
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    CHECK(!(flag & 1 << rank) && (flag | ((1 << size) - 1)) == ~0);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    const char *mode = getenv("KNELL_MODE");
    MPI_Comm comm, next;
    int rank, size, rounds = 0;
    begin(&argc, &argv, 50);
    random_state = argc > 1 ? strtoull(argv[1], NULL, 10) * 7919 + 1 : 1;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    meet(comm);
    for (size = all; size > 1; rounds++) {
        OK(MPI_Comm_rank(comm, &rank));
        int left = size - plan(rank, size, mode && strcmp(mode, "ghost") == 0);
        unsigned step = 0;
        while (size > left) {
            bool revokes = draw(3) > 0;
            work(comm, rank, size, draw(1000), revokes ? WORKS : ONLY_COLLECTIVES, &step);
            if (revokes)
                OK(MPIX_Comm_revoke(comm));
            die_if(dies_at && ++step >= dies_at);
            agree_on(comm, size, rank);
            die_if(dies_at && ++step >= dies_at);
            OK(MPIX_Comm_shrink(comm, &next));
            OK(MPI_Comm_free(&comm));
            comm = next;
            OK(MPI_Comm_rank(comm, &rank));
            OK(MPI_Comm_size(comm, &size));
            CHECK(size >= left);
        }
    }
    printf("rounds %d\n", rounds);
    return end();
}
