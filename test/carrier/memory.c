/* How much memory the carrier takes: of processes that are silent, that have spoken with some others, a little or much, and that have
 * looked at the rings of silent ones. test-carrier-memory PROCESSES... prints a table; status 1 if a bar is missed:
 * 64 KiB for a pair that has spoken, nothing for one that has not, a page for one whose ring was looked at. */
#include <knell/carrier.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHERS = 8, MOST = 1024, PAGE_KIB = 4, PAIR_KIB = 64, LAPS = 4 };
enum phase { IDLE, LITTLE, FULL, LOOKED, PHASES };
static const char *const name[] = {"idle", "one message to 8 others each", "8 rings each filled four times",
                                   "looked at every ring"};

struct child {
    pid_t pid;
    int order, answer; /* pipes: to it, from it */
};

/* ---- a child -------------------------------------------------------------------------------------------------------------------- */

static void take_all(struct knell_carrier *carrier)
{
    struct knell_carrier_message message;
    int from;
    while ((from = knell_carrier_next(carrier)) >= 0)
        while (knell_carrier_look(carrier, (unsigned)from, &message))
            knell_carrier_pass(carrier, (unsigned)from);
}

/* One message to each, or as many as its ring takes. */
static void speak(struct knell_carrier *carrier, unsigned processes, unsigned me, bool much)
{
    static char data[1000];
    for (unsigned i = 1; i <= OTHERS && i < processes; i++) {
        size_t size = 8;
        while (knell_carrier_send(carrier, (me + i) % processes, &(struct knell_carrier_head){0}, data, size) == 0 &&
               much)
            size = sizeof data - size;
    }
}

static void obey(struct knell_carrier *carrier, unsigned processes, unsigned me, char order)
{
    if (order == IDLE)
        take_all(carrier);
    if (order == LITTLE || order == FULL)
        speak(carrier, processes, me, order == FULL);
    for (unsigned i = 0; order == LOOKED && i < processes; i++)
        knell_carrier_has(carrier, i);
}

static void be(int fd, unsigned processes, unsigned me, const struct child *child)
{
    struct knell_carrier *carrier;
    char order;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (knell_carrier_join(fd, processes, me, &carrier) != 0 || write(child->answer, "", 1) != 1)
        _exit(1);
    while (read(child->order, &order, 1) == 1) {
        obey(carrier, processes, me, order);
        if (write(child->answer, "", 1) != 1)
            _exit(1);
    }
    _exit(0);
}

/* ---- the parent ----------------------------------------------------------------------------------------------------------------- */

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static void start(struct child *child, int fd, unsigned processes, unsigned me)
{
    int order[2], answer[2];
    if (pipe(order) != 0 || pipe(answer) != 0)
        give_up("pipe");
    *child = (struct child){fork(), order[0], answer[1]};
    if (child->pid < 0)
        give_up("fork");
    if (child->pid == 0) {
        close(order[1]);
        be(fd, processes, me, child);
    }
    close(order[0]), close(answer[1]);
    child->order = order[1], child->answer = answer[0];
}

static void wait_for_answer(const struct child *child)
{
    char byte;
    if (read(child->answer, &byte, 1) != 1)
        give_up("a process has ended");
}

static void tell(const struct child *child, char order)
{
    if (write(child->order, &order, 1) != 1)
        give_up("a process has ended");
}

/* A field of the mapping of the arena in one process, in KiB. */
static long field_of(pid_t pid, const char *field)
{
    char path[64], line[512];
    long kib = 0;
    int within = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strchr(line, '-') && strstr(line, " 00:"))
            within = strstr(line, "memfd:knell-carrier") != NULL;
        if (within && strncmp(line, field, strlen(field)) == 0)
            kib += strtol(line + strlen(field), NULL, 10);
    }
    if (file)
        fclose(file);
    return kib;
}

static long arena_kib(int fd)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        give_up("fstat");
    return (long)file.st_blocks / 2;
}

/* What the pairs may take, beside two pages for each process. */
static long bar_of(enum phase phase, unsigned processes)
{
    long others = processes > OTHERS ? OTHERS : processes - 1, spoken = processes * others;
    long own = 2L * PAGE_KIB * processes;
    if (phase == IDLE)
        return (long)PAGE_KIB * processes;
    if (phase == LITTLE)
        return own + spoken * PAGE_KIB;
    return own + spoken * PAIR_KIB + (phase == LOOKED ? ((long)processes * processes - spoken) * PAGE_KIB : 0);
}

static void order_all(const struct child *child, unsigned processes, enum phase phase)
{
    for (unsigned i = 0; i < processes; i++)
        tell(&child[i], (char)phase);
    for (unsigned i = 0; i < processes; i++)
        wait_for_answer(&child[i]);
}

static int measure_phase(const struct child *child, unsigned processes, enum phase phase, int fd)
{
    for (int lap = 0; lap < (phase == FULL ? LAPS : 1); lap++) {
        order_all(child, processes, phase);
        order_all(child, processes, IDLE);
    }
    long kib = arena_kib(fd), bar = bar_of(phase, processes);
    printf("%9u  %-32s %9ld %10.1f %9ld %9ld %9ld%s\n", processes, name[phase], kib, (double)kib / processes,
           field_of(child[0].pid, "Rss:"), field_of(child[0].pid, "Pss:"), bar, kib > bar ? "  MISSED" : "");
    return kib > bar;
}

static int measure(unsigned processes)
{
    static struct child child[MOST];
    int fd, missed = 0;
    if (knell_carrier_make(processes, &fd) != 0)
        give_up("memory");
    for (unsigned i = 0; i < processes; i++)
        start(&child[i], fd, processes, i);
    for (unsigned i = 0; i < processes; i++)
        wait_for_answer(&child[i]);
    for (int phase = 0; phase < PHASES; phase++)
        missed |= measure_phase(child, processes, (enum phase)phase, fd);
    for (unsigned i = 0; i < processes; i++) /* a later child has the pipes of the earlier ones, too */
        kill(child[i].pid, SIGKILL);
    for (unsigned i = 0; i < processes; i++) {
        waitpid(child[i].pid, NULL, 0);
        close(child[i].order), close(child[i].answer);
    }
    close(fd);
    return missed;
}

int main(int argc, char **argv)
{
    int missed = 0;
    signal(SIGPIPE, SIG_IGN);
    printf("%9s  %-32s %9s %10s %9s %9s %9s   KiB\n", "processes", "", "arena", "a process", "Rss of 0", "Pss of 0",
           "bar");
    for (int i = 1; i < argc; i++) {
        unsigned long processes = strtoul(argv[i], NULL, 10);
        if (processes < 1 || processes > MOST) {
            fprintf(stderr, "usage: test-carrier-memory PROCESSES... (1 to %d)\n", MOST);
            return 2;
        }
        missed |= measure((unsigned)processes);
    }
    return missed;
}
