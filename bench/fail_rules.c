/* How many rules a second the interpreter fires: the target is a million. Four loads: messages between two daemons,
 * a timer, figure 7(a) on the platform model, and a condition with arithmetic and a draw. */
#include "fail/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct load {
    const char *name;
    const char *text;
    bool platform;
};

static const struct load loads[] = {
    {"messages",
     "Daemon D { time_g t = 1; t -> !m(G[1]), stay; ?m -> !m(FAIL_SENDER), stay; }\n"
     "Group G { size = 2; daemon = D; }\n",
     false},
    {"timers",
     "Daemon D { time t = 1; t -> ; }\n"
     "Group G { size = 1000; daemon = D; }\n",
     false},
    {"draws and conditions",
     "Daemon D { int n = 0; time t = 1; t && FAIL_RANDOM(0, 9) < 5 && n * 3 + 1 > 0 -> n = n + 1, !m(G[n % 100]);\n"
     "           t -> ; ?m && n % 2 == 0 -> stay; ?m -> n = n + 1, stay; }\n"
     "Group G { size = 100; daemon = D; }\n",
     false},
    {"figure 7(a), X = 6",
     "Daemon A { int nb = 6;\n"
     "node 1: always int ran = FAIL_RANDOM(0, 52); time_g timer = 50; timer -> !crash(G1[ran]), goto 2;\n"
     "node 2: always int ran = FAIL_RANDOM(0, 52);\n"
     "  ?ok && nb > 1 -> !crash(G1[ran]), nb = nb - 1, goto 2; ?ok && nb <= 1 -> nb = 6, goto 1;\n"
     "  ?no -> !crash(G1[ran]), goto 2; }\n"
     "Daemon B { node 1: onload -> continue, goto 2; ?crash -> !no(P1), goto 1;\n"
     "node 2: onexit -> goto 1; onerror -> goto 1; onload -> continue, goto 2; ?crash -> !ok(P1), halt, goto 1; }\n"
     "Computer P1 { daemon = A; } Group G1 { program = \"app\" size = 53; daemon = B; }\n",
     true},
};

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *take(size_t size)
{
    void *memory = malloc(size);

    if (!memory) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void run_world(struct knell_fail_world *w, double until)
{
    struct knell_fail_record record;

    while (seconds() < until) {
        knell_time now = knell_fail_deadline(w);

        for (int i = 0; i < 10000; i++) {
            if (knell_fail_step(w, now, NULL, &record) != 1)
                now = knell_fail_deadline(w);
        }
    }
}

static void run_platform(const struct knell_fail_program *p, struct knell_fail_world *w, double until)
{
    struct knell_platform_config config;
    void *memory = take(knell_platform_size(p));
    struct knell_platform *model;
    knell_time now = 0;

    knell_platform_defaults(p, &config);
    config.processes = 49;
    model = knell_platform_init(memory, p, w, &config, 0);
    while (seconds() < until)
        knell_platform_run(model, w, now += INT64_C(1000000000000), NULL);
    free(memory);
}

static int measure(const struct load *load, double for_seconds)
{
    struct knell_fail_source source = {load->name, load->text, strlen(load->text)};
    struct knell_fail_config config = {.seed = 1, .message_delay = 1000};
    size_t room = knell_fail_program_room(source.size, 0);
    void *code = take(room), *memory;
    const struct knell_fail_program *p;
    struct knell_fail_world *w;
    struct knell_fail_counters c;
    double start;

    if (knell_fail_compile(&source, NULL, 0, NULL, code, room, &p) != 0)
        return 1;
    memory = take(knell_fail_world_size(p, &config));
    if (knell_fail_world_init(memory, p, &config, 0, &w) != 0)
        return 1;
    start = seconds();
    if (load->platform)
        run_platform(p, w, start + for_seconds);
    else
        run_world(w, start + for_seconds);
    c = knell_fail_counters_of(w);
    printf("fail: %-22s %6.2f million rules/s (%.2f million in %.2f s)\n", load->name,
           (double)c.fired / (seconds() - start) / 1e6, (double)c.fired / 1e6, seconds() - start);
    free(memory);
    free(code);
    return 0;
}

int main(void)
{
    int status = 0;

    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        status |= measure(&loads[i], 1.0);
    return status;
}
