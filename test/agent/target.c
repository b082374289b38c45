/* target.c: a program for the agent's tests. It does what its arguments say, one after the other, and prints what it did:
 *
 *     call N          calls step() N times
 *     threads T N     T threads call step() N times each
 *     print           the number of steps
 *     status N        exits with it */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct progress {
    int before, depth;
    struct {
        short low;
        double real;
    } inner;
};

static atomic_long steps;
struct progress progress = {1, 2, {3, 4.5}};
struct progress *pointer = &progress;
int iteration;
volatile double residual = 1.5;

__attribute__((noinline)) int step(int number, long way)
{
    atomic_fetch_add(&steps, 1);
    return number + (int)way;
}

/* Its first instruction is none of those that are emulated. */
__attribute__((noinline)) int odd(const int *number)
{
    return *number * 3;
}

static void call(int n)
{
    for (int i = 0; i < n; i++)
        step(i, 7);
}

static void *run(void *n)
{
    call(*(int *)n);
    return NULL;
}

static void threads(int count, int n)
{
    pthread_t thread[64];
    for (int i = 0; i < count && i < 64; i++)
        pthread_create(&thread[i], NULL, run, &n);
    for (int i = 0; i < count && i < 64; i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int first = i + 1 < argc ? atoi(argv[i + 1]) : 0, second = i + 2 < argc ? atoi(argv[i + 2]) : 0;
        if (strcmp(argv[i], "call") == 0)
            call(first);
        else if (strcmp(argv[i], "threads") == 0)
            threads(first, second);
        else if (strcmp(argv[i], "odd") == 0)
            for (int k = 0; k < first; k++)
                steps += odd(&k) == 3 * k;
        else if (strcmp(argv[i], "print") == 0)
            printf("steps %ld\n", atomic_load(&steps)), fflush(stdout);
        else if (strcmp(argv[i], "status") == 0)
            exit(first);
    }
    return 0;
}
