/* What the layer asks of the MPI at MPI_Init (mpi/context/context.h). */
#include "fake.h"
#include "mpi/context/context.h"
#include "test.h"

__attribute__((constructor)) static void begin(void)
{
    fake_begin(0, 8);
}

/* On several hosts each of them takes some journeys: one after the other they took seconds. */
TEST(all_duplicates_are_asked_for_before_one_is_waited_for)
{
    CHECK(fake_duplicates >= PLACE_POOL_DEFAULT);
    CHECK_EQ_I64(fake_duplicates_at_wait, fake_duplicates);
}
