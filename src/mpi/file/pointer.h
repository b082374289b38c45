/* pointer.h: the shared file pointer: a counter in memory that all members of a file have in common.
 *
 * It is read and moved by atomic instructions alone: a member that dies leaves nothing behind that others would wait for. MPI_File_set_view
 * and MPI_File_seek_shared move it for all members. They do that without a message: each begins the next *generation*, whose counter is
 * zero, from a base that all members know. The members may be some generations apart; see pointer.c. */
#ifndef KNELL_MPI_FILE_POINTER_H
#define KNELL_MPI_FILE_POINTER_H

#include "mpi/comm/comm.h"
#include "mpi/detector/memory.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

/* Twice as many generations as the members can be apart. */
enum { POINTER_APART = 8, POINTER_COUNTERS = 2 * POINTER_APART };

struct pointer {
    _Atomic int64_t *counter; /* by generation; NULL: there are none, since this member could not have that memory */
    unsigned generation;      /* here */
    MPI_Offset base;          /* of this generation, in etypes */
    MPI_Offset etype;         /* bytes */
};

/* Of a file with one member. */
void pointer_make_alone(struct pointer *pointer);
/* Of one with several: the first member; then the others, if it is on their host. The descriptor is closed when all have it. */
void pointer_make(struct pointer *pointer, struct memory_place *place);
void pointer_join(struct pointer *pointer, int process, const struct memory_place *place);
void pointer_close(const struct memory_place *place);
void pointer_end(struct pointer *pointer);

/* All members: goes on from `base`, at once. */
int pointer_renew(struct pointer *pointer, struct comm *comm, MPI_Offset base);
MPI_Offset pointer_get(const struct pointer *pointer);
/* Moves it by so many etypes, and returns where it was. */
MPI_Offset pointer_add(struct pointer *pointer, MPI_Offset etypes);
/* All members, each by its own number, in the order of ranks. */
int pointer_add_ordered(struct pointer *pointer, struct comm *comm, MPI_Offset etypes, MPI_Offset *offset);

#endif
