/* See columns.h. */
#include "cli/common/columns.h"

#include <stdlib.h>
#include <sys/ioctl.h>

enum { LEAST = 40, USUAL = 80 };

int knell__columns(FILE *out)
{
    struct winsize size = {0};
    const char *setting = getenv("COLUMNS");
    int columns = fileno(out) >= 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    if (columns == 0 && setting)
        columns = atoi(setting);
    if (columns <= 0)
        columns = USUAL;
    return columns < LEAST ? LEAST : columns > KNELL__COLUMNS_MOST ? KNELL__COLUMNS_MOST : columns;
}
