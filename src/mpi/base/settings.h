/* settings.h: what the environment said when the library was loaded. The program may change its environment whenever it likes, also
 * while a thread of the layer would read it. */
#ifndef KNELL_MPI_BASE_SETTINGS_H
#define KNELL_MPI_BASE_SETTINGS_H

/* As getenv, from any thread at any time: for KNELL_* and what the launchers set (settings.c). NULL: not set. */
const char *settings_get(const char *name);

#endif
