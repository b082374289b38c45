/* check.h: for test programs that run as ranks. A failed check says where and ends the whole job; a rank that hangs is ended by
 * its own alarm and says what it was at. */
#ifndef KNELL_TEST_MPI_CHECK_H
#define KNELL_TEST_MPI_CHECK_H

#include "watchdog.h"

#include <mpi-ext.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int all; /* size of MPI_COMM_WORLD */

#define CHECK(x)                                                                                    \
    do {                                                                                            \
        if (!(x)) {                                                                                 \
            fprintf(stderr, "%s:%d: rank %d, at %s: failed: %s\n", __FILE__, __LINE__, me, at, #x); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                           \
        }                                                                                           \
    } while (0)

/* The code of a call, with its name as the place. */
#define CODE(call) (at = #call, (call))
#define OK(call)                                                                                       \
    do {                                                                                               \
        int code_ = CODE(call);                                                                        \
        if (code_ != MPI_SUCCESS) {                                                                    \
            fprintf(stderr, "%s:%d: rank %d: %s returned %d\n", __FILE__, __LINE__, me, #call, code_); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                              \
        }                                                                                              \
    } while (0)
#define FAILS(call, wanted)                                                                                     \
    do {                                                                                                        \
        int code_ = CODE(call);                                                                                 \
        if (code_ != (wanted)) {                                                                                \
            fprintf(stderr, "%s:%d: rank %d: %s returned %d, not " #wanted "\n", __FILE__, __LINE__, me, #call, \
                    code_);                                                                                     \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                       \
        }                                                                                                       \
    } while (0)

static inline void begin_threads(int *argc, char ***argv, unsigned seconds, int threads)
{
    int provided;
    watchdog(seconds);
    MPI_Init_thread(argc, argv, threads, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(provided >= threads);
}

static inline void begin(int *argc, char ***argv, unsigned seconds)
{
    begin_threads(argc, argv, seconds, MPI_THREAD_SINGLE);
}

/* "fine" of every survivor: the script counts them, since launchers' statuses say little after a death. */
static inline int end(void)
{
    AT("MPI_Finalize");
    MPI_Finalize();
    printf("fine\n");
    fflush(stdout);
    return 0;
}

/* Dies if told to: by SIGKILL, or as a ghost. */
static inline void die_if(int doomed)
{
    AT("knell_kill_me");
    if (doomed)
        knell_kill_me();
}

/* Returns when this rank of the communicator is known dead here: a receive from it waits for nothing else. */
static inline void learn_death(MPI_Comm comm, int rank)
{
    FAILS(MPI_Recv(NULL, 0, MPI_BYTE, rank, 32000, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
}

static inline MPI_Comm shrunk(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    OK(MPIX_Comm_shrink(comm, &made));
    return made;
}

/* Every living member is here. Unlike a barrier it ends in the same way at all, though somebody dies (or revokes) right after. */
static inline void meet(MPI_Comm comm)
{
    int flag = 1, code = CODE(MPIX_Comm_agree(comm, &flag));
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
}

/* Has everybody the same? */
static inline void check_same(MPI_Comm comm, int value)
{
    int bounds[2] = {value, -value}, most[2];
    OK(MPI_Allreduce(bounds, most, 2, MPI_INT, MPI_MAX, comm));
    if (most[0] != -most[1])
        fprintf(stderr, "rank %d, after %s: %d here, from %d to %d elsewhere\n", me, at, value, -most[1], most[0]);
    CHECK(most[0] == -most[1]);
}

static inline int group_size(MPI_Group group)
{
    int size = -1;
    OK(MPI_Group_size(group, &size));
    return size;
}

#endif
