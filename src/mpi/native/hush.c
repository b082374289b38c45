/* hush.c: Open MPI has a page of text for each connection that ends with its process: this one will "likely behave unpredictably".
 * It will not: that death is the detector's to tell. All its other words are passed on. */
#include "mpi/base/layer.h"
#include "mpi/native/native.h"

#ifdef OPEN_MPI
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
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
