/* names.c: the names of the scenario in the files of programs. A file is looked at once. */
#include "cli/agent/job.h"
#include "cli/common/program.h"
#include "cli/scenario/names.h"

#include <stdlib.h>
#include <string.h>

static bool is_checked(const struct job *job, uint32_t place, const char *path)
{
    for (size_t i = 0; i < job->checked_count; i++)
        if ((uint8_t)job->checked[i][0] == (uint8_t)(place % 255 + 1) && strcmp(job->checked[i] + 1, path) == 0)
            return true;
    return false;
}

static void note_checked(struct job *job, uint32_t place, const char *path)
{
    size_t length = strlen(path);
    char **more = realloc(job->checked, (job->checked_count + 1) * sizeof *more), *entry = malloc(length + 2);
    job->checked = more ? more : job->checked;
    if (!more || !entry) {
        free(entry);
        return;
    }
    entry[0] = (char)(uint8_t)(place % 255 + 1);
    memcpy(entry + 1, path, length + 1);
    job->checked[job->checked_count++] = entry;
}

bool names_check(void *driver, uint32_t place, const char *path, char *why)
{
    struct job *job = driver;
    if (is_checked(job, place, path))
        return true;
    if (!scenario_check_names(job->scenario.program, place, path, why))
        return false;
    note_checked(job, place, path);
    return true;
}

/* ---- before the start -------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The place's program, or the word of the command line that has its name. */
static const char *word_of(const struct job *job, const char *program)
{
    for (char **word = job->program; word && *word; word++)
        if (strcmp(base_name(*word), base_name(program)) == 0)
            return *word;
    return job->program || job->listen ? NULL : program;
}

static int check_place(struct job *job, uint32_t number, const struct knell_fail_place *place)
{
    char program[PATH_MAX], path[PATH_MAX], real[PATH_MAX], why[AGENT_WHY];
    agent_program_word(place->program, program);
    const char *word = word_of(job, program);
    if (!word)
        return EXIT_OK; /* something that PROGRAM starts: it is looked at when it is loaded */
    if (!program_on_path(word, path))
        return job_complain(job, EXIT_USAGE, "%.200s: there is no such program, for %s of %.200s", word, place->name,
                            job->fail);
    if (!names_check(job, number, realpath(path, real) ? real : path, why))
        return job_complain(job, EXIT_USAGE, "%s", why);
    return EXIT_OK;
}

/* Does a slot of the place live with this agent? */
static bool has_slot(const struct job *job, const struct knell_fail_place *place)
{
    bool any = false;
    for (uint32_t i = place->first; i < place->first + place->size && !any; i++)
        any = job_hosts(job, i);
    return any;
}

int names_check_all(struct job *job)
{
    int status = EXIT_OK;
    for (uint32_t i = 0; i < knell_fail_place_count(job->scenario.program) && status == EXIT_OK; i++) {
        struct knell_fail_place place = knell_fail_place_at(job->scenario.program, i);
        if (place.program && has_slot(job, &place))
            status = check_place(job, i, &place);
    }
    return status;
}
