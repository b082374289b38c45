/* fake.h: what is below and beside the layer, played within one process: an MPI (fake_message.c, fake_request.c, fake_status.c, fake_comm.c) and the detector's runtime
 * (fake_runtime.c). The rooms of src/mpi are the real ones. So a test of matching, requests or contexts needs no mpirun, takes
 * milliseconds and always runs the same way.
 *
 * The test is every other process of the job: it says which messages arrive and which processes die. Nothing arrives by itself.
 * All datatypes are bytes. A call of the MPI that is not played ends the test. */
#ifndef KNELL_TEST_MPI_FAKE_H
#define KNELL_TEST_MPI_FAKE_H

#include "mpi/comm/comm.h"
#include "mpi/native/native.h"

#include <stdbool.h>
#include <stdint.h>

/* A handle out of a number: handles are integers on MPICH and pointers on Open MPI. */
#define FAKE_HANDLE(type, number) ((type)(uintptr_t)(number))
#define FAKE_NUMBER(handle) ((uintptr_t)(handle))

/* ---- the job --------------------------------------------------------------------------------------------------------------- */

/* As MPI_Init: this is `process` of `processes`. Once. */
void fake_begin(int process, int processes);
/* What settings_get says from now on; the environment is not looked at. */
void fake_setting(const char *name, const char *value);

/* The detector declares a process dead; a communicator's group is revoked. */
void fake_die(int process);
void fake_revoke(uint64_t group);

/* A communicator of all processes at this slot and epoch; freed by comm_release. */
struct comm *fake_comm(int slot, unsigned epoch);
/* The first slots that share a duplicate with others, so that tags carry a stamp: fake_shared(0) and (1) have the same one. */
int fake_shared(int number);

/* ---- messages in ------------------------------------------------------------------------------------------------------------- */

/* A message arrives: the first posted receive that fits takes it, else it waits. */
void fake_arrive(MPI_Comm context, int source, int tag, const void *bytes, int size);
/* Messages that have arrived and are neither received nor matched. */
int fake_waiting(void);
/* While true, no send or receive completes: a large message that takes its time. */
extern bool fake_stalls;
/* So many of the next receives are refused with MPI_ERR_ARG. */
extern int fake_refuses;

/* ---- messages out ------------------------------------------------------------------------------------------------------------ */

enum { FAKE_SENT_MOST = 64, FAKE_SENT_BYTES = 64 };
struct fake_sent {
    MPI_Comm context;
    int to, tag, size;
    unsigned char bytes[FAKE_SENT_BYTES];
};
/* What was sent since the last fake_sent_forget. */
extern struct fake_sent fake_sent[FAKE_SENT_MOST];
extern int fake_sents;
void fake_sent_forget(void);

/* ---- what the MPI holds ------------------------------------------------------------------------------------------------------ */

int fake_requests(void); /* not yet completed or freed by the layer */
extern int fake_types;   /* duplicates of datatypes, not freed */
/* Duplicates of communicators that were asked for by MPI_Comm_idup: in all, and before the layer first waited for a request. */
extern int fake_duplicates, fake_duplicates_at_wait;
extern int fake_tag_ub;

/* ---- between its files ------------------------------------------------------------------------------------------------------- */

/* The calls, for the table. */
void fake_fill_messages(void);
void fake_fill_requests(void);
void fake_fill_statuses(void);

void fake_status(MPI_Status *status, int source, int tag, int size, bool cancelled);

#endif
