/* handle.h: what the files of the calls on communicators share. */
#ifndef KNELL_MPI_CREATE_HANDLE_H
#define KNELL_MPI_CREATE_HANDLE_H

#include "mpi/comm/comm.h"
#include "mpi/comm/native_group.h"

/* The group's processes, malloc'd; size 0 when this process is not among them. MPI_ERR_GROUP: not all are members
 * of the local group of `comm`. */
int create_members(const struct comm *comm, MPI_Group group, int **member, int *size);

/* A handle with the parent's error handler; with its attributes too when `attributes` (their copy functions run). */
int create_handle_like(const struct comm *parent, bool attributes, MPI_Comm *handle);

/* By all members of the parent, who agree; `code`: what happened to this one on the way here. Raised. */
int create_by_all(struct comm *parent, const struct comm_group *group, int code, MPI_Comm *newcomm);

/* The code with which a member begins a creation: `code`, or MPIX_ERR_REVOKED. A communicator that a death has revoked here only
 * (mpi_error_range) makes no others: that is for all members to hear. */
int create_may_make(const struct comm *parent, int code);

/* Around a native call on `store`: its error goes through the communicator's handler once. On a handle of the program's the MPI below
 * raises it, but when that ends the job: it would end this process alone, as if it had died. */
MPI_Errhandler attr_store_enter(const struct comm *comm);
int attr_store_leave(struct comm *comm, MPI_Errhandler kept, int code);

#endif
