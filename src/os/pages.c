/* pages: see pages.h. */
#include "os/pages.h"

#include <sys/mman.h>

void *knell__pages_take(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void knell__pages_give(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size);
}
