/* sides: what a process says of a network that split, or looks like it (on_split is KNELL_SPLIT_END). Of each side its lowest rank
 * speaks, so that there is one line. */
#include "runtime/state.h"

#include <stdio.h>
#include <unistd.h>

/* A side that ends may not have found all the silent ones yet. */
static void say(const struct knell_sides *sides, const char *most, const char *why)
{
    char line[320];
    int size = snprintf(
        line, sizeof line,
        "knell: a network split, or lost hosts: this side has %s%u of the %u ranks of the last agreement that are "
        "not known to have ended, and %s\n",
        most, sides->here, sides->here + sides->silent, why);
    ssize_t written = write(STDERR_FILENO, line, (size_t)size);
    (void)written;
}

_Noreturn void knell__sides_end(const struct knell_runtime *runtime, const struct knell_sides *sides)
{
    char why[80];
    snprintf(why, sizeof why, "ends: the others may go on");
    if (sides->here == sides->silent)
        snprintf(why, sizeof why, "ends: the other half has the lowest rank, %u", sides->lowest_silent);
    if (sides->lowest_here == runtime->config.rank)
        say(sides, "at most ", why);
    _exit(KNELL_RUNTIME_EXIT_SPLIT);
}

void knell__sides_look(struct knell_runtime *runtime)
{
    struct knell_sides sides = knell_node_sides(runtime->node);
    bool even = sides.here == sides.silent && sides.lowest_here == runtime->config.rank &&
                knell_node_state(runtime->node) == KNELL_STATE_RUNNING;
    runtime->even = even ? sides : (struct knell_sides){0};
}

/* Whoever has one of two equal hosts left wants to know why it is this one. */
void knell__sides_settled(struct knell_runtime *runtime, const struct knell_fact *decided)
{
    char why[80];
    if (runtime->even.here == 0 || !(decided->flags & KNELL_FLAG_SETTLES))
        return;
    snprintf(why, sizeof why, "goes on: it has the lowest rank, %u", runtime->even.lowest_here);
    say(&runtime->even, "", why);
    runtime->even = (struct knell_sides){0};
}
