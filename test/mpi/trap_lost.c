/* trap_lost: a connection ends before the death behind it is known. The transport then ends all that is under way on it, and an MPI that
 * does not look how it ended calls it a success: a synchronous send that nobody matched, a large one that nobody received, a
 * receive with half of the message. Here the doomed end their connections to the last rank themselves, while they live: so there is no
 * doubt who knows first. They die when the last rank has looked for a while; then, and not before, its operations fail. */
#include "check.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum { LARGE = 400000, LONG = 4 << 20, PORTS = 64, LOOK_MS = 100 };

static int port[PORTS], ports; /* the last rank's ends of its connections */
static pid_t doomed[8];

/* ---- the doomed ----------------------------------------------------------------------------------------------------------------- */

static int port_of(int fd, int (*name)(int, struct sockaddr *, socklen_t *))
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    return name(fd, (struct sockaddr *)&address, &size) == 0 && address.sin_family == AF_INET ? ntohs(address.sin_port)
                                                                                              : 0;
}

static int is_connected(int fd)
{
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
           port_of(fd, getpeername) != 0;
}

static void list_ports(void)
{
    for (int fd = 3; fd < 1024 && ports < PORTS; fd++)
        if (is_connected(fd))
            port[ports++] = port_of(fd, getsockname);
}

static void end_connections(void)
{
    for (int fd = 3; fd < 1024; fd++)
        for (int i = 0; is_connected(fd) && i < ports; i++)
            if (port_of(fd, getpeername) == port[i])
                shutdown(fd, SHUT_RDWR);
}

static void await_order(void)
{
    sigset_t order;
    int got;
    sigemptyset(&order);
    sigaddset(&order, SIGUSR1);
    sigwait(&order, &got);
}

/* Not a call of MPI from here on: what it was sent is never looked at. */
static void be_doomed(void)
{
    static char message[LONG];
    MPI_Request request;
    if (me == 2) {
        OK(MPI_Isend(message, LONG, MPI_CHAR, all - 1, 2, MPI_COMM_WORLD, &request));
        OK(MPI_Send(message, 1, MPI_CHAR, all - 1, 3, MPI_COMM_WORLD));
    }
    await_order();
    end_connections();
    await_order();
    die_if(1);
}

/* ---- the last rank --------------------------------------------------------------------------------------------------------------- */

static void order(int rank)
{
    CHECK(kill(doomed[rank], SIGUSR1) == 0);
}

/* For as long as it takes the transport to see that a connection has ended, many times over. */
static void stays_open(MPI_Request *request)
{
    int complete = 0, code = MPI_SUCCESS;
    for (double end = MPI_Wtime() + LOOK_MS / 1e3; MPI_Wtime() < end && code == MPI_SUCCESS && !complete;)
        code = CODE(MPI_Test(request, &complete, MPI_STATUS_IGNORE));
    CHECK(code == MPI_SUCCESS && !complete);
}

static void nobody_matches(void)
{
    char word = 0;
    MPI_Request request;
    OK(MPI_Issend(&word, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request));
    order(0);
    stays_open(&request);
    order(0);
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
}

static void nobody_receives(void)
{
    static char message[LARGE];
    MPI_Request request[2];
    MPI_Status status[2];
    OK(MPI_Isend(message, LARGE, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request[0]));
    OK(MPI_Issend(message, LARGE, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request[1]));
    order(1);
    stays_open(&request[1]);
    order(1);
    FAILS(MPI_Waitall(2, request, status), MPI_ERR_IN_STATUS);
    CHECK(status[0].MPI_ERROR == MPIX_ERR_PROC_FAILED && status[1].MPI_ERROR == MPIX_ERR_PROC_FAILED);
}

/* Its head has come before the connection ended, and is all that ever does. */
static void nothing_comes(void)
{
    static char message[LONG];
    char word;
    MPI_Request request, never;
    OK(MPI_Irecv(&word, 1, MPI_CHAR, 2, 9, MPI_COMM_WORLD, &never));
    OK(MPI_Recv(&word, 1, MPI_CHAR, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); /* sent after the head */
    order(2);
    stays_open(&never);
    OK(MPI_Irecv(message, LONG, MPI_CHAR, 2, 2, MPI_COMM_WORLD, &request));
    stays_open(&request);
    order(2);
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Wait(&never, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    sigset_t order_signal;
    pid_t self = getpid();
    sigemptyset(&order_signal);
    sigaddset(&order_signal, SIGUSR1);
    sigprocmask(SIG_BLOCK, &order_signal, NULL); /* in the threads that are to come as well */
    begin(&argc, &argv, 30);
    OK(MPI_Allgather(&self, 1, MPI_INT, doomed, 1, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, (int[8]){0}, 1, MPI_INT, MPI_COMM_WORLD)); /* all are connected */
    if (me == all - 1)
        list_ports();
    OK(MPI_Bcast(&ports, 1, MPI_INT, all - 1, MPI_COMM_WORLD));
    OK(MPI_Bcast(port, PORTS, MPI_INT, all - 1, MPI_COMM_WORLD));
    if (me < all - 1)
        be_doomed();
    nobody_matches();
    nobody_receives();
    nothing_comes();
    return end();
}
