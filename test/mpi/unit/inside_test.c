/* Operations on the MPI below are counted call by call (mpi/inject/inside.h): for who records calls, without any scenario. */
#include "fake.h"
#include "mpi/inject/inject.h"
#include "mpi/inject/inside.h"
#include "mpi/request/request.h"
#include "test.h"

static void begin(void)
{
    static bool begun;
    if (!begun) {
        fake_begin(0, 3);
        atomic_store(&layer_attention, 0);
        inside_start();
    }
    begun = true;
    inject_enter();
}

static void send_to(int process)
{
    MPI_Request request;
    CHECK_EQ_I64(native.isend(NULL, 0, MPI_BYTE, process, 5, context_wire, &request), MPI_SUCCESS);
}

static void receive_from(int process)
{
    MPI_Request request;
    CHECK_EQ_I64(native.irecv(NULL, 0, MPI_BYTE, process, 5, context_wire, &request), MPI_SUCCESS);
}

TEST(from_the_entry_of_a_call_on)
{
    begin();
    CHECK_EQ_U64(inject_posted(), 0);
    send_to(1);
    receive_from(2);
    receive_from(MPI_ANY_SOURCE);
    CHECK_EQ_U64(inject_posted(), 3);
    inject_enter();
    CHECK_EQ_U64(inject_posted(), 0);
}

TEST(the_entry_is_noticed)
{
    begin();
    CHECK(atomic_load(&layer_attention) & ATTENTION_COUNT);
}

/* To nobody; below native code that calls MPI; after MPI_Finalize. */
TEST(what_does_not_count)
{
    begin();
    send_to(MPI_PROC_NULL);
    receive_from(MPI_PROC_NULL);
    layer_guard++;
    send_to(1);
    layer_guard--;
    atomic_fetch_or(&layer_attention, ATTENTION_OFF);
    send_to(1);
    atomic_fetch_and(&layer_attention, ~(unsigned)ATTENTION_OFF);
    CHECK_EQ_U64(inject_posted(), 0);
}

TEST(a_step_of_an_agreement_counts)
{
    begin();
    layer_step();
    CHECK_EQ_U64(inject_posted(), 1);
}
