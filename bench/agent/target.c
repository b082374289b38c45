/* target.c: what is measured under the agent, by itself. One word says what; every number is printed in nanoseconds, a median and the 99th
 * percentile of single calls, or the time of the whole.
 *
 *     hit N           each of N calls of plain(), whose first instruction is emulated
 *     copied N        of odd(), where a copy of it is executed; stepped N: of jump(), where it is stepped
 *     compute N       N rounds of arithmetic
 *     pingpong N      N times a byte to a child and back, by pipes
 *     rate N T MS     T threads make N calls of plain() a second altogether, for MS milliseconds; prints how many */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int plain(int n);
int odd(const int *n);
int jump(const int *n);

/* Its first instruction is emulated. */
__attribute__((noinline)) int plain(int n)
{
    sink += (uint64_t)n;
    __asm__ volatile("" ::: "memory");
    return n + 1;
}

/* None of those that are emulated. */
__attribute__((naked)) int odd(const int *n)
{
    (void)n;
    __asm__("imul $3, (%rdi), %eax\n\tret");
}

/* Goes elsewhere by a register. */
__attribute__((naked)) int jump(const int *n)
{
    (void)n;
    __asm__("jrcxz 1f\n\t1: mov $1, %eax\n\tret");
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_sorted(int64_t *took, int n)
{
    qsort(took, (size_t)n, sizeof *took, by_size);
    printf("%lld %lld\n", (long long)took[n / 2], (long long)took[n - 1 - n / 100]);
}

static void hit(int n, int (*function)(const int *))
{
    int64_t *took = calloc((size_t)n + 1, sizeof *took);
    for (int i = 0; took && i < n; i++) {
        int64_t from = now();
        sink += (uint64_t)(function ? function(&i) : plain(i));
        took[i] = now() - from;
    }
    if (took)
        print_sorted(took, n);
    free(took);
}

static void compute(int n)
{
    int64_t from = now();
    for (uint64_t i = 0, x = 1; i < (uint64_t)n * 1000; i++) {
        x = x * 6364136223846793005u + i;
        sink = x;
    }
    printf("%lld\n", (long long)(now() - from));
}

static void pingpong(int n)
{
    int there[2], back[2];
    char byte = 0;
    int64_t *took = calloc((size_t)n + 1, sizeof *took);
    if (!took || pipe(there) != 0 || pipe(back) != 0)
        exit(1);
    if (fork() == 0) {
        close(there[1]);
        while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
            continue;
        _exit(0);
    }
    for (int i = 0; i < n; i++) {
        int64_t from = now();
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            exit(1);
        took[i] = now() - from;
    }
    close(there[1]);
    wait(NULL);
    print_sorted(took, n);
    free(took);
}

struct pace {
    int64_t every, end;
    long calls;
};

static void *keep_pace(void *argument)
{
    struct pace *pace = argument;
    for (int64_t next = now(); next < pace->end; next += pace->every) {
        int64_t left = next - now();
        if (left > 0)
            nanosleep(&(struct timespec){0, left}, NULL);
        plain((int)pace->calls++);
    }
    return NULL;
}

static void rate(int each_second, int threads, int ms)
{
    pthread_t thread[64];
    struct pace pace[64];
    long calls = 0;
    int64_t begin = now();
    for (int i = 0; i < threads && i < 64; i++) {
        pace[i] = (struct pace){INT64_C(1000000000) * threads / each_second, begin + ms * INT64_C(1000000), 0};
        pthread_create(&thread[i], NULL, keep_pace, &pace[i]);
    }
    for (int i = 0; i < threads && i < 64; i++) {
        pthread_join(thread[i], NULL);
        calls += pace[i].calls;
    }
    printf("%ld\n", calls);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(what, "hit") == 0)
        hit(n, NULL);
    else if (strcmp(what, "copied") == 0)
        hit(n, odd);
    else if (strcmp(what, "stepped") == 0)
        hit(n, jump);
    else if (strcmp(what, "compute") == 0)
        compute(n);
    else if (strcmp(what, "pingpong") == 0)
        pingpong(n);
    else if (strcmp(what, "rate") == 0 && argc > 4)
        rate(n, atoi(argv[3]), atoi(argv[4]));
    else
        return 2;
    return 0;
}
