/* folder.h: folders that a command made. */
#ifndef KNELL_CLI_COMMON_FOLDER_H
#define KNELL_CLI_COMMON_FOLDER_H

/* With all that is in it; what cannot be removed stays. */
void folder_remove(const char *path);

#endif
