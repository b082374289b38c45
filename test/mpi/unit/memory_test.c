/* Memory that processes share (mpi/detector/memory.h): it is opened by its key only. */
#include "mpi/detector/memory.h"
#include "test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 4096 };

TEST(it_is_found_by_its_key_and_shared)
{
    struct memory_place place;
    int made = memory_make(&place), opened;
    REQUIRE(made >= 0 && made == place.fd);
    CHECK_EQ_I64(place.pid, getpid());
    opened = memory_open_any(&place);
    REQUIRE(opened >= 0 && opened != made);
    int *here = memory_map(made, BYTES), *there = memory_map(opened, BYTES);
    REQUIRE(here && there && here != there);
    here[7] = 42;
    CHECK_EQ_I64(there[7], 42);
    munmap(here, BYTES);
    munmap(there, BYTES);
    close(made);
    close(opened);
}

/* The process that made it is dead, and its number another's, which has something else at that descriptor. */
TEST(what_a_stranger_has_there_is_not_opened)
{
    struct memory_place place;
    int made = memory_make(&place);
    REQUIRE(made >= 0);
    int stranger = memfd_create("knell-window-0000000000000001", MFD_CLOEXEC);
    REQUIRE(dup2(stranger, made) == made);
    CHECK_EQ_I64(memory_open_any(&place), -1);
    close(stranger);
    close(made);
    CHECK_EQ_I64(memory_open_any(&place), -1);
}

TEST(another_window_of_the_same_number_is_not_it)
{
    struct memory_place first, second, mixed;
    int made[] = {memory_make(&first), memory_make(&second)};
    REQUIRE(made[0] >= 0 && made[1] >= 0);
    CHECK(first.key != second.key);
    mixed = first;
    mixed.fd = second.fd;
    CHECK_EQ_I64(memory_open_any(&mixed), -1);
    close(made[0]);
    close(made[1]);
}

TEST(where_there_is_none_nothing_is_opened)
{
    CHECK_EQ_I64(memory_open_any(&(struct memory_place){.key = 1, .pid = getpid(), .fd = -1}), -1);
    CHECK_EQ_I64(memory_open_any(&(struct memory_place){.key = 1, .pid = 0, .fd = 0}), -1);
}
