/* receive.h: receives as a program makes them, in the layer beside a fake MPI. Each message is one int: its number. */
#ifndef KNELL_TEST_MPI_RECEIVE_H
#define KNELL_TEST_MPI_RECEIVE_H

#include "fake.h"
#include "mpi/base/gen/own.h"

struct receive {
    MPI_Request request;
    bool over, cancelled;
    int code, number; /* of the message */
    MPI_Status status;
};

/* MPI_Irecv, MPI_Test, MPI_Cancel. */
static inline void receive_post(struct receive *receive, const struct comm *comm, int source, int tag)
{
    *receive = (struct receive){.number = -1};
    receive->code =
        mpi_irecv(&receive->number, sizeof receive->number, MPI_BYTE, source, tag, comm->handle, &receive->request);
}

/* One look. True: it is over. A code without an end is that of a receive that stays pending. */
static inline bool receive_test(struct receive *receive)
{
    int flag = 0, cancelled = 0;
    if (receive->over)
        return true;
    receive->code = mpi_test(&receive->request, &flag, &receive->status);
    receive->over = flag;
    if (flag && receive->code == MPI_SUCCESS)
        native.test_cancelled(&receive->status, &cancelled);
    receive->cancelled = cancelled;
    return receive->over;
}

/* As many looks as it takes a receive to end after a failure. */
static inline bool receive_ends(struct receive *receive)
{
    for (int i = 0; i < 200 && !receive_test(receive); i++)
        continue;
    return receive->over;
}

static inline void receive_cancel(struct receive *receive)
{
    mpi_cancel(&receive->request);
}

/* A message for this communicator arrives, from the process `source`. */
static inline void receive_arrives(const struct place *place, int source, int tag, int number)
{
    fake_arrive(place->context, source, tag + place->stamp, &number, sizeof number);
}

/* MPI_Comm_free. */
static inline void receive_comm_free(struct comm *comm)
{
    comm_unhandle(comm);
    comm_release(comm);
}

#endif
