/* slow_load: a library that waits while it is loaded. The environment: SLOW_LOAD, two descriptors: it writes to one, reads from the other. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void wait_for_word(void)
{
    int out, in;
    char byte = 0;
    if (sscanf(getenv("SLOW_LOAD"), "%d %d", &out, &in) != 2 || write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1)
        abort();
}
