/* See output.h: an open_memstream that ends in one write. */
#include "cli/common/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int knell_output_begin(struct knell_output *o, const struct knell_usage *usage)
{
    memset(o, 0, sizeof *o);
    o->f = open_memstream(&o->text, &o->size);
    if (!o->f)
        return knell__cli_broken(usage, "no memory for the output");
    return KNELL_EXIT_OK;
}

void knell_output_drop(struct knell_output *o)
{
    fclose(o->f);
    free(o->text);
    memset(o, 0, sizeof *o);
}

int knell_output_commit(struct knell_output *o, const struct knell_usage *usage)
{
    int status = KNELL_EXIT_OK;

    if (fflush(o->f) != 0 || ferror(o->f))
        status = knell__cli_broken(usage, "no memory for the output");
    else if (fwrite(o->text, 1, o->size, stdout) != o->size || fflush(stdout) != 0)
        status = knell__cli_broken(usage, "cannot write the output: %s", strerror(errno));
    knell_output_drop(o);
    return status;
}
