/* trap_written: senders are killed in the middle of large messages. Their death is known before the kernel is through with them: on MPICH
 * they may be in the middle of a system call that writes into the receiver's memory. Once the receive has returned an error nobody
 * writes into its buffer. */
#include "check.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

enum { LONG = 16 << 20, SENT = 1, OURS = 2, LATER = 2000 };

static void rest(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* ---- senders --------------------------------------------------------------------------------------------------------------------- */

static void *die_soon(void *milliseconds)
{
    rest(*(long *)milliseconds);
    kill(getpid(), SIGKILL);
    return NULL;
}

static void send_until_killed(char *buffer)
{
    long milliseconds = 10 + me;
    pthread_t thread;
    memset(buffer, SENT, LONG);
    OK(MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(pthread_create(&thread, NULL, die_soon, &milliseconds) == 0);
    for (;;)
        MPI_Send(buffer, LONG, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

/* ---- the receiver ---------------------------------------------------------------------------------------------------------------- */

static void is_left_alone(char *buffer)
{
    int found;
    memset(buffer, OURS, LONG);
    for (int i = 0; i < LATER; i++)
        OK(MPI_Iprobe(0, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE));
    rest(5);
    CHECK(buffer[0] == OURS && memcmp(buffer, buffer + 1, LONG - 1) == 0);
}

static void receive(char *buffer, int from)
{
    int code;
    OK(MPI_Send(NULL, 0, MPI_CHAR, from, 1, MPI_COMM_WORLD));
    do {
        CHECK(madvise(buffer, LONG, MADV_DONTNEED) == 0); /* what is written page by page takes its time */
        code = CODE(MPI_Recv(buffer, LONG, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } while (code == MPI_SUCCESS);
    CHECK(code == MPIX_ERR_PROC_FAILED);
    is_left_alone(buffer);
}

int main(int argc, char **argv)
{
    char *buffer = mmap(NULL, LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(buffer != MAP_FAILED && madvise(buffer, LONG, MADV_NOHUGEPAGE) == 0);
    begin(&argc, &argv, 40);
    if (me > 0)
        send_until_killed(buffer);
    for (int from = 1; from < all; from++)
        receive(buffer, from);
    return end();
}
