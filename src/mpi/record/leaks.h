/* leaks.h: what the program made and did not free, told to `knell run` at MPI_Finalize. */
#ifndef KNELL_MPI_RECORD_LEAKS_H
#define KNELL_MPI_RECORD_LEAKS_H

/* Groups only while calls are recorded. */
void leaks_tell(void);

#endif
