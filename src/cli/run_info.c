/* run_info.c: `knell run --info KEY=VALUE`: hints on MPI_COMM_WORLD, for programs that cannot be changed to set them. */
#include "cli/options.h"
#include "cli/run.h"
#include "job/hints.h"

#include <string.h>

static const char *const uniform_values[] = {JOB_HINT_UNIFORM_VALUES, JOB_HINT_CONSTRUCT, NULL};
static const char *const range_values[] = {JOB_HINT_RANGE_VALUES, NULL};

static bool is_among(const char *value, const char *const *values)
{
    while (*values && strcmp(*values, value) != 0)
        values++;
    return *values != NULL;
}

/* The value, if `text` is "KEY=VALUE". */
static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);
    return strncmp(text, key, length) == 0 && text[length] == '=' ? text + length + 1 : NULL;
}

static int check(const struct knell_usage *usage, const char *text)
{
    const char *uniform = value_of(text, JOB_HINT_UNIFORM), *range = value_of(text, JOB_HINT_RANGE);
    if (uniform && !is_among(uniform, uniform_values))
        return knell__cli_fail(usage, "--info %s: the value is local, create or coll", text);
    if (range && !is_among(range, range_values))
        return knell__cli_fail(usage, "--info %s: the value is local, group or universe", text);
    if (!uniform && !range)
        return knell__cli_fail(usage, "--info %s: give " JOB_HINT_UNIFORM "=VALUE or " JOB_HINT_RANGE "=VALUE", text);
    return -1;
}

int knell__run_info_check(const struct knell__run_plan *plan)
{
    for (size_t i = 0; i < plan->infos.n; i++) {
        int status = check(plan->usage, plan->infos.items[i]);
        if (status >= 0)
            return status;
    }
    return -1;
}

void knell__run_info_join(const struct knell__run_plan *plan, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < plan->infos.n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ";" : "", plan->infos.items[i]);
}
