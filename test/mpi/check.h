/* check.h: for test programs that run as ranks. A failed check says where and ends the whole job; a rank that hangs is ended by
 * its own alarm and says what it was at. */
#ifndef KNELL_TEST_MPI_CHECK_H
#define KNELL_TEST_MPI_CHECK_H

#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me; /* rank in MPI_COMM_WORLD */
static int all;
static const char *volatile at = "the beginning";

static inline void check_late(int signal)
{
    char line[200];
    (void)signal;
    int size = snprintf(line, sizeof line, "rank %d hangs at: %s\n", me, at);
    ssize_t written = write(2, line, (size_t)size);
    (void)written;
    _exit(99);
}

#define AT(text) (at = (text))

#define CHECK(x)                                                                                                         \
    do {                                                                                                                 \
        if (!(x)) {                                                                                                      \
            fprintf(stderr, "%s:%d: rank %d, at %s: failed: %s\n", __FILE__, __LINE__, me, at, #x);                      \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                                \
        }                                                                                                                \
    } while (0)

/* The code of a call, with its name as the place. */
#define CODE(call) (at = #call, (call))
#define OK(call)                                                                                                         \
    do {                                                                                                                 \
        int code_ = CODE(call);                                                                                          \
        if (code_ != MPI_SUCCESS) {                                                                                      \
            fprintf(stderr, "%s:%d: rank %d: %s returned %d\n", __FILE__, __LINE__, me, #call, code_);                   \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                                \
        }                                                                                                                \
    } while (0)
#define FAILS(call, wanted)                                                                                              \
    do {                                                                                                                 \
        int code_ = CODE(call);                                                                                          \
        if (code_ != (wanted)) {                                                                                         \
            fprintf(stderr, "%s:%d: rank %d: %s returned %d, not " #wanted "\n", __FILE__, __LINE__, me, #call, code_);  \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                                \
        }                                                                                                                \
    } while (0)

static inline void begin(int *argc, char ***argv, unsigned seconds)
{
    signal(SIGALRM, check_late);
    alarm(seconds);
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
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

#endif
