/* trap_exit: programs die by exit() without MPI_Finalize, with any status, and by _exit: deaths like others.
 * Also by a signal of their own making: abort, a wild pointer. */
#include "check.h"

static void leave_by(int way)
{
    if (way == 0)
        exit(0);
    if (way == 1)
        exit(3);
    if (way == 2)
        _exit(0);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

int main(int argc, char **argv)
{
    int flag = 1;
    begin(&argc, &argv, 20);
    meet(MPI_COMM_WORLD);
    if (me < all - 1) {
        AT("exit");
        leave_by(me);
    }
    for (int r = 0; r < all - 1; r++)
        learn_death(MPI_COMM_WORLD, r);
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    OK(MPIX_Comm_agree(living, &flag));
    return end();
}
