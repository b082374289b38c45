/* carried.h: messages between processes of this host by the carrier (knell/carrier.h), in the shape of the MPI's own calls.
 *
 * Once started, the pointers of the table `native` that post, test, probe and cancel lead here first. What concerns the carrier
 * (contexts of context.h, requests and messages of this room) is done here; everything else is passed on to the MPI below. So
 * the rooms above know one way of moving messages only.
 *
 * What differs from the MPI's own: native.cancel gives up what the layer wants no more, and that ends soon, whatever the other end
 * does; the program's MPI_Cancel is carried_cancel. Nobody but this process ever writes into a buffer of a receive. */
#ifndef KNELL_MPI_CARRIED_CARRIED_H
#define KNELL_MPI_CARRIED_CARRIED_H

#include <mpi.h>
#include <stdbool.h>

enum carried_extent {
    CARRIED_NONE, /* the MPI below moves everything */
    CARRIED_HOST, /* it moves what goes to other hosts */
    CARRIED_ALL,  /* it moves nothing */
};
/* Collective, in MPI_Init, when it is known who is on this host; `look` as for native_await. */
enum carried_extent carried_start(void (*look)(void));
/* From here on calls come here first. */
void carried_begin(void);

/* A message that is there already, and is the next one: without a request. False: it has to be received in the usual way. */
bool carried_receive_now(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm);

bool carried_is(MPI_Request request);
/* MPI_Cancel: takes back what is not matched yet. False: it is not of this room. */
bool carried_cancel(MPI_Request request);
/* The request goes to the program: it gets a handle that is valid everywhere, in Fortran too. */
#ifdef OPEN_MPI
void carried_show(MPI_Request *request);
/* Likewise messages that a probe has matched, as a number; -1, and MPI_MESSAGE_NULL: it is not of this room. */
int carried_message_number(MPI_Message message);
MPI_Message carried_message_numbered(int number);
#else
static inline void carried_show(MPI_Request *request)
{
    (void)request;
}
#endif

/* The communicator on this context is gone, and what came for it; `tags`: as well what came on the wire with these upper bits. */
void carried_forget(MPI_Comm context, int tags, int bits);

/* Sends that nobody waits for any more but that are not with the carrier yet: a turn for them. True: there are some to the living. */
bool carried_flush(void);

#endif
