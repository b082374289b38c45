/* slot.c: which slot a process comes to. A place's `program` begins with the name of a program; a process that executes a file of that
 * name belongs there: by the number that its launcher or KNELL_SLOT gave it, else in the first slot that is free. With match = "host" any slot of this
 * host will do. */
#include "agent/state.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMM_MAX = 15 }; /* letters that the kernel keeps */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- what a process runs ----------------------------------------------------------------------------------------- */

void slot_file_of(pid_t pid, char path[PATH_MAX])
{
    char link[40];
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = '\0';
}

/* By the name it was started under: a script's own, a link's own. */
static void comm_of(pid_t pid, char name[COMM_MAX + 2])
{
    char path[40];
    name[0] = '\0';
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    FILE *comm = fopen(path, "re");
    if (comm && !fgets(name, COMM_MAX + 2, comm))
        name[0] = '\0';
    if (comm)
        fclose(comm);
    name[strcspn(name, "\n")] = '\0';
}

/* The value of a variable of the environment as the process was given it. */
static bool number_in_environment(pid_t pid, const char *name, long *number)
{
    char path[40], *text = NULL;
    size_t room = 0, length = strlen(name);
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    FILE *environment = fopen(path, "re");
    while (environment && !found && getdelim(&text, &room, '\0', environment) > 0)
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            char *end;
            *number = strtol(text + length + 1, &end, 10);
            found = end > text + length + 1 && *end == '\0';
        }
    free(text);
    if (environment)
        fclose(environment);
    return found;
}

static bool rank_of(pid_t pid, long *rank)
{
    static const char *const names[] = {"KNELL_SLOT", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_in_environment(pid, names[i], rank))
            return true;
    return false;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

void agent_program_word(const char *program, char word[PATH_MAX])
{
    size_t skip = strspn(program, " \t"), length = strcspn(program + skip, " \t");
    snprintf(word, PATH_MAX, "%.*s", (int)length, program + skip);
}

static bool runs_program(const char *file, const char *comm, const char *program)
{
    char word[PATH_MAX];
    agent_program_word(program, word);
    const char *name = base_name(word);
    return strcmp(base_name(file), name) == 0 || (*comm && strncmp(comm, name, COMM_MAX) == 0);
}

/* The places of its program have their slots numbered through. Only slots that live here are given; that of the number may be elsewhere. */
static uint32_t find_slot(const struct agent *agent, const char *file, const char *comm, long rank, uint32_t *slots)
{
    const struct knell_fail_program *program = agent->config.program;
    uint32_t free_one = NO_SLOT;
    bool is_elsewhere = false;
    *slots = 0;
    for (uint32_t i = 0; i < knell_fail_place_count(program); i++) {
        struct knell_fail_place place = knell_fail_place_at(program, i);
        if (!place.program || !runs_program(file, comm, place.program))
            continue;
        uint32_t before = *slots;
        *slots += place.size;
        for (uint32_t k = 0; k < place.size; k++) {
            bool is_here = agent_hosts(agent, place.first + k), is_free = is_here && !agent->slot[place.first + k];
            bool is_its = place.match == KNELL_FAIL_MATCH_RANK && rank == (long)before + k;
            if (is_free && is_its)
                return place.first + k;
            is_elsewhere |= is_its && !is_here;
            if (is_free && free_one == NO_SLOT)
                free_one = place.first + k;
        }
    }
    return rank >= (long)*slots || is_elsewhere ? NO_SLOT : free_one;
}

enum slot_found slot_find(struct agent *agent, struct agent_process *process, uint32_t *instance)
{
    char file[PATH_MAX], comm[COMM_MAX + 2];
    uint32_t slots;
    long rank = -1;
    slot_file_of(process->pid, file);
    comm_of(process->pid, comm);
    if (!rank_of(process->pid, &rank))
        rank = -1;
    process->rank = rank;
    *instance = find_slot(agent, file, comm, rank, &slots);
    if (slots > 0 && *instance == NO_SLOT && process->instance == NO_SLOT) {
        if (rank >= (long)slots)
            agent_say(
                agent, true,
                "the scenario is for %u processes of %s, and this is number %ld, counted from 0: make `size` of its group larger",
                slots, base_name(file), rank);
        else
            agent_say(
                agent, true,
                "the scenario is for %u process%s of %s%s, and there is one more: make `size` of its group larger",
                slots, slots == 1 ? "" : "es", base_name(file),
                agent->config.hosted ? ", some of them on other hosts" : "");
    }
    return slots == 0 ? SLOT_FOREIGN : *instance == NO_SLOT && process->instance == NO_SLOT ? SLOT_FULL : SLOT_FOUND;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static bool is_known(struct agent *agent, const struct agent_process *process)
{
    char file[PATH_MAX], why[AGENT_WHY];
    slot_file_of(process->pid, file);
    uint32_t place = knell_fail_instance_place(agent->config.program, process->instance);
    if (agent->config.check(agent->config.driver, place, file, why))
        return true;
    agent_say(agent, true, "%s", why);
    return false;
}

/* Returns whether it is in a slot now, with everything that the scenario names. */
bool process_load(struct agent *agent, struct agent_process *process)
{
    uint32_t instance;
    enum slot_found found = slot_find(agent, process, &instance);
    process->held |= found == SLOT_FULL; /* nothing of it runs: the job is ended */
    if (found == SLOT_FULL || (found == SLOT_FOREIGN && !process->loaded))
        return false;
    if (process->instance == NO_SLOT)
        process->instance = instance;
    agent->slot[process->instance] = process;
    image_look(agent, process->image);
    if (found == SLOT_FOREIGN) { /* the process of the slot has become another program */
        effect_arm(agent, process);
        return true;
    }
    process->held = true;
    if (!is_known(agent, process))
        return false;
    process->loaded = true;
    effect_feed(agent, process, (struct knell_fail_event){.type = KNELL_FAIL_ONLOAD});
    return true;
}
