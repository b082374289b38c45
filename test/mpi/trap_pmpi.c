/* trap_pmpi: libraries call PMPI_ themselves, in recovery too; these calls are under the layer like any other. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Comm living, copy;
    int rank = -1, size = -1, flag = 1, sum = 0;
    begin(&argc, &argv, 20);
    OK(PMPI_Comm_dup(MPI_COMM_WORLD, &copy));
    meet(copy);
    die_if(me == 1);
    int code = CODE(PMPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, copy));
    CHECK(code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED);
    OK(PMPIX_Comm_revoke(copy));
    FAILS(PMPI_Send(&me, 1, MPI_INT, me, 1, copy), MPIX_ERR_REVOKED);
    OK(PMPIX_Comm_shrink(copy, &living));
    OK(PMPI_Comm_rank(living, &rank));
    OK(PMPI_Comm_size(living, &size));
    CHECK(size == all - 1 && rank == (me > 1 ? me - 1 : me));
    OK(PMPIX_Comm_agree(living, &flag));
    OK(PMPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &sum, 1, MPI_INT, (rank + size - 1) % size, 3, living,
                     MPI_STATUS_IGNORE));
    CHECK(flag == 1 && sum == (rank + size - 1) % size);
    OK(PMPI_Comm_free(&living));
    OK(PMPI_Comm_free(&copy));
    return end();
}
