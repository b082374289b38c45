/* oracle_window: random windows in shared memory: parts of random sizes and units, rounds of puts, gets, accumulates, fetches, swaps, loads and
 * stores, with random datatypes, in epochs of every kind. A line for each seed: a digest of all that was read and of the memory after
 * each round. Usage: oracle_window FIRST COUNT
 *
 * What a round does has one result in whichever order the members come: cells have one writer, or one operation whose order does not
 * matter. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEERS = 8, CELLS = 40, ROUNDS = 6, WIDEST = 8, TIMES = 5 };

static int me, all;
static unsigned long long state, digest;

static struct {
    MPI_Win win;
    MPI_Group group;
    MPI_Datatype element;
    int width; /* of an element */
    int cells[PEERS], unit[PEERS];
    char *part[PEERS];
} w;

/* ---- chance: the same at all ---------------------------------------------------------------------------------------------------- */

static int chance(int below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)below);
}

static void note_bytes(const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
}

static void note(long long value)
{
    note_bytes(&value, sizeof value);
}

/* ---- elements -------------------------------------------------------------------------------------------------------------------- */

static void set(void *at, long long value)
{
    if (w.element == MPI_INT)
        *(int *)at = (int)value;
    else if (w.element == MPI_LONG_LONG)
        *(long long *)at = value;
    else
        *(double *)at = (double)value;
}

static long long value_at(const void *at)
{
    return w.element == MPI_INT         ? *(const int *)at
           : w.element == MPI_LONG_LONG ? *(const long long *)at
                                        : (long long)*(const double *)at;
}

static char *cell(int rank, int number)
{
    return w.part[rank] + number * w.width;
}

/* Where a cell of a rank is, in its units. */
static MPI_Aint disp_of(int rank, int number)
{
    return (MPI_Aint)number * w.width / w.unit[rank];
}

/* ---- a window ---------------------------------------------------------------------------------------------------------------------- */

static void make(void)
{
    const MPI_Datatype elements[] = {MPI_INT, MPI_LONG_LONG, MPI_DOUBLE};
    MPI_Info info = MPI_INFO_NULL;
    char *base;
    w.element = elements[chance(3)];
    MPI_Type_size(w.element, &w.width);
    for (int r = 0; r < all; r++) {
        w.cells[r] = chance(4) ? 1 + chance(CELLS) : 0;
        w.unit[r] = chance(2) ? w.width : 1;
    }
    bool apart = chance(3) == 0;
    if (apart) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
    }
    MPI_Win_allocate_shared((MPI_Aint)w.cells[me] * w.width, w.unit[me], info, MPI_COMM_WORLD, &base, &w.win);
    if (apart)
        MPI_Info_free(&info);
    for (int r = 0; r < all; r++) {
        MPI_Aint size;
        int unit;
        MPI_Win_shared_query(w.win, r, &size, &unit, &w.part[r]);
        note(apart ? 0 : size);          /* Open MPI rounds it up where parts lie apart */
        note(w.cells[r] > 0 ? unit : 0); /* where no part has a cell MPICH gives rank 0's for all */
        if (!apart && r > 0 && w.cells[r] > 0 && w.cells[r - 1] > 0)
            note(w.part[r] - w.part[r - 1]);
    }
    MPI_Win_get_group(w.win, &w.group);
    for (int i = 0; i < w.cells[me]; i++)
        set(cell(me, i), 1000 * me + i);
}

static void note_memory(void)
{
    for (int r = 0; r < all; r++)
        note_bytes(w.part[r], (size_t)w.cells[r] * (size_t)w.width);
}

/* ---- epochs ------------------------------------------------------------------------------------------------------------------------ */

enum { FENCE, LOCK_ALL, LOCKS, POST, EPOCHS };

/* Who waits for others holds no lock: somebody may want one before it comes. */
static void everybody(void)
{
    for (int i = 0; i < 2; i++) {
        MPI_Win_lock_all(0, w.win);
        MPI_Win_sync(w.win);
        MPI_Win_unlock_all(w.win);
        if (i == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void open_epoch(int kind)
{
    if (kind == FENCE)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
    if (kind == LOCK_ALL)
        MPI_Win_lock_all(0, w.win);
    if (kind == LOCKS)
        for (int r = 0; r < all; r++)
            MPI_Win_lock(MPI_LOCK_SHARED, r, 0, w.win);
    if (kind == POST) {
        MPI_Win_post(w.group, 0, w.win);
        MPI_Win_start(w.group, 0, w.win);
    }
}

static void close_epoch(int kind)
{
    int done = 0;
    if (kind == FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
    if (kind == LOCK_ALL) {
        MPI_Win_flush_all(w.win);
        MPI_Win_unlock_all(w.win);
    }
    if (kind == LOCKS)
        for (int r = 0; r < all; r++)
            MPI_Win_unlock(r, w.win);
    if (kind == POST) {
        MPI_Win_complete(w.win);
        if (me % 2)
            MPI_Win_wait(w.win);
        while (me % 2 == 0 && !done)
            MPI_Win_test(w.win, &done);
    }
}

/* ---- what an access is about ------------------------------------------------------------------------------------------------------- */

/* Cells of one target in any order, and a buffer with as many elements, in a row or every second. */
struct access {
    int target, count;
    MPI_Datatype there, here;
    int here_count, stride;
    char buffer[2 * CELLS * WIDEST], result[2 * CELLS * WIDEST];
};

static struct access a[PEERS];

/* `owner` of each cell; those of `mine` are taken. -1: any. All draw the same numbers. */
static void choose(struct access *at, int target, const int *owner, int mine)
{
    int place[CELLS], length[CELLS], count = 0;
    for (int i = 0; i < w.cells[target]; i++)
        if (owner[i] == mine)
            place[count++] = i;
    bool turned = chance(2), wide = chance(2);
    for (int i = 0; turned && i < count / 2; i++) {
        int swap = place[i];
        place[i] = place[count - 1 - i];
        place[count - 1 - i] = swap;
    }
    for (int i = 0; i < count; i++)
        length[i] = 1;
    *at = (struct access){.target = target, .count = count, .stride = wide ? 2 : 1};
    MPI_Type_indexed(count, length, place, w.element, &at->there);
    MPI_Type_commit(&at->there);
    at->here_count = wide ? 1 : count;
    if (wide)
        MPI_Type_vector(count, 1, 2, w.element, &at->here);
    else
        MPI_Type_dup(w.element, &at->here);
    MPI_Type_commit(&at->here);
}

static void finish(struct access *at)
{
    MPI_Type_free(&at->there);
    MPI_Type_free(&at->here);
}

static void fill(struct access *at, int round)
{
    for (int i = 0; i < at->count; i++)
        set(at->buffer + i * at->stride * w.width, 100 * round + 10 * me + i);
}

static void note_result(const struct access *at)
{
    for (int i = 0; i < at->count; i++)
        note(value_at(at->result + i * at->stride * w.width));
}

/* ---- rounds ------------------------------------------------------------------------------------------------------------------------- */

enum { PUT, GET, ACCUMULATE, EXCHANGE, READ, KINDS };

static void wait_if(bool later, MPI_Request *request)
{
    if (later)
        MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void do_access(struct access *at, int kind, MPI_Op op, bool later)
{
    MPI_Request request;
    int n = at->here_count, t = at->target;
    if (kind == PUT && later)
        MPI_Rput(at->buffer, n, at->here, t, 0, 1, at->there, w.win, &request);
    else if (kind == PUT)
        MPI_Put(at->buffer, n, at->here, t, 0, 1, at->there, w.win);
    else if (kind == GET && later)
        MPI_Rget(at->result, n, at->here, t, 0, 1, at->there, w.win, &request);
    else if (kind == GET)
        MPI_Get(at->result, n, at->here, t, 0, 1, at->there, w.win);
    else if (kind == ACCUMULATE && later)
        MPI_Raccumulate(at->buffer, n, at->here, t, 0, 1, at->there, op, w.win, &request);
    else if (kind == ACCUMULATE)
        MPI_Accumulate(at->buffer, n, at->here, t, 0, 1, at->there, op, w.win);
    else if (later)
        MPI_Rget_accumulate(at->buffer, n, at->here, at->result, n, at->here, t, 0, 1, at->there, op, w.win, &request);
    else
        MPI_Get_accumulate(at->buffer, n, at->here, at->result, n, at->here, t, 0, 1, at->there, op, w.win);
    wait_if(later, &request);
}

/* Cells with one writer each, or written by all with an operation that commutes. */
static void accesses(int round)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_REPLACE, MPI_PROD};
    int kind = chance(KINDS), epoch = chance(EPOCHS), owner[CELLS];
    MPI_Op op = kind == READ ? MPI_NO_OP : ops[chance(kind == ACCUMULATE ? 3 : 5)];
    bool later = chance(2) && (epoch == LOCK_ALL || epoch == LOCKS),
         shared = kind == GET || kind == ACCUMULATE || kind == READ;
    for (int t = 0; t < all; t++) {
        for (int i = 0; i < w.cells[t]; i++)
            owner[i] = shared ? chance(2) - 1 : chance(all);
        for (int r = 0; r < all; r++) {
            struct access one;
            choose(r == me ? &a[t] : &one, t, owner, shared ? -1 : r);
            if (r != me)
                finish(&one);
        }
        fill(&a[t], round);
    }
    open_epoch(epoch);
    for (int t = 0; t < all; t++)
        if (a[t].count > 0)
            do_access(&a[t], kind, op, later);
    close_epoch(epoch);
    for (int t = 0; t < all; t++) {
        if (kind != PUT && kind != ACCUMULATE)
            note_result(&a[t]);
        finish(&a[t]);
    }
}

/* All count one cell up: the sum of what they fetched is one and the same. */
static void fetches(void)
{
    int target = chance(all), epoch = chance(2) ? LOCK_ALL : LOCKS, step = 1 + chance(3);
    char one[WIDEST], got[WIDEST];
    long long sum = 0, total;
    if (w.cells[target] == 0)
        return;
    set(one, step);
    open_epoch(epoch);
    for (int i = 0; i < TIMES; i++) {
        MPI_Fetch_and_op(one, got, w.element, target, disp_of(target, 0), MPI_SUM, w.win);
        MPI_Win_flush(target, w.win);
        sum += value_at(got);
    }
    close_epoch(epoch);
    MPI_Allreduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    note(total);
}

static void swaps(void)
{
    int target = chance(all), last = w.cells[target] - 1;
    if (last < 0 || w.element == MPI_DOUBLE)
        return;
    MPI_Win_lock_all(0, w.win);
    for (int i = 0; i < TIMES; i++) {
        char seen[WIDEST] = {0}, was[WIDEST], next[WIDEST];
        do {
            memcpy(was, seen, sizeof was);
            set(next, value_at(was) + 3);
            MPI_Compare_and_swap(next, was, seen, w.element, target, disp_of(target, last), w.win);
            MPI_Win_flush(target, w.win);
        } while (memcmp(seen, was, (size_t)w.width) != 0);
    }
    MPI_Win_unlock_all(w.win);
}

static void counts(void)
{
    int target = chance(all), number = w.cells[target] / 2;
    if (w.cells[target] == 0)
        return;
    for (int i = 0; i < TIMES; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
        set(cell(target, number), value_at(cell(target, number)) + 7);
        MPI_Win_unlock(target, w.win);
    }
}

static void stores(int round)
{
    int from = chance(all);
    for (int i = 0; i < w.cells[(me + from) % all]; i++)
        set(cell((me + from) % all, i), round * i + me);
}

static void case_of(int seed)
{
    state = (unsigned long long)seed * 7919 + 5;
    digest = 1469598103934665603ull;
    chance(2);
    make();
    everybody();
    for (int round = 0; round < ROUNDS; round++) {
        int what = chance(8);
        if (what == 0)
            fetches();
        else if (what == 1)
            swaps();
        else if (what == 2)
            counts();
        else if (what == 3)
            stores(round);
        else
            accesses(round);
        everybody();
        note_memory();
        everybody();
    }
    MPI_Group_free(&w.group);
    MPI_Win_free(&w.win);
}

int main(int argc, char **argv)
{
    unsigned long long every[PEERS];
    int first = argc > 1 ? atoi(argv[1]) : 1, count = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    for (int seed = first; seed < first + count; seed++) {
        case_of(seed);
        MPI_Gather(&digest, 1, MPI_UNSIGNED_LONG_LONG, every, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
        digest = 1469598103934665603ull;
        note_bytes(every, (size_t)all * sizeof *every);
        if (me == 0)
            printf("%d %llx\n", seed, digest);
    }
    MPI_Finalize();
    return 0;
}
