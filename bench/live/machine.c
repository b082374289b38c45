/* See machine.h. */
#include "machine.h"
#include "log.h"

#include <errno.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000
enum { WATCH_MS = 4, STEAL_MS = 100, BURNERS = 64, BURNERS_EACH = 2 };

static _Atomic int64_t away_most, steal_most;
static pid_t burner[BURNERS];
static int burners;
static enum machine_load burning;

void machine_give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("bench-live: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    machine_burn(MACHINE_IDLE);
    exit(1);
}

/* ---- counters of the kernel ---------------------------------------------------------------------------------------------- */

static uint64_t pressure_us(void)
{
    unsigned long long total = 0;
    FILE *file = fopen("/proc/pressure/cpu", "re");
    if (!file)
        return 0; /* a kernel without it: 0 % in every row */
    if (fscanf(file, "some avg10=%*f avg60=%*f avg300=%*f total=%llu", &total) != 1)
        total = 0;
    fclose(file);
    return total;
}

static uint64_t steal_ms(void)
{
    unsigned long long steal = 0;
    FILE *file = fopen("/proc/stat", "re");
    if (!file || fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
        steal = 0;
    if (file)
        fclose(file);
    return steal * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* Two lines for each protocol: names, then numbers in the same order. */
static uint64_t network_count(const char *protocol, const char *name)
{
    char names[1024], numbers[1024], *rest_names, *rest_numbers;
    uint64_t count = 0;
    FILE *file = fopen("/proc/self/net/snmp", "re");
    while (file && fgets(names, sizeof names, file) && fgets(numbers, sizeof numbers, file)) {
        if (strncmp(names, protocol, strlen(protocol)) != 0)
            continue;
        char *a = strtok_r(names, " \n", &rest_names), *b = strtok_r(numbers, " \n", &rest_numbers);
        for (; a && b; a = strtok_r(NULL, " \n", &rest_names), b = strtok_r(NULL, " \n", &rest_numbers))
            if (strcmp(a, name) == 0)
                count = strtoull(b, NULL, 10);
    }
    if (file)
        fclose(file);
    return count;
}

struct machine_mark machine_mark(void)
{
    struct machine_mark mark = {.datagrams = network_count("Udp:", "OutDatagrams"),
                                .segments = network_count("Tcp:", "OutSegs"),
                                .pressure_us = pressure_us(),
                                .steal_ms = steal_ms(),
                                .when = live_now()};
    atomic_store(&away_most, 0);
    atomic_store(&steal_most, 0);
    return mark;
}

struct machine_span machine_since(const struct machine_mark *mark)
{
    int64_t away = atomic_load(&away_most), most = atomic_load(&steal_most);
    struct machine_mark now = machine_mark();
    double seconds = (double)(now.when - mark->when) * 1e-9;
    return (struct machine_span){
        .seconds = seconds,
        .datagrams_s = (double)(now.datagrams - mark->datagrams) / seconds,
        .segments_s = (double)(now.segments - mark->segments) / seconds,
        .pressure = (double)(now.pressure_us - mark->pressure_us) / seconds * 1e-4,
        .steal_ms = (double)(now.steal_ms - mark->steal_ms),
        .steal_most_ms = (double)most,
        .away_ms = (double)away / MS,
    };
}

/* ---- watchers ------------------------------------------------------------------------------------------------------------ */

static void raise_to(_Atomic int64_t *most, int64_t value)
{
    int64_t old = atomic_load(most);
    while (value > old && !atomic_compare_exchange_weak(most, &old, value)) {
    }
}

static void *watch(void *argument)
{
    int processor = (int)(intptr_t)argument;
    cpu_set_t set;
    uint64_t steal = steal_ms();
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 50});
    for (int64_t turn = 1;; turn++) {
        int64_t wanted = live_now() + WATCH_MS * MS;
        live_sleep_until(wanted);
        raise_to(&away_most, live_now() - wanted);
        if (processor == 0 && turn % (STEAL_MS / WATCH_MS) == 0) {
            uint64_t now = steal_ms();
            raise_to(&steal_most, (int64_t)(now - steal));
            steal = now;
        }
    }
    return NULL;
}

static void raise_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) != 0)
        machine_give_up("loopback cannot be switched on: %s", strerror(errno));
    close(fd);
}

void machine_begin(void)
{
    if (unshare(CLONE_NEWNET) != 0)
        machine_give_up("no network namespace of its own (%s): run it as root", strerror(errno));
    raise_loopback();
    for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, watch, (void *)(intptr_t)i);
        if (error)
            machine_give_up("no watcher for processor %ld: %s", i, strerror(error));
    }
}

/* ---- burners ------------------------------------------------------------------------------------------------------------- */

static _Noreturn void burn(void)
{
    volatile uint64_t x = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (burning == MACHINE_BURNERS_APART)
        setsid();
    for (;;)
        x = x * 6364136223846793005u + 1442695040888963407u;
}

static const char *const load_names[MACHINE_LOADS] = {"idle", "burners", "burners-apart"};

const char *machine_load_name(void)
{
    return load_names[burning];
}

int machine_load_named(const char *name)
{
    int load = MACHINE_LOADS - 1;
    while (load >= 0 && strcmp(load_names[load], name) != 0)
        load--;
    return load;
}

void machine_burn(enum machine_load load)
{
    while (burners > 0) {
        kill(burner[--burners], SIGKILL);
        waitpid(burner[burners], NULL, 0);
    }
    burning = load;
    long wanted = load == MACHINE_IDLE ? 0 : BURNERS_EACH * sysconf(_SC_NPROCESSORS_ONLN);
    fflush(NULL);
    for (; burners < wanted && burners < BURNERS; burners++) {
        burner[burners] = fork();
        if (burner[burners] == 0)
            burn();
        if (burner[burners] < 0) {
            burners--;
            machine_give_up("no process to burn time: %s", strerror(errno));
        }
    }
}
