/* target.c: a program for the agent's tests. It does what its arguments say, one after the other:
 *
 *     call N          step() N times                  threads T N     T threads call step() N times each
 *     odd N           odd() N times                   count N         iteration becomes 1, 2, ..., N
 *     breed MS        one thread after the other for so long, then as long none; steps: rests of 12 ms or more in the second half
 *     litter FILE     a thread and a child after the other until it is there; steps: children that did not end well
 *     race T N        T threads add 1 to iteration N times each, under a lock
 *     plugin FILE N   loads FILE, calls its plugin_step() N times, unloads it
 *     fork N, vfork   a child calls step() N times; a child executes /bin/true
 *     exec            becomes itself anew, with the rest of the arguments
 *     storm N         step() and odd() N times while a timer's signals come
 *     jump N          calls leave(), which does not return, N times
 *     deep N          a recursive function
 *     register        tells the agent that it is there
 *     raise N         a signal to itself              sleep MS        sleeps
 *     knock N         comes to the agent's door N times, and stays there without a word
 *     wait FILE       until it is there, a minute at most
 *     print           what happened so far            status N        exits with it */
#include <knell/agent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

struct progress {
    int before, depth;
    struct {
        short low;
        double real;
    } inner;
};

static atomic_long steps;
static volatile sig_atomic_t signals;
static jmp_buf back;
struct progress progress = {1, 2, {-3, 4.5}};
struct progress *pointer = &progress;
volatile int iteration;
volatile double residual = 1.5;
volatile unsigned char small_one = 200;

int step(int number, long way);
int odd(const int *number);
void leave(void);
int deep(int n);

__attribute__((noinline)) int step(int number, long way)
{
    atomic_fetch_add(&steps, 1);
    return number + (int)way;
}

__attribute__((noinline)) int odd(const int *number)
{
    return *number * 3;
}

__attribute__((noinline)) void leave(void)
{
    steps++;
    longjmp(back, 1);
}

__attribute__((noinline)) int deep(int n)
{
    int inner = n > 0 ? deep(n - 1) : 0;
    steps++;
    __asm__ volatile("" ::: "memory"); /* not a loop */
    return inner + 1;
}

static void call(int n)
{
    for (int i = 0; i < n; i++)
        step(i, 7);
}

static void call_odd(int n)
{
    for (int i = 0; i < n; i++)
        steps += odd(&i) == 3 * i;
}

static void *run(void *n)
{
    call(*(int *)n);
    return NULL;
}

static void *add(void *n)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < *(int *)n; i++) {
        pthread_mutex_lock(&lock);
        iteration++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void threads(int count, int n, void *(*work)(void *))
{
    pthread_t thread[64];
    for (int i = 0; i < count && i < 64; i++)
        pthread_create(&thread[i], NULL, work, &n);
    for (int i = 0; i < count && i < 64; i++)
        pthread_join(thread[i], NULL);
}

static void *end_at_once(void *nothing)
{
    return nothing;
}

static long ms_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void breed(int ms)
{
    long begin = ms_now(), now = begin, before;
    while (now - begin < 2 * ms) {
        pthread_t thread;
        if (now - begin < ms && pthread_create(&thread, NULL, end_at_once, NULL) == 0)
            pthread_join(thread, NULL);
        before = now;
        now = ms_now();
        steps += now - begin >= ms && now - before >= 12;
    }
}

static void litter(const char *file)
{
    while (access(file, F_OK) != 0) {
        int status = 0;
        pthread_t thread;
        if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
            pthread_join(thread, NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        steps += child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
}

static void plugin(const char *file, int n)
{
    void *library = dlopen(file, RTLD_NOW);
    int (*plugin_step)(int) = NULL;
    void *found = library ? dlsym(library, "plugin_step") : NULL;
    memcpy(&plugin_step, &found, sizeof found);
    for (int i = 0; plugin_step && i < n; i++)
        steps += plugin_step(i) == i + 1;
    if (library)
        dlclose(library);
}

static void have_child(int n)
{
    pid_t child = fork();
    if (child == 0) {
        call(n);
        _exit(steps == n ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    steps += status == 0;
}

static void storm_came(int signal)
{
    (void)signal;
    signals++;
}

static void storm(int n)
{
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, storm_came);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < n || signals == 0; i++) {
        step(i, 7);
        steps += odd(&i) == 3 * i;
    }
    setitimer(ITIMER_REAL, &never, NULL);
}

static void leave_often(int n)
{
    for (volatile int i = 0; i < n; i++)
        if (setjmp(back) == 0)
            leave();
}

static void print(void)
{
    printf("steps %ld iteration %d residual %.1f depth %d small %d\n", atomic_load(&steps), iteration, residual,
           progress.depth, small_one);
    fflush(stdout);
}

static void knock(int n)
{
    struct sockaddr_un at;
    socklen_t size = knell_agent_address(&at);
    for (int i = 0; i < n; i++)
        steps += connect(socket(AF_UNIX, SOCK_SEQPACKET, 0), (struct sockaddr *)&at, size) == 0;
}

static void act(char **words, const char *what, int first, int second)
{
    if (strcmp(what, "call") == 0)
        call(first);
    else if (strcmp(what, "threads") == 0)
        threads(first, second, run);
    else if (strcmp(what, "breed") == 0)
        breed(first);
    else if (strcmp(what, "litter") == 0)
        litter(words[1]);
    else if (strcmp(what, "race") == 0)
        threads(first, second, add);
    else if (strcmp(what, "odd") == 0)
        call_odd(first);
    else if (strcmp(what, "count") == 0)
        for (int i = 1; i <= first; i++)
            iteration = i;
    else if (strcmp(what, "plugin") == 0)
        plugin(words[1], second);
    else if (strcmp(what, "fork") == 0)
        have_child(first);
    else if (strcmp(what, "vfork") == 0)
        steps += system("/bin/true") == 0;
    else if (strcmp(what, "storm") == 0)
        storm(first);
    else if (strcmp(what, "jump") == 0)
        leave_often(first);
    else if (strcmp(what, "deep") == 0)
        deep(first);
    else if (strcmp(what, "register") == 0)
        steps += 100 * (knell_register(getpid()) == 0);
    else if (strcmp(what, "knock") == 0)
        knock(first);
    else if (strcmp(what, "raise") == 0)
        raise(first);
    else if (strcmp(what, "sleep") == 0)
        usleep((unsigned)first * 1000);
    else if (strcmp(what, "wait") == 0)
        for (int i = 0; i < 6000 && access(words[1], F_OK) != 0; i++)
            usleep(10000);
    else if (strcmp(what, "print") == 0)
        print();
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int first = i + 1 < argc ? atoi(argv[i + 1]) : 0, second = i + 2 < argc ? atoi(argv[i + 2]) : 0;
        if (strcmp(argv[i], "exec") == 0) {
            argv[i] = argv[0];
            execv("/proc/self/exe", argv + i);
        }
        if (strcmp(argv[i], "status") == 0)
            return first;
        act(argv + i, argv[i], first, second);
    }
    return 0;
}
