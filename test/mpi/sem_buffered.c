/* sem_buffered: MPI_Bsend, MPI_Ibsend, MPI_Buffer_attach, MPI_Buffer_detach and MPI_Finalize when the receiver dies, or the
 * communicator is revoked, before it takes the message. All messages are too large to go before their receiver asks for them. */
#include "check.h"

enum { SENDER = 0, VICTIM = 1, LIVING = 2, LAST_VICTIM = 3, BYTES = 1 << 20, ROOM = 3 * (BYTES + MPI_BSEND_OVERHEAD) };

static char room[ROOM], data[BYTES], got[BYTES];

static void attach(int size)
{
    OK(MPI_Buffer_attach(room, size));
}

static void detach(int size)
{
    void *address = NULL;
    int detached = -1;
    OK(MPI_Buffer_detach(&address, &detached));
    CHECK(address == room && detached == size);
}

static void check_data(int value)
{
    for (int i = 0; i < BYTES; i++)
        CHECK(got[i] == (char)value);
}

static void take(int value, MPI_Comm comm)
{
    MPI_Status status;
    int count;
    memset(got, 0, BYTES);
    OK(MPI_Recv(got, BYTES, MPI_CHAR, SENDER, 1, comm, &status));
    OK(MPI_Get_count(&status, MPI_CHAR, &count));
    CHECK(count == BYTES && status.MPI_SOURCE == SENDER && status.MPI_TAG == 1);
    check_data(value);
}

/* ---- without deaths -------------------------------------------------------------------------------------------------------- */

static void wrong_use(void)
{
    void *address;
    int size;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_Bsend(data, 1, MPI_CHAR, LIVING, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Buffer_detach(&address, &size), MPI_ERR_BUFFER);
    FAILS(MPI_Buffer_attach(room, -1), MPI_ERR_ARG);
    attach(BYTES);
    FAILS(MPI_Buffer_attach(room, BYTES), MPI_ERR_BUFFER);
    FAILS(MPI_Bsend(data, BYTES, MPI_CHAR, LIVING, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER); /* no room for the overhead */
    OK(MPI_Bsend(data, BYTES, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    detach(BYTES);
}

/* The buffer is the program's again when the call returns; what is attached is room for three. */
static void several(void)
{
    MPI_Request request;
    int full;
    if (me == SENDER) {
        attach(ROOM);
        for (int i = 0; i < 3; i++) {
            memset(data, i, BYTES);
            OK(MPI_Ibsend(data, BYTES, MPI_CHAR, LIVING, 1, MPI_COMM_WORLD, &request));
            memset(data, 77, BYTES);
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        full = MPI_Bsend(data, BYTES, MPI_CHAR, LIVING, 1, MPI_COMM_WORLD);
        CHECK(full == MPI_ERR_BUFFER);
        OK(MPI_Send(NULL, 0, MPI_CHAR, LIVING, 2, MPI_COMM_WORLD));
        detach(ROOM);
    }
    if (me == LIVING) {
        OK(MPI_Recv(NULL, 0, MPI_CHAR, SENDER, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < 3; i++)
            take(i, MPI_COMM_WORLD);
    }
}

/* ---- with them ------------------------------------------------------------------------------------------------------------- */

/* Sends what the victim never takes; it dies when all has been sent. */
static void send_to_doomed(int victim)
{
    if (me == SENDER) {
        attach(ROOM);
        OK(MPI_Bsend(data, BYTES, MPI_CHAR, victim, 1, MPI_COMM_WORLD));
        OK(MPI_Bsend(data, BYTES, MPI_CHAR, victim, 1, MPI_COMM_WORLD));
        OK(MPI_Send(NULL, 0, MPI_CHAR, victim, 2, MPI_COMM_WORLD));
    }
    if (me == victim)
        OK(MPI_Recv(NULL, 0, MPI_CHAR, SENDER, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    die_if(me == victim);
}

static void after_the_death(void)
{
    MPI_Request request;
    if (me == SENDER) {
        detach(ROOM); /* ends though nobody will ever receive */
        attach(BYTES + MPI_BSEND_OVERHEAD);
        FAILS(MPI_Bsend(data, BYTES, MPI_CHAR, VICTIM, 1, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED);
        OK(MPI_Ibsend(data, BYTES, MPI_CHAR, VICTIM, 1, MPI_COMM_WORLD, &request));
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        memset(data, 5, BYTES);
        OK(MPI_Bsend(data, BYTES, MPI_CHAR, LIVING, 1, MPI_COMM_WORLD));
        detach(BYTES + MPI_BSEND_OVERHEAD);
    }
    if (me == LIVING)
        take(5, MPI_COMM_WORLD);
}

/* Nobody receives on a revoked communicator. What was given up there leaves its room to others. */
static void revoked(void)
{
    MPI_Comm living = shrunk(MPI_COMM_WORLD), copy;
    OK(MPI_Comm_dup(living, &copy));
    if (me == SENDER) {
        attach(BYTES + MPI_BSEND_OVERHEAD);
        OK(MPI_Bsend(data, BYTES, MPI_CHAR, 1, 1, copy));
        OK(MPIX_Comm_revoke(copy));
        memset(data, 6, BYTES);
        OK(MPI_Bsend(data, BYTES, MPI_CHAR, 1, 1, living));
        FAILS(MPI_Bsend(data, BYTES, MPI_CHAR, 1, 1, copy), MPIX_ERR_REVOKED);
        detach(BYTES + MPI_BSEND_OVERHEAD);
    }
    if (me == LIVING)
        take(6, living);
    OK(MPI_Comm_free(&copy));
    meet(living);
    OK(MPI_Comm_free(&living));
}

/* The sender is in MPI_Finalize when its receiver asks for the message, and when the last victim dies without doing so. */
static void finalize(void)
{
    send_to_doomed(LAST_VICTIM);
    if (me == SENDER) {
        memset(data, 9, BYTES);
        OK(MPI_Bsend(data, BYTES, MPI_CHAR, LIVING, 1, MPI_COMM_WORLD));
    }
    if (me == LIVING) {
        learn_death(MPI_COMM_WORLD, LAST_VICTIM);
        take(9, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    if (me == SENDER)
        wrong_use();
    several();
    meet(MPI_COMM_WORLD);
    send_to_doomed(VICTIM);
    after_the_death();
    revoked();
    finalize();
    return end();
}
