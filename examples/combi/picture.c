#include "picture.h"

void picture_scheme(const struct job *j, const int *planned, const int *weight, const bool *lost)
{
    (void)j, (void)planned, (void)weight, (void)lost;
}

void picture_solution(const struct job *j, double error)
{
    (void)j, (void)error;
}
