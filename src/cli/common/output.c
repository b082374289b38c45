/* output.c: see output.h. An open_memstream, which one write empties. */
#include "cli/common/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int output_begin(struct output *o, const struct usage *usage)
{
    memset(o, 0, sizeof *o);
    o->f = open_memstream(&o->text, &o->size);
    if (!o->f)
        return cli_failure(usage, "no memory for the output");
    return EXIT_OK;
}

void output_drop(struct output *o)
{
    fclose(o->f);
    free(o->text);
    memset(o, 0, sizeof *o);
}

int output_commit(struct output *o, const struct usage *usage)
{
    int status = EXIT_OK;

    if (fflush(o->f) != 0 || ferror(o->f))
        status = cli_failure(usage, "no memory for the output");
    else if (fwrite(o->text, 1, o->size, stdout) != o->size || fflush(stdout) != 0)
        status = cli_failure(usage, "cannot write the output: %s", strerror(errno));
    output_drop(o);
    return status;
}
