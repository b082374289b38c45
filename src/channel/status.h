/* status.h: the file with a job's status (--status-file): written by `knell run`, or, when its host is lost, by a supervisor. */
#ifndef KNELL_CHANNEL_STATUS_H
#define KNELL_CHANNEL_STATUS_H

#include <stdbool.h>

/* One line with the number. Whole or not at all: others may read it meanwhile. false: errno says why. */
bool channel_status_write(const char *path, int status);

#endif
