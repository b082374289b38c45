/* members.h: several processes of a job, each with slots of its own (mpi/context/context.h): children of the test that do what they are
 * told, one thing at a time. So creations of communicators can be interleaved in every way, and always run the same way.
 *
 * The test itself must not have called fake_begin: members begin as it is. */
#ifndef KNELL_TEST_MPI_MEMBERS_H
#define KNELL_TEST_MPI_MEMBERS_H

#include "mpi/context/context.h"

#include <sys/types.h>

struct member {
    pid_t pid;
    int fd;
};

/* A process that has just called MPI_Init; its end. */
void member_begin(struct member *member, int process, int processes);
void member_end(struct member *member);

/* As the functions of context.h, in that process. */
void member_offer(struct member *member, const struct offer_try *try, struct offer *offer);
void member_withdraw(struct member *member, const struct offer *mine);
bool member_take(struct member *member, const struct offer *mine, const struct offer *agreed, struct place *place);
void member_free(struct member *member, const struct place *place, bool dirty);
bool member_expects(struct member *member, MPI_Comm context, int tag);
struct place member_fixed(struct member *member, int slot);
int member_number(struct member *member, MPI_Comm context);
MPI_Comm member_numbered(struct member *member, int number);

#endif
