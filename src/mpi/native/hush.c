/* hush.c: Open MPI has a page of text for each connection that ends with its process: this one will "likely behave unpredictably";
 * and a line for what it still tried to send there. It will not: that death is the detector's to tell. All its other words are passed on. */
#include "mpi/base/layer.h"
#include "mpi/native/native.h"

#ifdef OPEN_MPI
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef int show_help(const char *file, const char *topic, bool header, ...);
typedef int show_help_list(const char *file, const char *topic, bool header, va_list arguments);

static show_help_list **pass_on;

/* The type is Open MPI's: a bool before the dots, after which C promises nothing, while every compiler keeps it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvarargs"
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
#pragma GCC diagnostic pop

/* NULL: there is none of that name, or it is a function in this version and not to be set. */
static void *variable(const char *name)
{
    void *at = layer_symbol(name);
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;
    if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return NULL;
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT ? at : NULL;
}

/* A line of the TCP transport that ends in "(the error's number)" of a connection whose other end is gone, or speaks of one that is
 * closed already. */
static bool tells_of_lost_connection(const char *line)
{
    int number = 0;
    const char *last = strrchr(line, '(');
    if (!strstr(line, "/btl_tcp_") || !last || sscanf(last, "(%d)", &number) != 1)
        return false;
    return number == ECONNRESET || number == EPIPE || number == EBADF || strstr(line, "invalid connection state");
}

/* Stands before the MPI's own, which writes to standard error. It is called three times for one line: where, what, the end. */
int mca_btl_base_err(const char *format, ...) __attribute__((visibility("default"), format(printf, 1, 2)));

int mca_btl_base_err(const char *format, ...)
{
    static _Thread_local char line[1024];
    static _Thread_local size_t length;
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(line + length, sizeof line - length, format, arguments);
    va_end(arguments);
    length += wrote > 0 ? (size_t)wrote : 0;
    bool full = length >= sizeof line;
    if (!full && (length == 0 || line[length - 1] != '\n'))
        return wrote;
    if (!tells_of_lost_connection(line))
        fputs(line, stderr);
    length = 0;
    return wrote;
}

/* Both are variables of the MPI's, meant to be set by who shows its words elsewhere. */
void native_hush(void)
{
    show_help **show = variable("opal_show_help");
    pass_on = variable("opal_show_vhelp");
    if (show && pass_on && *pass_on)
        *show = show_unless_hung_up;
}
#else
void native_hush(void)
{
}
#endif
