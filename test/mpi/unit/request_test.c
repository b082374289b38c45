/* The table of requests (mpi/request/request.h): what was put is found until it is dropped, whatever else comes and goes.
 * KNELL_TEST_SEED=N runs the random test with that seed alone. */
#include "fake.h"
#include "mpi/request/request.h"
#include "test.h"
#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

enum { COMMS = 3, HANDLES = 600, PROCESSES = 8 };

static struct comm *comm[COMMS];

__attribute__((constructor)) static void begin(void)
{
    fake_begin(0, PROCESSES);
    for (int i = 0; i < COMMS; i++)
        comm[i] = fake_comm(fake_shared(i), 0);
}

/* As the MPIs give them out: Open MPI's lie a few hundred bytes apart, MPICH's are counted. */
static MPI_Request handle_at(int number)
{
#ifdef OPEN_MPI
    return FAKE_HANDLE(MPI_Request, UINT64_C(0x55d0c0ffe000) + 384 * (uint64_t)number);
#else
    return FAKE_HANDLE(MPI_Request, 0x6c000000 + number);
#endif
}

static int references(const struct comm *of)
{
    return atomic_load(&of->references);
}

static void drop_all(void)
{
    struct request known;
    for (int i = 0; i < HANDLES; i++)
        if (request_get(handle_at(i), &known))
            request_drop(&known);
}

/* ---- one by one -------------------------------------------------------------------------------------------------------------- */

TEST(nothing_is_found_in_an_empty_table)
{
    struct request known;
    CHECK(!request_get(handle_at(0), &known));
    CHECK(!request_get(MPI_REQUEST_NULL, &known));
}

TEST(what_is_put_is_found_until_it_is_dropped)
{
    struct request known;
    int before = references(comm[0]);
    request_put(handle_at(1), REQUEST_SEND, 5, comm[0], 77);
    REQUIRE(request_get(handle_at(1), &known));
    CHECK(known.handle == handle_at(1) && known.comm == comm[0]);
    CHECK_EQ_I64(known.kind, REQUEST_SEND);
    CHECK_EQ_I64(known.peer, 5);
    CHECK_EQ_I64(known.tag, 77);
    CHECK(!request_get(handle_at(2), &known));
    CHECK_EQ_I64(references(comm[0]), before + 1);
    REQUIRE(request_get(handle_at(1), &known));
    request_drop(&known);
    CHECK(!request_get(handle_at(1), &known));
    CHECK_EQ_I64(references(comm[0]), before);
}

TEST(dropping_twice_drops_once)
{
    struct request known;
    int before = references(comm[0]);
    request_put(handle_at(1), REQUEST_RECV, 5, comm[0], 0);
    REQUIRE(request_get(handle_at(1), &known));
    request_drop(&known);
    request_drop(&known);
    CHECK_EQ_I64(references(comm[0]), before);
}

/* The MPI below gives a handle out again when the first request was completed by a call that the layer does not see. */
TEST(a_handle_that_is_used_again_is_another_request)
{
    struct request first, second, known;
    int before[] = {references(comm[0]), references(comm[1])};
    request_put(handle_at(1), REQUEST_RECV, 5, comm[0], 0);
    REQUIRE(request_get(handle_at(1), &first));
    request_put(handle_at(1), REQUEST_RECV, 6, comm[1], 0);
    CHECK_EQ_I64(references(comm[0]), before[0]);
    CHECK_EQ_I64(references(comm[1]), before[1] + 1);
    REQUIRE(request_get(handle_at(1), &second));
    CHECK(first.number != second.number);
    request_drop(&first); /* late: it is not there any more */
    REQUIRE(request_get(handle_at(1), &known));
    CHECK(known.comm == comm[1]);
    CHECK_EQ_I64(known.peer, 6);
    request_drop(&second);
    CHECK(!request_get(handle_at(1), &known));
    CHECK_EQ_I64(references(comm[1]), before[1]);
}

/* ---- random sequences beside a model ------------------------------------------------------------------------------------------ */

struct entry {
    bool there;
    int peer, comm, tag;
    enum request_kind kind;
};

struct model {
    struct entry entry[HANDLES];
    struct request seen[HANDLES]; /* by request_get, perhaps long ago */
    bool is_seen[HANDLES], is_stale[HANDLES];
    int used;
};

static void put_one(struct model *model, struct knell_prng *prng, int at)
{
    struct entry made = {.there = true,
                         .peer = (int)knell_prng_below(prng, PROCESSES),
                         .comm = (int)knell_prng_below(prng, COMMS),
                         .tag = (int)knell_prng_below(prng, 1000),
                         .kind = knell_prng_below(prng, 2) ? REQUEST_SEND : REQUEST_RECV};
    model->used += !model->entry[at].there;
    model->entry[at] = made;
    model->is_stale[at] = true;
    request_put(handle_at(at), made.kind, made.peer, comm[made.comm], made.tag);
}

static bool look_at_one(struct model *model, int at)
{
    const struct entry *entry = &model->entry[at];
    struct request known;
    bool right = request_get(handle_at(at), &known) == entry->there;
    if (right && entry->there)
        right = known.kind == entry->kind && known.peer == entry->peer && known.comm == comm[entry->comm] &&
                known.tag == entry->tag;
    if (entry->there) {
        model->seen[at] = known;
        model->is_seen[at] = true;
        model->is_stale[at] = false;
    }
    return CHECK(right);
}

/* By what was seen of it, which may be out of date: then nothing happens. */
static void drop_one(struct model *model, int at)
{
    if (!model->is_seen[at])
        return;
    request_drop(&model->seen[at]);
    if (model->entry[at].there && !model->is_stale[at]) {
        model->entry[at].there = false;
        model->used--;
    }
}

static bool look_at_all(struct model *model, const int *before)
{
    int held[COMMS] = {0};
    bool right = true;
    for (int i = 0; i < HANDLES; i++) {
        right = right && look_at_one(model, i);
        held[model->entry[i].comm] += model->entry[i].there;
    }
    for (int i = 0; i < COMMS; i++)
        right = CHECK_EQ_I64(references(comm[i]), before[i] + held[i]) && right;
    return right;
}

/* At most `most` at once, so that the first runs keep the table at its smallest, where chains are long. */
static bool run(uint64_t seed, int most)
{
    struct model model = {.used = 0};
    struct knell_prng prng;
    int before[COMMS];
    bool right = true;
    for (int i = 0; i < COMMS; i++)
        before[i] = references(comm[i]);
    knell_prng_seed(&prng, seed);
    for (int step = 0; right && step < 4000; step++) {
        int at = (int)knell_prng_below(&prng, HANDLES), what = (int)knell_prng_below(&prng, 8);
        if (what < 4 && (model.used < most || model.entry[at].there))
            put_one(&model, &prng, at);
        else if (what == 4)
            drop_one(&model, at); /* often out of date */
        else
            for (int i = 0; right && i < 8; i++, at = (at + 1) % HANDLES)
                if ((right = look_at_one(&model, at)) && what == 5)
                    drop_one(&model, at);
        if (step % 50 == 0)
            right = right && look_at_all(&model, before);
    }
    drop_all();
    return right;
}

TEST(random_sequences_agree_with_a_model)
{
    const char *one = getenv("KNELL_TEST_SEED");
    uint64_t first = one ? strtoull(one, NULL, 0) : 0, count = one ? 1 : 60;
    for (uint64_t seed = first; seed < first + count; seed++) {
        test_context("seed %llu: KNELL_TEST_SEED=%llu test-mpi-unit-request-MPI random", (unsigned long long)seed,
                     (unsigned long long)seed);
        self.threads = seed % 2;
        REQUIRE(run(seed, seed < 40 ? 31 : 300));
    }
    self.threads = false;
}

/* ---- growth ------------------------------------------------------------------------------------------------------------------ */

/* Last: the table stays large. */
TEST(a_request_is_dropped_though_the_table_grew_meanwhile)
{
    struct request old[4], known;
    for (int i = 0; i < 4; i++) {
        request_put(handle_at(i), REQUEST_RECV, i, comm[0], 0);
        REQUIRE(request_get(handle_at(i), &old[i]));
    }
    for (int i = 4; i < 200; i++)
        request_put(handle_at(i), REQUEST_RECV, i % PROCESSES, comm[1], 0);
    for (int i = 0; i < 4; i++)
        request_drop(&old[i]);
    for (int i = 0; i < 200; i++)
        CHECK(request_get(handle_at(i), &known) == (i >= 4));
    drop_all();
}

/* Nobody drops them: their completion was not seen. */
TEST(a_handle_that_is_used_again_and_again_takes_one_place)
{
    struct request known;
    for (int i = 0; i < 50000; i++)
        request_put(handle_at(i % 4), REQUEST_RECV, 1, comm[0], 0);
    for (int i = 0; i < 4; i++) {
        REQUIRE(request_get(handle_at(i), &known));
        CHECK(known.place < 1024);
    }
    drop_all();
}
