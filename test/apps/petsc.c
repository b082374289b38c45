/* petsc: solves the five-point stencil with a wind, whose solution is known, several times. Usage: petsc -edge N -times N, and PETSc's
 * own options. Prints the first residuals, and the error of the solution. */
#include <petscksp.h>

static PetscErrorCode say(KSP ksp, PetscInt iteration, PetscReal norm, void *nothing)
{
    (void)nothing;
    if (iteration <= 20)
        PetscCall(PetscPrintf(PetscObjectComm((PetscObject)ksp), "residual %d %.8e\n", (int)iteration, (double)norm));
    return 0;
}

/* One row of the stencil: the wind blows along it. */
static PetscErrorCode fill_row(Mat matrix, PetscInt edge, PetscInt row)
{
    PetscInt x = row % edge, y = row / edge, column[5], count = 0;
    PetscScalar value[5];
    column[count] = row, value[count++] = 4.02;
    if (x > 0)
        column[count] = row - 1, value[count++] = -1.2;
    if (x + 1 < edge)
        column[count] = row + 1, value[count++] = -0.8;
    if (y > 0)
        column[count] = row - edge, value[count++] = -1;
    if (y + 1 < edge)
        column[count] = row + edge, value[count++] = -1;
    PetscCall(MatSetValues(matrix, 1, &row, count, column, value, INSERT_VALUES));
    return 0;
}

static PetscErrorCode make(PetscInt edge, Mat *matrix)
{
    PetscInt first, end;
    PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
    PetscCall(MatSetSizes(*matrix, PETSC_DECIDE, PETSC_DECIDE, edge * edge, edge * edge));
    PetscCall(MatSetFromOptions(*matrix));
    PetscCall(MatSetUp(*matrix));
    PetscCall(MatGetOwnershipRange(*matrix, &first, &end));
    for (PetscInt row = first; row < end; row++)
        PetscCall(fill_row(*matrix, edge, row));
    PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
    return 0;
}

static PetscErrorCode solve(Mat matrix)
{
    KSP ksp;
    Vec right, side, found;
    PetscReal error;
    PetscCall(MatCreateVecs(matrix, &right, &side));
    PetscCall(VecDuplicate(right, &found));
    PetscCall(VecSet(right, 1.5));
    PetscCall(MatMult(matrix, right, side));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, matrix, matrix));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPMonitorSet(ksp, say, NULL, NULL));
    PetscCall(KSPSolve(ksp, side, found));
    PetscCall(VecAXPY(found, -1, right));
    PetscCall(VecNorm(found, NORM_INFINITY, &error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "error %s\n", error < 1e-3 ? "small" : "large"));
    PetscCall(VecDestroy(&right));
    PetscCall(VecDestroy(&side));
    PetscCall(VecDestroy(&found));
    PetscCall(KSPDestroy(&ksp));
    return 0;
}

int main(int argc, char **argv)
{
    Mat matrix;
    PetscInt edge = 60, times = 1;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-edge", &edge, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-times", &times, NULL));
    for (PetscInt i = 0; i < times; i++) {
        PetscCall(make(edge, &matrix));
        PetscCall(solve(matrix));
        PetscCall(MatDestroy(&matrix));
    }
    PetscCall(PetscFinalize());
    return 0;
}
