/* native_hush.c: Open MPI has a page of text for each connection that ends with its process: this one will "likely behave unpredictably".
 * It will not: that death is the detector's to tell. All its other words are passed on. */
#include "mpi/native.h"

#ifdef OPEN_MPI
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

typedef int show_help(const char *file, const char *topic, bool header, ...);
typedef int show_help_list(const char *file, const char *topic, bool header, va_list arguments);

static show_help_list **pass_on;

static int show_unless_hung_up(const char *file, const char *topic, bool header, ...)
{
    va_list arguments;
    if (strcmp(topic, "peer hung up") == 0)
        return 0;
    va_start(arguments, header);
    int code = (*pass_on)(file, topic, header, arguments);
    va_end(arguments);
    return code;
}

/* Both are variables of the MPI's, meant to be set by who shows its words elsewhere. */
void knell__native_hush(void)
{
    show_help **show = knell__native_symbol("opal_show_help");
    pass_on = knell__native_symbol("opal_show_vhelp");
    if (show && pass_on && *pass_on)
        *show = show_unless_hung_up;
}
#else
void knell__native_hush(void)
{
}
#endif
