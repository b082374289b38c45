/* columns.c: see columns.h. */
#include "cli/common/columns.h"

#include <stdlib.h>
#include <sys/ioctl.h>

enum { LEAST = 40, USUAL = 80 };

int columns_of(FILE *out)
{
    struct winsize size = {0};
    const char *setting = getenv("COLUMNS");
    int columns = fileno(out) >= 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    if (columns == 0 && setting)
        columns = atoi(setting);
    if (columns <= 0)
        columns = USUAL;
    return columns < LEAST ? LEAST : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
}
