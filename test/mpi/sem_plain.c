/* sem_plain: a job that ends as all should: with MPI_Finalize. */
#include "check.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    meet(MPI_COMM_WORLD);
    return end();
}
