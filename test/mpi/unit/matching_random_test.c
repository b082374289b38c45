/* Random sequences of messages, receives, probes and cancels, beside a reference matcher (reference.h): every receive gets the same
 * message. Communicators end and others take their slots; late messages for those that are gone go to nobody.
 * KNELL_TEST_SEED=N runs that seed alone. */
#include "mpi/abandon/drain.h"
#include "mpi/request/request.h"
#include "receive.h"
#include "reference.h"
#include "test.h"
#include "util/prng.h"

#include <stdlib.h>

enum { PROCESSES = 4, TAGS = 3, COMMS = 5, STEPS = 500, SEEDS = 200 };

static struct comm *comm[COMMS];
static int id[COMMS];                /* of the communicator, in the reference */
static struct place last_one[COMMS]; /* the place of the communicator before it */
static int ids;
static struct receive receive[REFERENCE_MOST];
static struct reference reference;
static struct knell_prng prng;

__attribute__((constructor)) static void begin(void)
{
    fake_begin(0, PROCESSES);
}

static int below(int end)
{
    return (int)knell_prng_below(&prng, (uint64_t)end);
}

static int any_of(int end)
{
    return below(3) == 0 ? REFERENCE_ANY : below(end);
}

/* ---- communicators --------------------------------------------------------------------------------------------------------------- */

/* Three on one duplicate; one on another, with the stamps of the first; one on a duplicate of its own: there, a clean one has no stamp. A slot that is used up is
 * followed by another of the same kind: no place comes twice. */
static void make_comm(int which)
{
    static int used[COMMS];
    bool own = which == COMMS - 1;
    int epochs = own ? 250 : 30, epoch = used[which] % epochs, turn = used[which] / epochs;
    used[which]++;
    int shared = which == 3 ? fake_shared(COMMS * turn) + 1 : fake_shared(which + COMMS * turn);
    comm[which] = fake_comm(own ? 2 + turn : shared, (unsigned)epoch);
    id[which] = ids++;
}

/* Dirty: the next one has another epoch. */
static void end_comm(int which)
{
    for (int i = 0; i < reference.receives; i++)
        if (reference.receive[i].comm == id[which] && !receive[i].over) {
            reference_cancel(&reference, i);
            receive_cancel(&receive[i]);
            CHECK(receive_ends(&receive[i]));
        }
    reference_end(&reference, id[which]);
    last_one[which] = comm[which]->place;
    receive_comm_free(comm[which]);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------------ */

static bool is_right(int number)
{
    const struct reference_receive *wanted = &reference.receive[number];
    const struct receive *got = &receive[number];
    if (!got->over)
        return true;
    if (!CHECK_EQ_I64(got->code, MPI_SUCCESS) || !CHECK(got->cancelled == wanted->is_cancelled))
        return false;
    if (got->cancelled)
        return true;
    if (!CHECK_EQ_I64(got->number, wanted->message))
        return false;
    const struct reference_message *message = &reference.message[wanted->message];
    return CHECK_EQ_I64(got->status.MPI_SOURCE, message->source) && CHECK_EQ_I64(got->status.MPI_TAG, message->tag);
}

static bool arrive(int which)
{
    int source = below(PROCESSES), tag = below(TAGS);
    receive_arrives(&comm[which]->place, source, tag, reference_arrive(&reference, id[which], source, tag));
    return true;
}

static bool arrive_late(int which)
{
    if (ids > COMMS && last_one[which].stamp != comm[which]->place.stamp)
        receive_arrives(&last_one[which], below(PROCESSES), below(TAGS), -2);
    return true;
}

static bool post(int which)
{
    int source = any_of(PROCESSES), tag = any_of(TAGS), number = reference_post(&reference, id[which], source, tag);
    receive_post(&receive[number], comm[which], source == REFERENCE_ANY ? MPI_ANY_SOURCE : source,
                 tag == REFERENCE_ANY ? MPI_ANY_TAG : tag);
    return CHECK_EQ_I64(receive[number].code, MPI_SUCCESS);
}

static bool test_one(void)
{
    int number = reference.receives > 0 ? below(reference.receives) : 0;
    return reference.receives == 0 || !receive_test(&receive[number]) || is_right(number);
}

static bool cancel_one(void)
{
    int number = reference.receives > 0 ? below(reference.receives) : 0;
    if (reference.receives == 0 || receive[number].over)
        return true;
    reference_cancel(&reference, number);
    receive_cancel(&receive[number]);
    receive_test(&receive[number]); /* from here on it takes nothing more */
    return is_right(number);
}

/* A matched one is received at once, like any other receive. */
static bool probe_one(int which, bool matched)
{
    int source = any_of(PROCESSES), tag = any_of(TAGS), flag = 0;
    int wanted = reference_probe(&reference, id[which], source, tag);
    int from = source == REFERENCE_ANY ? MPI_ANY_SOURCE : source, with = tag == REFERENCE_ANY ? MPI_ANY_TAG : tag;
    MPI_Message message;
    MPI_Status status = {.MPI_TAG = 0};
    int code = matched ? mpi_improbe(from, with, comm[which]->handle, &flag, &message, &status)
                       : mpi_iprobe(from, with, comm[which]->handle, &flag, &status);
    if (!CHECK_EQ_I64(code, MPI_SUCCESS) || !CHECK(flag == (wanted != REFERENCE_NONE)))
        return false;
    if (!flag)
        return true;
    if (!CHECK_EQ_I64(status.MPI_SOURCE, reference.message[wanted].source) ||
        !CHECK_EQ_I64(status.MPI_TAG, reference.message[wanted].tag))
        return false;
    if (!matched)
        return true;
    struct receive *into = &receive[reference_post(&reference, id[which], source, tag)];
    *into = (struct receive){.number = -1};
    return CHECK_EQ_I64(mpi_imrecv(&into->number, sizeof into->number, MPI_BYTE, &message, &into->request),
                        MPI_SUCCESS);
}

/* A sender gives up what it has sent with this tag. Receives that wait get theirs before. */
static bool drain_one(int which)
{
    int source = below(PROCESSES), tag = below(TAGS);
    struct notice notice = {.kind = NOTICE_TAKE,
                            .context = context_number(comm[which]->place.context),
                            .tag = tag + comm[which]->place.stamp};
    task_advance_all();
    fake_arrive(context_wire, source, context_notices_tag(), &notice, sizeof notice);
    drain_turn();
    notice.kind = NOTICE_TAKEN;
    fake_arrive(context_wire, source, context_notices_tag(), &notice, sizeof notice);
    drain_turn();
    reference_discard(&reference, id[which], source, tag);
    return true;
}

static bool step(void)
{
    int which = below(COMMS), what = below(100);
    if (what < 35)
        return arrive(which);
    if (what < 62)
        return post(which);
    if (what < 78)
        return test_one();
    if (what < 83)
        return cancel_one();
    if (what < 92)
        return probe_one(which, what % 2);
    if (what < 94 && !fake_stalls)
        return drain_one(which);
    if (what < 97)
        return arrive_late(which);
    if (what < 99)
        fake_stalls = !fake_stalls;
    else if (!fake_stalls) {
        end_comm(which);
        make_comm(which);
    }
    return true;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------------------- */

/* Every receive that should have got a message has it, and the others have none. */
static bool all_are_right(void)
{
    for (int i = 0; i < reference.receives; i++) {
        bool ends = reference.receive[i].message != REFERENCE_NONE || reference.receive[i].is_cancelled;
        if (!CHECK(receive_test(&receive[i]) == ends) || !is_right(i))
            return false;
    }
    return true;
}

static bool run(uint64_t seed)
{
    bool right = true;
    knell_prng_seed(&prng, seed);
    reference.messages = reference.receives = 0;
    ids = 0;
    for (int i = 0; i < COMMS; i++)
        make_comm(i);
    for (int i = 0; right && i < STEPS; i++)
        right = step();
    fake_stalls = false;
    right = right && all_are_right();
    for (int i = 0; i < COMMS; i++)
        end_comm(i);
    while (drain_turn())
        continue;
    return right && CHECK_EQ_I64(fake_requests(), 0) && CHECK_EQ_I64(fake_types, 0) &&
           CHECK_EQ_I64(atomic_load(&layer_tasks), 0);
}

TEST(every_receive_gets_the_message_that_the_reference_says)
{
    const char *one = getenv("KNELL_TEST_SEED");
    uint64_t first = one ? strtoull(one, NULL, 0) : 0, count = one ? 1 : SEEDS;
    for (uint64_t seed = first; seed < first + count; seed++) {
        test_context("seed %llu: KNELL_TEST_SEED=%llu test-mpi-unit-matching-random-MPI", (unsigned long long)seed,
                     (unsigned long long)seed);
        self.threads = seed % 2;
        REQUIRE(run(seed));
    }
    self.threads = false;
}
