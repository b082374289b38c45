/* options: what was asked for, and the CSV files. See parts.h. */
#include "machine.h"
#include "parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool options_want(const struct options *options, uint32_t ranks)
{
    return options->ranks == 0 || options->ranks == ranks;
}

bool options_want_load(const struct options *options, int load)
{
    return options->load < 0 || options->load == load;
}

FILE *csv_open(const struct options *options, const char *name, const char *head)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.csv", options->out, name);
    bool there = options->add && access(path, F_OK) == 0;
    FILE *csv = fopen(path, there ? "ae" : "we");
    if (!csv)
        machine_give_up("cannot write %s: %s", path, strerror(errno));
    if (!there)
        fprintf(csv, "%s\n", head);
    return csv;
}

void csv_close(FILE *csv)
{
    if (fclose(csv) != 0)
        machine_give_up("a CSV file could not be written: %s", strerror(errno));
}
